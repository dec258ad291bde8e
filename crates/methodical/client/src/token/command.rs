//! A token from a command, such as a password manager.

use std::ffi::OsString;
use std::fmt;
use std::process::{Command, Stdio};
use std::sync::Arc;

use gateway_transport::{BoxError, BoxFuture};

use self::process::Process;
use crate::token::spawn_blocking::spawn_blocking;
use crate::token::text;
use crate::{AccessToken, TokenSource};

#[cfg_attr(not(unix), path = "command/process_portable.rs")]
mod process;

/// A token from the standard output of a command. Surrounding whitespace is ignored. More than 64 KiB is refused.
///
/// The command runs when a token is needed, and again when the service refuses the token. It inherits the standard error of
/// this process. Its output ends when it ends, even if a process that it has started keeps the output open. If no call waits
/// for it any more, it is killed.
///
/// On Unix the command runs in its own process group, in the background of the terminal. The whole group is killed when
/// the command ends or no call waits for it any more; a process that must live longer, such as an agent, starts its own
/// session (`setsid`). A command that reads from the terminal fails, and Ctrl-C does not reach the command. On other systems
/// the processes that the command has started are not killed, and its output ends when all of them have closed it.
///
/// `Debug` shows the program and the number of arguments, but no argument, because arguments may be secret.
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

    fn start(&self) -> Result<Arc<Process>, BoxError> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let process = Process::spawn(&mut command)
            .map_err(|error| format!("cannot run {}: {error}", self.name()))?;
        Ok(Arc::new(process))
    }

    /// Reads the token from a running command.
    async fn finish(&self, process: Arc<Process>) -> Result<AccessToken, BoxError> {
        let _awaited = Awaited(Arc::clone(&process));
        let process = Reaped(process);
        let name = self.name();
        spawn_blocking("gateway-token-command", move || process.token(&name)).await?
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
struct Awaited(Arc<Process>);

impl Drop for Awaited {
    fn drop(&mut self) {
        self.0.kill();
    }
}

/// A command whose output is being read. It is killed and reaped when dropped.
struct Reaped(Arc<Process>);

impl Reaped {
    fn token(&self, name: &str) -> Result<AccessToken, BoxError> {
        let text = self.0.output().and_then(text::read);
        let text = text.map_err(|error| format!("cannot read the output of {name}: {error}"))?;
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
        let _failed = self.0.end();
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::process::Command;
    use std::sync::Arc;
    use std::task::{Context, Waker};
    use std::time::{Duration, Instant};
    use std::{io, thread};

    use gateway_transport::BoxError;

    use super::{CommandToken, Process};
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
        let source = CommandToken::new("yes");
        let process = source.start().unwrap();
        let error = pollster::block_on(source.finish(Arc::clone(&process))).unwrap_err();
        assert_eq!(error.to_string(), "the token command yes printed more than 64 KiB");
        assert!(!process.is_running());
    }

    #[test]
    fn a_command_that_no_call_waits_for_is_killed() {
        // The second command has closed its output, so reading it ends immediately.
        for script in ["exec sleep 1000", "exec sleep 1000 >&-"] {
            let source = CommandToken::new("sh").arg("-c").arg(script);
            let process = source.start().unwrap();
            let mut token = Box::pin(source.finish(Arc::clone(&process)));
            let mut context = Context::from_waker(Waker::noop());
            assert!(token.as_mut().poll(&mut context).is_pending());
            drop(token);
            wait_for_thread(&process);
            assert!(!process.is_running());
        }
    }

    #[test]
    fn a_stopped_command_is_an_error() {
        // The second command has closed its output, so the client usually just waits for its end.
        for script in ["kill -STOP $$", "exec >&-; sleep 0.1; kill -STOP $$"] {
            let error = shell(script).unwrap_err().to_string();
            let expected =
                " the token command sh: it was stopped; it must not read from the terminal";
            assert!(error.ends_with(expected), "{error}");
        }
    }

    #[test]
    fn a_child_that_keeps_the_output_open_does_not_delay_the_token() {
        let start = Instant::now();
        assert!(shell("sleep 55 & echo gwt_x").is_ok());
        assert!(start.elapsed() < Duration::from_secs(40), "{:?}", start.elapsed());
    }

    #[test]
    fn the_children_of_a_command_and_its_thread_end_with_the_call() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let script = format!("sleep 66 3>'{}'; echo gwt_x", pipe.display());
        let source = CommandToken::new("sh").arg("-c").arg(script);
        let process = source.start().unwrap();
        let mut token = Box::pin(source.finish(Arc::clone(&process)));
        let mut context = Context::from_waker(Waker::noop());
        assert!(token.as_mut().poll(&mut context).is_pending());

        // Only the child of the command has it open.
        let mut pipe = File::open(&pipe).unwrap();
        drop(token);
        let start = Instant::now();
        io::copy(&mut pipe, &mut io::sink()).unwrap();
        wait_for_thread(&process);
        assert!(start.elapsed() < Duration::from_secs(40), "{:?}", start.elapsed());
    }

    /// Waits until the thread of a command has ended: it holds the other reference.
    fn wait_for_thread(process: &Arc<Process>) {
        while Arc::strong_count(process) > 1 {
            thread::park_timeout(Duration::from_millis(5));
        }
    }

    #[test]
    fn arguments_are_not_shown() {
        let shown = format!("{:?}", CommandToken::new("curl").arg("-u").arg("id:CANARY"));
        assert_eq!(shown, r#"CommandToken { program: "curl", arguments: 2 }"#);
    }
}
