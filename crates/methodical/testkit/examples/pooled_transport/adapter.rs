//! A transport over hyper's client connections: keeps idle connections, and applies every time limit itself.

use std::collections::HashMap;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use gateway_transport::bytes::Bytes;
use gateway_transport::{
    Body, Deadline, Phase, Request, Response, Sent, Transport, TransportError, TransportErrorKind,
};
use http::uri::{Authority, PathAndQuery};
use http::{HeaderValue, Uri, header};
use http_body::{Body as HttpBody, Frame, SizeHint};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::runtime::Handle;
use tokio::time::{sleep_until, timeout, timeout_at};

/// Sends requests with hyper over plain TCP.
pub(crate) struct HyperTransport {
    pub(crate) connect_timeout: Duration,
    pub(crate) idle_timeout: Duration,
    pub(crate) pool: Pool,
}

/// The idle connections of each authority.
pub(crate) type Pool = Arc<Mutex<HashMap<Authority, Vec<Connection>>>>;

type Connection = SendRequest<Full<Bytes>>;

impl Transport for HyperTransport {
    async fn send(&self, request: Request) -> Result<Response, TransportError> {
        // The request carries the deadline. If it has passed, return here, before anything is sent.
        Deadline::remaining(&request)?;
        Handle::try_current().map_err(|_missing| refused("the transport needs a tokio runtime"))?;
        let deadline = Deadline::of(&request);
        let (authority, mut request) = prepare(request)?;
        loop {
            let limit = self.head_limit(deadline);
            let (mut connection, is_new) = match self.idle_connection(&authority).await {
                Some(connection) => (connection, false),
                None => (self.connect(&authority, limit).await?, true),
            };
            let sent = timeout_at(limit.into(), connection.try_send_request(request)).await;
            match sent.map_err(|_late| TransportError::timeout(Phase::Head))? {
                Ok(response) => {
                    let (connection, pool) = (Some(connection), Arc::clone(&self.pool));
                    let leased =
                        |body| Leased { body, has_ended: false, connection, authority, pool };
                    return Ok(response.map(|body| self.limited(leased(body), deadline)));
                }
                // The peer has closed an idle connection, and nothing was sent: use the next one.
                Err(mut error) => match error.take_message() {
                    Some(unsent) if !is_new => request = unsent,
                    _ => return Err(classify(&error.into_error(), Phase::Head)),
                },
            }
        }
    }
}

impl HyperTransport {
    /// Returns the time limit of a wait for a head that begins now.
    fn head_limit(&self, deadline: Option<Deadline>) -> Instant {
        let idle = Deadline::after(self.idle_timeout).instant();
        deadline.map_or(idle, |deadline| deadline.head().min(idle))
    }

    async fn idle_connection(&self, authority: &Authority) -> Option<Connection> {
        loop {
            let idle = self.pool.lock().ok()?.get_mut(authority)?.pop();
            let mut connection = idle?;
            if connection.ready().await.is_ok() {
                return Some(connection);
            }
        }
    }

    async fn connect(
        &self,
        authority: &Authority,
        limit: Instant,
    ) -> Result<Connection, TransportError> {
        let open = async {
            let host = authority.host().trim_matches(['[', ']']);
            let port = authority.port_u16().unwrap_or(80);
            let addresses = tokio::net::lookup_host((host, port)).await.map_err(|error| {
                TransportError::new(TransportErrorKind::Resolve, "cannot resolve the host name")
                    .with_source(error)
            })?;
            let addresses: Vec<_> = addresses.collect();
            TcpStream::connect(&*addresses).await.map_err(|error| {
                TransportError::new(TransportErrorKind::Connect, "cannot connect")
                    .with_source(error)
            })
        };
        let limited = timeout_at(limit.into(), timeout(self.connect_timeout, open)).await;
        let Ok(Ok(stream)) = limited else { return Err(TransportError::timeout(Phase::Connect)) };
        let io = TokioIo::new(stream?);
        let (connection, driver) =
            handshake(io).await.map_err(|error| classify(&error, Phase::Connect))?;
        // Ends when the connection closes, or when its sender is dropped. Its error also reaches the response.
        tokio::spawn(async { driver.await.unwrap_or_default() });
        Ok(connection)
    }

    /// Converts a body, with all its time limits.
    fn limited(&self, body: Leased, deadline: Option<Deadline>) -> Body {
        Body::with_errors(body, |error| classify(&error, Phase::Body)).with_limits(
            deadline,
            self.idle_timeout,
            |at| sleep_until(at.into()),
        )
    }
}

/// Converts the request for a connection: the target without the authority, which goes into `Host`.
fn prepare(request: Request) -> Result<(Authority, http::Request<Full<Bytes>>), TransportError> {
    let (mut head, body) = request.into_parts();
    let authority = head.uri.authority().filter(|_| head.uri.scheme_str() == Some("http"));
    let authority = authority.cloned().ok_or_else(|| refused("only http is supported"))?;
    let is_plain = authority.as_str() == authority.host() || authority.port_u16().is_some();
    if authority.as_str().contains('@') || !is_plain {
        return Err(refused("the authority has credentials or an invalid port"));
    }
    let target = head.uri.path_and_query().map_or("", PathAndQuery::as_str);
    let slash = if target.starts_with('/') { "" } else { "/" };
    head.uri =
        format!("{slash}{target}").parse::<Uri>().map_err(|_invalid| refused("no target"))?;
    let host = HeaderValue::from_str(authority.as_str()).map_err(|_invalid| refused("no host"))?;
    head.headers.entry(header::HOST).or_insert(host);
    Ok((authority, http::Request::from_parts(head, Full::new(body))))
}

/// A body that returns its connection to the pool after its end.
struct Leased {
    body: Incoming,
    has_ended: bool,
    connection: Option<Connection>,
    authority: Authority,
    pool: Pool,
}

impl HttpBody for Leased {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(cx);
        self.has_ended |= matches!(frame, Poll::Ready(None));
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Leased {
    /// Keeps the connection only if the whole body was read. Otherwise the connection closes here.
    fn drop(&mut self) {
        if (self.has_ended || self.body.is_end_stream())
            && let (Some(connection), Ok(mut pool)) = (self.connection.take(), self.pool.lock())
        {
            pool.entry(self.authority.clone()).or_default().push(connection);
        }
    }
}

/// Converts an error to our type. The original text is not copied, because it may contain the response.
fn classify(error: &hyper::Error, phase: Phase) -> TransportError {
    let cause =
        std::error::Error::source(error).and_then(|source| source.downcast_ref::<io::Error>());
    let (kind, text) = match cause.map(io::Error::kind) {
        // hyper has a method for this only with its server feature.
        _ if error.is_parse() && error.to_string() == "message head is too large" => {
            (TransportErrorKind::TooLarge, "the response head is too large")
        }
        _ if error.is_parse() => (TransportErrorKind::Protocol, "the response is malformed HTTP"),
        Some(io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData) => {
            (TransportErrorKind::Protocol, "the body is malformed HTTP")
        }
        _ => (TransportErrorKind::Interrupted, "the connection was lost"),
    };
    TransportError::new(kind, text).with_phase(phase).with_sent(Sent::Maybe)
}

fn refused(text: &'static str) -> TransportError {
    TransportError::new(TransportErrorKind::InvalidRequest, text)
}
