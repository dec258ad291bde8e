//! The notes of commands that repeat. A note is not repeated while nothing changes.

use std::collections::BTreeMap;
use std::iter;

use crate::screen::Screen;

/// The subject of a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Subject {
    /// The records of a table.
    Records(&'static str),
    /// The known values of a table.
    Coverage(&'static str),
    /// The values that no record has.
    Unknown,
}

/// The notes of a command that repeats.
#[derive(Debug)]
pub(crate) struct Notes {
    screen: Screen,
    /// The last state of each subject.
    last: BTreeMap<Subject, String>,
}

impl Notes {
    /// Creates notes on a screen.
    pub(crate) fn new(screen: Screen) -> Self {
        Self { screen, last: BTreeMap::new() }
    }

    /// Notes the state of a subject with its changes. Without changes, only a new state is noted.
    pub(crate) fn note(&mut self, subject: Subject, state: String, changes: &[String]) {
        if !changes.is_empty() || self.last.get(&subject) != Some(&state) {
            let parts: Vec<&str> = iter::once(&state).chain(changes).map(String::as_str).collect();
            self.screen.note(&parts.join(", "));
        }
        self.last.insert(subject, state);
    }
}
