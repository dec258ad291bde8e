//! Tokens from an authorisation server, by OAuth 2.0 client credentials (RFC 6749, section 4.4).

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use gateway_transport::{
    BlockingTransport, BoxError, BoxFuture, Deadline, ErrorKind, Request, Response,
    SharedTransport, Transport, TransportError,
};
use oauth2::basic::{BasicClient, BasicErrorResponse};
use oauth2::{
    ClientId, ClientSecret, EndpointNotSet, EndpointSet, HttpRequest, HttpResponse,
    RequestTokenError, Scope, TokenResponse as _, TokenUrl,
};

use super::TokenSource;
use super::aside::aside;
use crate::{AccessToken, Error, base_url};

/// Asks an authorisation server for tokens, with the id and the secret of this client.
///
/// How a token is obtained is not shown in the service text; this is for services behind an authorisation server. A
/// token is replaced 30 s before it expires, after a day at the latest, and when the service refuses it. The server is
/// asked once for each token, without retries; it has 30 s, and its answer may have 64 KiB.
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
    /// When the token that was given last is to be replaced.
    renewal: Mutex<Option<Instant>>,
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
        Ok(Self { client, scopes: Vec::new(), transport, renewal: Mutex::new(None) })
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

    async fn ask(&self) -> Result<AccessToken, BoxError> {
        let carry = |request| exchange(self.transport.clone(), request);
        let grant = self.client.exchange_client_credentials().add_scopes(self.scopes.clone());
        let grant = grant.request_async(&carry).await.map_err(without_secrets)?;
        let renewal = grant.expires_in().map(|lifetime| {
            Instant::now() + lifetime.min(LONGEST_LIFETIME).saturating_sub(RENEWED_BEFORE)
        });
        *self.renewal.lock().unwrap_or_else(PoisonError::into_inner) = renewal;
        Ok(AccessToken::new(grant.access_token().secret())?)
    }
}

impl TokenSource for ClientCredentials {
    fn token<'a>(
        &'a self,
        _refused: Option<&'a AccessToken>,
    ) -> BoxFuture<'a, Result<AccessToken, BoxError>> {
        Box::pin(self.ask())
    }

    fn is_current(&self, _token: &AccessToken) -> bool {
        let renewal = *self.renewal.lock().unwrap_or_else(PoisonError::into_inner);
        renewal.is_none_or(|renewal| Instant::now() < renewal)
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
) -> Result<HttpResponse, TransportError> {
    let mut request = request.map(Bytes::from);
    gateway_transport::mark_sensitive(request.headers_mut());
    request.extensions_mut().insert(Deadline::at(Instant::now() + TIME_LIMIT));
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
        RequestTokenError::ServerResponse(refusal) => {
            format!("the authorisation server refused: {}", refusal.error()).into()
        }
        RequestTokenError::Request(error) => error.into(),
        _ => "the answer of the authorisation server has no token".into(),
    }
}

/// How long before its end a token is replaced.
const RENEWED_BEFORE: Duration = Duration::from_secs(30);

/// A token that claims to last longer is replaced after a day.
const LONGEST_LIFETIME: Duration = Duration::from_secs(24 * 60 * 60);

/// How long the authorisation server may take.
const TIME_LIMIT: Duration = Duration::from_secs(30);

/// How large its answer may be, in bytes.
const ANSWER_LIMIT: u64 = 64 * 1024;

#[cfg(test)]
mod tests {
    use std::error::Error as _;
    use std::time::Instant;

    use bytes::Bytes;
    use gateway_transport::{Deadline, MemoryTransport};
    use http::Response;

    use super::{ANSWER_LIMIT, ClientCredentials, RENEWED_BEFORE, TIME_LIMIT};
    use crate::{Client, ErrorKind, blocking};

    fn answer(status: u16, body: impl Into<Bytes>) -> Response<Bytes> {
        let response = Response::builder().status(status);
        response.header("content-type", "application/json").body(body.into()).unwrap()
    }

    fn client(authorisation: &MemoryTransport, service: &MemoryTransport) -> Client {
        let url = "https://login.example.com/token";
        let source = ClientCredentials::new(url, "id", "CANARY", authorisation.clone()).unwrap();
        let builder = Client::builder("https://gateway.example.com").token(source.scope("read"));
        builder.transport(service.clone()).build().unwrap()
    }

    const GRANT: &str = r#"{"access_token":"gwt_1","token_type":"bearer","expires_in":3600}"#;
    const SHORT: &str = r#"{"access_token":"gwt_2","token_type":"bearer","expires_in":10}"#;

    #[tokio::test]
    async fn a_token_serves_until_it_expires() {
        let authorisation = MemoryTransport::new([Ok(answer(200, SHORT)), Ok(answer(200, GRANT))]);
        let service = MemoryTransport::new([(); 3].map(|()| Ok(answer(200, "[]"))));
        let client = client(&authorisation, &service);
        for token in ["Bearer gwt_2", "Bearer gwt_1", "Bearer gwt_1"] {
            client.list_vacancies().await.unwrap();
            let sent = service.requests();
            assert_eq!(sent.last().unwrap().headers()["authorization"], token);
        }
        let asked = authorisation.requests();
        assert_eq!(asked.len(), 2);
        assert_eq!(asked[0].body(), "grant_type=client_credentials&scope=read");
        assert!(!format!("{:?}", asked[0]).contains("CANARY"));
    }

