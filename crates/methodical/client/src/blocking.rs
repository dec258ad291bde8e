//! The blocking client: the same methods and the same policy, without `async`.

use std::sync::Arc;
use std::time::Duration;

use gateway_transport::{BlockingBody, BlockingTransport, Request, Response, TransportError};
use methodical_model::{ListOperation, Operation, PagedOperation, Service};
use pollster::block_on;

use crate::engine::Io;
use crate::time::sleep_blocking;
use crate::{Error, StreamingResponse};

/// The records returned by [`Client::stream`] and [`Client::stream_all`]: an [`Iterator`].
pub type Records<T, M = ()> = crate::Records<T, M, BlockingBody>;

/// The pages returned by [`Client::pages`]: an [`Iterator`].
pub type Pages<O> = crate::Pages<O, BlockingBody>;

/// A blocking client for one account of the service `S`. Use this in code without `async`.
///
/// Unless you set [a transport](ClientBuilder::transport), the client uses reqwest (feature `reqwest-blocking`) or ureq
/// (feature `ureq`). If both features are enabled, reqwest is the default. Choose ureq like this:
///
#[cfg_attr(feature = "ureq", doc = "```")]
#[cfg_attr(not(feature = "ureq"), doc = "```ignore")]
#[doc = include_str!("../doctests/photos.txt")]
/// use methodical_client::transport::Options;
/// use methodical_client::transport::ureq::UreqTransport;
/// use methodical_client::{AccessToken, blocking};
///
/// let client = blocking::Client::<Photos>::builder("https://gateway.example.com")
///     .token(AccessToken::new("gwt_6yqW")?)
///     .transport(UreqTransport::new(&Options::default().pool_max_idle(2))?)
///     .build()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Examples
///
/// ```
#[doc = include_str!("../doctests/photos.txt")]
/// use methodical_client::model::RawQuery;
/// use methodical_client::transport::MemoryTransport;
/// use methodical_client::{AccessToken, blocking};
/// use http::Response;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let response = Response::builder().header("content-type", "application/json");
///
/// let client = blocking::Client::<Photos>::builder("https://gateway.example.com")
///     .token(AccessToken::new("gwt_6yqW")?)
///     .transport(MemoryTransport::new([Ok(response.body(r#"[{"id":7}]"#.into())?)]))
///     .build()?;
/// assert_eq!(client.send(&RawQuery::new("photos/list"))?.as_str(), r#"[{"id":7}]"#);
/// # Ok(())
/// # }
/// ```
pub type Client<S> = crate::Client<S, Arc<dyn BlockingTransport>>;

/// Builds a blocking client. See [`Client::builder`]; [`crate::ClientBuilder`] describes the settings.
pub type ClientBuilder<S> = crate::ClientBuilder<S, Arc<dyn BlockingTransport>>;

impl<S: Service> Client<S> {
    /// Dry run: returns the first request that [`send`](Self::send) would send, without sending it.
    ///
    /// # Errors
    ///
    /// Returns the same errors as the async client's [`request`](crate::Client::request), which also describes the
    /// request.
    ///
    /// ```
    /// use methodical_client::model::Operation;
    /// use methodical_client::{Error, blocking::Client};
    ///
    /// fn print<O: Operation>(client: &Client<O::Service>, query: &O) -> Result<(), Error> {
    ///     let request = client.request(query)?;
    ///     println!("{} {}", request.method(), request.uri());
    ///     Ok(())
    /// }
    /// ```
    pub fn request<O: Operation<Service = S>>(&self, operation: &O) -> Result<Request, Error> {
        block_on(self.engine.request(operation))
    }

    /// Calls any operation and decodes the response. For a list that may be long, prefer [`stream`](Self::stream).
    ///
    /// # Errors
    ///
    /// Fails unless a complete response with status 200 was received and decoded; see [`Error::kind`].
    ///
    /// ```
    /// use methodical_client::model::{RawQuery, Service};
    /// use methodical_client::{Error, blocking::Client};
    ///
    /// fn photos<S: Service>(client: &Client<S>) -> Result<String, Error> {
    ///     Ok(client.send(&RawQuery::new("photos/list"))?.into_string())
    /// }
    /// ```
    pub fn send<O: Operation<Service = S>>(&self, operation: &O) -> Result<O::Output, Error> {
        Ok(block_on(self.engine.send(operation))?.0)
    }

    /// Calls an operation that returns a list, and yields the records as they arrive.
    ///
    /// Use this for a list that may be long: only one chunk and one record are in memory at a time. Failures are
    /// retried until the response head arrives. See also the async client's [`stream`](crate::Client::stream).
    ///
    /// # Errors
    ///
    /// Fails unless the head of a successful response was received; see [`Error::kind`].
    ///
    /// ```
    /// use methodical_client::model::ListOperation;
    /// use methodical_client::{Entry, Error, blocking::Client};
    ///
    /// fn count<O: ListOperation>(client: &Client<O::Service>, query: &O) -> Result<u64, Error> {
    ///     let mut count = 0;
    ///     for entry in client.stream(query)? {
    ///         match entry? {
    ///             Entry::Record(_) => count += 1,
    ///             Entry::Rejected(rejected) => eprintln!("{}", rejected.error()),
    ///         }
    ///     }
    ///     Ok(count)
    /// }
    /// ```
    pub fn stream<O: ListOperation<Service = S>>(
        &self,
        operation: &O,
    ) -> Result<Records<O::Item, O::Metadata>, Error> {
        Ok(Records::from_list(block_on(self.engine.stream(operation))?))
    }

