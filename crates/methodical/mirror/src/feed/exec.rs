//! Runs a program for each event.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use std::{io, thread};

use crate::error::{Error, ErrorKind, debug_with};
use crate::feed::Event;
use crate::feed::sink::{Failure, Sink};

/// Runs a program for each event, with the [JSON](Event#json) of the event and a line break on its standard input.
///
/// An exit status of 0 means that the event was delivered, even if the program did not read it. Any other status is a
/// failure. A program that runs longer than the timeout, 60 s by default, is killed; processes that it started are
/// not, and may overlap with the next delivery. It inherits standard output and standard error.
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
    /// Creates a sink that runs `program`, without a shell.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self { program: program.into(), arguments: Vec::new(), timeout: TIMEOUT }
    }

    /// Adds an argument to the command line of the program.
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

    /// Checks that the program exists, so that a wrong name is noticed before the first event. A name without a folder
    /// is looked up in `PATH`.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Setting`] if no executable file has this name.
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
            "cannot run {}: the file does not exist or is not executable; check its name and permissions",
            self.name()
        );
        Err(Error::new(ErrorKind::Setting, text))
    }

    fn name(&self) -> String {
        format!("the command {}", self.program.display())
    }
}

impl Sink for Exec {
    fn deliver(&mut self, events: &[Event]) -> Result<(), Failure> {
        for event in events {
            let mut input = event.to_json().map_err(Failure::from_error)?;
            input.push('\n');
            let mut command = Command::new(&self.program);
            command.args(&self.arguments).stdin(Stdio::piped());
            let failed = |error: io::Error| {
                Failure::new(format!("cannot run {}: {error}", self.name())).because(error)
            };
            let text = match run(&mut command, input.into_bytes(), self.timeout).map_err(failed)? {
                Some(status) if status.success() => continue,
                Some(status) => format!("{} failed ({status})", self.name()),
                None => format!(
                    "{} did not end within {:?} and was killed; raise its timeout",
                    self.name(),
                    self.timeout
                ),
            };
            return Err(Failure::new(text));
        }
        Ok(())
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

/// Runs a program with this input. Returns its status, or `None` if it was killed after the timeout.
fn run(command: &mut Command, input: Vec<u8>, timeout: Duration) -> io::Result<Option<ExitStatus>> {
    let (started, mut child) = (Instant::now(), command.spawn()?);
    if let Some(mut stdin) = child.stdin.take() {
        // The thread ends once the input was read, or no process has the other end of the pipe open.
        let writer = thread::Builder::new().name("methodical-mirror-exec".to_owned());
        if let Err(error) = writer.spawn(move || drop(stdin.write_all(&input))) {
            child.kill()?;
            child.wait()?;
            return Err(error);
        }
    }
    let mut pause = SHORTEST_PAUSE;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        let left = timeout.saturating_sub(started.elapsed());
        if left.is_zero() {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::park_timeout(left.min(pause));
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// Default timeout of one run.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Time until the first check whether a program has ended. It doubles up to the longest one.
const SHORTEST_PAUSE: Duration = Duration::from_millis(1);

const LONGEST_PAUSE: Duration = Duration::from_millis(20);
