//! Runs a task repeatedly, as a service of the operating system.

use std::cmp;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use methodical_mirror::Stop;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupt::{self, Undo};
use crate::invocation::Invocation;
use crate::mirror::ago::ago;
use crate::mirror::supervisor;

/// The flags of commands that repeat.
#[derive(Debug, Args)]
pub(crate) struct RepeatFlags {
    /// Write metrics to FILE after each sync, for the textfile collector of `node_exporter`.
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub(crate) metrics_file: Option<PathBuf>,
}

/// The time of the next run of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// After the interval, or earlier.
    Within(Option<Duration>),
    /// It has nothing more to do.
    Never,
}

/// The reason for a run of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    /// The interval has passed.
    Interval,
    /// The run before asked for an earlier one.
    Early,
}

/// The result of a run, and the time of the next one.
#[derive(Debug)]
pub(crate) struct Round {
    pub(crate) done: Result<(), Failure>,
    pub(crate) next: Next,
}

impl From<Result<Next, Failure>> for Round {
    fn from(result: Result<Next, Failure>) -> Self {
        match result {
            Ok(next) => Self { done: Ok(()), next },
            Err(failure) => Self { done: Err(failure), next: Next::Within(None) },
        }
    }
}

/// Runs a task, and again after each interval or earlier, until a signal ends the program with success.
///
/// A failure about the command line or the configuration ends the program if it is the first result. Any other failure is a
/// warning, and the next run follows.
pub(crate) fn repeat(
    every: Duration,
    invocation: &Invocation,
    mut task: impl FnMut(Due) -> Round,
) -> Result<(), Failure> {
    let screen = invocation.screen;
    interrupt::end_with_success();
    let stop = || Ok::<_, Failure>(((), Undo::new(supervisor::stopping)));
    let ((), _stopping) = interrupt::begin(stop)?;
    let mut is_first = true;
    let mut next = Instant::now();
    loop {
        let begun = Instant::now();
        let due = if begun < next { Due::Early } else { Due::Interval };
        if due == Due::Interval {
            next = begun + every;
        }
        let Round { done, next: limit } = task(due);
        let limit = match limit {
            Next::Never => return done,
            Next::Within(limit) => limit.unwrap_or(every),
        };
        let text = match done {
            Ok(()) => "the last run succeeded".to_owned(),
            Err(failure) if is_first && failure.exit() == Exit::Usage => return Err(failure),
            Err(failure) => {
                failure.print(screen);
                format!("the last run failed with exit code {}", failure.exit().code())
            }
        };
        if is_first {
            supervisor::ready();
            is_first = false;
        }
        let left = next.saturating_duration_since(Instant::now());
        let wait = cmp::min(limit, left).max(PAUSE);
        let seconds = i64::try_from(wait.as_secs()).unwrap_or(i64::MAX);
        supervisor::status(&format!("{text}; the next one begins in {}", ago(seconds)));
        // Only a signal ends the wait earlier, and it ends the program.
        Stop::new().wait_until(Instant::now() + wait);
    }
}

/// Minimum time between two runs.
const PAUSE: Duration = Duration::from_secs(1);
