//! How a response ended, as a plain value: the metrics count it, the access log writes it.

use std::net::IpAddr;
use std::time::Duration;

use http::{HeaderValue, StatusCode, Version};
use methodical_serve::Cut;

use crate::generated::operation::Operation;
use crate::token::TokenId;

/// How a response ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The last byte was handed to the connection.
    Complete,
    /// The connection was closed before the last byte.
    ClientGone,
    /// The rest of a list could not be read, and the connection was cut.
    Failed,
    /// The client acknowledged nothing for the stall timeout, and the connection was cut.
    Stalled,
    /// The response took longer than the response timeout, and the connection was cut.
    ResponseTimeout,
    /// The server stopped, and cut the connection after the drain timeout.
    Drained,
}

impl End {
    /// All ends, in the order in which the metrics list them.
    pub(crate) const ALL: [Self; 6] = [
        Self::Complete,
        Self::ClientGone,
        Self::Failed,
        Self::Stalled,
        Self::ResponseTimeout,
        Self::Drained,
    ];

    /// Returns the name in metrics and in the log.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::ClientGone => "client_gone",
            Self::Failed => "failed",
            Self::Stalled => "stalled",
            Self::ResponseTimeout => "response_timeout",
            Self::Drained => "drained",
        }
    }
}

impl From<Cut> for End {
    fn from(cut: Cut) -> Self {
        match cut {
            Cut::Stall => Self::Stalled,
            Cut::ResponseTimeout => Self::ResponseTimeout,
            Cut::Drain => Self::Drained,
        }
    }
}

/// A request and its response, after the response has ended.
#[derive(Debug)]
pub(crate) struct EndedResponse {
    pub(crate) request_id: HeaderValue,
    /// Address of the client. Behind a trusted proxy, the address that the proxy names.
    pub(crate) client: Option<IpAddr>,
    /// Id of the trace: the one that the client named, if the access log is on; that of an exported span.
    pub(crate) trace_id: Option<String>,
    /// Version of HTTP. Unset if the connection refused the request.
    pub(crate) version: Option<Version>,
    /// Method of HTTP. Unset if the connection refused the request.
    pub(crate) method: Option<&'static str>,
    /// Account of the token, if the token is valid.
    pub(crate) account: Option<i64>,
    /// Id of the token, if it is valid and the access log is on.
    pub(crate) token: Option<TokenId>,
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

/// Returns the name of a version of HTTP.
pub(crate) fn version(version: Version) -> &'static str {
    match version {
        Version::HTTP_10 => "1.0",
        Version::HTTP_2 => "2",
        _ => "1.1",
    }
}
