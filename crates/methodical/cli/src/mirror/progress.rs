//! The progress line of a sync.

use std::io::{self, IsTerminal as _};
use std::sync::{Arc, Mutex, PoisonError};

use methodical_mirror::{SyncOptions, SyncProgress};

use crate::output::live_line::LiveLine;
use crate::output::progress::{records, with_separators};
use crate::screen::{Screen, variable};

/// The progress of a sync, on standard error if that is a terminal. Dropping it clears the line.
#[derive(Debug)]
pub(crate) struct ProgressLine(Arc<Mutex<LiveLine>>);

impl ProgressLine {
    pub(crate) fn new(screen: Screen) -> Self {
        let is_shown = io::stderr().is_terminal() && !screen.quiet && variable("CI").is_none();
        Self(Arc::new(Mutex::new(LiveLine::new(is_shown.then_some(screen)))))
    }

    /// Lets a sync report to this line.
    pub(crate) fn observe(&self, options: SyncOptions) -> SyncOptions {
        let line = Arc::clone(&self.0);
        options.on_progress(move |progress| {
            line.lock().unwrap_or_else(PoisonError::into_inner).show(|_| text(progress));
        })
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// Returns the text of the line, such as `photo: 1,234,567 records` or `album: asked 312 of 4,800`.
fn text(progress: SyncProgress) -> String {
    match progress {
        SyncProgress::Records { table, received, .. } => format!("{table}: {}", records(received)),
        SyncProgress::Groups { groups, asked, all, .. } => {
            format!("{groups}: asked {} of {}", with_separators(asked), with_separators(all))
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use methodical_mirror::SyncProgress;

    use super::text;

    #[test]
    fn the_line_has_what_was_read_and_what_is_left() {
        let progress = SyncProgress::Records { table: "photo", received: 1_234_567 };
        assert_eq!(text(progress), "photo: 1,234,567 records");
        let progress =
            SyncProgress::Groups { table: "photo_album", groups: "album", asked: 312, all: 4800 };
        assert_eq!(text(progress), "album: asked 312 of 4,800");
    }
}
