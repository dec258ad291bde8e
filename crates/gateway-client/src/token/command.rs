//! A token from a program, such as a password manager.

use std::ffi::OsString;
use std::process::{Command, Stdio};

use gateway_transport::{BoxError, BoxFuture};
use zeroize::Zeroizing;

use super::aside::aside;
use crate::{AccessToken, TokenSource};

/// Takes the token from the standard output of a program. White space around it is left out.
///
/// The program runs when a token is needed, and again when the service refuses the token. It runs beside the calls, on a
/// thread of its own; what it writes to standard error goes where ours goes.
///
/// # Examples
///
/// ```no_run
/// use gateway_client::{Client, CommandToken};
///
/// let client = Client::builder("https://gateway.example.com")
///     .token(CommandToken::new("pass").arg("show").arg("gateway"))
///     .build()?;
/// # Ok::<(), gateway_client::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct CommandToken {
    program: OsString,
    arguments: Vec<OsString>,
}

impl CommandToken {
    /// Names the program. No shell is involved.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self { program: program.into(), arguments: Vec::new() }
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    fn run(&self) -> Result<AccessToken, BoxError> {
        let shown = self.program.display();
        let output = Command::new(&self.program)
            .args(&self.arguments)
            .stdin(Stdio::null())
            .stderr(Stdio::inherit())
            .output()
            .map_err(|error| format!("the token command {shown} does not run: {error}"))?;
        let text = Zeroizing::new(output.stdout);
        if !output.status.success() {
            return Err(format!("the token command {shown} failed ({})", output.status).into());
        }
        let text = std::str::from_utf8(&text).map_err(|_foreign| {
            format!("the token command {shown} printed something that is no text")
        })?;
        Ok(AccessToken::new(text.trim())?)
    }
}

impl TokenSource for CommandToken {
    fn token<'a>(
        &'a self,
        _refused: Option<&'a AccessToken>,
    ) -> BoxFuture<'a, Result<AccessToken, BoxError>> {
        let command = self.clone();
        Box::pin(async { aside("gateway-token-command", move || command.run()).await? })
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::CommandToken;
    use crate::TokenSource as _;

    fn shell(script: &str) -> Result<crate::AccessToken, gateway_transport::BoxError> {
        pollster::block_on(CommandToken::new("sh").arg("-c").arg(script).token(None))
    }

    #[test]
    fn takes_what_is_printed() {
        assert!(shell("echo ' gwt_x '").is_ok());
    }

    #[test]
    fn says_what_went_wrong() {
        let text = |script| shell(script).unwrap_err().to_string();
        assert_eq!(text("echo CANARY; exit 3"), "the token command sh failed (exit status: 3)");
        assert_eq!(text("true"), "the access token is empty");
        assert!(!text("echo CANARY two").contains("CANARY"));
        let missing = pollster::block_on(CommandToken::new("no-such-program").token(None));
        assert!(
            missing
                .unwrap_err()
                .to_string()
                .starts_with("the token command no-such-program does not run")
        );
    }
}
