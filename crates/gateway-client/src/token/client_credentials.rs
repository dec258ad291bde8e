//! Tokens from an authorisation server, by OAuth 2.0 client credentials (RFC 6749, section 4.4).

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use gateway_transport::{
    BlockingTransport, BoxError, BoxFuture, Deadline, ErrorKind, Request, Response,
    SharedTransport, Transport, TransportError,
};
use oauth2::basic::{BasicClient, BasicErrorResponse, BasicErrorResponseType};
use oauth2::{
    ClientId, ClientSecret, EndpointNotSet, EndpointSet, HttpRequest, HttpResponse,
    RequestTokenError, Scope, TokenResponse as _, TokenUrl,
};

use self::grant::Grant;
use crate::token::TokenSource;
use crate::token::aside::aside;
use crate::{AccessToken, Error, base_url};

mod grant;
#[cfg(test)]
mod tests;

/// Asks an authorisation server for tokens, with the id and the secret of this client.
///
/// How a token is obtained is not shown in the service text; this is for services behind an authorisation server. The
/// server is asked once for each token, without retries; it has 30 s, and its answer may have 64 KiB.
///
/// A token is replaced when the service refuses it, and before it expires: 30 s before, or after half of its life if
/// that is later. After a day it is replaced in any case, and so it is if the server does not say how long it lasts
/// (`expires_in`, RFC 6749, section 5.1). As long as it is good, one call asks for another one, for 5 s at most, and
/// everybody else goes on with it; if that call gets none, the next one asks 10 s later.
///
/// # Which transport
///
/// The authorisation server is asked over a transport of its own, and there are two kinds:
///
/// | made with | transports | in [`Client`](crate::Client) | in [`blocking::Client`](crate::blocking::Client) |
/// |---|---|---|---|
/// | [`new`](Self::new) | async, on the runtime of the caller: `ReqwestTransport`, `OffThread`, `ServiceTransport` | yes | no: there is no runtime, and the call fails with [`ErrorKind::Token`](crate::ErrorKind::Token) |
/// | [`new`](Self::new) | async, without a runtime: [`MemoryTransport`](gateway_transport::MemoryTransport), or [one of your own](gateway_transport::transport_fn) | yes | yes |
/// | [`new_blocking`](Self::new_blocking) | blocking: `UreqTransport`, `ReqwestBlockingTransport`, or any async one within `OnThread` | yes | yes |
///
/// # Examples
///
/// The async client:
///
/// ```
/// use gateway_client::transport::MemoryTransport;
/// use gateway_client::{Client, ClientCredentials};
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
/// let client = Client::builder("https://gateway.example.com")
///     .token(source.scope("candidates.read"))
///     .transport(service.clone())
///     .build()?;
/// client.list_vacancies().await?;
/// assert_eq!(service.requests()[0].headers()["authorization"], "Bearer gwt_6yqW");
/// # Ok(())
/// # }
/// ```
///
/// The blocking client:
///
/// ```
/// use gateway_client::transport::MemoryTransport;
/// use gateway_client::{ClientCredentials, blocking};
/// use http::Response;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let json = || Response::builder().header("content-type", "application/json");
/// # let grant = r#"{"access_token":"gwt_6yqW","token_type":"bearer","expires_in":3600}"#;
/// # let authorisation = MemoryTransport::new([Ok(json().body(grant.into())?)]);
/// # let service = MemoryTransport::new([Ok(json().body("[]".into())?)]);
/// // In a program, `authorisation` and `service` are a `UreqTransport`, say.
/// let source =
///     ClientCredentials::new_blocking("https://login.example.com/token", "id", "secret", authorisation)?;
/// let client = blocking::Client::builder("https://gateway.example.com")
///     .token(source.scope("candidates.read"))
///     .transport(service.clone())
///     .build()?;
/// client.list_vacancies()?;
/// assert_eq!(service.requests()[0].headers()["authorization"], "Bearer gwt_6yqW");
/// # Ok(())
/// # }
/// ```
pub struct ClientCredentials {
    client: Ready,
    scopes: Vec<Scope>,
    transport: SharedTransport,
    grant: Mutex<Option<Grant>>,
}

/// A client of the authorisation server that knows where to ask for tokens, and nothing else.
type Ready =
    BasicClient<EndpointNotSet, EndpointNotSet, EndpointNotSet, EndpointNotSet, EndpointSet>;

impl ClientCredentials {
    /// Names the address that gives tokens, who asks, and what carries the question.
    ///
    /// With the blocking client, take [`new_blocking`](Self::new_blocking): there, a transport that needs a runtime has
    /// none.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Config`](crate::ErrorKind::Config) if the address is none, or would carry the secret over plain
    /// `http` to another machine.
    pub fn new(
        token_url: impl Into<String>,
        client_id: impl Into<String>,
        client_secret: impl Into<String>,
        transport: impl Transport,
    ) -> Result<Self, Error> {
        let url = TokenUrl::new(token_url.into()).map_err(|_invalid| {
            Error::config("the address of the authorisation server is no URL")
        })?;
        let host = url.url().host_str().unwrap_or_default();
        if url.url().scheme() != "https" && !base_url::is_loopback(host) {
            return Err(Error::config(
                "the authorisation server is not on https: the secret could be read on the way",
            ));
        }
        let client = BasicClient::new(ClientId::new(client_id.into()))
            .set_client_secret(ClientSecret::new(client_secret.into()))
            .set_token_uri(url);
        let transport = SharedTransport::new(transport);
        Ok(Self { client, scopes: Vec::new(), transport, grant: Mutex::new(None) })
    }

