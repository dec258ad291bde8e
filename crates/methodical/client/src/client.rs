//! The client type, and the methods of the async client.

use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

use gateway_transport::{Body, Request, Response, SharedTransport, Transport, TransportError};
use methodical_model::{ListOperation, Operation, PagedOperation, Service};

use crate::engine::{Engine, Io};
use crate::time::sleep;
use crate::{CallOptions, ClientBuilder, Error, Pages, Records, StreamingResponse};

/// An async client for one account of the service `S`.
///
/// Use this in async code. In other code, use [`blocking::Client`](crate::blocking::Client), which is this type with a
/// blocking transport as `T`. Its methods block.
///
/// # Cloning
///
/// A clone is cheap and shares the connections, the token, the limits and the retry budget. You do not need an `Arc`.
///
/// # Examples
///
/// ```
#[doc = include_str!("../doctests/photos.txt")]
/// use methodical_client::model::RawQuery;
/// use methodical_client::transport::MemoryTransport;
/// use methodical_client::{AccessToken, Client};
/// use http::Response;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let response = Response::builder().header("content-type", "application/json");
/// let transport = MemoryTransport::new([Ok(response.body(r#"[{"id":7}]"#.into())?)]);
///
/// let client = Client::<Photos>::builder("https://gateway.example.com")
///     .token(AccessToken::new("gwt_6yqW")?)
///     .transport(transport.clone())
///     .build()?;
/// let photos = client.send(&RawQuery::new("photos/list")).await?;
/// assert_eq!(photos.as_str(), r#"[{"id":7}]"#);
///
/// let sent = &transport.requests()[0];
/// assert_eq!(sent.uri(), "https://gateway.example.com/api/v1?method=photos/list");
/// # Ok(())
/// # }
/// ```
pub struct Client<S, T = SharedTransport> {
    pub(crate) engine: Engine<T>,
    service: PhantomData<fn() -> S>,
}

impl<S: Service, T> Client<S, T> {
    /// Returns a builder for a client of the service at a base URL, such as `https://host` or `https://host/prefix`.
    ///
    /// ```
    #[doc = include_str!("../doctests/photos.txt")]
    /// use methodical_client::{AccessToken, Client, ErrorKind};
    ///
    /// let token = AccessToken::new("gwt_6yqW")?;
    /// let error = Client::<Photos>::builder("http://gateway.example.com").token(token).build().unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::Config);
    /// # Ok::<(), methodical_client::Error>(())
    /// ```
    pub fn builder(base_url: impl Into<String>) -> ClientBuilder<S, T> {
        ClientBuilder::new(base_url)
    }

    /// Returns a client that uses these options for its calls. It shares this client's connections, token, limits and
    /// retry budget.
    ///
    /// Use this for calls that need another timeout or more headers. Options that this client already has stay in
    /// effect unless the new ones replace them.
    ///
    /// ```
    #[doc = include_str!("../doctests/photos.txt")]
    /// use std::time::Duration;
    ///
    /// use methodical_client::model::RawQuery;
    /// use methodical_client::{CallOptions, Error, Client};
    ///
    /// async fn photos(client: &Client<Photos>, tenant: &str) -> Result<String, Error> {
    ///     let options = CallOptions::new().timeout(Duration::from_secs(5)).header("x-tenant", tenant)?;
    ///     Ok(client.with(options).send(&RawQuery::new("photos/list")).await?.into_string())
    /// }
    /// ```
    #[must_use]
    pub fn with(&self, options: CallOptions) -> Self {
        Self { engine: self.engine.with(options), service: PhantomData }
    }
}

impl<S: Service> Client<S> {
    /// Dry run: returns the first request that [`send`](Self::send) would send, without sending it.
    ///
    /// Use this to inspect a request. It is complete, except that secrets in the URL and the body are redacted. The
    /// header with the token is marked sensitive, so `Debug` hides it. The client may ask the token source for a token.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Query`](crate::ErrorKind::Query) if a parameter has a value that cannot be sent,
    /// [`ErrorKind::Token`](crate::ErrorKind::Token) if the source has no token, and
    /// [`ErrorKind::Timeout`](crate::ErrorKind::Timeout) if the token source takes longer than the call timeout.
    ///
    /// ```
    #[doc = include_str!("../doctests/photos.txt")]
    /// use methodical_client::model::RawQuery;
    /// use methodical_client::transport::MemoryTransport;
    /// use methodical_client::{AccessToken, Client};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), methodical_client::Error> {
    /// let client = Client::<Photos>::builder("https://gateway.example.com/eu")
    ///     .token(AccessToken::new("gwt_6yqW")?)
    ///     .transport(MemoryTransport::default())
    ///     .build()?;
    /// let query = RawQuery::new("photos/list").pair("title", "At sea");
    /// let request = client.request(&query).await?;
    /// assert_eq!(
    ///     request.uri().path_and_query().unwrap(),
    ///     "/eu/api/v1?method=photos/list&title=At%20sea"
    /// );
    /// for (name, value) in request.headers() {
    ///     // `Debug` prints `Sensitive` in place of the token.
    ///     println!("{name}: {value:?}");
    /// }
    /// assert!(!format!("{request:?}").contains("6yqW"));
    /// # Ok(())
    /// # }
    /// ```
    pub async fn request<O: Operation<Service = S>>(
        &self,
        operation: &O,
    ) -> Result<Request, Error> {
        self.engine.request(operation).await
    }