    /// Returns the pages of a paged list, starting with the page that the query requests.
    ///
    /// Each page is a separate call, sent when you ask for it; see the async client's [`pages`](crate::Client::pages).
    ///
    /// ```
    /// use methodical_client::model::PagedOperation;
    /// use methodical_client::{Error, blocking::Client};
    ///
    /// fn count<O: PagedOperation>(client: &Client<O::Service>, query: &O) -> Result<usize, Error> {
    ///     client.pages(query).map(|page| Ok(page?.items.len())).sum()
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
    /// Use this to read a whole list with little memory. Nothing is sent until you ask for the first record; see the
    /// async client's [`stream_all`](crate::Client::stream_all).
    ///
    /// ```
    /// use methodical_client::model::PagedOperation;
    /// use methodical_client::{Entry, Error, blocking::Client};
    ///
    /// fn count<O: PagedOperation>(client: &Client<O::Service>, query: &O) -> Result<u64, Error> {
    ///     let is_record = |entry| Ok(u64::from(matches!(entry?, Entry::Record(_))));
    ///     client.stream_all(query).map(is_record).sum()
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
    /// Use this to pass on a body that may not fit in memory. The body is neither checked nor decoded. Retries and
    /// timeouts are the same as in the async client's [`stream_raw`](crate::Client::stream_raw).
    ///
    /// # Errors
    ///
    /// Fails unless the head of a response was received; see [`Error::kind`].
    ///
    /// ```
    #[doc = include_str!("../doctests/photos.txt")]
    /// use methodical_client::model::RawQuery;
    /// use methodical_client::transport::MemoryTransport;
    /// use methodical_client::{AccessToken, blocking};
    /// use http::Response;
    ///
    /// let client = blocking::Client::<Photos>::builder("https://gateway.example.com")
    ///     .token(AccessToken::new("gwt_6yqW")?)
    ///     .transport(MemoryTransport::new([Ok(Response::new("[1,2]".into()))]))
    ///     .build()?;
    /// let mut response = client.stream_raw(&RawQuery::new("photos/list"))?;
    /// let mut copy = Vec::new();
    /// std::io::copy(&mut response, &mut copy).unwrap();
    /// assert_eq!((response.status().as_u16(), &*copy), (200, &b"[1,2]"[..]));
    /// # Ok::<(), methodical_client::Error>(())
    /// ```
    pub fn stream_raw<O: Operation<Service = S>>(
        &self,
        operation: &O,
    ) -> Result<StreamingResponse<BlockingBody>, Error> {
        block_on(self.engine.stream_raw(operation))
    }
}

/// These futures block while they are polled, as does a body from a blocking transport. A call is therefore ready at
/// the first poll.
impl Io for Arc<dyn BlockingTransport + '_> {
    async fn send(&self, request: Request) -> Result<Response, TransportError> {
        Ok((**self).send(request)?.map(BlockingBody::into_body))
    }

    async fn sleep(delay: Duration) {
        sleep_blocking(delay);
    }

    #[cfg(all(
        feature = "reqwest-blocking",
        not(all(target_family = "wasm", target_os = "unknown"))
    ))]
    fn new_default() -> Result<Self, Error> {
        use gateway_transport::Options;
        use gateway_transport::reqwest_blocking::ReqwestBlockingTransport;

        Ok(Arc::new(ReqwestBlockingTransport::new(&Options::default())?))
    }

    #[cfg(all(
        feature = "ureq",
        not(feature = "reqwest-blocking"),
        not(all(target_family = "wasm", target_os = "unknown"))
    ))]
    fn new_default() -> Result<Self, Error> {
        use gateway_transport::Options;
        use gateway_transport::ureq::UreqTransport;

        Ok(Arc::new(UreqTransport::new(&Options::default())?))
    }

    #[cfg(any(
        not(any(feature = "reqwest-blocking", feature = "ureq")),
        all(target_family = "wasm", target_os = "unknown")
    ))]
    fn new_default() -> Result<Self, Error> {
        Err(Error::config(
            "the client has no transport; set one, or enable the `ureq` or `reqwest-blocking` feature",
        ))
    }
}

impl<S: Service> ClientBuilder<S> {
    /// Sets the transport that sends the requests. The features decide the default; see [`Client`].
    pub fn transport(self, transport: impl BlockingTransport) -> Self {
        self.set_transport(Arc::new(transport))
    }
}