    /// Does the same with a blocking transport, for either client. Each question is a short-lived thread, so that it
    /// holds up no runtime.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn new_blocking(
        token_url: impl Into<String>,
        client_id: impl Into<String>,
        client_secret: impl Into<String>,
        transport: impl BlockingTransport,
    ) -> Result<Self, Error> {
        let transport = OwnThread(Arc::new(transport));
        Self::new(token_url, client_id, client_secret, transport)
    }

    /// Asks for this scope, too.
    #[must_use]
    pub fn scope(mut self, scope: impl Into<String>) -> Self {
        self.scopes.push(Scope::new(scope.into()));
        self
    }

    /// Returns a token that was not refused: a new one, or the last one if it is still good and there is no new one.
    async fn renew(&self, refused: Option<&AccessToken>) -> Result<AccessToken, BoxError> {
        let is_refused = |grant: &Grant| refused.is_some_and(|refused| grant.token.is(refused));
        let now = Instant::now();
        let mut end = now + TIME_LIMIT;
        let is_good = |grant: &Grant| grant.is_valid(Instant::now()) && !is_refused(grant);
        if let Some(grant) = self.grant().as_mut().filter(|grant| is_good(grant)) {
            // Another client with this source has asked meanwhile, or is about to.
            if grant.is_fresh(now) {
                return Ok(grant.token.clone());
            }
            end = grant.put_off(now);
        }
        let outcome = self.ask(now, end).await;
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

    /// Asks the authorisation server.
    async fn ask(&self, now: Instant, end: Instant) -> Result<Grant, BoxError> {
        let carry = |request| exchange(self.transport.clone(), request, end);
        let answer = self.client.exchange_client_credentials().add_scopes(self.scopes.clone());
        let answer = answer.request_async(&carry).await.map_err(without_secrets)?;
        let token = AccessToken::new(answer.access_token().secret())?;
        Ok(Grant::new(token, answer.expires_in(), now))
    }

    fn grant(&self) -> MutexGuard<'_, Option<Grant>> {
        self.grant.lock().unwrap_or_else(PoisonError::into_inner)
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
        let is_current = |grant: &Grant| grant.token.is(token) && grant.is_fresh(Instant::now());
        self.grant().as_ref().is_some_and(is_current)
    }
}

impl fmt::Debug for ClientCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientCredentials").finish_non_exhaustive()
    }
}

/// Carries a request of the library over our transport.
async fn exchange(
    transport: SharedTransport,
    request: HttpRequest,
    end: Instant,
) -> Result<HttpResponse, TransportError> {
    let mut request = request.map(Bytes::from);
    gateway_transport::mark_sensitive(request.headers_mut());
    request.extensions_mut().insert(Deadline::at(end));
    let (head, body) = transport.send(request).await?.into_parts();
    let body = body.collect(ANSWER_LIMIT).await?;
    Ok(HttpResponse::from_parts(head, body.into()))
}

/// A blocking transport whose exchanges run on a thread each.
struct OwnThread<T>(Arc<T>);

impl<T: BlockingTransport> Transport for OwnThread<T> {
    async fn send(&self, request: Request) -> Result<Response, TransportError> {
        let inner = Arc::clone(&self.0);
        let exchange = move || {
            let (head, body) = inner.send(request)?.into_parts();
            Ok(Response::from_parts(head, body.collect(ANSWER_LIMIT)?.into()))
        };
        aside("gateway-oauth2", exchange).await.unwrap_or_else(|error| {
            Err(TransportError::new(ErrorKind::Other, "no thread for the transport")
                .with_source(error))
        })
    }

    fn name(&self) -> &str {
        self.0.name()
    }
}

/// Says what went wrong. What the server answered stays out of it: it may have a token in it.
fn without_secrets(error: RequestTokenError<TransportError, BasicErrorResponse>) -> BoxError {
    match error {
        RequestTokenError::ServerResponse(refusal) => match refusal.error() {
            // Not one of RFC 6749, section 5.2, but any text.
            BasicErrorResponseType::Extension(_) => {
                "the authorisation server refused, with a code of its own".into()
            }
            code => format!("the authorisation server refused: {code}").into(),
        },
        RequestTokenError::Request(error) => error.into(),
        _ => "the answer of the authorisation server has no token".into(),
    }
}

/// How long the authorisation server may take.
const TIME_LIMIT: Duration = Duration::from_secs(30);

/// How large its answer may be, in bytes.
const ANSWER_LIMIT: u64 = 64 * 1024;
