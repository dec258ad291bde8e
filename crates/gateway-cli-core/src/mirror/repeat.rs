//! Runs a task again and again, as a service of the operating system.

use std::cmp;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use gateway_mirror::Stop;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupt::{self, Undo};
use crate::invocation::Invocation;
use crate::mirror::ago::ago;
use crate::mirror::supervisor::{self, Supervised};

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

/// Runs a task, and again after each interval, until a signal ends the program with success.
///
/// A failure about the command line or the configuration ends the program if it is the first result. Any other failure is a
/// warning, and the next run follows.
pub(crate) fn repeat(
    every: Duration,
    invocation: &Invocation,
    mut task: impl FnMut() -> Result<Next, Failure>,
) -> Result<(), Failure> {
    let screen = invocation.screen;
    let supervised = Supervised::start();
    interrupt::end_with_success();
    let stop = || Ok::<_, Failure>(((), Undo::new(supervisor::stopping)));
    let ((), _stopping) = interrupt::begin(stop)?;
    let mut is_first = true;
    loop {
        let begun = Instant::now();
        let (text, wait) = match task() {
            Ok(Next::Never) => return Ok(()),
            Ok(Next::Within(limit)) => {
                ("the last run succeeded".to_owned(), limit.unwrap_or(every))
            }
            Err(failure) if is_first && failure.exit() == Exit::Usage => return Err(failure),
            Err(failure) => {
                failure.print(screen);
                (format!("the last run failed with exit code {}", failure.exit().code()), every)
            }
        };
        if is_first {
            supervisor::ready();
            is_first = false;
        }
        let wait = cmp::min(wait, every.saturating_sub(begun.elapsed())).max(PAUSE);
        let next = i64::try_from(wait.as_secs()).unwrap_or(i64::MAX);
        supervised.status(&format!("{text}; the next one begins in {}", ago(next)), wait);
        // Only a signal ends the wait earlier, and it ends the program.
        Stop::new().wait_until(Instant::now() + wait);
    }
}

/// Minimum time between two runs.
const PAUSE: Duration = Duration::from_secs(1);
