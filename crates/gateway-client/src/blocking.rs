//! The blocking client: the same methods and the same policy, without `async`.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use gateway_model::{ListOperation, Operation};
use gateway_transport::{BlockingBody, BlockingTransport, Request, TransportError};
use http::Response;
use pollster::block_on;

use crate::engine::{Engine, Io};
use crate::sleep::sleep_blocking;
use crate::token::CatchUnwind;
use crate::{Builder, Error, RawResponse, StreamingResponse};

mod records;

pub use self::records::Records;

/// A client for one account of the service, for code without `async`.
///
/// # Cloning
///
/// A clone is cheap and shares the connections, the token and the retry budget. Do not wrap the client in an `Arc`.
///
/// # Examples
///
/// ```
/// use gateway_client::transport::MemoryTransport;
/// use gateway_client::{AccessToken, blocking};
/// use http::Response;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let response = Response::builder().header("content-type", "application/json");
/// let body = r#"{"credits_number":"12.50","currency":"EUR"}"#;
///
/// let client = blocking::Client::builder("https://gateway.example.com")
///     .token(AccessToken::new("gwt_6yqW")?)
///     .transport(MemoryTransport::new([Ok(response.body(body.into())?)]))
///     .build()?;
/// assert_eq!(client.get_credits()?.credits_number.as_str(), "12.50");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Client {
    engine: Arc<Engine<SharedBlockingTransport>>,
}

/// Any blocking transport.
type SharedBlockingTransport = Arc<dyn BlockingTransport>;

impl Client {
    /// Returns a builder of a client of the service at this base URL, such as `https://host` or `https://host/prefix`.
    pub fn builder(base_url: impl Into<String>) -> Builder<Arc<dyn BlockingTransport>> {
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
        block_on(self.engine.request(operation))
    }

    /// Calls any operation and decodes the response.
    ///
    /// # Errors
    ///
    /// Fails unless a complete, successful and readable response was received; see [`Error::kind`].
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
        block_on(self.engine.send(operation))
    }

    /// Calls any operation and returns the response with any status, undecoded.
    ///
    /// # Errors
    ///
    /// Fails unless a complete response was received; see [`Error::kind`].
    ///
    /// ```no_run
    /// # fn example(client: gateway_client::blocking::Client) -> Result<(), gateway_client::Error> {
    /// use gateway_client::model::RawQuery;
    ///
    /// let response = client.send_raw(&RawQuery::new("portals/list").pair("country", "RO"))?;
    /// println!("{} {} bytes", response.status(), response.body().len());
    /// # Ok(())
    /// # }
    /// ```
    pub fn send_raw<O: Operation>(&self, operation: &O) -> Result<RawResponse, Error> {
        block_on(self.engine.send_raw(operation))
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
        Ok(Records::new(block_on(self.engine.stream(operation))?))
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
    /// use gateway_client::{AccessToken, blocking};
    /// use http::Response;
    ///
    /// let client = blocking::Client::builder("https://gateway.example.com")
    ///     .token(AccessToken::new("gwt_6yqW")?)
    ///     .transport(MemoryTransport::new([Ok(Response::new("[1,2]".into()))]))
    ///     .build()?;
    /// let mut response = client.stream_raw(&RawQuery::new("portals/list"))?;
    /// let mut copy = Vec::new();
    /// std::io::copy(&mut response, &mut copy).unwrap();
    /// assert_eq!((response.status().as_u16(), &*copy), (200, &b"[1,2]"[..]));
    /// # Ok::<(), gateway_client::Error>(())
    /// ```
    pub fn stream_raw<O: Operation>(
        &self,
        operation: &O,
    ) -> Result<StreamingResponse<BlockingBody>, Error> {
        block_on(self.engine.stream_raw(operation))
    }
}

/// These futures block instead of waiting, so that they are ready when they are first polled.
impl Io for SharedBlockingTransport {
    type Body = BlockingBody;

    async fn send(&self, request: Request) -> Result<Response<BlockingBody>, TransportError> {
        BlockingTransport::send(self, request)
    }

    async fn chunk(body: &mut BlockingBody) -> Result<Option<Bytes>, TransportError> {
        body.chunk()
    }

    async fn collect(body: BlockingBody, limit: u64) -> Result<Bytes, TransportError> {
        body.collect(limit)
    }

    async fn sleep(delay: Duration) {
        sleep_blocking(delay);
    }

    fn name(&self) -> &str {
        BlockingTransport::name(self)
    }
}

impl Builder<Arc<dyn BlockingTransport>> {
    /// Sets the transport that sends the requests.
    pub fn transport(self, transport: impl BlockingTransport) -> Self {
        self.set_transport(Arc::new(transport))
    }

    /// Creates the client. Nothing is sent yet.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Config`](crate::ErrorKind::Config) if the base URL or the token is missing or invalid, or if there is no
    /// transport. [`Tls`](crate::ErrorKind::Tls) or [`Transport`](crate::ErrorKind::Transport) if the default transport
    /// cannot be created because the system has no certificates or no thread can be started.
    pub fn build(self) -> Result<Client, Error> {
        let builder = self.map_token(|source| Arc::new(CatchUnwind(source)));
        Ok(Client { engine: Arc::new(builder.into_engine(default_transport)?) })
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("engine", &self.engine).finish()
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
        "the client has no transport; set one or enable the feature `reqwest-blocking`",
    ))
}
