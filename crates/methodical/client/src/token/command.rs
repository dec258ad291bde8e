//! A token from a command, such as a password manager.

use std::ffi::OsString;
use std::io::{self, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use std::{fmt, thread};

use futures_channel::oneshot::channel;
use gateway_transport::{BoxError, BoxFuture};

use crate::time::sleep_blocking;
use crate::token::text;
use crate::{AccessToken, TokenSource, unpoisoned};

/// A token printed by a command, such as `pass`. Surrounding whitespace is ignored. More than 64 KiB is an error.
///
/// The command runs when a token is needed, and again when the service refuses the token. The command inherits the
/// standard error of this process, and may ask for a password on the terminal. Once no call is waiting for the command,
/// it is killed, but processes that it has started are not. While they keep the output open, a thread of this process
/// reads it, even after the call has ended.
///
/// `Debug` shows the program and the number of arguments, but not the arguments, which may be secret.
///
/// # Examples
///
/// ```no_run
#[doc = include_str!("../../doctests/photos.txt")]
/// use methodical_client::{Client, CommandToken};
///
/// let client = Client::<Photos>::builder("https://gateway.example.com")
///     .token(CommandToken::new("pass").arg("show").arg("gateway"))
///     .build()?;
/// # Ok::<(), methodical_client::Error>(())
/// ```
#[derive(Clone)]
pub struct CommandToken {
    program: OsString,
    arguments: Vec<OsString>,
}

impl CommandToken {
    /// Creates a source that runs `program`, without a shell.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self { program: program.into(), arguments: Vec::new() }
    }

    /// Adds an argument to the command line.
    #[must_use]
    pub fn arg(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    fn start(&self) -> Result<(Arc<Process>, impl Read + use<>), BoxError> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child =
            command.spawn().map_err(|error| format!("cannot run {}: {error}", self.name()))?;
        let output = child.stdout.take().ok_or("the token command has no output")?;
        Ok((Arc::new(Process(Mutex::new(child))), output))
    }

    /// Reads the token from a running command.
    async fn finish(
        &self,
        process: Arc<Process>,
        output: impl Read + Send + 'static,
    ) -> Result<AccessToken, BoxError> {
        let _awaited = Awaited(Arc::clone(&process));
        let name = self.name();
        let (sender, receiver) = channel();
        thread::Builder::new().name("gateway-token-command".to_owned()).spawn(move || {
            // The receiver may have been dropped.
            let _unsent = sender.send(process.token(output, &name));
        })?;
        // If the thread panics, the sender is dropped.
        receiver.await.map_err(|_canceled| "the thread of the token command has panicked")?
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
        Box::pin(async {
            let (process, output) = self.start()?;
            self.finish(process, output).await
        })
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

/// A command that a call waits for. Dropping this value kills the command, because the call no longer waits.
struct Awaited(Arc<Process>);

impl Drop for Awaited {
    fn drop(&mut self) {
        self.0.kill();
    }
}

struct Process(Mutex<Child>);

impl Process {
    /// Reads the token from `output` and waits until the command has exited. If the output cannot be read or is too
    /// long, kills the command first.
    fn token(&self, output: impl Read, name: &str) -> Result<AccessToken, BoxError> {
        let text = text::read(output);
        if !matches!(text, Ok(Some(_))) {
            self.kill();
        }
        let status = self.wait().map_err(|error| format!("cannot wait for {name}: {error}"))?;
        let text = text.map_err(|error| format!("cannot read the output of {name}: {error}"))?;
        let text = text.ok_or_else(|| format!("{name} printed more than 64 KiB"))?;
        if !status.success() {
            return Err(format!("{name} failed ({status})").into());
        }
        text::token(&text, || format!("the output of {name}"))
    }

    fn wait(&self) -> io::Result<ExitStatus> {
        loop {
            // The lock is released between the checks, so that `kill` can take it.
            if let Some(status) = unpoisoned(self.0.lock()).try_wait()? {
                return Ok(status);
            }
            sleep_blocking(CHECK_INTERVAL);
        }
    }

    fn kill(&self) {
        // A failure cannot be reported, because no call is waiting.
        let _failed = unpoisoned(self.0.lock()).kill();
    }
}

/// Time between checks for whether a command that has closed its output has exited.
const CHECK_INTERVAL: Duration = Duration::from_millis(10);

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::task::{Context, Waker};
    use std::thread;
    use std::time::{Duration, Instant};

    use gateway_transport::BoxError;

    use super::CommandToken;
    use crate::{AccessToken, TokenSource as _};

    fn shell(script: &str) -> Result<AccessToken, BoxError> {
        pollster::block_on(CommandToken::new("sh").arg("-c").arg(script).token(None))
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
        let error = pollster::block_on(CommandToken::new("yes").token(None)).unwrap_err();
        assert_eq!(error.to_string(), "the token command yes printed more than 64 KiB");
    }

    #[test]
    fn a_command_that_no_call_waits_for_is_killed() {
        // The second command has closed its output, so reading it ends immediately.
        for script in ["exec sleep 1000", "exec sleep 1000 >&-"] {
            let start = Instant::now();
            let source = CommandToken::new("sh").arg("-c").arg(script);
            let (process, output) = source.start().unwrap();
            let mut token = Box::pin(source.finish(Arc::clone(&process), output));
            let mut context = Context::from_waker(Waker::noop());
            assert!(token.as_mut().poll(&mut context).is_pending());
            drop(token);
            // The thread of the command holds the other reference until the command has ended.
            while Arc::strong_count(&process) > 1 {
                thread::park_timeout(Duration::from_millis(5));
            }
            assert!(start.elapsed() < Duration::from_secs(40), "{:?}", start.elapsed());
        }
    }

    #[test]
    fn arguments_are_not_shown() {
        let shown = format!("{:?}", CommandToken::new("curl").arg("-u").arg("id:CANARY"));
        assert_eq!(shown, r#"CommandToken { program: "curl", arguments: 2 }"#);
    }
}
