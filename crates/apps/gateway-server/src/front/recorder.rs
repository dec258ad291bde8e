//! The guard of one request: counts and logs the response when it has ended.

use std::fmt;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http::request::Parts;
use http::{HeaderValue, Method, StatusCode, Version};
use http_body::{Body, Frame, SizeHint};
use methodical_serve::{Arrived, Connection, Cut, Share};
use tokio::time::Instant;

use crate::error::{Error, with_causes};
use crate::front::Front;
use crate::front::body::ResponseBody;
use crate::front::client::ClientKey;
use crate::front::metrics::Metrics;
use crate::front::request::trace_id;
use crate::generated::operation::Operation;
use crate::token::TokenId;
use crate::traces::RequestTrace;

/// Collects the facts of one request and its response. Counts, traces and logs them when it is dropped.
pub(crate) struct Recorder {
    arrived: Instant,
    connection: Arc<Connection>,
    pub(crate) response: EndedResponse,
    /// Shares of the client and of the token in what may be open, until the response has ended.
    pub(crate) of_client: Option<Share<ClientKey>>,
    pub(crate) of_token: Option<Share<TokenId>>,
    /// The response timeout.
    timeout: Duration,
    is_logged: bool,
    metrics: Arc<Metrics>,
    trace: RequestTrace,
}

impl Recorder {
    /// Starts to record a request that has just arrived.
    pub(crate) fn begin(
        request: &Parts,
        request_id: &HeaderValue,
        client: IpAddr,
        connection: &Arc<Connection>,
        front: &Front,
    ) -> Self {
        front.metrics.began();
        let is_logged = front.config.access_log;
        let trace_id = is_logged.then(|| trace_id(&request.headers)).flatten();
        let response = EndedResponse {
            request_id: request_id.clone(),
            client,
            trace_id: trace_id.map(ToOwned::to_owned),
            version: request.version,
            method: method(&request.method),
            account: None,
            token: None,
            operation: None,
            status: None,
            problem: None,
            cause: None,
            bytes: 0,
            first_byte: None,
            took: Duration::ZERO,
            end: End::ClientGone,
        };
        Self {
            arrived: request.extensions.get().map_or_else(Instant::now, |Arrived(at)| *at),
            connection: Arc::clone(connection),
            response,
            of_client: None,
            of_token: None,
            timeout: front.config.response_timeout,
            is_logged,
            metrics: Arc::clone(&front.metrics),
            trace: front.config.traces.begin(request),
        }
    }

    /// Returns the body with this recorder attached. `is_head` says that the client wants no body.
    pub(crate) fn attach(
        mut self,
        status: StatusCode,
        body: ResponseBody,
        is_head: bool,
    ) -> RecordedBody {
        self.response.status = Some(status);
        // The HTTP library never polls a body that it does not have to send.
        if is_head || status == StatusCode::NOT_MODIFIED || body.is_end_stream() {
            self.response.end = End::Complete;
        }
        RecordedBody { body, recorder: self }
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.response.took = self.arrived.elapsed();
        // The last piece of a body may have been read and not sent.
        if let (End::ClientGone | End::Complete, Some(cut)) =
            (self.response.end, self.connection.cut())
        {
            self.response.end = End::Cut(cut);
        } else if self.response.end == End::ClientGone && self.response.took >= self.timeout {
            // The stream of HTTP/2 was cut.
            self.response.end = End::Cut(Cut::ResponseTimeout);
        }
        self.metrics.ended(&self.response);
        self.trace.ended(&mut self.response);
        if self.is_logged {
            write_log(&self.response);
        }
    }
}

/// Returns the name of a method. One that HTTP does not define could contain anything.
fn method(method: &Method) -> &'static str {
    let known = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"];
    known.into_iter().find(|name| *name == method.as_str()).unwrap_or("other")
}

/// The body of a response, together with the recorder of its request.
pub(crate) struct RecordedBody {
    body: ResponseBody,
    recorder: Recorder,
}

impl Body for RecordedBody {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        let Self { body, recorder: Recorder { response, arrived, .. } } = &mut *self;
        let next = ready!(Pin::new(&mut *body).poll_frame(context));
        match &next {
            None => response.end = End::Complete,
            Some(Ok(frame)) => {
                response.bytes += frame.data_ref().map_or(0, Bytes::len) as u64;
                response.first_byte.get_or_insert_with(|| arrived.elapsed());
                if body.is_end_stream() {
                    response.end = End::Complete;
                }
            }
            Some(Err(error)) => {
                let is_late = body.is_late();
                response.end = if is_late { End::Cut(Cut::ResponseTimeout) } else { End::Failed };
                response.cause = Some(with_causes(error));
            }
        }
        Poll::Ready(next)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl fmt::Debug for RecordedBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordedBody").finish_non_exhaustive()
    }
}

/// How a response ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The last byte was handed to the connection.
    Complete,
    /// The connection was closed before the last byte.
    ClientGone,
    /// The rest of a list could not be read, and the connection was cut.
    Failed,
    /// The server cut the connection, or the stream of HTTP/2.
    Cut(Cut),
}

impl End {
    /// All ends, in the order in which the metrics list them.
    pub(crate) const ALL: [Self; 6] = [
        Self::Complete,
        Self::ClientGone,
        Self::Failed,
        Self::Cut(Cut::Stall),
        Self::Cut(Cut::ResponseTimeout),
        Self::Cut(Cut::Drain),
    ];

    /// Returns the name in metrics and in the log.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::ClientGone => "client_gone",
            Self::Failed => "failed",
            Self::Cut(Cut::Stall) => "stalled",
            Self::Cut(Cut::ResponseTimeout) => "response_timeout",
            Self::Cut(Cut::Drain) => "drained",
        }
    }
}

/// A request and its response, after the response has ended.
#[derive(Debug)]
pub(crate) struct EndedResponse {
    pub(crate) request_id: HeaderValue,
    /// Address of the client. Behind a trusted proxy, the address that the proxy names.
    pub(crate) client: IpAddr,
    /// Id of the trace: the one that the client named, if the access log is on; that of an exported span.
    pub(crate) trace_id: Option<String>,
    pub(crate) version: Version,
    pub(crate) method: &'static str,
    /// Account of the token, if the token is valid.
    pub(crate) account: Option<i64>,
    /// Id of the token, if the token is valid.
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

/// Emits the event of a response.
fn write_log(response: &EndedResponse) {
    macro_rules! emit {
        ($level:ident) => {
            tracing::$level!(
                name: "request",
                request_id = response.request_id.to_str().ok(),
                trace_id = response.trace_id.as_deref(),
                client = %response.client,
                http = version(response.version),
                http_method = response.method,
                operation = response.operation.map(Operation::method),
                account = response.account,
                token = response.token.as_ref().map(TokenId::as_str),
                status = response.status.as_ref().map(StatusCode::as_u16),
                problem = response.problem,
                cause = response.cause.as_deref(),
                bytes = response.bytes,
                first_byte = response.first_byte.as_ref().map(Duration::as_secs_f64),
                duration = response.took.as_secs_f64(),
                end = response.end.name(),
            )
        };
    }
    // A cause is a failure of the server, except that a slow client causes a response timeout.
    if response.cause.is_some() && response.end != End::Cut(Cut::ResponseTimeout) {
        emit!(error);
    } else {
        emit!(info);
    }
}
