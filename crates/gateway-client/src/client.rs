//! The async client.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use bytes::{Bytes, BytesMut};
use gateway_model::{ListOperation, Operation};
use gateway_transport::{Body, Deadline, Request, SharedTransport, Transport, TransportError};
use http::{Response, StatusCode};

use crate::answer::{Answer, ERROR_BODY_LIMIT, check_head};
use crate::call::{Call, Next, Verdict};
use crate::core::{Core, Reading, check_length};
use crate::sleep::sleep;
use crate::trace::{AttemptSpan, CallSpan};
use crate::{Builder, Error, Records, StreamedAnswer};

/// A client of one account of the service.
///
/// # Cloning
///
/// A clone is cheap and shares the connections and the retry budget; there is no need for an `Arc` around it.
///
/// # Examples
///
/// ```
/// use gateway_client::transport::MemoryTransport;
/// use gateway_client::{AccessToken, Client};
/// use http::Response;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let answer = Response::builder().header("content-type", "application/json");
/// let transport = MemoryTransport::new([Ok(answer.body(r#"[{"id":"7","project":"Welder"}]"#.into())?)]);
///
/// let client = Client::builder("https://gateway.example.com")
///     .token(AccessToken::new("gwt_6yqW")?)
///     .transport(transport.clone())
///     .build()?;
/// let vacancies = client.list_vacancies().await?;
/// assert_eq!(vacancies.items[0].project.as_deref(), Some("Welder"));
///
/// let sent = &transport.requests()[0];
/// assert_eq!(sent.uri(), "https://gateway.example.com/c/oauth/v1?method=vacancies/list");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Client {
    core: Arc<Core>,
    transport: SharedTransport,
}

impl Client {
    /// Begins a client of the service at this base URL, such as `https://host` or `https://host/prefix`.
    ///
    /// ```
    /// use gateway_client::{AccessToken, Client, ErrorKind};
    ///
    /// let token = AccessToken::new("gwt_6yqW")?;
    /// let error = Client::builder("http://gateway.example.com").token(token).build().unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::Config);
    /// # Ok::<(), gateway_client::Error>(())
    /// ```
    pub fn builder(base_url: impl Into<String>) -> Builder<SharedTransport> {
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
    /// ```
    /// use gateway_client::model::ListCandidates;
    /// use gateway_client::transport::MemoryTransport;
    /// use gateway_client::{AccessToken, Client};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), gateway_client::Error> {
    /// let client = Client::builder("https://gateway.example.com/eu")
    ///     .token(AccessToken::new("gwt_6yqW")?)
    ///     .transport(MemoryTransport::default())
    ///     .build()?;
    /// let query = ListCandidates::new().vacancy_id(7).status("On hold");
    /// let request = client.request(&query).await?;
    /// assert_eq!(
    ///     request.uri().path_and_query().unwrap(),
    ///     "/eu/c/oauth/v1?method=candidates/list&vacancy_id=7&status=On%20hold"
    /// );
    /// assert!(!format!("{request:?}").contains("6yqW"));
    /// # Ok(())
    /// # }
    /// ```
    pub async fn request<O: Operation>(&self, operation: &O) -> Result<Request, Error> {
        let call = self.core.call(operation)?;
        let token = self.core.token(&call).await?;
        call.dry_run(&token)
    }

    /// Calls any operation and reads its answer.
    ///
    /// # Errors
    ///
    /// Whatever kept a complete, successful and readable answer from being there; see [`Error::kind`].
    ///
    /// ```no_run
    /// # async fn example(client: gateway_client::Client) -> Result<(), gateway_client::Error> {
    /// use gateway_client::model::GetCredits;
    ///
    /// let credits = client.send(&GetCredits::new()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn send<O: Operation>(&self, operation: &O) -> Result<O::Output, Error> {
        let span = CallSpan::begin(O::METHOD);
        let answer = self.receive(operation, &span).await?;
        span.outcome(span.within(|| answer.read::<O>()))
    }

