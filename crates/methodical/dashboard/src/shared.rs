//! The state and the parameters that all pages use.

use std::fmt;
use std::io::Write;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

use methodical_mirror::{Error, ErrorKind, Mirror, TableStatus};
use tokio::sync::Semaphore;

use crate::access::{Access, Who};
use crate::board::counts::{Counts, Known};
use crate::download::format::DownloadFormat;
use crate::outline::{Board, Outline};

/// A request, and the state that all of them share.
pub(crate) struct Shared {
    pub(crate) server: Arc<Server>,
    /// Who sent it.
    pub(crate) who: Who,
}

impl Deref for Shared {
    type Target = Server;

    fn deref(&self) -> &Server {
        &self.server
    }
}

/// The state that all requests share.
pub(crate) struct Server {
    pub(crate) mirror: Mirror,
    pub(crate) outline: Outline,
    pub(crate) access: Access,
    pub(crate) name: String,
    /// The account and the service.
    pub(crate) account: String,
    pub(crate) now: Box<dyn Fn() -> i64 + Send + Sync>,
    /// The groups of values and their order, as the team names them.
    pub(crate) order: Vec<(Option<String>, Vec<String>)>,
    /// The last counts of the boards.
    pub(crate) known: Mutex<Option<Arc<Known>>>,
    /// The formats of downloads.
    pub(crate) formats: Vec<Box<dyn DownloadFormat>>,
    /// The permits of concurrent downloads.
    pub(crate) downloads: Arc<Semaphore>,
    /// The log of who read which page.
    pub(crate) log: Option<Mutex<Box<dyn Write + Send>>>,
}

impl Server {
    /// Returns the counts of the boards. The first request after a sync counts, and others wait for it.
    pub(crate) fn counts(&self) -> Result<Arc<Known>, Problem> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (now, before) = ((self.now)(), known.as_ref());
        let current = Known::read(&self.mirror, &self.outline, &self.order, now, before)?;
        *known = Some(Arc::clone(&current));
        Ok(current)
    }

    /// Returns the latest figures of a board, and empty ones without a board.
    pub(crate) fn counts_of(&self, board: Option<&Board>) -> Result<Arc<Counts>, Problem> {
        board.map_or_else(|| Ok(Arc::default()), |board| Ok(self.counts()?.of(board)))
    }
}

/// Returns when the oldest of these tables was complete; `None` if one of them never was.
pub(crate) fn completed_at(statuses: &[TableStatus], tables: &[&str]) -> Option<i64> {
    let of = |table: &&str| {
        let status = statuses.iter().find(|status| status.table == **table);
        status.and_then(|status| status.completed_at)
    };
    let times: Option<Vec<i64>> = tables.iter().map(of).collect();
    times.and_then(|times| times.into_iter().min())
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The parameters of a page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Params(Vec<(String, String)>);

impl Params {
    pub(crate) fn new(params: Vec<(String, String)>) -> Self {
        Self(params)
    }

    /// Returns a parameter that is not empty. If it occurs more than once, the last one counts.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.all(name).last().filter(|value| !value.is_empty())
    }

    /// Returns all values of a parameter.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |(one, _)| one == name).map(|(_, value)| &**value)
    }

    /// Returns a parameter that is a number.
    pub(crate) fn number(&self, name: &'static str) -> Result<Option<i64>, Problem> {
        let wrong = |_error| Problem::Request(format!("`{name}` is not a number"));
        self.get(name).map(|text| text.parse().map_err(wrong)).transpose()
    }
}

/// The reason for the absence of a page.
#[derive(Debug)]
pub(crate) enum Problem {
    /// The service or the mirror has no such thing. The text says which.
    NotFound(String),
    /// The parameters cannot be used.
    Request(String),
    /// The mirror failed.
    Mirror(Error),
    /// The maximum number of downloads is being sent.
    Busy,
    /// A format cannot begin a download. The text says why.
    Format(String),
    /// A template failed.
    Template,
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        match error.kind() {
            ErrorKind::Cursor => Self::Request(error.to_string()),
            _ => Self::Mirror(error),
        }
    }
}

impl From<askama::Error> for Problem {
    fn from(_error: askama::Error) -> Self {
        Self::Template
    }
}
