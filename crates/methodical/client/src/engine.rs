//! Runs a call: everything that the async and the blocking client share.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use gateway_transport::{Body, Deadline, Instant, Request, TransportError};
use http::response::Parts;
use http::{Response, StatusCode};
use methodical_model::{
    Auth, Decoded as _, ErrorClass, ListOperation, Operation, ServiceError, StreamDecoder,
};

use crate::base_url::BaseUrl;
use crate::call::{Call, Failure, Moment, Next, Reported};
use crate::error::{ERROR_BODY_LIMIT, ErrorKind};
use crate::head::content_length;
use crate::observer::{Attempt, Observer};
use crate::pace::{Pace, Permit};
use crate::policy::Policy;
use crate::records::ListReader;
use crate::request::{Draft, Headers};
use crate::response::{check_head, decode};
use crate::time::{Limit, now, timeout_at};
use crate::token::{Sources, Tokens};
use crate::trace::{self, AttemptSpan, CallSpan, RejectedPaths};
use crate::{CallOptions, Error, StreamingResponse};

#[cfg(test)]
mod tests;

/// A client's I/O, which is the only difference between the async and the blocking client.
///
/// The blocking client's futures block while they are polled, and are ready afterwards.
pub(crate) trait Io: Sized {
    /// Sends a request and receives the head of the response.
    async fn send(&self, request: Request) -> Result<Response<Body>, TransportError>;

    async fn sleep(delay: Duration);

    /// Creates the default transport, for a client that was given none.
    fn new_default() -> Result<Self, Error>;
}

/// Runs a client's calls. It holds what the client shares with its clones, and the options for its own calls.
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

/// A response head, and a body that has not been received yet.
struct Arrived {
    head: Parts,
    body: Body,
    /// The deadline for receiving the part of the body that is kept with an error.
    deadline: Option<Instant>,
    /// The time limit of the whole body.
    end: Limit,
}

type Outcome<B> = Result<Response<B>, Failure>;

/// The outcome of a call that received a response.
pub(crate) struct Answer<B> {
    pub(crate) response: Response<B>,
    pub(crate) attempts: u32,
    /// The time limit of the whole body.
    pub(crate) end: Limit,
    pub(crate) permit: Permit,
}

impl<T> Engine<T> {
    pub(crate) fn new(shared: Shared<T>) -> Self {
        Self { shared: Arc::new(shared), options: None }
    }

    /// Returns an engine that adds these options to the current ones.
    pub(crate) fn with(&self, options: CallOptions) -> Self {
        let options = Arc::new(options.over(self.options.as_deref()));
        Self { shared: Arc::clone(&self.shared), options: Some(options) }
    }
}

impl<T: Io> Engine<T> {
    /// Returns a call's first request, with the secrets in the URL and the body redacted. Sends nothing.
    pub(crate) async fn request<O: Operation>(&self, operation: &O) -> Result<Request, Error> {
        let call = Call::new(&self.shared.policy, self.draft(operation)?, now());
        let token = self.token(&call).await?;
        call.draft.redacted(&token)
    }

    /// Calls an operation and returns the decoded response with its body.
    pub(crate) async fn send<O: Operation>(
        &self,
        operation: &O,
    ) -> Result<(O::Output, Bytes), Error> {
        let span = CallSpan::begin(O::METHOD);
        let Policy { body_limit, is_strict, .. } = self.shared.policy;
        let whole = |arrived| whole_or_beginning(arrived, body_limit, O::error_class);
        let answer = self.run(&span, operation, Call::new, whole).await?;
        let Answer { response, attempts, .. } = answer;
        let decoded = span.around(async { decode::<O>(response, attempts, is_strict) });
        let (output, body) = span.outcome(decoded.await)?;
        let mut rejected = RejectedPaths::default();
        for one in output.rejected() {
            rejected.add(one);
        }
        span.rejected(&rejected);
        Ok((output, body))
    }

    /// Calls an operation and returns a reader of its list.
    pub(crate) async fn stream<O: ListOperation>(
        &self,
        operation: &O,
    ) -> Result<ListReader<O::Item, O::Metadata>, Error> {
        let span = CallSpan::begin(O::METHOD);
        let list = |arrived| beginning_of_list(operation, arrived);
        let answer = self.run(&span, operation, Call::streaming, list).await?;
        let Answer { response, attempts, end, permit } = answer;
        let (head, list) = response.into_parts();
        match list {
            Ok((body, decoder)) => {
                let response = Response::from_parts(head, body);
                let answer = Answer { response, attempts, end, permit };
                Ok(ListReader::new(answer, decoder, span, self.shared.policy.is_strict))
            }
            Err(error) => span.outcome(Err(error.with_head(head).after_attempts(attempts))),
        }
    }

