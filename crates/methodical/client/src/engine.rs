//! Runs a call: everything that the async and the blocking client share.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use gateway_transport::{Deadline, Instant, Request, TransportError};
use http::response::Parts;
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
use crate::time::{Limit, now, timeout_at};
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

/// The calls of a client: what it shares with its clones, and the options of its calls.
pub(crate) struct Engine<T> {
    shared: Arc<Shared<T>>,
    options: Option<Arc<CallOptions>>,
}

/// The settings, the token and the transport of a client and its clones.
pub(crate) struct Shared<T> {
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

/// How much of a response an attempt receives.
trait Extent<B: Receive> {
    /// The body that is received after the head.
    type Received;

    /// Receives the body of a response, or a part of it.
    async fn receive(&self, response: Arrived<B>) -> Outcome<Self::Received>;
}

/// A head with its body still to come, and the deadline of a body of which only the beginning is kept with an error.
type Arrived<B> = (Parts, B, Option<Instant>);

type Outcome<B> = Result<Response<B>, Failure>;

/// All of a successful response, with a body of at most this many bytes, and the beginning of any other. The function returns
/// the class of a failure that the body reports.
struct Whole(u64, fn(&[u8]) -> Option<ErrorClass>);

impl<B: Receive> Extent<B> for Whole {
    type Received = Bytes;

    async fn receive(&self, (mut head, body, deadline): Arrived<B>) -> Outcome<Bytes> {
        let Self(limit, classify) = *self;
        if head.status != StatusCode::OK {
            return Ok(Response::from_parts(head, beginning(body, deadline).await));
        }
        // A body that is declared larger is not received at all.
        let declared = content_length(&head.headers);
        let body = if declared.is_some_and(|length| limit < length) {
            Err(TransportError::body_too_large(limit))
        } else {
            body.collect(limit).await
        };
        match body {
            Ok(body) => {
                if let Some(class) = classify(&body) {
                    head.extensions.insert(Reported(class));
                }
                Ok(Response::from_parts(head, body))
            }
            Err(error) => Err(Failure { error, head: Some(Box::new(head)) }),
        }
    }
}

/// The head of a successful response, and the beginning of any other.
struct Head;

impl<B: Receive + From<Bytes>> Extent<B> for Head {
    type Received = B;

    async fn receive(&self, (head, body, deadline): Arrived<B>) -> Outcome<B> {
        let body = match head.status {
            StatusCode::OK => body,
            _ => beginning(body, deadline).await.into(),
        };
        Ok(Response::from_parts(head, body))
    }
}

/// The head of a list. If the contract gives errors in the body a class, also the body until it has a record or its end.
struct Beginning<'a, O> {
    operation: &'a O,
    /// The limit of the last byte of the list.
    end: Limit,
}

impl<O: ListOperation, B: Receive> Extent<B> for Beginning<'_, O> {
    type Received = Result<(B, StreamDecoder<O::Item, O::Beside>), Error>;

    async fn receive(&self, (mut head, mut body, deadline): Arrived<B>) -> Outcome<Self::Received> {
        if let Err(error) = check_head(head.status, &head.headers) {
            let error = error.with_body(beginning(body, deadline).await);
            return Ok(Response::from_parts(head, Err(error)));
        }
        let mut decoder = self.operation.decoder();
        let reported = if decoder.has_error_classes() {
            reported::<B, O>(&mut body, &mut decoder).await
        } else {
            Ok(None)
        };
        let list = match reported {
            Ok(None) => Ok((body, decoder)),
            Ok(Some(error)) => {
                if let Some(failure) = error.service() {
                    head.extensions.insert(Reported(failure.class()));
                }
                Err(error.into())
            }
            Err(error) => Err(self.end.error(error, now())),
        };
        Ok(Response::from_parts(head, list))
    }
}

impl<T: Io> Engine<T> {
    pub(crate) fn new(shared: Shared<T>, options: Option<CallOptions>) -> Self {
        Self { shared: Arc::new(shared), options: None }.with(options)
    }

