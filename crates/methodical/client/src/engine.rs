//! Runs a call: everything that the async and the blocking client share.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use gateway_transport::{Deadline, Instant, Request, TransportError};
use http::{Response, StatusCode};
use methodical_model::{Auth, ErrorClass, ListOperation, Operation, StreamDecoder};

use crate::base_url::BaseUrl;
use crate::call::{Call, Failure, Moment, Next, Reported, Verdict};
use crate::error::{ERROR_BODY_LIMIT, ErrorKind};
use crate::head::content_length;
use crate::observer::{Attempt, Observer};
use crate::pace::{Pace, Permit};
use crate::policy::Policy;
use crate::records::ListReader;
use crate::request::{Draft, Headers};
use crate::response::check_head;
use crate::time::{now, timeout_at};
use crate::token::{Sources, Tokens};
use crate::trace::{self, AttemptSpan, CallSpan, RejectedPaths};
use crate::{CallOptions, Error, RawResponse, StreamingResponse};

#[cfg(test)]
mod tests;

/// The I/O of a client: the only difference between the async and the blocking one.
///
/// The futures of the blocking client block while they are polled, and are ready afterwards.
pub(crate) trait Io {
    type Body: Receive + From<Bytes>;

    /// Sends a request and receives the head of the response.
    async fn send(&self, request: Request) -> Result<Response<Self::Body>, TransportError>;

    /// Waits.
    async fn sleep(delay: Duration);

    /// Returns the name of the transport.
    fn name(&self) -> &str;
}

/// A body that is being received.
pub(crate) trait Receive: Default {
    /// Receives the next chunk; `None` is the end.
    async fn chunk(&mut self) -> Result<Option<Bytes>, TransportError>;

    /// Receives the rest of a body of at most `limit` bytes.
    async fn collect(self, limit: u64) -> Result<Bytes, TransportError>;
}

/// The settings, the token and the transport of a client and its clones.
pub(crate) struct Engine<T> {
    pub(crate) base_url: BaseUrl,
    pub(crate) headers: Headers,
    /// The names of the query parameters that select the operation.
    pub(crate) selectors: &'static [&'static str],
    pub(crate) auth: Auth,
    pub(crate) tokens: Sources,
    pub(crate) policy: Policy,
    pub(crate) pace: Pace,
    pub(crate) observer: Option<Arc<dyn Observer>>,
    pub(crate) transport: T,
}

/// How much of a successful response an attempt receives.
///
/// Of any other response it receives the beginning of the body.
#[derive(Clone, Copy, Debug)]
enum Extent {
    /// All of it, with a body of at most this many bytes. The function returns the class of a failure that it reports.
    Whole(u64, fn(&[u8]) -> Option<ErrorClass>),
    /// Only the head.
    Head,
}

impl<T: Io> Engine<T> {
    /// Returns the first request of a call.
    pub(crate) async fn request<O: Operation>(
        &self,
        operation: &O,
        options: Option<&CallOptions>,
    ) -> Result<Request, Error> {
        let call = Call::new(&self.policy, self.draft(operation, options)?, now());
        let token = self.token(&call).await?;
        call.dry_run(&token)
    }

    /// Calls an operation and decodes the response.
    pub(crate) async fn send<O: Operation>(
        &self,
        operation: &O,
        options: Option<&CallOptions>,
    ) -> Result<O::Output, Error> {
        let span = CallSpan::begin(O::METHOD);
        let response = self.receive(operation, options, &span).await?;
        self.decode(operation, response, &span)
    }

    /// Decodes a response, and reports the records that were rejected.
    fn decode<O: Operation>(
        &self,
        operation: &O,
        response: RawResponse,
        span: &CallSpan,
    ) -> Result<O::Output, Error> {
        let decoded = span.within(|| response.decode(operation, self.policy.is_strict));
        let output = span.outcome(decoded)?;
        let mut rejected = RejectedPaths::default();
        for one in O::rejected(&output) {
            rejected.add(one);
        }
        span.rejected(&rejected);
        Ok(output)
    }

    /// Calls an operation and decodes the response. Returns the body as well.
    pub(crate) async fn page<O: Operation>(
        &self,
        operation: &O,
        options: Option<&CallOptions>,
    ) -> Result<(O::Output, Bytes), Error> {
        let span = CallSpan::begin(O::METHOD);
        let response = self.receive(operation, options, &span).await?;
        let body = response.body().clone();
        Ok((self.decode(operation, response, &span)?, body))
    }

