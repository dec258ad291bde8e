//! A token from a command, such as a password manager.

use std::ffi::OsString;
use std::fmt;
use std::process::{Command, Stdio};
use std::sync::Arc;

use gateway_transport::{BoxError, BoxFuture};
use shared_child::SharedChild;

use crate::token::spawn_blocking::spawn_blocking;
use crate::token::text;
use crate::{AccessToken, TokenSource};

/// A token from the standard output of a command. Surrounding whitespace is ignored. More than 64 KiB is refused.
///
/// The command runs when a token is needed, and again when the service refuses the token. It runs in the background and
/// inherits the standard error of this process. If no call waits for it any more, it is killed; the processes that it has
/// started are not.
///
/// `Debug` shows the program and the number of arguments, but no argument, because arguments may be secret.
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
#[derive(Clone)]
pub struct CommandToken {
    program: OsString,
    arguments: Vec<OsString>,
}

impl CommandToken {
    /// Creates a source that runs this program, without a shell.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self { program: program.into(), arguments: Vec::new() }
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    fn start(&self) -> Result<Arc<SharedChild>, BoxError> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let child = SharedChild::spawn(&mut command)
            .map_err(|error| format!("cannot run {}: {error}", self.name()))?;
        Ok(Arc::new(child))
    }

    /// Reads the token from a running command.
    async fn finish(&self, child: Arc<SharedChild>) -> Result<AccessToken, BoxError> {
        let _awaited = Awaited(Arc::clone(&child));
        let child = Reaped(child);
        let name = self.name();
        spawn_blocking("gateway-token-command", move || child.token(&name)).await?
    }

    fn name(&self) -> String {
        format!("the token command {}", self.program.display())
    }
}

impl TokenSource for CommandToken {
    fn token<'a>(
        &'a self,
        _refused: Option<&'a AccessToken>,
    ) -> BoxFuture<'a, Result<AccessToken, BoxError>> {
        Box::pin(async { self.finish(self.start()?).await })
    }
}

impl fmt::Debug for CommandToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CommandToken")
            .field("program", &self.program)
            .field("arguments", &self.arguments.len())
            .finish()
    }
}

/// A command that a call waits for. It is killed when the call is dropped.
struct Awaited(Arc<SharedChild>);

impl Drop for Awaited {
    fn drop(&mut self) {
        // A failure cannot be reported to anyone.
        let _failed = self.0.kill();
    }
}

/// A command whose output is being read. It is killed and reaped when dropped.
struct Reaped(Arc<SharedChild>);

impl Reaped {
    fn token(&self, name: &str) -> Result<AccessToken, BoxError> {
        let output = self.0.take_stdout().ok_or_else(|| format!("{name} has no output"))?;
        let text = text::read(output)
            .map_err(|error| format!("cannot read the output of {name}: {error}"))?;
        let text = text.ok_or_else(|| format!("{name} printed more than 64 KiB"))?;
        let status = self.0.wait().map_err(|error| format!("cannot wait for {name}: {error}"))?;
        if !status.success() {
            return Err(format!("{name} failed ({status})").into());
        }
        text::token(&text, || format!("the output of {name}"))
    }
}

impl Drop for Reaped {
    fn drop(&mut self) {
        let _failed = self.0.kill().and_then(|()| self.0.wait());
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt as _;
    use std::sync::Arc;
    use std::task::{Context, Waker};

    use super::CommandToken;
    use crate::TokenSource as _;

    fn shell(script: &str) -> Result<crate::AccessToken, gateway_transport::BoxError> {
        pollster::block_on(CommandToken::new("sh").arg("-c").arg(script).token(None))
    }

    #[test]
    fn returns_the_printed_token() {
        assert!(shell("echo ' gwt_x '").is_ok());
    }

    #[test]
    fn each_failure_has_its_text() {
        let text = |script| shell(script).unwrap_err().to_string();
        assert_eq!(text("echo CANARY; exit 3"), "the token command sh failed (exit status: 3)");
        assert_eq!(text("printf '\\377'"), "the output of the token command sh is not UTF-8 text");
        assert_eq!(text("true"), "the access token is empty");
        assert!(!text("echo CANARY two").contains("CANARY"));
        let missing = pollster::block_on(CommandToken::new("no-such-program").token(None));
        let text = missing.unwrap_err().to_string();
        assert!(text.starts_with("cannot run the token command no-such-program: "), "{text}");
    }

    #[test]
    fn a_command_with_endless_output_is_killed() {
        let source = CommandToken::new("yes");
        let child = source.start().unwrap();
        let error = pollster::block_on(source.finish(Arc::clone(&child))).unwrap_err();
        assert_eq!(error.to_string(), "the token command yes printed more than 64 KiB");
        assert!(child.wait().unwrap().signal().is_some());
    }

    #[test]
    fn a_command_that_no_call_waits_for_is_killed() {
        // The second command has closed its output, so reading it ends immediately.
        for script in ["exec sleep 1000", "exec sleep 1000 >&-"] {
            let source = CommandToken::new("sh").arg("-c").arg(script);
            let child = source.start().unwrap();
            let mut token = Box::pin(source.finish(Arc::clone(&child)));
            let mut context = Context::from_waker(Waker::noop());
            assert!(token.as_mut().poll(&mut context).is_pending());
            drop(token);
            assert!(child.wait().unwrap().signal().is_some());
        }
    }

    #[test]
    fn arguments_are_not_shown() {
        let shown = format!("{:?}", CommandToken::new("curl").arg("-u").arg("id:CANARY"));
        assert_eq!(shown, r#"CommandToken { program: "curl", arguments: 2 }"#);
    }
}
