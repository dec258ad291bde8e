//! A line on standard error that is replaced while a command runs.

use std::io::{self, Write as _};
use std::time::{Duration, Instant};

use crate::screen::Screen;

/// A line that is shown after a delay, and then repeatedly with another text.
#[derive(Debug)]
pub(crate) struct LiveLine {
    started: Instant,
    last_shown: Option<Instant>,
    screen: Option<Screen>,
}

impl LiveLine {
    /// Begins the delay. Without a screen, nothing is shown.
    pub(crate) fn new(screen: Option<Screen>) -> Self {
        Self { started: Instant::now(), last_shown: None, screen }
    }

    /// Returns the time since the beginning.
    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Clears the line, so that something else can be written.
    pub(crate) fn clear(&mut self) {
        if self.last_shown.take().is_some() {
            drop(write!(io::stderr(), "\r\u{1b}[K"));
        }
    }

    /// Shows a text if it is due. It is created from the time since the beginning.
    pub(crate) fn show(&mut self, text: impl FnOnce(Duration) -> String) {
        let Some(screen) = self.screen else { return };
        let now = Instant::now();
        let due = match self.last_shown {
            None => now.duration_since(self.started) >= DELAY,
            Some(last) => now.duration_since(last) >= INTERVAL,
        };
        if !due {
            return;
        }
        self.last_shown = Some(now);
        let line = text(now.duration_since(self.started));
        // A line that wraps cannot be cleared completely.
        let room = usize::from(screen.errors_width()).saturating_sub(1);
        drop(write!(io::stderr(), "\r\u{1b}[K{}", line.get(..room).unwrap_or(&line)));
    }
}

impl Drop for LiveLine {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Delay before the line is first shown.
const DELAY: Duration = Duration::from_millis(500);

/// Minimum interval between two updates.
const INTERVAL: Duration = Duration::from_millis(100);