    /// Calls an operation and returns the response.
    pub(crate) async fn send_raw<O: Operation>(
        &self,
        operation: &O,
        options: Option<&CallOptions>,
    ) -> Result<RawResponse, Error> {
        self.receive(operation, options, &CallSpan::begin(O::METHOD)).await
    }

    /// Calls an operation and returns the reader of its list.
    pub(crate) async fn stream<O: ListOperation>(
        &self,
        operation: &O,
        options: Option<&CallOptions>,
    ) -> Result<ListReader<O::Item, O::Beside, T::Body>, Error> {
        let span = CallSpan::begin(O::METHOD);
        let draft = span.outcome(self.draft(operation, options))?;
        let mut call = Call::streaming(&self.policy, draft, now());
        let outcome = span.around(self.begin_list(operation, &mut call)).await;
        span.attempts(call.attempts());
        let (response, decoder, permit) = span.outcome(outcome)?;
        let ended = (call.attempts(), call.end());
        Ok(ListReader::new(response, decoder, ended, span, permit, self.policy.is_strict))
    }

    /// Runs the attempts of a call until one has a successful head. If the contract gives errors in the body a class, also
    /// until the body has a record or its end.
    async fn begin_list<O: ListOperation>(
        &self,
        operation: &O,
        call: &mut Call<'_>,
    ) -> Result<(Response<T::Body>, StreamDecoder<O::Item, O::Beside>, Permit), Error> {
        let permit = self.admit(call).await?;
        let mut token = self.token(call).await?;
        loop {
            let response = self.drive(call, &mut token, O::METHOD, Extent::Head).await?;
            let (mut head, mut body) = response.into_parts();
            if let Err(error) = check_head(head.status, &head.headers) {
                let deadline = Deadline::since(now(), self.policy.attempt_timeout);
                let body = beginning::<T>(body, Some(deadline.instant())).await;
                let response = Response::from_parts(head, body);
                return Err(error.with_response(response, call.attempts()));
            }
            let mut decoder = operation.decoder();
            if !decoder.has_error_classes() {
                return Ok((Response::from_parts(head, body), decoder, permit));
            }
            let error = match reported::<T, O>(&mut body, &mut decoder).await {
                Ok(Some(error)) => error,
                Ok(None) => return Ok((Response::from_parts(head, body), decoder, permit)),
                Err(error) => {
                    let error = call.end().error(error, now()).with_head(head);
                    return Err(error.after_attempts(call.attempts()));
                }
            };
            if let Some(failure) = error.service() {
                head.extensions.insert(Reported(failure.class()));
            }
            let verdict = call.judge(Ok(Response::from_parts(head, ())), Moment::now);
            match self.next(call, &mut token, verdict).await {
                Next::Wait(delay) => {
                    trace::retrying(delay);
                    T::sleep(delay).await;
                    self.wait_for_turn(call).await?;
                }
                Next::Done(Err(error)) => return Err(error),
                Next::Done(Ok(response)) => {
                    let (head, ()) = response.into_parts();
                    return Err(Error::from(error).with_head(head).after_attempts(call.attempts()));
                }
            }
        }
    }

    /// Calls an operation and returns the response with its body still to come.
    pub(crate) async fn stream_raw<O: Operation>(
        &self,
        operation: &O,
        options: Option<&CallOptions>,
    ) -> Result<StreamingResponse<T::Body>, Error> {
        let span = CallSpan::begin(O::METHOD);
        let draft = span.outcome(self.draft(operation, options))?;
        let mut call = Call::streaming(&self.policy, draft, now());
        let outcome = span.around(self.call(&mut call, O::METHOD, Extent::Head)).await;
        span.attempts(call.attempts());
        let (response, permit) = span.outcome(outcome)?;
        Ok(StreamingResponse::new(response, call.attempts(), call.end(), span, permit))
    }

    /// Calls an operation and receives the whole response.
    async fn receive<O: Operation>(
        &self,
        operation: &O,
        options: Option<&CallOptions>,
        span: &CallSpan,
    ) -> Result<RawResponse, Error> {
        let draft = span.outcome(self.draft(operation, options))?;
        let mut call = Call::new(&self.policy, draft, now());
        let extent = Extent::Whole(self.policy.body_limit, O::error_class);
        let outcome = span.around(self.call(&mut call, O::METHOD, extent)).await;
        span.attempts(call.attempts());
        let (response, _permit) = span.outcome(outcome)?;
        let (head, body) = response.into_parts();
        // The body is already in memory.
        let body = body.collect(u64::MAX).await?;
        Ok(RawResponse::new(Response::from_parts(head, body), call.attempts()))
    }

