//! Tokens from an authorisation server, with OAuth 2.0 client credentials (RFC 6749, section 4.4).

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use gateway_transport::{
    BlockingTransport, BoxError, BoxFuture, Instant, SharedTransport, Transport,
};
use oauth2::basic::BasicClient;
use oauth2::{
    ClientId, ClientSecret, EndpointNotSet, EndpointSet, Scope, TokenResponse as _, TokenUrl,
};

use self::exchange::{OwnThread, exchange, without_secrets};
use self::grant::Grant;
use crate::clock::now;
use crate::lock::unpoisoned;
use crate::token::TokenSource;
use crate::{AccessToken, Error, base_url};

mod exchange;
mod grant;
#[cfg(test)]
mod tests;

/// Tokens from an authorisation server, with OAuth 2.0 client credentials.
///
/// This source is for services behind an authorisation server. Each token is one request to that server, without retries,
/// with a timeout of 30 s and a response of at most 64 KiB.
///
/// A token is replaced when the service refuses it, and before it expires: 30 s before, or after half its lifetime,
/// whichever is later. It is replaced after a day in any case, also if the server does not send its lifetime (`expires_in`,
/// RFC 6749, section 5.1). While the old token is still valid, one call requests the next token, for at most 5 s, and all
/// other calls use the old one. If that request fails, the next one is made 10 s after it started. Clients that share the
/// source share its token: if the service refuses it in several calls, one request replaces it for all of them.
///
/// # Which transport
///
/// The requests to the authorisation server use a separate transport, of one of two kinds:
///
/// | created with | transports | in [`Client`](crate::Client) | in [`blocking::Client`](crate::blocking::Client) |
/// |---|---|---|---|
/// | [`new`](Self::new) | async, on the runtime of the caller: `ReqwestTransport`, `OffThread`, `ServiceTransport` | yes | no: without a runtime, the call fails with [`ErrorKind::Token`](crate::ErrorKind::Token) |
/// | [`new`](Self::new) | async, without a runtime: [`MemoryTransport`](gateway_transport::MemoryTransport), or [your own](gateway_transport::transport_fn) | yes | yes |
/// | [`new_blocking`](Self::new_blocking) | blocking: `UreqTransport`, `ReqwestBlockingTransport`, or any async one within `OnThread` | yes | yes |
///
/// # Examples
///
/// The async client:
///
/// ```
#[doc = include_str!("../../doctests/photos.txt")]
/// use methodical_client::model::RawQuery;
/// use methodical_client::transport::MemoryTransport;
/// use methodical_client::{Client, ClientCredentials};
/// use http::Response;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let json = || Response::builder().header("content-type", "application/json");
/// let grant = r#"{"access_token":"gwt_6yqW","token_type":"bearer","expires_in":3600}"#;
/// let authorisation = MemoryTransport::new([Ok(json().body(grant.into())?)]);
/// let service = MemoryTransport::new([Ok(json().body("[]".into())?)]);
///
/// let source = ClientCredentials::new("https://login.example.com/token", "id", "secret", authorisation)?;
/// let client = Client::<Photos>::builder("https://gateway.example.com")
///     .token(source.scope("photos.read"))
///     .transport(service.clone())
///     .build()?;
/// client.send(&RawQuery::new("photos/list")).await?;
/// assert_eq!(service.requests()[0].headers()["authorization"], "Bearer gwt_6yqW");
/// # Ok(())
/// # }
/// ```
///
/// The blocking client:
///
/// ```
#[doc = include_str!("../../doctests/photos.txt")]
/// use methodical_client::model::RawQuery;
/// use methodical_client::transport::MemoryTransport;
/// use methodical_client::{ClientCredentials, blocking};
/// use http::Response;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let json = || Response::builder().header("content-type", "application/json");
/// # let grant = r#"{"access_token":"gwt_6yqW","token_type":"bearer","expires_in":3600}"#;
/// # let authorisation = MemoryTransport::new([Ok(json().body(grant.into())?)]);
/// # let service = MemoryTransport::new([Ok(json().body("[]".into())?)]);
/// // In a program, `authorisation` and `service` could be a `UreqTransport`.
/// let source =
///     ClientCredentials::new_blocking("https://login.example.com/token", "id", "secret", authorisation)?;
/// let client = blocking::Client::<Photos>::builder("https://gateway.example.com")
///     .token(source.scope("photos.read"))
///     .transport(service.clone())
///     .build()?;
/// client.send(&RawQuery::new("photos/list"))?;
/// assert_eq!(service.requests()[0].headers()["authorization"], "Bearer gwt_6yqW");
/// # Ok(())
/// # }
/// ```
pub struct ClientCredentials {
    client: TokenClient,
    scopes: Vec<Scope>,
    transport: SharedTransport,
    grant: Mutex<Option<Grant>>,
    /// Held while a token is requested that calls are waiting for.
    turn: async_lock::Mutex<()>,
}

