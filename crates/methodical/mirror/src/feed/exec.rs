//! Runs a program for each event.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use std::{io, thread};

use crate::error::{Error, ErrorKind, debug_with};
use crate::feed::Event;
use crate::feed::sink::{Failure, Sink};

/// Runs a program for each event, with the [JSON](Event#json) of the event and a line break on its standard input.
///
/// An exit status of 0 means that the event was delivered, even if the program did not read it. Any other status is a
/// failure. A program that runs longer than the timeout, 60 s by default, is killed.
///
/// On Unix, the program runs in its own process group, in the background of the terminal, and the whole group is killed when
/// the program ends. So no process is left behind, unless it starts its own session (`setsid`). On other systems, only the
/// program itself is killed.
///
/// The program inherits standard output and standard error. These variables are in its environment; none has personal data:
///
/// | variable | contents |
/// |---|---|
/// | `MIRROR_EVENT_ID` | the id for deduplication |
/// | `MIRROR_EVENT_NUMBER` | the number of the change |
/// | `MIRROR_EVENT_TABLE` | the table of the record |
/// | `MIRROR_EVENT_KIND` | the kind of change |
///
/// `Debug` and errors show the program, but no argument, because arguments may be secret.
///
/// # Examples
///
/// ```no_run
/// use std::time::Duration;
///
/// use methodical_mirror::{Error, Exec, Limits, Mirror};
///
/// fn deliver(mirror: &Mirror) -> Result<(), Error> {
///     let mut notify = Exec::new("./notify").arg("--team=photos").timeout(Duration::from_secs(10));
///     mirror.deliver("notify", &mut notify, &Limits::default())?;
///     Ok(())
/// }
/// ```
#[derive(Clone)]
pub struct Exec {
    program: OsString,
    arguments: Vec<OsString>,
    timeout: Duration,
}

impl Exec {
    /// Creates a sink that runs this program, without a shell.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self { program: program.into(), arguments: Vec::new(), timeout: TIMEOUT }
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// Sets the timeout of one run. Default: 60 s.
    #[must_use]
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// Checks that there is such a program, so that a wrong name is noticed before the first event. A name without a folder is
    /// looked up in `PATH`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Setting`] if no file that can be run has this name.
    ///
    /// ```
    /// use methodical_mirror::Exec;
    ///
    /// let error = Exec::new("./no-such-program").check().unwrap_err();
    /// assert!(error.to_string().starts_with("cannot run the command ./no-such-program: "));
    /// ```
    pub fn check(&self) -> Result<(), Error> {
        let path = Path::new(&self.program);
        let is_found = if path.components().count() > 1 || cfg!(windows) {
            cfg!(windows) || is_executable(path)
        } else {
            let folders = std::env::var_os("PATH").unwrap_or_default();
            std::env::split_paths(&folders).any(|folder| is_executable(&folder.join(path)))
        };
        if is_found {
            return Ok(());
        }
        let text = format!(
            "cannot run {}: there is no such file, or it may not be run; check the name and its permissions",
            self.name()
        );
        Err(Error::new(ErrorKind::Setting, text))
    }

    fn name(&self) -> String {
        format!("the command {}", self.program.display())
    }
}

impl Sink for Exec {
    fn deliver(&mut self, event: &Event) -> Result<(), Failure> {
        let mut input = event.to_json().map_err(Failure::from_error)?;
        input.push('\n');
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .env("MIRROR_EVENT_ID", &event.id)
            .env("MIRROR_EVENT_NUMBER", event.change.number.to_string())
            .env("MIRROR_EVENT_TABLE", &event.change.table)
            .env("MIRROR_EVENT_KIND", event.change.kind.as_str())
            .stdin(Stdio::piped());
        let now = Instant::now();
        let deadline = now.checked_add(self.timeout).unwrap_or(now + LONGEST);
        let failed = |error: io::Error| {
            Failure::new(format!("cannot run {}: {error}", self.name())).because(error)
        };
        match run(&mut command, input.into_bytes(), deadline).map_err(failed)? {
            Some(status) if status.success() => Ok(()),
            Some(status) => Err(Failure::new(format!("{} failed ({status})", self.name()))),
            None => {
                let text = format!(
                    "{} did not end within {:?} and was killed; raise its timeout",
                    self.name(),
                    self.timeout
                );
                Err(Failure::new(text))
            }
        }
    }
}

debug_with!(Exec: program, timeout);

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|file| {
        #[cfg(unix)]
        let is_allowed = std::os::unix::fs::PermissionsExt::mode(&file.permissions()) & 0o111 != 0;
        #[cfg(not(unix))]
        let is_allowed = true;
        file.is_file() && is_allowed
    })
}

/// Runs a program with this input. Returns its status, or `None` if it was killed at the deadline. On Unix, the rest of its process
/// group is killed, too.
fn run(command: &mut Command, input: Vec<u8>, deadline: Instant) -> io::Result<Option<ExitStatus>> {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    let mut running = Running(Some(command.spawn()?));
    if let Some(mut stdin) = running.0.as_mut().and_then(|child| child.stdin.take()) {
        // The thread ends when the input was read, or when no process of the group has the other end of the pipe.
        thread::Builder::new().name("methodical-mirror-exec".to_owned()).spawn(move || {
            let _closed = stdin.write_all(&input);
        })?;
    }
    let mut pause = SHORTEST_PAUSE;
    while !running.has_ended()? {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(None);
        }
        thread::park_timeout(left.min(pause));
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
    running.end().transpose()
}

/// A program and its process group, which is killed when it is dropped.
struct Running(Option<Child>);

impl Running {
    /// Returns whether the program has ended. Does not reap it on Unix, so that its id stays that of its group.
    fn has_ended(&mut self) -> io::Result<bool> {
        let Some(child) = &mut self.0 else { return Ok(true) };
        #[cfg(unix)]
        {
            use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            let id = WaitId::Pid(Pid::from_child(child));
            Ok(rustix::io::retry_on_intr(|| waitid(id.clone(), options))?.is_some())
        }
        #[cfg(not(unix))]
        Ok(child.try_wait()?.is_some())
    }

    /// Kills the group and reaps the program.
    fn end(&mut self) -> Option<io::Result<ExitStatus>> {
        let mut child = self.0.take()?;
        // A failure means that the process has ended.
        #[cfg(unix)]
        let _ended = rustix::process::kill_process_group(
            rustix::process::Pid::from_child(&child),
            rustix::process::Signal::KILL,
        );
        #[cfg(not(unix))]
        let _ended = child.kill();
        Some(child.wait())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _failed = self.end();
    }
}

/// Default timeout of one run.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Timeout that is used if the clock cannot count up to the set one.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// Time until the first check whether a program has ended. It doubles up to the longest one.
const SHORTEST_PAUSE: Duration = Duration::from_millis(1);

const LONGEST_PAUSE: Duration = Duration::from_millis(20);
