//! Runs a program for each event.

#[cfg_attr(not(unix), path = "exec/process_portable.rs")]
mod process;

use std::ffi::OsString;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{fmt, io};

use crate::feed::event::Event;
use crate::feed::sink::exec::process::run;
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
///     mirror.deliver("notify", &mut notify, &Limits::new())?;
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
        match run(&mut command, input.as_bytes(), deadline).map_err(failed)? {
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

impl fmt::Debug for Exec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exec")
            .field("program", &self.program)
            .field("arguments", &self.arguments.len())
            .field("timeout", &self.timeout)
            .finish()
    }
}

/// Default timeout of one run.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Timeout that is used if the clock cannot count up to the set one.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);