    /// Returns what the requests of an operation share.
    fn draft<'a, O: Operation>(
        &'a self,
        operation: &O,
        options: Option<&'a CallOptions>,
    ) -> Result<Draft<'a>, Error> {
        Draft::new(&self.headers, &self.base_url, self.auth, options, operation.query()?)
    }

    /// Gets a permit and a token, and runs the attempts of a call until it is over.
    async fn call(
        &self,
        call: &mut Call<'_>,
        operation: &str,
        extent: Extent,
    ) -> Result<(Response<T::Body>, Permit), Error> {
        let permit = self.admit(call).await?;
        let mut token = self.token(call).await?;
        Ok((self.drive(call, &mut token, operation, extent).await?, permit))
    }

    /// Waits until the call may be in flight, and its first request may be sent. The token is fetched afterwards, so that
    /// it is current.
    async fn admit(&self, call: &Call<'_>) -> Result<Permit, Error> {
        let limit = call.limit();
        let permit = timeout_at(limit.at, self.pace.permit()).await.ok_or_else(|| {
            Error::new(
                ErrorKind::Timeout,
                format!("too many calls were in flight to start {limit}"),
            )
        })?;
        self.wait_for_turn(call).await?;
        Ok(permit)
    }

    /// Waits until the next request of a call may be sent.
    async fn wait_for_turn(&self, call: &Call<'_>) -> Result<(), Error> {
        let turn = self.pace.turn(now());
        loop {
            // Another call may have been asked to wait in the meantime.
            let (start, now) = (self.pace.start(turn), now());
            if start <= now {
                return Ok(());
            }
            let limit = call.limit();
            if start >= limit.at {
                let text = format!("no request could be sent {limit}");
                let error = Error::new(ErrorKind::Timeout, text);
                return Err(error.after_attempts(call.attempts()));
            }
            T::sleep(start.saturating_duration_since(now)).await;
        }
    }

    /// Runs the attempts of a call until it is over.
    async fn drive(
        &self,
        call: &mut Call<'_>,
        token: &mut Tokens,
        operation: &str,
        extent: Extent,
    ) -> Result<Response<T::Body>, Error> {
        loop {
            let start = now();
            let request = call.attempt(token, start)?;
            let server = self.base_url.server();
            let (asked, number) = ((request.method(), call.target()), call.attempts());
            let span = AttemptSpan::begin(operation, asked, self.selectors, server, number);
            let outcome = span.around(self.exchange(request, extent)).await;
            let (verdict, attempt) = self.judge(call, operation, start, span, outcome);
            let next = self.next(call, token, verdict).await;
            self.report(attempt, &next);
            match next {
                Next::Wait(delay) => {
                    T::sleep(delay).await;
                    self.wait_for_turn(call).await?;
                }
                Next::Done(result) => return result,
            }
        }
    }

    /// Sends one request and receives its response.
    async fn exchange(
        &self,
        request: Request,
        extent: Extent,
    ) -> Result<Response<T::Body>, Failure> {
        let deadline = Deadline::of(&request).map(Deadline::head);
        let (mut head, body) = self.transport.send(request).await?.into_parts();
        let body = match (head.status, extent) {
            (StatusCode::OK, Extent::Whole(limit, classify)) => {
                // A body that is declared larger is not received at all.
                let declared = content_length(&head.headers);
                let body = if declared.is_some_and(|length| limit < length) {
                    Err(TransportError::body_too_large(limit))
                } else {
                    body.collect(limit).await
                };
                let body = match body {
                    Ok(body) => body,
                    Err(error) => return Err(Failure { error, head: Some(Box::new(head)) }),
                };
                if let Some(class) = classify(&body) {
                    head.extensions.insert(Reported(class));
                }
                body.into()
            }
            (StatusCode::OK, Extent::Head) => body,
            _ => beginning::<T>(body, deadline).await.into(),
        };
        Ok(Response::from_parts(head, body))
    }

    /// Returns the token for a call, if the source returns it before the deadline of the call.
    async fn token(&self, call: &Call<'_>) -> Result<Tokens, Error> {
        match self.tokens.last_if_current() {
            // The usual case, which needs no time limit.
            Some(tokens) => Ok(tokens),
            None => before_deadline(call, self.tokens.current()).await,
        }
    }

    /// Returns the next step of a call.
    async fn next<B>(&self, call: &Call<'_>, token: &mut Tokens, verdict: Verdict<B>) -> Next<B> {
        match verdict {
            Verdict::Refused(refusal) => self.refresh(call, token, refusal).await,
            Verdict::Next(next) => next,
        }
    }

    /// Replaces a token that the service refused. If the source has no other token, the refusal is the response.
    async fn refresh<B>(
        &self,
        call: &Call<'_>,
        token: &mut Tokens,
        refusal: Response<B>,
    ) -> Next<B> {
        match before_deadline(call, self.tokens.other_than(token)).await {
            Ok(Some(other)) => {
                *token = other;
                Next::Wait(Duration::ZERO)
            }
            Ok(None) => Next::Done(Ok(refusal)),
            Err(error) => Next::Done(Err(error)),
        }
    }

    /// Judges the outcome of an attempt and ends its span.
    fn judge<'a, B>(
        &'a self,
        call: &mut Call<'_>,
        operation: &'a str,
        start: Instant,
        span: AttemptSpan,
        outcome: Result<Response<B>, Failure>,
    ) -> (Verdict<B>, Attempt<'a>) {
        let now = now();
        let (status, failure) = match &outcome {
            Ok(response) => (Some(response.status()), None),
            Err(Failure { error, head }) => {
                (head.as_ref().map(|head| head.status), Some(error.kind()))
            }
        };
        if let Ok(response) = &outcome {
            self.pace.received(response.status(), response.headers(), now);
        }
        let verdict = call.judge(outcome, || Moment { now, ..Moment::now() });
        let (server_address, server_port) = self.base_url.server();
        let attempt = Attempt {
            operation,
            server_address,
            server_port,
            number: call.attempts(),
            elapsed: now.saturating_duration_since(start),
            status,
            failure,
            retry_in: None,
        };
        span.end(&attempt);
        (verdict, attempt)
    }

    /// Reports an attempt and the next step to the observer.
    fn report<B>(&self, mut attempt: Attempt<'_>, next: &Next<B>) {
        if let Next::Wait(delay) = next {
            attempt.retry_in = Some(*delay);
            trace::retrying(*delay);
        }
        if let Some(observer) = &self.observer {
            observer.attempt(&attempt);
        }
    }
}

