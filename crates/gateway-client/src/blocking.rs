//! The blocking client: the same policy, without a runtime.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use bytes::{Bytes, BytesMut};
use gateway_model::{ListOperation, Operation};
use gateway_transport::{BlockingBody, BlockingTransport, Deadline, Request, TransportError};
use http::{Response, StatusCode};
use pollster::block_on;

use crate::answer::{Answer, ERROR_BODY_LIMIT, check_head};
use crate::call::{Call, Next, Verdict};
use crate::core::{Core, Reading, check_length};
use crate::sleep::block;
use crate::trace::{AttemptSpan, CallSpan};
use crate::{Builder, Error, StreamedAnswer};

mod records;

pub use self::records::Records;

/// A client of one account of the service, for code without `async`.
///
/// # Cloning
///
/// A clone is cheap and shares the connections and the retry budget; there is no need for an `Arc` around it.
///
/// # Examples
///
/// ```
/// use gateway_client::transport::MemoryTransport;
/// use gateway_client::{AccessToken, blocking};
/// use http::Response;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let answer = Response::builder().header("content-type", "application/json");
/// let body = r#"{"credits_number":"12.50","currency":"EUR"}"#;
///
/// let client = blocking::Client::builder("https://gateway.example.com")
///     .token(AccessToken::new("gwt_6yqW")?)
///     .transport(MemoryTransport::new([Ok(answer.body(body.into())?)]))
///     .build()?;
/// assert_eq!(client.get_credits()?.credits_number.as_str(), "12.50");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Client {
    core: Arc<Core>,
    transport: SharedBlockingTransport,
}

/// Any blocking transport, shared by the clones of a client.
type SharedBlockingTransport = Arc<dyn BlockingTransport>;

impl Client {
    /// Begins a client of the service at this base URL, such as `https://host` or `https://host/prefix`.
    pub fn builder(base_url: impl Into<String>) -> Builder<Arc<dyn BlockingTransport>> {
        Builder::new(base_url.into())
    }

    /// Returns the request that [`send`](Self::send) would send first: a dry run.
    ///
    /// Its `Debug` output does not show the token, because the header is marked sensitive.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Query`](crate::ErrorKind::Query) if a parameter has a value that cannot be sent,
    /// [`ErrorKind::Token`](crate::ErrorKind::Token) if there is no token, and
    /// [`ErrorKind::Timeout`](crate::ErrorKind::Timeout) if it does not come within the time of a call.
    ///
    /// ```no_run
    /// # fn example(client: gateway_client::blocking::Client) -> Result<(), gateway_client::Error> {
    /// use gateway_client::model::ListCandidates;
    ///
    /// let request = client.request(&ListCandidates::new().vacancy_id(7))?;
    /// println!("{} {}", request.method(), request.uri());
    /// # Ok(())
    /// # }
    /// ```
    pub fn request<O: Operation>(&self, operation: &O) -> Result<Request, Error> {
        let call = self.core.call(operation)?;
        let token = block_on(self.core.token(&call))?;
        call.dry_run(&token)
    }

