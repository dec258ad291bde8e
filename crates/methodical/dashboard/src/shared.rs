//! The state and the parameters that all pages use.

use std::convert::Infallible;
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::{FromRequestParts, Query};
use http::request::Parts;
use methodical_mirror::{Error, ErrorKind, TableStatus};
use tokio::sync::Semaphore;

use crate::access::{Access, Who};
use crate::board::counts::Counts;
use crate::dashboard::Dashboard;
use crate::outline::Board;

/// The user of a request, and the state that all requests share.
pub(crate) struct Shared {
    pub(crate) server: Arc<Server>,
    /// Who sent the request.
    pub(crate) who: Who,
}

impl Deref for Shared {
    type Target = Server;

    fn deref(&self) -> &Server {
        &self.server
    }
}

impl FromRequestParts<Arc<Server>> for Shared {
    type Rejection = Infallible;

    async fn from_request_parts(
        parts: &mut Parts,
        server: &Arc<Server>,
    ) -> Result<Self, Infallible> {
        // Only requests with a session get here. Without a session, personal values stay hidden.
        let nobody = || Who { masks: true, ..Who::default() };
        let who = parts.extensions.get().cloned().unwrap_or_else(nobody);
        Ok(Self { server: Arc::clone(server), who })
    }
}

/// The state that all requests share.
pub(crate) struct Server {
    pub(crate) dashboard: Dashboard,
    pub(crate) access: Access,
    /// The last counts of the board.
    pub(crate) known: Mutex<Option<Arc<Counts>>>,
    /// The permits of concurrent downloads.
    pub(crate) downloads: Arc<Semaphore>,
}

impl Deref for Server {
    type Target = Dashboard;

    fn deref(&self) -> &Dashboard {
        &self.dashboard
    }
}

impl Server {
    /// Returns the board's counts. The first request after a sync computes them, and other requests wait for it.
    pub(crate) fn counts(&self) -> Result<Arc<Counts>, Problem> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let board = self.outline.board.as_ref();
        let current = Counts::of(&self.mirror, board, &self.order, (self.now)(), known.as_ref())?;
        *known = Some(Arc::clone(&current));
        Ok(current)
    }

    /// Returns the counts if there is a board, or else empty counts.
    pub(crate) fn counts_of(&self, board: Option<&Board>) -> Result<Arc<Counts>, Problem> {
        board.map_or_else(|| Ok(Arc::default()), |_| self.counts())
    }
}

/// Returns whether a table was ever complete.
pub(crate) fn was_complete(statuses: &[TableStatus], table: &str) -> bool {
    statuses.iter().any(|status| status.table == table && status.completed_at.is_some())
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.dashboard.fmt(f)
    }
}

/// The parameters of a page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Params(pub(crate) Vec<(String, String)>);

impl<S: Sync> FromRequestParts<S> for Params {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let query = Query::try_from_uri(&parts.uri);
        query.map(|Query(params)| Self(params)).map_err(|_error| Self::unreadable())
    }
}

impl Params {
    /// Returns the problem for a request whose parameters cannot be read.
    pub(crate) fn unreadable() -> Problem {
        Problem::Request("The parameters cannot be read.".to_owned())
    }

    /// Returns a parameter unless it is empty. If it occurs more than once, the last one counts.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.all(name).last().filter(|value| !value.is_empty())
    }

    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |(one, _)| one == name).map(|(_, value)| &**value)
    }

    /// Returns the problem for a parameter with an unknown value.
    pub(crate) fn wrong(name: &str) -> Problem {
        Problem::Request(format!("`{name}` has a value that this page does not offer."))
    }

    pub(crate) fn number(&self, name: &'static str) -> Result<Option<i64>, Problem> {
        let wrong = |_error| Problem::Request(format!("`{name}` is not a number."));
        self.get(name).map(|text| text.parse().map_err(wrong)).transpose()
    }
}

/// The reason why a page cannot be shown.
#[derive(Debug)]
pub(crate) enum Problem {
    /// The service or the mirror does not have what was requested. The text says what is missing.
    NotFound(String),
    /// The parameters cannot be used.
    Request(String),
    Mirror(Error),
    /// The maximum number of downloads is already being sent.
    Busy,
    /// A format cannot start a download. The text says why.
    Format(String),
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