impl<T: Io> fmt::Debug for Engine<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine")
            .field("base_url", &self.base_url)
            .field("policy", &self.policy)
            .field("transport", &self.transport.name())
            .finish_non_exhaustive()
    }
}

/// Waits for a token, at most until the deadline of the call.
async fn before_deadline<Output>(
    call: &Call<'_>,
    token: impl Future<Output = Result<Output, Error>>,
) -> Result<Output, Error> {
    let limit = call.limit();
    let result = timeout_at(limit.at, token).await.unwrap_or_else(|| {
        Err(Error::new(ErrorKind::Timeout, format!("the token source returned no token {limit}")))
    });
    result.map_err(|error| error.after_attempts(call.attempts()))
}

/// Receives a list until the next step of its decoder is known. Returns the failure that the service reports, if it does.
async fn reported<T: Io, O: ListOperation>(
    body: &mut T::Body,
    decoder: &mut StreamDecoder<O::Item, O::Beside>,
) -> Result<Option<methodical_model::DecodeError>, TransportError> {
    loop {
        match decoder.is_ready() {
            Ok(false) => {}
            Err(error) if error.service().is_some() => return Ok(Some(error)),
            // The decoder returns any other error again.
            Ok(true) | Err(_) => return Ok(None),
        }
        match body.chunk().await? {
            Some(chunk) => decoder.push(&chunk),
            None => decoder.finish(),
        }
    }
}

/// Receives the part of an error's body that is kept, until the deadline.
///
/// A failure ends the body without an error: the status says more than the failure.
async fn beginning<T: Io>(mut body: T::Body, deadline: Option<Instant>) -> Bytes {
    let mut kept = BytesMut::new();
    while kept.len() < ERROR_BODY_LIMIT
        && deadline.is_none_or(|deadline| now() < deadline)
        && let Ok(Some(chunk)) = body.chunk().await
    {
        let missing = ERROR_BODY_LIMIT - kept.len();
        kept.extend_from_slice(chunk.get(..missing).unwrap_or(&chunk));
    }
    kept.freeze()
}