    /// Calls any operation and reads its answer.
    ///
    /// # Errors
    ///
    /// Whatever kept a complete, successful and readable answer from being there; see [`Error::kind`].
    ///
    /// ```no_run
    /// # fn example(client: gateway_client::blocking::Client) -> Result<(), gateway_client::Error> {
    /// use gateway_client::model::GetCredits;
    ///
    /// let credits = client.send(&GetCredits::new())?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn send<O: Operation>(&self, operation: &O) -> Result<O::Output, Error> {
        let span = CallSpan::begin(O::METHOD);
        let answer = self.receive(operation, &span)?;
        span.outcome(span.within(|| answer.read::<O>()))
    }

    /// Calls any operation and returns the answer as it came, whatever its status.
    ///
    /// # Errors
    ///
    /// Whatever kept an answer from being there.
    ///
    /// ```no_run
    /// # fn example(client: gateway_client::blocking::Client) -> Result<(), gateway_client::Error> {
    /// use gateway_client::model::RawQuery;
    ///
    /// let answer = client.send_raw(&RawQuery::new("portals/list").pair("country", "RO"))?;
    /// println!("{} {} bytes", answer.status(), answer.body().len());
    /// # Ok(())
    /// # }
    /// ```
    pub fn send_raw<O: Operation>(&self, operation: &O) -> Result<Answer, Error> {
        self.receive(operation, &CallSpan::begin(O::METHOD))
    }

    /// Calls an operation that answers with a list, and returns its records as they arrive.
    ///
    /// Memory holds one piece of the body and the largest record, however long the list is. Dropping the records ends
    /// the exchange. What fails before the head of the answer is there may be sent again, as in [`send`](Self::send); after
    /// that, an interrupted list is an error that says how many records came before.
    ///
    /// # Errors
    ///
    /// Whatever kept a successful answer from beginning; see [`Error::kind`].
    ///
    /// ```no_run
    /// # fn example(client: gateway_client::blocking::Client) -> Result<(), gateway_client::Error> {
    /// use gateway_client::Entry;
    /// use gateway_client::model::ListCandidates;
    ///
    /// for entry in client.stream(&ListCandidates::new())? {
    ///     match entry? {
    ///         Entry::Record(candidate) => println!("{}", candidate.id),
    ///         Entry::Rejected(rejected) => eprintln!("{}", rejected.error()),
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn stream<O: ListOperation>(&self, operation: &O) -> Result<Records<O::Item>, Error> {
        let span = CallSpan::begin(O::METHOD);
        let (response, attempts) = self.open(operation, &span)?;
        let (head, body) = response.into_parts();
        if let Err(error) = span.outcome(check_head(head.status, &head.headers)) {
            let kept = beginning(body, Some(self.core.unfit_body_deadline()));
            return Err(error.with_answer(Answer::new(Response::from_parts(head, kept), attempts)));
        }
        Ok(Records::new(body, O::decoder(), attempts, span))
    }

    /// Calls any operation and returns the answer as it comes, whatever its status: for bodies that are passed on, and
    /// may be longer than memory. Neither JSON nor a content coding is looked at.
    ///
    /// What fails before the head of the answer is there may be sent again, as in [`send`](Self::send); after that, an
    /// interrupted body is an error that says how many bytes came before. The limits are those of [`stream`](Self::stream).
    ///
    /// # Errors
    ///
    /// Whatever kept an answer from beginning; see [`Error::kind`].
    ///
    /// ```
    /// use gateway_client::model::RawQuery;
    /// use gateway_client::transport::MemoryTransport;
    /// use gateway_client::{AccessToken, blocking};
    /// use http::Response;
    ///
    /// let client = blocking::Client::builder("https://gateway.example.com")
    ///     .token(AccessToken::new("gwt_6yqW")?)
    ///     .transport(MemoryTransport::new([Ok(Response::new("[1,2]".into()))]))
    ///     .build()?;
    /// let mut answer = client.stream_raw(&RawQuery::new("portals/list"))?;
    /// let mut copy = Vec::new();
    /// std::io::copy(&mut answer, &mut copy).unwrap();
    /// assert_eq!((answer.status().as_u16(), &*copy), (200, &b"[1,2]"[..]));
    /// # Ok::<(), gateway_client::Error>(())
    /// ```
    pub fn stream_raw<O: Operation>(
        &self,
        operation: &O,
    ) -> Result<StreamedAnswer<BlockingBody>, Error> {
        let span = CallSpan::begin(O::METHOD);
        let (response, attempts) = self.open(operation, &span)?;
        Ok(StreamedAnswer::new(response, attempts, span))
    }

    /// Calls an operation and receives its answer whole.
    fn receive<O: Operation>(&self, operation: &O, span: &CallSpan) -> Result<Answer, Error> {
        let mut call = span.outcome(self.core.call(operation))?;
        let reading = Reading::Whole(self.core.policy.body_limit);
        let outcome = span.within(|| self.drive(&mut call, O::METHOD, reading));
        span.attempts(call.attempts());
        let (head, body) = span.outcome(outcome)?.into_parts();
        // What was received whole is here already.
        let body = body.collect(u64::MAX)?;
        Ok(Answer::new(Response::from_parts(head, body), call.attempts()))
    }

    /// Calls an operation and receives the head of its answer, after so many attempts.
    fn open<O: Operation>(
        &self,
        operation: &O,
        span: &CallSpan,
    ) -> Result<(Response<BlockingBody>, u32), Error> {
        let mut call = span.outcome(self.core.streaming_call(operation))?;
        let outcome = span.within(|| self.drive(&mut call, O::METHOD, Reading::Head));
        span.attempts(call.attempts());
        Ok((span.outcome(outcome)?, call.attempts()))
    }

    /// Runs a call to its end.
    fn drive(
        &self,
        call: &mut Call<'_>,
        operation: &str,
        reading: Reading,
    ) -> Result<Response<BlockingBody>, Error> {
        let mut token = block_on(self.core.token(call))?;
        loop {
            let begun = Instant::now();
            let request = call.attempt(&token, begun)?;
            let server = self.core.base_url.server();
            let span = AttemptSpan::begin(operation, request.uri(), server, call.attempts());
            let outcome = span.within(|| exchange(&self.transport, request, reading));
            let (verdict, attempt) = self.core.judge(call, operation, begun, span, outcome);
            let next = match verdict {
                Verdict::Refused(refusal) => block_on(self.core.refresh(call, &mut token, refusal)),
                Verdict::Next(next) => next,
            };
            self.core.tell(attempt, &next);
            match next {
                Next::Wait(delay) => block(delay),
                Next::Done(result) => return result,
            }
        }
    }
}