    /// Calls any operation and returns the answer as it came, whatever its status.
    ///
    /// # Errors
    ///
    /// Whatever kept an answer from being there.
    ///
    /// ```no_run
    /// # async fn example(client: gateway_client::Client) -> Result<(), gateway_client::Error> {
    /// use gateway_client::model::RawQuery;
    ///
    /// let answer = client.send_raw(&RawQuery::new("portals/list").pair("country", "RO")).await?;
    /// println!("{} {} bytes", answer.status(), answer.body().len());
    /// # Ok(())
    /// # }
    /// ```
    pub async fn send_raw<O: Operation>(&self, operation: &O) -> Result<Answer, Error> {
        self.receive(operation, &CallSpan::begin(O::METHOD)).await
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
    /// # async fn example(client: gateway_client::Client) -> Result<(), gateway_client::Error> {
    /// use gateway_client::Entry;
    /// use gateway_client::model::ListCandidates;
    ///
    /// let mut records = client.stream(&ListCandidates::new()).await?;
    /// while let Some(entry) = records.next().await {
    ///     match entry? {
    ///         Entry::Record(candidate) => println!("{}", candidate.id),
    ///         Entry::Rejected(rejected) => eprintln!("{}", rejected.error()),
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn stream<O: ListOperation>(&self, operation: &O) -> Result<Records<O::Item>, Error> {
        let span = CallSpan::begin(O::METHOD);
        let (response, attempts) = self.open(operation, &span).await?;
        let (head, body) = response.into_parts();
        if let Err(error) = span.outcome(check_head(head.status, &head.headers)) {
            let kept = beginning(body, Some(self.core.unfit_body_deadline())).await;
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
    /// use gateway_client::{AccessToken, Client};
    /// use http::Response;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), gateway_client::Error> {
    /// let client = Client::builder("https://gateway.example.com")
    ///     .token(AccessToken::new("gwt_6yqW")?)
    ///     .transport(MemoryTransport::new([Ok(Response::new("[1,2]".into()))]))
    ///     .build()?;
    /// let mut answer = client.stream_raw(&RawQuery::new("portals/list")).await?;
    /// let mut copy = Vec::new();
    /// while let Some(piece) = answer.chunk().await? {
    ///     copy.extend_from_slice(&piece);
    /// }
    /// assert_eq!((answer.status().as_u16(), &*copy), (200, &b"[1,2]"[..]));
    /// # Ok(())
    /// # }
    /// ```
    pub async fn stream_raw<O: Operation>(
        &self,
        operation: &O,
    ) -> Result<StreamedAnswer<Body>, Error> {
        let span = CallSpan::begin(O::METHOD);
        let (response, attempts) = self.open(operation, &span).await?;
        Ok(StreamedAnswer::new(response, attempts, span))
    }

    /// Calls an operation and receives its answer whole.
    async fn receive<O: Operation>(&self, operation: &O, span: &CallSpan) -> Result<Answer, Error> {
        let mut call = span.outcome(self.core.call(operation))?;
        let reading = Reading::Whole(self.core.policy.body_limit);
        let outcome = span.around(self.drive(&mut call, O::METHOD, reading)).await;
        span.attempts(call.attempts());
        let (head, body) = span.outcome(outcome)?.into_parts();
        // What was received whole is here already.
        let body = body.collect(u64::MAX).await?;
        Ok(Answer::new(Response::from_parts(head, body), call.attempts()))
    }

    /// Calls an operation and receives the head of its answer, after so many attempts.
    async fn open<O: Operation>(
        &self,
        operation: &O,
        span: &CallSpan,
    ) -> Result<(Response<Body>, u32), Error> {
        let mut call = span.outcome(self.core.streaming_call(operation))?;
        let outcome = span.around(self.drive(&mut call, O::METHOD, Reading::Head)).await;
        span.attempts(call.attempts());
        Ok((span.outcome(outcome)?, call.attempts()))
    }

    /// Runs a call to its end.
    async fn drive(
        &self,
        call: &mut Call<'_>,
        operation: &str,
        reading: Reading,
    ) -> Result<Response<Body>, Error> {
        let mut token = self.core.token(call).await?;
        loop {
            let begun = Instant::now();
            let request = call.attempt(&token, begun)?;
            let server = self.core.base_url.server();
            let span = AttemptSpan::begin(operation, request.uri(), server, call.attempts());
            let outcome = span.around(exchange(&self.transport, request, reading)).await;
            let (verdict, attempt) = self.core.judge(call, operation, begun, span, outcome);
            let next = match verdict {
                Verdict::Refused(refusal) => self.core.refresh(call, &mut token, refusal).await,
                Verdict::Next(next) => next,
            };
            self.core.tell(attempt, &next);
            match next {
                Next::Wait(delay) => sleep(delay).await,
                Next::Done(result) => return result,
            }
        }
    }
}

impl Builder<SharedTransport> {
    /// Sets what carries the requests.
    ///
    /// ```
    /// use gateway_client::transport::{Response, transport_fn};
    /// use gateway_client::{AccessToken, Client};
    ///
    /// let client = Client::builder("https://gateway.example.com")
    ///     .token(AccessToken::new("gwt_6yqW")?)
    ///     .transport(transport_fn(|_request| async { Ok(Response::new("[]".into())) }))
    ///     .build()?;
    /// # Ok::<(), gateway_client::Error>(())
    /// ```
    pub fn transport(self, transport: impl Transport) -> Self {
        self.set_transport(SharedTransport::new(transport))
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
            .field("transport", &self.transport)
            .finish()
    }
}

#[cfg(feature = "reqwest")]
fn default_transport() -> Result<SharedTransport, Error> {
    use gateway_transport::Options;
    use gateway_transport::reqwest::ReqwestTransport;

    Ok(SharedTransport::new(ReqwestTransport::new(&Options::default())?))
}

#[cfg(not(feature = "reqwest"))]
fn default_transport() -> Result<SharedTransport, Error> {
    Err(Error::config("the client has no transport: set one, or turn on the feature `reqwest`"))
}

/// Sends one request and receives its answer.
async fn exchange(
    transport: &SharedTransport,
    request: Request,
    reading: Reading,
) -> Result<Response<Body>, TransportError> {
    let deadline = Deadline::of(&request).map(Deadline::head);
    let (head, body) = transport.send(request).await?.into_parts();
    let body = match (head.status, reading) {
        (StatusCode::OK, Reading::Whole(limit)) => {
            check_length(&head.headers, limit)?;
            body.collect(limit).await?.into()
        }
        (StatusCode::OK, Reading::Head) => body,
        _ => beginning(body, deadline).await.into(),
    };
    Ok(Response::from_parts(head, body))
}

/// Receives what is kept of the body of an error, as far as it comes in time. The status says more than a cut body, so
/// that is no error.
async fn beginning(mut body: Body, deadline: Option<Instant>) -> Bytes {
    let mut kept = BytesMut::new();
    while kept.len() < ERROR_BODY_LIMIT
        && deadline.is_none_or(|deadline| Instant::now() < deadline)
        && let Ok(Some(chunk)) = body.chunk().await
    {
        let missing = ERROR_BODY_LIMIT - kept.len();
        kept.extend_from_slice(chunk.get(..missing).unwrap_or(&chunk));
    }
    kept.freeze()
}
