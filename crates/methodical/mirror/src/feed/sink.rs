//! The trait for receivers of events, their failures, and two receivers: lines of JSON, and a program for each event.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use std::{fmt, thread};

use crate::error::{Error, ErrorKind, debug_with};
use crate::feed::Event;

/// A receiver of events. Implement it to deliver changes to your own system.
///
/// ```
/// use methodical_mirror::{Event, Failure, Sink};
///
/// /// Counts events.
/// #[derive(Default)]
/// struct Counter(u64);
///
/// impl Sink for Counter {
///     fn deliver(&mut self, events: &[Event]) -> Result<(), Failure> {
///         self.0 += events.len() as u64;
///         Ok(())
///     }
/// }
/// ```
pub trait Sink {
    /// Delivers the next events, one to [`batch`](Self::batch) of them. After a success, they are not delivered again.
    ///
    /// # Errors
    ///
    /// Returns a failure that says when to deliver all these events again.
    fn deliver(&mut self, events: &[Event]) -> Result<(), Failure>;

    /// Returns the maximum number of events that are delivered together. Default: 1. If the process is killed, up to
    /// this many events are delivered twice.
    fn batch(&self) -> usize {
        1
    }
}

/// The reason why events were not delivered, and what happens next.
///
/// The text is a lowercase fragment. It is logged, so it must not contain a value of a record or a secret.
#[derive(Debug)]
pub struct Failure {
    pub(crate) text: Cow<'static, str>,
    pub(crate) consequence: Consequence,
    pub(crate) source: Option<Box<dyn StdError + Send + Sync>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Consequence {
    /// The event is delivered again after a delay that grows with each failure, but at least this long.
    Retry(Option<Duration>),
    /// The delivery ends as if there were no more events.
    Close,
    /// Nothing is delivered until the consumer is enabled again.
    Disable,
}

impl Failure {
    /// Creates a failure. The event is delivered again after a delay that grows with each failure.
    pub fn new(text: impl Into<Cow<'static, str>>) -> Self {
        Self { text: text.into(), consequence: Consequence::Retry(None), source: None }
    }

    /// Creates the failure for a closed receiver, such as a pipe without a reader. The delivery ends without an error.
    pub fn closed() -> Self {
        Self { consequence: Consequence::Close, ..Self::new("the receiver was closed") }
    }

    /// Sets the minimum delay until the event is delivered again. A delay of more than 24 hours counts as 24 hours.
    #[must_use]
    pub fn retry_after(self, delay: Duration) -> Self {
        Self { consequence: Consequence::Retry(Some(delay)), ..self }
    }

    /// Disables the consumer: nothing is delivered until it is enabled again.
    #[must_use]
    pub fn disable(self) -> Self {
        Self { consequence: Consequence::Disable, ..self }
    }

    /// Sets the cause. Its text must not contain a value of a record or a secret.
    #[must_use]
    pub fn because(self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self { source: Some(source.into()), ..self }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::new(error.to_string()).because(error)
    }
}

impl StdError for Failure {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&**self.source.as_ref()?)
    }
}

/// Writes each event as one line of JSON, for example to standard output.
///
/// The position moves after the writer is flushed, which happens at least every 256 events. Up to 256 events may be
/// written again if the process is killed. If the reader closes the pipe, the delivery ends without an error, and the
/// events since the last flush are written again the next time.
///
/// ```
/// use methodical_mirror::{Limits, Mirror, Ndjson};
///
/// # fn main() -> Result<(), methodical_mirror::Error> {
/// let mut mirror = Mirror::in_memory()?;
/// mirror.add_consumer("export")?;
/// let mut lines = Ndjson::new(Vec::new());
/// mirror.deliver("export", &mut lines, &Limits::default())?;
/// assert!(lines.into_inner().is_empty());
/// # Ok(())
/// # }
/// ```
pub struct Ndjson<W>(W);

impl<W: Write> Ndjson<W> {
    /// Creates a sink from a writer, such as the locked standard output. A buffered writer is faster.
    pub fn new(writer: W) -> Self {
        Self(writer)
    }

    /// Returns the writer, without flushing it.
    pub fn into_inner(self) -> W {
        self.0
    }
}

impl<W: Write> Sink for Ndjson<W> {
    fn deliver(&mut self, events: &[Event]) -> Result<(), Failure> {
        for event in events {
            writeln!(self.0, "{}", event.to_json()?).map_err(failed)?;
        }
        self.0.flush().map_err(failed)
    }

    fn batch(&self) -> usize {
        BATCH
    }
}

fn failed(error: io::Error) -> Failure {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return Failure::closed();
    }
    Failure::new(format!("cannot write the events: {error}")).because(error)
}

impl<W> fmt::Debug for Ndjson<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ndjson").finish_non_exhaustive()
    }
}

/// Maximum number of events between two flushes.
const BATCH: usize = 256;

/// Runs a program for each event, with the [JSON](Event#json) of the event and a line break on its standard input.
///
/// An exit status of 0 means that the event was delivered, even if the program did not read it. Any other status is a
/// failure. A program that runs longer than the timeout, 60 s by default, is killed; processes that it started are not,
/// and may overlap with the next delivery. The program inherits standard output and standard error.
///
/// `Debug` and errors show the program, but not its arguments, which may be secret.
///
/// ```no_run
/// use std::time::Duration;
///
/// use methodical_mirror::{Error, Exec, Limits, Mirror};
///
/// fn deliver(mirror: &Mirror) -> Result<(), Error> {
///     let mut notify = Exec::new("./notify", ["--team=photos"]).timeout(Duration::from_secs(10));
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
    /// Creates a sink that runs `program` with these arguments, without a shell.
    pub fn new<T: Into<OsString>>(program: T, arguments: impl IntoIterator<Item = T>) -> Self {
        let arguments = arguments.into_iter().map(Into::into).collect();
        Self { program: program.into(), arguments, timeout: TIMEOUT }
    }

    /// Sets the timeout of one run. Default: 60 s.
    #[must_use]
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// Checks that the program exists, so that a wrong name is noticed before the first event. A name without a folder
    /// is looked up in `PATH`. On Windows, nothing is checked.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Setting`] if no executable file has this name.
    ///
    /// ```
    /// use methodical_mirror::Exec;
    ///
    /// let error = Exec::new("./no-such-program", []).check().unwrap_err();
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
            let mut input = event.to_json()?;
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
                    "{} did not end within {:?} and was killed; let it end sooner, or raise its timeout",
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
        // The thread ends once the input has been read, or no process holds the other end of the pipe.
        let writer = thread::Builder::new().name("methodical-mirror-exec".to_owned());
        if let Err(error) = writer.spawn(move || drop(stdin.write_all(&input))) {
            child.kill()?;
            child.wait()?;
            return Err(error);
        }
    }
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
        thread::park_timeout(left.min(PAUSE));
    }
}

/// Default timeout of one run.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Interval between checks whether a program has ended.
const PAUSE: Duration = Duration::from_millis(2);
