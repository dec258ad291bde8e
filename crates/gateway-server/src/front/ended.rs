//! How a response ended, as a plain value: the metrics count it, the access log writes it.

use std::time::Duration;

use http::{HeaderValue, StatusCode};

use crate::generated::operation::Operation;

/// How a response ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The last byte was handed to the connection.
    Complete,
    /// The connection was closed before the last byte.
    ClientGone,
    /// The rest of a list could not be read, and the connection was cut.
    Failed,
}

impl End {
    /// All ends, in the order in which the metrics list them.
    pub(crate) const ALL: [Self; 3] = [Self::Complete, Self::ClientGone, Self::Failed];

    /// Returns the name in metrics and in the log.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::ClientGone => "client_gone",
            Self::Failed => "failed",
        }
    }
}

/// A request and its response, after the response has ended.
#[derive(Debug)]
pub(crate) struct EndedResponse {
    pub(crate) request_id: HeaderValue,
    /// Account of the token, if the token is valid.
    pub(crate) account: Option<i64>,
    /// Id of the token, if it is valid and the access log is on.
    pub(crate) token: Option<String>,
    pub(crate) operation: Option<Operation>,
    /// Unset if the connection closed before the response was known.
    pub(crate) status: Option<StatusCode>,
    /// Name of the problem that was sent.
    pub(crate) problem: Option<&'static str>,
    /// Error behind the problem or the truncated list, with its causes.
    pub(crate) cause: Option<String>,
    /// Bytes of the body that were handed to the connection.
    pub(crate) bytes: u64,
    /// Time until the first byte of the body was handed to the connection.
    pub(crate) first_byte: Option<Duration>,
    /// Time from the request head to the end of the response.
    pub(crate) took: Duration,
    pub(crate) end: End,
}
