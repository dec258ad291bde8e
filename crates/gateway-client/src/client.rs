//! The async client.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use bytes::{Bytes, BytesMut};
use gateway_model::Operation;
use gateway_transport::{Body, Request, SharedTransport, Transport, TransportError};
use http::{Response, StatusCode};

use crate::answer::{Answer, ERROR_BODY_LIMIT};
use crate::call::{Call, Moment, Next};
use crate::core::Core;
use crate::sleep::sleep;
use crate::{Builder, Error};

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
    /// [`ErrorKind::Query`](crate::ErrorKind::Query) if a parameter has a value that cannot be sent.
    ///
    /// ```
    /// use gateway_client::model::ListCandidates;
    /// use gateway_client::transport::MemoryTransport;
    /// use gateway_client::{AccessToken, Client};
    ///
    /// let client = Client::builder("https://gateway.example.com/eu")
    ///     .token(AccessToken::new("gwt_6yqW")?)
    ///     .transport(MemoryTransport::default())
    ///     .build()?;
    /// let request = client.request(&ListCandidates::new().vacancy_id(7).status("On hold"))?;
    /// assert_eq!(
    ///     request.uri().path_and_query().unwrap(),
    ///     "/eu/c/oauth/v1?method=candidates/list&vacancy_id=7&status=On%20hold"
    /// );
    /// assert!(!format!("{request:?}").contains("6yqW"));
    /// # Ok::<(), gateway_client::Error>(())
    /// ```
    pub fn request<O: Operation>(&self, operation: &O) -> Result<Request, Error> {
        self.core.request(operation)
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
        self.send_raw(operation).await?.read::<O>()
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
        let core = &*self.core;
        let mut call = Call::new(&core.policy, core.request(operation)?, Instant::now());
        loop {
            let request = call.attempt(Instant::now());
            let outcome = exchange(&self.transport, request, core.policy.body_limit).await;
            match call.judge(outcome, Moment::now()) {
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
    /// there is no transport.
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

/// Sends one request and receives the whole answer.
async fn exchange(
    transport: &SharedTransport,
    request: Request,
    limit: u64,
) -> Result<Response<Bytes>, TransportError> {
    let (head, body) = transport.send(request).await?.into_parts();
    let body = match head.status {
        StatusCode::OK => body.collect(limit).await?,
        _ => beginning(body).await,
    };
    Ok(Response::from_parts(head, body))
}

/// Receives what is kept of the body of an error. The status says more than a cut body, so that is no error.
async fn beginning(mut body: Body) -> Bytes {
    let mut kept = BytesMut::new();
    while kept.len() < ERROR_BODY_LIMIT
        && let Ok(Some(chunk)) = body.chunk().await
    {
        kept.extend_from_slice(&chunk);
    }
    kept.truncate(ERROR_BODY_LIMIT);
    kept.freeze()
}
