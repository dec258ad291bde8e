//! The async client.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use gateway_model::{ListOperation, Operation};
use gateway_transport::{Body, Request, SharedTransport, Transport, TransportError};
use http::Response;

use crate::engine::{Engine, Io};
use crate::sleep::sleep;
use crate::{Builder, Error, RawResponse, Records, StreamingResponse};

/// An async client for one account of the service.
///
/// # Cloning
///
/// A clone is cheap and shares the connections, the token and the retry budget. Do not wrap the client in an `Arc`.
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
/// let response = Response::builder().header("content-type", "application/json");
/// let transport = MemoryTransport::new([Ok(response.body(r#"[{"id":"7","project":"Welder"}]"#.into())?)]);
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
    engine: Arc<Engine<SharedTransport>>,
}

impl Client {
    /// Returns a builder of a client of the service at this base URL, such as `https://host` or `https://host/prefix`.
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

    /// Returns the request that [`send`](Self::send) would send first: a dry run. Nothing is sent to the service.
    ///
    /// The request is complete: method, URL and every header. The header with the token is marked sensitive, so `Debug`
    /// does not print its value. The token source may be asked for a token.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Query`](crate::ErrorKind::Query) if a parameter has a value that cannot be sent,
    /// [`ErrorKind::Token`](crate::ErrorKind::Token) if the source has no token, and
    /// [`ErrorKind::Timeout`](crate::ErrorKind::Timeout) if the token source takes longer than the call timeout.
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
    /// for (name, value) in request.headers() {
    ///     // `Debug` prints `Sensitive` in place of the token.
    ///     println!("{name}: {value:?}");
    /// }
    /// assert!(!format!("{request:?}").contains("6yqW"));
    /// # Ok(())
    /// # }
    /// ```
    pub async fn request<O: Operation>(&self, operation: &O) -> Result<Request, Error> {
        self.engine.request(operation).await
    }

    /// Calls any operation and decodes the response.
    ///
    /// # Errors
    ///
    /// Fails unless a complete, successful and readable response was received; see [`Error::kind`].
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
        self.engine.send(operation).await
    }

    /// Calls any operation and returns the response with any status, undecoded.
    ///
    /// # Errors
    ///
    /// Fails unless a complete response was received; see [`Error::kind`].
    ///
    /// ```no_run
    /// # async fn example(client: gateway_client::Client) -> Result<(), gateway_client::Error> {
    /// use gateway_client::model::RawQuery;
    ///
    /// let response = client.send_raw(&RawQuery::new("portals/list").pair("country", "RO")).await?;
    /// println!("{} {} bytes", response.status(), response.body().len());
    /// # Ok(())
    /// # }
    /// ```
    pub async fn send_raw<O: Operation>(&self, operation: &O) -> Result<RawResponse, Error> {
        self.engine.send_raw(operation).await
    }

    /// Calls an operation that returns a list, and yields the records as they arrive.
    ///
    /// Memory holds one chunk of the body and the largest record, however long the list is. Dropping the records ends the
    /// exchange. Until the head of the response has arrived, failures are retried as in [`send`](Self::send). After that, an
    /// interrupted list is an error that says how many records came before it.
    ///
    /// # Errors
    ///
    /// Fails unless the head of a successful response was received; see [`Error::kind`].
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
        Ok(Records::new(self.engine.stream(operation).await?))
    }

    /// Calls any operation and returns the response with any status, its body still to be received.
    ///
    /// Use it to pass on a body that may be larger than memory. The body is neither checked nor decoded: not as JSON, and not
    /// from a content coding. Until the head of the response has arrived, failures are retried as in [`send`](Self::send).
    /// After that, an interrupted body is an error that says how many bytes came before it. The timeouts are those of
    /// [`stream`](Self::stream).
    ///
    /// # Errors
    ///
    /// Fails unless the head of a response was received; see [`Error::kind`].
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
    /// let mut response = client.stream_raw(&RawQuery::new("portals/list")).await?;
    /// let mut copy = Vec::new();
    /// while let Some(chunk) = response.chunk().await? {
    ///     copy.extend_from_slice(&chunk);
    /// }
    /// assert_eq!((response.status().as_u16(), &*copy), (200, &b"[1,2]"[..]));
    /// # Ok(())
    /// # }
    /// ```
    pub async fn stream_raw<O: Operation>(
        &self,
        operation: &O,
    ) -> Result<StreamingResponse<Body>, Error> {
        self.engine.stream_raw(operation).await
    }
}

impl Io for SharedTransport {
    type Body = Body;

    async fn send(&self, request: Request) -> Result<Response<Body>, TransportError> {
        Transport::send(self, request).await
    }

    async fn chunk(body: &mut Body) -> Result<Option<Bytes>, TransportError> {
        body.chunk().await
    }

    async fn collect(body: Body, limit: u64) -> Result<Bytes, TransportError> {
        body.collect(limit).await
    }

    async fn sleep(delay: Duration) {
        sleep(delay).await;
    }

    fn name(&self) -> &str {
        Transport::name(self)
    }
}

impl Builder<SharedTransport> {
    /// Sets the transport that sends the requests.
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

    /// Creates the client. Nothing is sent yet.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Config`](crate::ErrorKind::Config) if the base URL or the token is missing or invalid, or if there is no
    /// transport. [`Tls`](crate::ErrorKind::Tls) or [`Transport`](crate::ErrorKind::Transport) if the default transport
    /// cannot be created because the system has no certificates or no thread can be started.
    pub fn build(self) -> Result<Client, Error> {
        Ok(Client { engine: Arc::new(self.into_engine(default_transport)?) })
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("engine", &self.engine).finish()
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
    Err(Error::config("the client has no transport; set one or enable the feature `reqwest`"))
}
