//! A token from an environment variable.

use std::env;

use gateway_transport::{BoxError, BoxFuture};
use zeroize::Zeroizing;

use crate::token::text;
use crate::{AccessToken, TokenSource};

/// A token from an environment variable. Surrounding whitespace is ignored.
///
/// # Examples
///
/// ```no_run
#[doc = include_str!("../../doctests/photos.txt")]
/// use methodical_client::{Client, EnvironmentToken};
///
/// let client = Client::<Photos>::builder("https://gateway.example.com")
///     .token(EnvironmentToken::new("GATEWAY_TOKEN"))
///     .build()?;
/// # Ok::<(), methodical_client::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct EnvironmentToken {
    variable: String,
}

impl EnvironmentToken {
    /// Creates a source that reads this variable whenever a token is needed.
    pub fn new(variable: impl Into<String>) -> Self {
        Self { variable: variable.into() }
    }

    fn read(&self) -> Result<AccessToken, BoxError> {
        let text = env::var_os(&self.variable)
            .ok_or_else(|| format!("the environment variable {} is not set", self.variable))?;
        // Bytes, because this copy can be cleared.
        let text = Zeroizing::new(text.into_encoded_bytes());
        text::token(&text, || format!("the environment variable {}", self.variable))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_variable() {
        // Cargo sets this variable for every test.
        let source = EnvironmentToken::new("CARGO_PKG_NAME");
        let token = pollster::block_on(source.token(None)).unwrap();
        assert_eq!(token, AccessToken::new(env!("CARGO_PKG_NAME")).unwrap());
        let source = EnvironmentToken::new("GATEWAY_NO_SUCH_VARIABLE");
        let error = pollster::block_on(source.token(None)).unwrap_err();
        let text = "the environment variable GATEWAY_NO_SUCH_VARIABLE is not set";
        assert_eq!(error.to_string(), text);
    }
}