    /// Returns an engine whose calls also have these options.
    pub(crate) fn with(&self, options: impl Into<Option<CallOptions>>) -> Self {
        let Self { shared, options: base } = self.clone();
        let options = match options.into() {
            Some(options) => {
                Some(Arc::new(options.over(base.as_deref(), &shared.headers.user_agent)))
            }
            None => base,
        };
        Self { shared, options }
    }

    /// Returns the first request of a call.
    pub(crate) async fn request<O: Operation>(&self, operation: &O) -> Result<Request, Error> {
        let call = Call::new(&self.shared.policy, self.draft(operation)?, now());
        let token = self.token(&call).await?;
        call.dry_run(&token)
    }

    /// Calls an operation and decodes the response.
    pub(crate) async fn send<O: Operation>(&self, operation: &O) -> Result<O::Output, Error> {
        Ok(self.page(operation).await?.0)
    }

    /// Calls an operation and decodes the response. Returns the body as well.
    pub(crate) async fn page<O: Operation>(
        &self,
        operation: &O,
    ) -> Result<(O::Output, Bytes), Error> {
        let span = CallSpan::begin(O::METHOD);
        let response = self.receive(operation, &span).await?;
        let body = response.body().clone();
        let is_strict = self.shared.policy.is_strict;
        let decoded = span.within(|| response.decode(operation, is_strict));
        let output = span.outcome(decoded)?;
        let mut rejected = RejectedPaths::default();
        for one in O::rejected(&output) {
            rejected.add(one);
        }
        span.rejected(&rejected);
        Ok((output, body))
    }

    /// Calls an operation and returns the response.
    pub(crate) async fn send_raw<O: Operation>(&self, operation: &O) -> Result<RawResponse, Error> {
        self.receive(operation, &CallSpan::begin(O::METHOD)).await
    }

    /// Calls an operation and returns the reader of its list.
    pub(crate) async fn stream<O: ListOperation>(
        &self,
        operation: &O,
    ) -> Result<ListReader<O::Item, O::Beside, T::Body>, Error> {
        let span = CallSpan::begin(O::METHOD);
        let draft = span.outcome(self.draft(operation))?;
        let mut call = Call::streaming(&self.shared.policy, draft, now());
        let extent = Beginning { operation, end: call.end() };
        let outcome = span.around(self.call(&mut call, O::METHOD, extent)).await;
        span.attempts(call.attempts());
        let (response, permit) = span.outcome(outcome)?;
        let (head, list) = response.into_parts();
        match list {
            Ok((body, decoder)) => {
                let (response, ended) =
                    (Response::from_parts(head, body), (call.attempts(), call.end()));
                let is_strict = self.shared.policy.is_strict;
                Ok(ListReader::new(response, decoder, ended, span, permit, is_strict))
            }
            Err(error) => span.outcome(Err(error.with_head(head).after_attempts(call.attempts()))),
        }
    }

    /// Calls an operation and returns the response with its body still to come.
    pub(crate) async fn stream_raw<O: Operation>(
        &self,
        operation: &O,
    ) -> Result<StreamingResponse<T::Body>, Error> {
        let span = CallSpan::begin(O::METHOD);
        let draft = span.outcome(self.draft(operation))?;
        let mut call = Call::streaming(&self.shared.policy, draft, now());
        let outcome = span.around(self.call(&mut call, O::METHOD, Head)).await;
        span.attempts(call.attempts());
        let (response, permit) = span.outcome(outcome)?;
        Ok(StreamingResponse::new(response, call.attempts(), call.end(), span, permit))
    }

    /// Calls an operation and receives the whole response.
    async fn receive<O: Operation>(
        &self,
        operation: &O,
        span: &CallSpan,
    ) -> Result<RawResponse, Error> {
        let draft = span.outcome(self.draft(operation))?;
        let policy = &self.shared.policy;
        let mut call = Call::new(policy, draft, now());
        let extent = Whole(policy.body_limit, O::error_class);
        let outcome = span.around(self.call(&mut call, O::METHOD, extent)).await;
        span.attempts(call.attempts());
        let (response, _permit) = span.outcome(outcome)?;
        Ok(RawResponse::new(response, call.attempts()))
    }