/// A client of the authorisation server that has only a token endpoint.
type TokenClient =
    BasicClient<EndpointNotSet, EndpointNotSet, EndpointNotSet, EndpointNotSet, EndpointSet>;

impl ClientCredentials {
    /// Creates a source for this token URL, client id and client secret, with an async transport.
    ///
    /// For the blocking client use [`new_blocking`](Self::new_blocking), because a transport that needs a runtime has none
    /// there.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Config`](crate::ErrorKind::Config) if the URL is invalid, or would send the secret over plain `http` to
    /// another machine.
    pub fn new(
        token_url: impl Into<String>,
        client_id: impl Into<String>,
        client_secret: impl Into<String>,
        transport: impl Transport,
    ) -> Result<Self, Error> {
        let url = TokenUrl::new(token_url.into())
            .map_err(|_invalid| Error::config("the token URL is invalid"))?;
        let host = url.url().host_str().unwrap_or_default();
        if url.url().scheme() != "https" && !base_url::is_loopback(host) {
            return Err(Error::config(
                "the token URL must use https: plain http exposes the client secret",
            ));
        }
        let client = BasicClient::new(ClientId::new(client_id.into()))
            .set_client_secret(ClientSecret::new(client_secret.into()))
            .set_token_uri(url);
        let transport = SharedTransport::new(transport);
        let (grant, turn) = (Mutex::new(None), async_lock::Mutex::new(()));
        Ok(Self { client, scopes: Vec::new(), transport, grant, turn })
    }

    /// Creates a source with a blocking transport, for either client.
    ///
    /// Each request runs on a short-lived thread, so that it does not block a runtime.
    ///
    /// # Errors
    ///
    /// See [`new`](Self::new).
    pub fn new_blocking(
        token_url: impl Into<String>,
        client_id: impl Into<String>,
        client_secret: impl Into<String>,
        transport: impl BlockingTransport,
    ) -> Result<Self, Error> {
        let transport = OwnThread(Arc::new(transport));
        Self::new(token_url, client_id, client_secret, transport)
    }

    /// Adds a scope to the requests.
    #[must_use]
    pub fn scope(mut self, scope: impl Into<String>) -> Self {
        self.scopes.push(Scope::new(scope.into()));
        self
    }

    /// Returns a token that was not refused: a new one, or the last one if it is still valid and the request fails.
    async fn renew(&self, refused: Option<&AccessToken>) -> Result<AccessToken, BoxError> {
        let is_refused = |grant: &Grant| refused.is_some_and(|refused| grant.token == *refused);
        let is_good = |grant: &Grant| grant.is_valid(now()) && !is_refused(grant);
        let mut turn = None;
        let (now, end) = loop {
            let now = now();
            if let Some(grant) = self.grant().as_mut().filter(|grant| is_good(grant)) {
                // Another client of this source has a new token, or is requesting one.
                if grant.is_fresh(now) {
                    return Ok(grant.token.clone());
                }
                break (now, grant.postpone_renewal(now));
            }
            if turn.is_some() {
                break (now, now + TIMEOUT);
            }
            // After its turn, a call finds the token that the call before it requested.
            turn = Some(self.turn.lock().await);
        };
        let outcome = self.request(now, end).await;
        let mut last = self.grant();
        match outcome {
            Ok(grant) => Ok(last.insert(grant).token.clone()),
            Err(error) => last
                .as_ref()
                .filter(|grant| is_good(grant))
                .map(|grant| grant.token.clone())
                .ok_or(error),
        }
    }

    /// Requests a token from the authorisation server.
    async fn request(&self, now: Instant, end: Instant) -> Result<Grant, BoxError> {
        let send = |request| exchange(self.transport.clone(), request, end);
        let request = self.client.exchange_client_credentials().add_scopes(self.scopes.clone());
        let response = request.request_async(&send).await.map_err(without_secrets)?;
        let token = AccessToken::new(response.access_token().secret())?;
        Ok(Grant::new(token, response.expires_in(), now))
    }

    fn grant(&self) -> MutexGuard<'_, Option<Grant>> {
        unpoisoned(self.grant.lock())
    }
}

impl TokenSource for ClientCredentials {
    fn token<'a>(
        &'a self,
        refused: Option<&'a AccessToken>,
    ) -> BoxFuture<'a, Result<AccessToken, BoxError>> {
        Box::pin(self.renew(refused))
    }

    fn is_current(&self, token: &AccessToken) -> bool {
        let is_current = |grant: &Grant| grant.token == *token && grant.is_fresh(now());
        self.grant().as_ref().is_some_and(is_current)
    }
}

impl fmt::Debug for ClientCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientCredentials").finish_non_exhaustive()
    }
}

/// Timeout of a request to the authorisation server.
const TIMEOUT: Duration = Duration::from_secs(30);
