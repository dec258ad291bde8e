//! The kinds of [`Error`](crate::Error).

/// The kind of a failure, so that a caller can decide what to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A setting is missing or invalid: base URL, token or transport. Nothing was sent.
    Config,
    /// The token source returned no token. The source of the error has the reason.
    Token,
    /// A value of the query cannot be sent. Nothing was sent.
    Query,
    /// The client could not connect to the service. A later call may succeed.
    Connect,
    /// The TLS handshake with the service failed. Check its certificate.
    Tls,
    /// A timeout passed. A later call may succeed.
    Timeout,
    /// The connection ended before the response was complete. A later call may succeed.
    Interrupted,
    /// The response is not HTTP, or not in the encoding that it declares. The source of the error says which.
    Protocol,
    /// The transport failed for another reason. The source of the error has the details.
    Transport,
    /// Status 301, 302, 303, 307 or 308. The client never follows a redirect. The base URL may be wrong; the text names the
    /// server that the redirect leads to.
    Redirected,
    /// Status 401, or an error of class [`Auth`](methodical_model::ErrorClass::Auth) in the body: the service did not
    /// accept the token.
    Unauthorized,
    /// Status 403: the token does not allow this call.
    Forbidden,
    /// Status 404: the base URL may be wrong.
    NotFound,
    /// Status 429, or an error of class [`RateLimit`](methodical_model::ErrorClass::RateLimit) in the body: rate limited. [`Error::retry_after`](crate::Error::retry_after) returns the wait that the service asks
    /// for, if any.
    RateLimited,
    /// A status from 500 to 599, or an error of class [`Unavailable`](methodical_model::ErrorClass::Unavailable) in the
    /// body: the service failed. If [`Error::is_transient`](crate::Error::is_transient), a later call
    /// may succeed.
    Server,
    /// Any other status but 200.
    Status,
    /// A successful response that is not JSON, such as a login page.
    ContentType,
    /// A successful response with a content coding that was not requested.
    ContentCoding,
    /// The response or one of its records exceeds its size limit.
    TooLarge,
    /// A successful response that does not match the contract. The source of the error says where.
    Decode,
    /// A response with status 200 whose body reports any other failure. [`Error::service`](crate::Error::service) returns its
    /// code and message.
    NotSuccess,
    /// The pages of a list do not follow the contract, or there are more than the maximum. Nothing that was received is lost.
    Paging,
}

impl ErrorKind {
    /// Returns the name in snake case, for logs and metrics. Names never change.
    ///
    /// A later version may add a kind with a new name, but never one that is named `other` or `unknown`: both are free for
    /// what a dashboard or a parser does not know.
    ///
    /// ```
    /// assert_eq!(methodical_client::ErrorKind::RateLimited.as_str(), "rate_limited");
    /// ```
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Config => "config",
            Self::Token => "token",
            Self::Query => "query",
            Self::Connect => "connect",
            Self::Tls => "tls",
            Self::Timeout => "timeout",
            Self::Interrupted => "interrupted",
            Self::Protocol => "protocol",
            Self::Transport => "transport",
            Self::Redirected => "redirected",
            Self::Unauthorized => "unauthorized",
            Self::Forbidden => "forbidden",
            Self::NotFound => "not_found",
            Self::RateLimited => "rate_limited",
            Self::Server => "server",
            Self::Status => "status",
            Self::ContentType => "content_type",
            Self::ContentCoding => "content_coding",
            Self::TooLarge => "too_large",
            Self::Decode => "decode",
            Self::NotSuccess => "not_success",
            Self::Paging => "paging",
        }
    }
}