impl Builder<Arc<dyn BlockingTransport>> {
    /// Sets what carries the requests.
    pub fn transport(self, transport: impl BlockingTransport) -> Self {
        self.set_transport(Arc::new(transport))
    }

    /// Makes the client. Nothing is sent yet.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Config`](crate::ErrorKind::Config) if the base URL or the token is missing or cannot be used, or if
    /// there is no transport; [`Tls`](crate::ErrorKind::Tls) or [`Transport`](crate::ErrorKind::Transport) if the default
    /// transport cannot be made, because there are no certificates of the system or no thread.
    pub fn build(self) -> Result<Client, Error> {
        let (core, transport) = self.finish(default_transport)?;
        Ok(Client { core: Arc::new(core), transport })
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("core", &self.core)
            .field("transport", &self.transport.name())
            .finish()
    }
}

#[cfg(feature = "reqwest-blocking")]
fn default_transport() -> Result<SharedBlockingTransport, Error> {
    use gateway_transport::Options;
    use gateway_transport::reqwest_blocking::ReqwestBlockingTransport;

    Ok(Arc::new(ReqwestBlockingTransport::new(&Options::default())?))
}

#[cfg(not(feature = "reqwest-blocking"))]
fn default_transport() -> Result<SharedBlockingTransport, Error> {
    Err(Error::config(
        "the client has no transport: set one, or turn on the feature `reqwest-blocking`",
    ))
}

/// Sends one request and receives its answer.
fn exchange(
    transport: &SharedBlockingTransport,
    request: Request,
    reading: Reading,
) -> Result<Response<BlockingBody>, TransportError> {
    let deadline = Deadline::of(&request).map(Deadline::head);
    let (head, body) = transport.send(request)?.into_parts();
    let body = match (head.status, reading) {
        (StatusCode::OK, Reading::Whole(limit)) => {
            check_length(&head.headers, limit)?;
            body.collect(limit)?.into()
        }
        (StatusCode::OK, Reading::Head) => body,
        _ => beginning(body, deadline).into(),
    };
    Ok(Response::from_parts(head, body))
}

/// Receives what is kept of the body of an error, as far as it comes in time. The status says more than a cut body, so
/// that is no error.
fn beginning(mut body: BlockingBody, deadline: Option<Instant>) -> Bytes {
    let mut kept = BytesMut::new();
    while kept.len() < ERROR_BODY_LIMIT
        && deadline.is_none_or(|deadline| Instant::now() < deadline)
        && let Ok(Some(chunk)) = body.chunk()
    {
        let missing = ERROR_BODY_LIMIT - kept.len();
        kept.extend_from_slice(chunk.get(..missing).unwrap_or(&chunk));
    }
    kept.freeze()
}
