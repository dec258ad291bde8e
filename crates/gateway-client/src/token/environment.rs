//! A token from an environment variable.

use std::env;

use gateway_transport::{BoxError, BoxFuture};

use crate::{AccessToken, TokenSource};

/// Takes the token from an environment variable. White space around it is left out.
///
/// # Examples
///
/// ```no_run
/// use gateway_client::{Client, EnvironmentToken};
///
/// let client = Client::builder("https://gateway.example.com")
///     .token(EnvironmentToken::new("GATEWAY_TOKEN"))
///     .build()?;
/// # Ok::<(), gateway_client::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct EnvironmentToken {
    variable: String,
}

impl EnvironmentToken {
    /// Names the variable. It is read when a token is needed.
    pub fn new(variable: impl Into<String>) -> Self {
        Self { variable: variable.into() }
    }

    fn read(&self) -> Result<AccessToken, BoxError> {
        let text = env::var(&self.variable).map_err(|error| match error {
            env::VarError::NotPresent => format!("the variable {} is not set", self.variable),
            // The error of the standard library would show the value.
            env::VarError::NotUnicode(_) => format!("the variable {} is no text", self.variable),
        })?;
        Ok(AccessToken::new(text.trim())?)
    }
}

impl TokenSource for EnvironmentToken {
    fn token<'a>(
        &'a self,
        _refused: Option<&'a AccessToken>,
    ) -> BoxFuture<'a, Result<AccessToken, BoxError>> {
        Box::pin(std::future::ready(self.read()))
    }
}
