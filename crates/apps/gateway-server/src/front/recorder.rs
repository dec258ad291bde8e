//! A guard that counts and logs the response to a request when it has ended.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Version};
use http_body::Body as _;
use methodical_serve::{Connection, Cut, Share};
use tokio::time::Instant;

use crate::error::{Error, with_causes};
use crate::front::Front;
use crate::front::body::ResponseBody;
use crate::front::metrics::Metrics;
use crate::token::TokenId;

/// Collects the facts of one request and its response. Counts, traces and logs them when the recorder is dropped.
pub(crate) struct Recorder {
    arrived: Instant,
    connection: Arc<Connection>,
    pub(crate) response: EndedResponse,
    /// The token's share of open lists, held until the response has ended.
    pub(crate) of_token: Option<Share<TokenId>>,
    timeout: Duration,
    is_logged: bool,
    metrics: Arc<Metrics>,
    on_end: Option<fn(&EndedResponse)>,
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
        let on_end = front.config.on_end;
        let response = EndedResponse {
            request_id: request_id.clone(),
            client,
            trace_context: on_end.map_or_else(HeaderMap::new, |_| trace_context(request)),
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
            arrived: Instant::now(),
            connection: Arc::clone(connection),
            response,
            of_token: None,
            timeout: front.config.response_timeout,
            is_logged: front.config.access_log,
            metrics: Arc::clone(&front.metrics),
            on_end,
        }
    }

    /// Returns the body with this recorder attached. `is_head` means that the client wants no body.
    pub(crate) fn attach(
        mut self,
        status: StatusCode,
        body: ResponseBody,
        is_head: bool,
    ) -> ResponseBody {
        self.response.status = Some(status);
        // The HTTP library never polls a body that it does not need to send.
        if is_head || status == StatusCode::NOT_MODIFIED || body.is_end_stream() {
            self.response.end = End::Complete;
        }
        body.recorded(self)
    }

    /// Records what the body returned. `is_last` means that nothing follows, and `is_late` that the body has timed out.
    pub(crate) fn polled(
        &mut self,
        next: Option<&Result<Bytes, Error>>,
        is_last: bool,
        is_late: bool,
    ) {
        let response = &mut self.response;
        match next {
            None => response.end = End::Complete,
            Some(Ok(bytes)) => {
                response.bytes += bytes.len() as u64;
                response.first_byte.get_or_insert_with(|| self.arrived.elapsed());
                if is_last {
                    response.end = End::Complete;
                }
            }
            Some(Err(error)) => {
                response.end = if is_late { End::Cut(Cut::ResponseTimeout) } else { End::Failed };
                response.cause = Some(with_causes(error));
            }
        }
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.response.took = self.arrived.elapsed();
        // The last piece of a body may have been read but not sent.
        if let (End::ClientGone | End::Complete, Some(cut)) =
            (self.response.end, self.connection.cut())
        {
            self.response.end = End::Cut(cut);
        } else if self.response.end == End::ClientGone && self.response.took >= self.timeout {
            // The HTTP/2 stream was cut off.
            self.response.end = End::Cut(Cut::ResponseTimeout);
        }
        self.metrics.ended(&self.response);
        if let Some(on_end) = self.on_end {
            on_end(&self.response);
        }
        // An error with a cause is the server's fault, except a response timeout, which a slow client causes.
        let end = self.response.end;
        let failed = self.response.cause.is_some() && end != End::Cut(Cut::ResponseTimeout);
        if self.is_logged || failed {
            write_log(&self.response, failed);
        }
    }
}

/// Returns the header fields that name the span of the client (W3C Trace Context).
fn trace_context(request: &Parts) -> HeaderMap {
    let names = ["traceparent", "tracestate"].map(HeaderName::from_static);
    let value = |name: HeaderName| Some((name.clone(), request.headers.get(name)?.clone()));
    names.into_iter().filter_map(value).collect()
}

/// Returns the name of a method, or a placeholder for a non-standard one, which could contain anything.
fn method(method: &Method) -> &'static str {
    let known = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"];
    known.into_iter().find(|name| *name == method.as_str()).unwrap_or("other")
}

/// How a response ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The last byte was handed to the connection.
    Complete,
    /// The connection was closed before the last byte.
    ClientGone,
    /// The rest of a list could not be read, and the response was cut off.
    Failed,
    /// The server cut off the connection or the HTTP/2 stream.
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

    /// Returns the name used in metrics and in the log.
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
    /// Address of the client. Behind a trusted proxy, this is the address that the proxy names.
    pub(crate) client: IpAddr,
    /// Header fields that name the span of the client, if spans are exported.
    #[cfg_attr(
        not(feature = "opentelemetry"),
        expect(dead_code, reason = "no spans are exported")
    )]
    pub(crate) trace_context: HeaderMap,
    pub(crate) version: Version,
    pub(crate) method: &'static str,
    /// Account of the token, if the token is valid.
    pub(crate) account: Option<i64>,
    /// Id of the token, if the token is valid.
    pub(crate) token: Option<TokenId>,
    pub(crate) operation: Option<&'static str>,
    /// Status of the response. Unset if the connection closed before it was known.
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

pub(crate) fn version(version: Version) -> &'static str {
    match version {
        Version::HTTP_10 => "1.0",
        Version::HTTP_2 => "2",
        _ => "1.1",
    }
}

fn write_log(response: &EndedResponse, failed: bool) {
    macro_rules! emit {
        ($level:ident) => {
            tracing::$level!(
                event = "request",
                request_id = response.request_id.to_str().ok(),
                client = %response.client,
                http = version(response.version),
                http_method = response.method,
                operation = response.operation,
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
    if failed { emit!(error) } else { emit!(info) }
}