    /// Calls an operation and returns the response before its body is received.
    pub(crate) async fn stream_raw<O: Operation, B>(
        &self,
        operation: &O,
    ) -> Result<StreamingResponse<B>, Error> {
        let span = CallSpan::begin(O::METHOD);
        let answer = self.run(&span, operation, Call::streaming, head_or_beginning).await?;
        Ok(StreamingResponse::new(answer, span))
    }

    /// Runs a call within its span. `receive` receives as much of the body as an attempt includes.
    async fn run<'a, O: Operation, B, F: Future<Output = Outcome<B>>>(
        &'a self,
        span: &CallSpan,
        operation: &O,
        start: fn(&'a Policy, Draft<'a>, Instant) -> Call<'a>,
        receive: impl Fn(Arrived) -> F,
    ) -> Result<Answer<B>, Error> {
        let draft = span.outcome(self.draft(operation))?;
        let mut call = start(&self.shared.policy, draft, now());
        let outcome = span.around(self.call(&mut call, O::METHOD, receive)).await;
        span.attempts(call.attempts);
        let (response, permit) = span.outcome(outcome)?;
        Ok(Answer { response, attempts: call.attempts, end: call.end(), permit })
    }

    /// Returns what all requests of a call share. Fails if the query cannot be sent.
    fn draft<O: Operation>(&self, operation: &O) -> Result<Draft<'_>, Error> {
        let Shared { headers, base_url, auth, .. } = &*self.shared;
        Draft::new(headers, base_url, *auth, self.options.as_deref(), operation.query()?)
    }

    /// Gets a permit and a token, and runs the attempts of a call until it is over.
    async fn call<B, F: Future<Output = Outcome<B>>>(
        &self,
        call: &mut Call<'_>,
        operation: &str,
        receive: impl Fn(Arrived) -> F,
    ) -> Result<(Response<B>, Permit), Error> {
        let permit = self.admit(call).await?;
        let mut token = self.token(call).await?;
        loop {
            let start = now();
            let request = call.attempt(&token, start)?;
            let Shared { base_url, selectors, .. } = &*self.shared;
            let (asked, number) = ((request.method(), &call.draft.target), call.attempts);
            let span = AttemptSpan::begin(operation, asked, selectors, base_url.server(), number);
            let outcome = span.around(self.exchange(request, call.end(), &receive)).await;
            let (mut next, attempt) = self.judge(call, operation, start, span, outcome);
            if let Next::Refused(_) = next {
                match before_deadline(call, self.shared.tokens.other_than(&token)).await {
                    Ok(Some(other)) => (token, next) = (other, Next::Wait(Duration::ZERO)),
                    Ok(None) => {}
                    Err(error) => next = Next::Done(Err(error)),
                }
            }
            self.report(attempt, &next);
            match next {
                Next::Wait(delay) => {
                    T::sleep(delay).await;
                    self.wait_for_turn(call).await?;
                }
                Next::Refused(response) => return Ok((response, permit)),
                Next::Done(result) => return Ok((result?, permit)),
            }
        }
    }

    /// Sends one request and receives its response.
    async fn exchange<B, F: Future<Output = Outcome<B>>>(
        &self,
        request: Request,
        end: Limit,
        receive: impl Fn(Arrived) -> F,
    ) -> Outcome<B> {
        let deadline = Deadline::of(&request).map(Deadline::head);
        let (head, body) = self.shared.transport.send(request).await?.into_parts();
        receive(Arrived { head, body, deadline, end }).await
    }

    /// Waits until the call may start and send its first request. The token is fetched only afterwards, to be current.
    async fn admit(&self, call: &Call<'_>) -> Result<Permit, Error> {
        let mut permit = None;
        // Usually there is no limit on calls, so no timer is needed.
        if let Some(calls) = &self.shared.pace.calls {
            let limit = call.limit;
            let text = || format!("`calls_in_flight` let no further call start {limit}");
            let admitted = timeout_at(limit.at, calls.acquire_arc()).await;
            permit = Some(admitted.ok_or_else(|| Error::new(ErrorKind::Timeout, text()))?);
        }
        self.wait_for_turn(call).await?;
        Ok(permit)
    }

    /// Waits until the next request of a call may be sent.
    async fn wait_for_turn(&self, call: &Call<'_>) -> Result<(), Error> {
        if !self.shared.pace.may_wait() {
            return Ok(());
        }
        let turn = self.shared.pace.turn(now());
        loop {
            // In the meantime, a response to another call may have asked clients to wait.
            let (start, now) = (self.shared.pace.start(turn), now());
            if start <= now {
                return Ok(());
            }
            let limit = call.limit;
            if start >= limit.at {
                let text = format!("the rate limit allowed no request {limit}");
                let error = Error::new(ErrorKind::Timeout, text);
                return Err(error.after_attempts(call.attempts));
            }
            T::sleep(start.saturating_duration_since(now)).await;
        }
    }

    /// Returns the tokens for a call. Fails if a source fails or returns no token before the call's deadline.
    async fn token(&self, call: &Call<'_>) -> Result<Tokens, Error> {
        match self.shared.tokens.last_if_current() {
            // The usual case, which needs no time limit.
            Some(tokens) => Ok(tokens),
            None => before_deadline(call, self.shared.tokens.current()).await,
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
    ) -> (Next<B>, Attempt<'a>) {
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
        let next = call.judge(outcome, || Moment { now, ..Moment::now() });
        let attempt = Attempt {
            operation,
            number: call.attempts,
            elapsed: now.saturating_duration_since(start),
            status,
            failure,
            retry_in: None,
        };
        span.end(&attempt);
        (next, attempt)
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

impl<T> fmt::Debug for Engine<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine")
            .field("base_url", &self.shared.base_url)
            .field("policy", &self.shared.policy)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

/// Waits for a token, at most until the call's deadline.
async fn before_deadline<Output>(
    call: &Call<'_>,
    token: impl Future<Output = Result<Output, Error>>,
) -> Result<Output, Error> {
    let limit = call.limit;
    let result = timeout_at(limit.at, token).await.unwrap_or_else(|| {
        Err(Error::new(ErrorKind::Timeout, format!("the token source returned no token {limit}")))
    });
    result.map_err(|error| error.after_attempts(call.attempts))
}

/// Receives a successful response completely, or the beginning of any other response. The body of a successful response
/// may have up to `limit` bytes. `classify` returns the class of the failure that a body reports, if any.
async fn whole_or_beginning(
    Arrived { mut head, body, deadline, .. }: Arrived,
    limit: u64,
    classify: fn(&[u8]) -> Option<ErrorClass>,
) -> Outcome<Bytes> {
    if head.status != StatusCode::OK {
        return Ok(Response::from_parts(head, beginning(body, deadline).await));
    }
    // A body whose declared length exceeds the limit is not received at all.
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

/// Receives only the head of a successful response, but also the beginning of the body of any other response.
async fn head_or_beginning(Arrived { head, body, deadline, .. }: Arrived) -> Outcome<Body> {
    let body = match head.status {
        StatusCode::OK => body,
        _ => beginning(body, deadline).await.into(),
    };
    Ok(Response::from_parts(head, body))
}

/// A list's body, and the decoder of its records.
type List<O> = (Body, StreamDecoder<<O as ListOperation>::Item, <O as ListOperation>::Metadata>);

/// Receives the head of a list and, if the contract classifies errors in the body, the body up to its first record.
///
/// The inner result is an error if the response cannot be read as a list.
async fn beginning_of_list<O: ListOperation>(
    operation: &O,
    Arrived { mut head, mut body, deadline, end }: Arrived,
) -> Outcome<Result<List<O>, Error>> {
    if let Err(error) = check_head(head.status, &head.headers) {
        let error = error.with_body(beginning(body, deadline).await);
        return Ok(Response::from_parts(head, Err(error)));
    }
    let mut decoder = operation.decoder();
    let list = loop {
        if !decoder.has_error_classes() {
            break Ok((body, decoder));
        }
        match decoder.is_ready() {
            Ok(false) => {}
            Err(error) if error.service().is_some() => {
                let class = error.service().map(ServiceError::class).unwrap_or_default();
                head.extensions.insert(Reported(class));
                break Err(error.into());
            }
            // The decoder returns any other error again when a record is read.
            Ok(true) | Err(_) => break Ok((body, decoder)),
        }
        match body.chunk().await {
            Ok(Some(chunk)) => decoder.push(&chunk),
            Ok(None) => decoder.finish(),
            Err(error) => break Err(end.error(error, now())),
        }
    };
    Ok(Response::from_parts(head, list))
}

/// Receives the part of a body that is kept with an error, until the deadline.
///
/// If the body cannot be received to its end, returns what has arrived, because the status is more useful than the
/// transport's error.
async fn beginning(mut body: Body, deadline: Option<Instant>) -> Bytes {
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