    /// Calls any operation and decodes the response. For a list that may be long, prefer [`stream`](Self::stream).
    ///
    /// # Errors
    ///
    /// Fails unless a complete response with status 200 was received and decoded; see [`Error::kind`].
    ///
    /// ```
    /// use methodical_client::model::{RawQuery, Service};
    /// use methodical_client::{Client, Error};
    ///
    /// async fn photos<S: Service>(client: &Client<S>) -> Result<String, Error> {
    ///     let json = client.send(&RawQuery::new("photos/list")).await?;
    ///     Ok(json.into_string())
    /// }
    /// ```
    pub async fn send<O: Operation<Service = S>>(&self, operation: &O) -> Result<O::Output, Error> {
        Ok(self.engine.send(operation).await?.0)
    }

    /// Calls an operation that returns a list, and yields the records as they arrive.
    ///
    /// Use this for a list that may be long: only one chunk of the body and one record are in memory at a time. Until
    /// the response head arrives, failures are retried as in [`send`](Self::send). A later failure is an error that
    /// states how many records came before it. Dropping the [`Records`] ends the exchange.
    ///
    /// # Errors
    ///
    /// Fails unless the head of a successful response was received; see [`Error::kind`].
    ///
    /// ```
    /// use methodical_client::model::ListOperation;
    /// use methodical_client::{Client, Entry, Error};
    ///
    /// async fn count<O: ListOperation>(client: &Client<O::Service>, query: &O) -> Result<u64, Error> {
    ///     let mut count = 0;
    ///     let mut records = client.stream(query).await?;
    ///     while let Some(entry) = records.next().await {
    ///         match entry? {
    ///             Entry::Record(_) => count += 1,
    ///             Entry::Rejected(rejected) => eprintln!("{}", rejected.error()),
    ///         }
    ///     }
    ///     Ok(count)
    /// }
    /// ```
    pub async fn stream<O: ListOperation<Service = S>>(
        &self,
        operation: &O,
    ) -> Result<Records<O::Item, O::Metadata>, Error> {
        Ok(Records::from_list(self.engine.stream(operation).await?))
    }

    /// Returns the pages of a paged list, starting with the page that the query requests.
    ///
    /// Use this to read a list page by page, or [`stream_all`](Self::stream_all) for its records. Nothing is sent until
    /// you ask for the first page. Each page is a separate call, with the timeouts and retries of [`send`](Self::send).
    ///
    /// If the list changes while you read it, records may move from one page to another. The client can detect this
    /// only if the total number of pages or records decreases.
    ///
    /// ```
    /// use methodical_client::model::PagedOperation;
    /// use methodical_client::{Client, Error};
    ///
    /// async fn count<O: PagedOperation>(client: &Client<O::Service>, query: &O) -> Result<usize, Error> {
    ///     let (mut count, mut pages) = (0, client.pages(query));
    ///     while let Some(page) = pages.next().await {
    ///         count += page?.items.len();
    ///     }
    ///     Ok(count)
    /// }
    /// ```
    pub fn pages<O: PagedOperation<Service = S>>(&self, query: &O) -> Pages<O> {
        let engine = self.engine.clone();
        Pages::new(query.clone(), move |query| {
            let engine = engine.clone();
            Box::pin(async move { engine.send(&query).await })
        })
    }

    /// Returns the records of all pages of a paged list, starting with the page that the query requests.
    ///
    /// Use this to read a whole list with little memory: only one chunk of a page is in memory at a time. Each page is
    /// a separate call, with the timeouts and retries of [`stream`](Self::stream). Nothing is sent until you ask for
    /// the first record. See also [`pages`](Self::pages).
    ///
    /// ```
    /// use methodical_client::model::PagedOperation;
    /// use methodical_client::{Client, Entry, Error};
    ///
    /// async fn count<O: PagedOperation>(client: &Client<O::Service>, query: &O) -> Result<u64, Error> {
    ///     let (mut count, mut records) = (0, client.stream_all(query));
    ///     while let Some(entry) = records.next().await {
    ///         if let Entry::Record(_) = entry? {
    ///             count += 1;
    ///         }
    ///     }
    ///     Ok(count)
    /// }
    /// ```
    pub fn stream_all<O: PagedOperation<Service = S>>(
        &self,
        query: &O,
    ) -> Records<O::Item, O::Metadata> {
        let engine = self.engine.clone();
        Records::from_pages(query.clone(), move |query| {
            let engine = engine.clone();
            Box::pin(async move { engine.stream(&query).await })
        })
    }