    #[tokio::test]
    async fn a_token_is_replaced_before_it_expires() {
        let lead = RENEWED_BEFORE.as_secs();
        for (lifetime, asked) in [(lead - 1, 2), (lead, 2), (lead + 1, 1)] {
            let grant = format!(
                r#"{{"access_token":"gwt_1","token_type":"bearer","expires_in":{lifetime}}}"#
            );
            let grants = [(); 2].map(|()| Ok(answer(200, grant.clone())));
            let authorisation = MemoryTransport::new(grants);
            let service = MemoryTransport::new([(); 2].map(|()| Ok(answer(200, "[]"))));
            let client = client(&authorisation, &service);
            for _ in 0..2 {
                client.list_vacancies().await.unwrap();
            }
            assert_eq!(authorisation.requests().len(), asked, "{lifetime} s");
        }
    }

    #[tokio::test]
    async fn a_grant_is_no_larger_than_its_limit() {
        let limit = usize::try_from(ANSWER_LIMIT).unwrap();
        for length in [limit - 1, limit, limit + 1] {
            let grant = format!("{GRANT}{}", " ".repeat(length - GRANT.len()));
            let authorisation = MemoryTransport::new([Ok(answer(200, grant))]);
            let service = MemoryTransport::new([Ok(answer(200, "[]"))]);
            let outcome = client(&authorisation, &service).list_vacancies().await;
            assert_eq!(outcome.is_ok(), length <= limit, "{length}");
        }
    }

    #[tokio::test]
    async fn the_server_is_given_its_time() {
        let authorisation = MemoryTransport::new([Ok(answer(200, GRANT))]);
        let service = MemoryTransport::new([Ok(answer(200, "[]"))]);
        let before = Instant::now();
        client(&authorisation, &service).list_vacancies().await.unwrap();
        let limit = Deadline::of(&authorisation.requests()[0]).unwrap().instant();
        assert!((before + TIME_LIMIT..=Instant::now() + TIME_LIMIT).contains(&limit));
    }

    #[tokio::test]
    async fn a_refused_token_is_replaced() {
        let authorisation = MemoryTransport::new([Ok(answer(200, GRANT)), Ok(answer(200, SHORT))]);
        let service = MemoryTransport::new([Ok(answer(401, "")), Ok(answer(200, "[]"))]);
        client(&authorisation, &service).list_vacancies().await.unwrap();
        assert_eq!(authorisation.remaining(), 0);
    }

    #[tokio::test]
    async fn a_blocking_transport_serves_both_clients() {
        let url = "https://login.example.com/token";
        let source = || {
            let authorisation = MemoryTransport::new([Ok(answer(200, GRANT))]);
            ClientCredentials::new_blocking(url, "id", "secret", authorisation).unwrap()
        };
        let service = MemoryTransport::new([(); 2].map(|()| Ok(answer(200, "[]"))));
        let client = Client::builder("https://gateway.example.com").token(source());
        client.transport(service.clone()).build().unwrap().list_vacancies().await.unwrap();
        let client = blocking::Client::builder("https://gateway.example.com").token(source());
        client.transport(service.clone()).build().unwrap().list_vacancies().unwrap();
        for request in service.requests() {
            assert_eq!(request.headers()["authorization"], "Bearer gwt_1");
        }
    }

    #[cfg(feature = "reqwest")]
    #[test]
    fn a_transport_without_its_runtime_is_an_error_that_says_so() {
        use gateway_transport::Options;
        use gateway_transport::reqwest::ReqwestTransport;

        let transport = ReqwestTransport::new(&Options::default()).unwrap();
        let source =
            ClientCredentials::new("http://127.0.0.1:1/token", "id", "secret", transport).unwrap();
        let client = blocking::Client::builder("https://gateway.example.com").token(source);
        let client = client.transport(MemoryTransport::default()).build().unwrap();
        let error = client.list_vacancies().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Token);
        assert!(error.source().unwrap().to_string().contains("tokio runtime"), "{error:?}");
    }

    #[tokio::test]
    async fn a_refusal_says_why_and_nothing_more() {
        let refusal = r#"{"error":"invalid_client","error_description":"CANARY"}"#;
        for (status, body, expected) in [
            (401, refusal, "the authorisation server refused: invalid_client"),
            (200, "CANARY", "the answer of the authorisation server has no token"),
        ] {
            let authorisation = MemoryTransport::new([Ok(answer(status, body))]);
            let client = client(&authorisation, &MemoryTransport::default());
            let error = client.list_vacancies().await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Token);
            assert_eq!(error.source().unwrap().to_string(), expected);
            assert!(!format!("{error:?} {error}").contains("CANARY"));
        }
    }

    #[test]
    fn the_secret_goes_over_https_only() {
        let transport = MemoryTransport::default();
        for bad in ["http://login.example.com/token", "login", "ftp://login.example.com"] {
            let error = ClientCredentials::new(bad, "id", "CANARY", transport.clone()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Config, "{bad}");
        }
        assert!(ClientCredentials::new("http://127.0.0.1:1/", "id", "x", transport).is_ok());
    }
}
