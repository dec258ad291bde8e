//! One request and its response: the body is read as fast as the client takes it.

use std::future::poll_fn;
use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use h2::server::SendResponse;
use h2::{Reason, SendStream};
use http::header::{CONTENT_LENGTH, DATE};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, Response};
use http_body::Body;
use tokio::time::{Instant, sleep_until};

use crate::listen::guard::Timeouts;
use crate::listen::head::Refusal;
use crate::listen::http2::limits::{SILENCE, SLOWEST};
use crate::listen::http2::signs::Signs;
use crate::listen::service::Service;
use crate::listen::stall::LOOKS;
use crate::listen::state::{ConnectionState, Cut};

/// A request that is being answered.
pub(super) struct Exchange<S> {
    pub(super) service: Arc<S>,
    pub(super) head: Parts,
    pub(super) refusal: Option<Refusal>,
    pub(super) respond: SendResponse<Bytes>,
    /// The state of this stream.
    pub(super) state: Arc<ConnectionState>,
    pub(super) signs: Arc<Signs>,
    pub(super) timeouts: Timeouts,
}

/// How an exchange ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// The response was handed to the connection, or the server cut it.
    Answered,
    /// The client reset the stream, or closed the connection.
    ByClient,
}

impl<S: Service> Exchange<S> {
    /// Answers the request. A response that cannot be sent to its end resets its stream.
    pub(super) async fn run(mut self) -> Ended {
        let began = Instant::now();
        let response = tokio::select! {
            biased;
            response = self.service.answer(&self.head, self.refusal, &self.state) => response,
            _ = poll_fn(|context| self.respond.poll_reset(context)) => return Ended::ByClient,
        };
        let (mut parts, body) = response.into_parts();
        let is_empty = body.is_end_stream();
        if let (Some(length), false) = (body.size_hint().exact(), is_empty) {
            parts.headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
        }
        add_date(&mut parts.headers);
        let is_whole = is_empty || self.head.method == Method::HEAD;
        let Ok(stream) = self.respond.send_response(Response::from_parts(parts, ()), is_whole)
        else {
            return Ended::ByClient;
        };
        if is_whole {
            return Ended::Answered;
        }
        let pace = Pace { began, progressed: began, sent: 0 };
        let sending = Sending { stream, pace, signs: self.signs, timeouts: self.timeouts };
        sending.send(body, &self.state).await
    }
}

/// A body that is being sent.
struct Sending {
    stream: SendStream<Bytes>,
    pace: Pace,
    signs: Arc<Signs>,
    timeouts: Timeouts,
}

impl Sending {
    /// Sends `body`, and records in `state` why it was cut before it is dropped.
    async fn send<B>(mut self, mut body: B, state: &ConnectionState) -> Ended
    where
        B: Body<Data = Bytes> + Unpin,
    {
        let cut = loop {
            let frame = tokio::select! {
                biased;
                frame = poll_fn(|context| Pin::new(&mut body).poll_frame(context)) => frame,
                _ = poll_fn(|context| self.stream.poll_reset(context)) => break Cut::Client,
            };
            let data = match frame.map(|frame| frame.map(http_body::Frame::into_data)) {
                Some(Ok(Ok(data))) => data,
                // The service sends no trailers.
                Some(Ok(Err(_trailers))) => continue,
                Some(Err(_recorded)) => {
                    self.stream.send_reset(Reason::INTERNAL_ERROR);
                    return Ended::Answered;
                }
                None => Bytes::new(),
            };
            let is_last = data.is_empty() || body.is_end_stream();
            if let Err(cut) = self.send_piece(data, is_last).await {
                break cut;
            }
            if is_last {
                return Ended::Answered;
            }
        };
        state.cut_by(cut);
        if cut == Cut::Client {
            return Ended::ByClient;
        }
        self.stream.send_reset(Reason::CANCEL);
        Ended::Answered
    }

    /// Sends a piece as the client grants room for it.
    async fn send_piece(&mut self, mut data: Bytes, is_last: bool) -> Result<(), Cut> {
        loop {
            let mut length = 0;
            if !data.is_empty() {
                self.stream.reserve_capacity(data.len());
                length = self.capacity().await?.min(data.len());
                self.pace.sent += length as u64;
                self.pace.progressed = Instant::now();
            }
            let piece = data.split_to(length);
            let is_end = is_last && data.is_empty();
            self.stream.send_data(piece, is_end).map_err(|_closed| Cut::Client)?;
            if data.is_empty() {
                return Ok(());
            }
        }
    }

    /// Waits until the client has room for some bytes, and returns for how many.
    async fn capacity(&mut self) -> Result<usize, Cut> {
        let deadline = self.pace.began + self.timeouts.response;
        loop {
            let capacity = self.stream.capacity();
            if capacity > 0 {
                return Ok(capacity);
            }
            let look = (Instant::now() + self.timeouts.stall / LOOKS).min(deadline);
            let granted = tokio::select! {
                biased;
                granted = poll_fn(|context| {
                    // Both register the same task.
                    if self.stream.poll_reset(context).is_ready() {
                        return std::task::Poll::Ready(None);
                    }
                    self.stream.poll_capacity(context)
                }) => granted,
                () = sleep_until(look) => {
                    self.check_pace(deadline)?;
                    continue;
                }
            };
            if !matches!(granted, Some(Ok(_))) {
                return Err(Cut::Client);
            }
        }
    }

    /// Fails if the client takes too long.
    fn check_pace(&mut self, deadline: Instant) -> Result<(), Cut> {
        let now = Instant::now();
        if now >= deadline {
            return Err(Cut::ResponseTimeout);
        }
        if self.signs.is_blocked() {
            // The connection has its own check. It is not known how fast this stream could be.
            self.pace.progressed = now;
        }
        // A living client answers pings, even if its application reads nothing.
        let is_dead = now >= self.signs.heard() + SILENCE * self.timeouts.stall;
        if is_dead || now >= self.pace.expected() + self.timeouts.stall {
            return Err(Cut::Stall);
        }
        Ok(())
    }
}

/// The speed of a client that takes one response.
struct Pace {
    began: Instant,
    /// When the client last granted room for bytes.
    progressed: Instant,
    sent: u64,
}

impl Pace {
    /// Returns when a client of the slowest speed has read all that it was sent.
    ///
    /// A client grants room when it has read half of a window, which it may have chosen to be large.
    fn expected(&self) -> Instant {
        let reading = std::time::Duration::from_secs(self.sent / SLOWEST);
        self.progressed.max(self.began + reading)
    }
}

/// Adds the header field `Date`, as the library does for HTTP/1.1.
fn add_date(headers: &mut HeaderMap) {
    let date = httpdate::fmt_http_date(SystemTime::now());
    headers.extend(HeaderValue::try_from(date).ok().map(|date| (DATE, date)));
}