    /// Calls any operation and returns the response with any status, before its body is received.
    ///
    /// Use this to inspect an undecoded response, or to pass on a body that may not fit in memory. The body is not
    /// checked, and neither JSON nor a content coding is decoded. Until the response head arrives, failures are retried
    /// as in [`send`](Self::send). A later failure is an error that states how many bytes came before it. The timeouts
    /// are the same as in [`stream`](Self::stream).
    ///
    /// # Errors
    ///
    /// Fails unless the head of a response was received; see [`Error::kind`].
    ///
    /// ```
    #[doc = include_str!("../doctests/photos.txt")]
    /// use methodical_client::model::RawQuery;
    /// use methodical_client::transport::MemoryTransport;
    /// use methodical_client::{AccessToken, Client};
    /// use http::Response;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), methodical_client::Error> {
    /// let client = Client::<Photos>::builder("https://gateway.example.com")
    ///     .token(AccessToken::new("gwt_6yqW")?)
    ///     .transport(MemoryTransport::new([Ok(Response::new("[1,2]".into()))]))
    ///     .build()?;
    /// let mut response = client.stream_raw(&RawQuery::new("photos/list")).await?;
    /// let mut copy = Vec::new();
    /// while let Some(chunk) = response.chunk().await? {
    ///     copy.extend_from_slice(&chunk);
    /// }
    /// assert_eq!((response.status().as_u16(), &*copy), (200, &b"[1,2]"[..]));
    /// # Ok(())
    /// # }
    /// ```
    pub async fn stream_raw<O: Operation<Service = S>>(
        &self,
        operation: &O,
    ) -> Result<StreamingResponse<Body>, Error> {
        self.engine.stream_raw(operation).await
    }
}

impl Io for SharedTransport {
    async fn send(&self, request: Request) -> Result<Response, TransportError> {
        Transport::send(self, request).await
    }

    async fn sleep(delay: Duration) {
        sleep(delay).await;
    }

    #[cfg(feature = "reqwest")]
    fn new_default() -> Result<Self, Error> {
        use gateway_transport::Options;
        use gateway_transport::reqwest::ReqwestTransport;

        Ok(Self::new(ReqwestTransport::new(&Options::default())?))
    }

    #[cfg(not(feature = "reqwest"))]
    fn new_default() -> Result<Self, Error> {
        Err(Error::config("the client has no transport; set one, or enable the `reqwest` feature"))
    }
}

impl<S: Service> ClientBuilder<S> {
    /// Sets the transport that sends the requests. Default: reqwest, if the feature `reqwest` is enabled.
    ///
    /// ```
    #[doc = include_str!("../doctests/photos.txt")]
    /// use methodical_client::transport::{Response, transport_fn};
    /// use methodical_client::{AccessToken, Client};
    ///
    /// let client = Client::<Photos>::builder("https://gateway.example.com")
    ///     .token(AccessToken::new("gwt_6yqW")?)
    ///     .transport(transport_fn(|_request| async { Ok(Response::new("[]".into())) }))
    ///     .build()?;
    /// # Ok::<(), methodical_client::Error>(())
    /// ```
    pub fn transport(self, transport: impl Transport) -> Self {
        self.set_transport(SharedTransport::new(transport))
    }
}

#[expect(private_bounds, reason = "only the two kinds of shared transports can make calls")]
impl<S: Service, T: Io> ClientBuilder<S, T> {
    /// Creates the client. Nothing is sent yet.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Config`](crate::ErrorKind::Config) if the base URL or the token is missing or invalid, if a
    /// limit is zero, or if no transport is set and no feature provides a default. Returns
    /// [`Tls`](crate::ErrorKind::Tls) or [`Transport`](crate::ErrorKind::Transport) if the default transport cannot be
    /// created, for example because a thread cannot be started.
    pub fn build(self) -> Result<Client<S, T>, Error> {
        Ok(Client { engine: self.into_engine()?, service: PhantomData })
    }
}

impl<S, T> Clone for Client<S, T> {
    fn clone(&self) -> Self {
        Self { engine: self.engine.clone(), service: PhantomData }
    }
}

impl<S, T: Io> fmt::Debug for Client<S, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("engine", &self.engine).finish()
    }
}