    /// Returns what the requests of an operation share.
    fn draft<O: Operation>(&self, operation: &O) -> Result<Draft<'_>, Error> {
        let Shared { headers, base_url, auth, .. } = &*self.shared;
        Draft::new(headers, base_url, *auth, self.options.as_deref(), operation.query()?)
    }

    /// Gets a permit and a token, and runs the attempts of a call until it is over.
    async fn call<E: Extent<T::Body>>(
        &self,
        call: &mut Call<'_>,
        operation: &str,
        extent: E,
    ) -> Result<(Response<E::Received>, Permit), Error> {
        let permit = self.admit(call).await?;
        let mut token = self.token(call).await?;
        loop {
            let start = now();
            let request = call.attempt(&token, start)?;
            let Shared { base_url, selectors, .. } = &*self.shared;
            let (asked, number) = ((request.method(), call.target()), call.attempts());
            let span = AttemptSpan::begin(operation, asked, selectors, base_url.server(), number);
            let outcome = span.around(self.exchange(request, &extent)).await;
            let (verdict, attempt) = self.judge(call, operation, start, span, outcome);
            let next = match verdict {
                Verdict::Refused(refusal) => self.refresh(call, &mut token, refusal).await,
                Verdict::Next(next) => next,
            };
            self.report(attempt, &next);
            match next {
                Next::Wait(delay) => {
                    T::sleep(delay).await;
                    self.wait_for_turn(call).await?;
                }
                Next::Done(result) => return Ok((result?, permit)),
            }
        }
    }

    /// Sends one request and receives its response.
    async fn exchange<E: Extent<T::Body>>(
        &self,
        request: Request,
        extent: &E,
    ) -> Outcome<E::Received> {
        let deadline = Deadline::of(&request).map(Deadline::head);
        let (head, body) = self.shared.transport.send(request).await?.into_parts();
        extent.receive((head, body, deadline)).await
    }

    /// Waits until the call may be in flight, and its first request may be sent. The token is fetched afterwards, so that
    /// it is current.
    async fn admit(&self, call: &Call<'_>) -> Result<Permit, Error> {
        let limit = call.limit();
        let permit = timeout_at(limit.at, self.shared.pace.permit()).await.ok_or_else(|| {
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
        let turn = self.shared.pace.turn(now());
        loop {
            // Another call may have been asked to wait in the meantime.
            let (start, now) = (self.shared.pace.start(turn), now());
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

    /// Returns the token for a call, if the source returns it before the deadline of the call.
    async fn token(&self, call: &Call<'_>) -> Result<Tokens, Error> {
        match self.shared.tokens.last_if_current() {
            // The usual case, which needs no time limit.
            Some(tokens) => Ok(tokens),
            None => before_deadline(call, self.shared.tokens.current()).await,
        }
    }

    /// Replaces a token that the service refused. If the source has no other token, the refusal is the response.
    async fn refresh<B>(
        &self,
        call: &Call<'_>,
        token: &mut Tokens,
        refusal: Response<B>,
    ) -> Next<B> {
        match before_deadline(call, self.shared.tokens.other_than(token)).await {
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
        outcome: Outcome<B>,
    ) -> (Verdict<B>, Attempt<'a>) {
        let now = now();
        let (status, failure) = match &outcome {
            Ok(response) => (Some(response.status()), None),
            Err(Failure { error, head }) => {
                (head.as_ref().map(|head| head.status), Some(error.kind()))
            }
        };
        if let Ok(response) = &outcome {
            self.shared.pace.received(response.status(), response.headers(), now);
        }
        let verdict = call.judge(outcome, || Moment { now, ..Moment::now() });
        let (server_address, server_port) = self.shared.base_url.server();
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
        if let Some(observer) = &self.shared.observer {
            observer.attempt(&attempt);
        }
    }
}

impl<T> Clone for Engine<T> {
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared), options: self.options.clone() }
    }
}

impl<T: Io> fmt::Debug for Engine<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine")
            .field("base_url", &self.shared.base_url)
            .field("policy", &self.shared.policy)
            .field("transport", &self.shared.transport.name())
            .field("options", &self.options)
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
async fn reported<B: Receive, O: ListOperation>(
    body: &mut B,
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
async fn beginning<B: Receive>(mut body: B, deadline: Option<Instant>) -> Bytes {
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
