//! Which token is used, when it is replaced, and the errors if it cannot be.

use std::error::Error as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Waker};
use std::time::{Duration, Instant};

use bytes::Bytes;
use gateway_transport::{
    Deadline, MemoryTransport, TransportError, TransportErrorKind as Failure,
    blocking_transport_fn, transport_fn,
};
use http::Response;

use super::exchange::RESPONSE_LIMIT;
use super::{ClientCredentials, Grant, TIMEOUT};
use crate::tests::{BlockingClient, Photos, any_json};
use crate::{AccessToken, ErrorKind, TokenSource as _};

type Client = crate::Client<Photos>;

fn response(status: u16, body: impl Into<Bytes>) -> Response<Bytes> {
    let response = Response::builder().status(status);
    response.header("content-type", "application/json").body(body.into()).unwrap()
}

fn source(authorisation: &MemoryTransport) -> Arc<ClientCredentials> {
    let url = "https://login.example.com/token";
    let source = ClientCredentials::new(url, "id", "CANARY", authorisation.clone()).unwrap();
    Arc::new(source.scope("read"))
}

fn client_of(source: &Arc<ClientCredentials>, service: &MemoryTransport) -> Client {
    let builder = Client::builder("https://gateway.example.com").token(Arc::clone(source));
    builder.transport(service.clone()).build().unwrap()
}

fn client(authorisation: &MemoryTransport, service: &MemoryTransport) -> Client {
    client_of(&source(authorisation), service)
}

/// A token that was issued 40 s ago with this lifetime in seconds.
fn old(lifetime: u64) -> Grant {
    let asked = Instant::now().checked_sub(Duration::from_secs(40)).unwrap();
    Grant::new(AccessToken::new("gwt_old").unwrap(), Some(Duration::from_secs(lifetime)), asked)
}

fn tokens_of(service: &MemoryTransport) -> Vec<String> {
    let token = |request: &gateway_transport::Request| {
        request.headers()["authorization"].to_str().unwrap().to_owned()
    };
    service.requests().iter().map(token).collect()
}

const GRANT: &str = r#"{"access_token":"gwt_1","token_type":"bearer","expires_in":3600}"#;
const SHORT: &str = r#"{"access_token":"gwt_2","token_type":"bearer","expires_in":0}"#;

#[tokio::test]
async fn a_token_is_used_until_it_expires() {
    let authorisation = MemoryTransport::new([Ok(response(200, SHORT)), Ok(response(200, GRANT))]);
    let service = MemoryTransport::new([(); 3].map(|()| Ok(response(200, "[]"))));
    let client = client(&authorisation, &service);
    for token in ["Bearer gwt_2", "Bearer gwt_1", "Bearer gwt_1"] {
        client.send(&any_json()).await.unwrap();
        let sent = service.requests();
        assert_eq!(sent.last().unwrap().headers()["authorization"], token);
    }
    let asked = authorisation.requests();
    assert_eq!(asked.len(), 2);
    assert_eq!(asked[0].body(), "grant_type=client_credentials&scope=read");
    assert!(!format!("{:?}", asked[0]).contains("CANARY"));
}

#[tokio::test]
async fn a_short_lived_token_is_used_for_more_than_one_call() {
    for lifetime in [10, 29, 30, 31] {
        let grant = GRANT.replace("3600", &lifetime.to_string());
        let authorisation = MemoryTransport::new([Ok(response(200, grant))]);
        let service = MemoryTransport::new([(); 2].map(|()| Ok(response(200, "[]"))));
        let client = client(&authorisation, &service);
        for _ in 0..2 {
            client.send(&any_json()).await.unwrap();
        }
    }
}

#[tokio::test]
async fn a_token_is_used_until_it_expires_while_the_server_is_down() {
    let down = || Err(TransportError::new(Failure::Connect, "connection refused"));
    let authorisation = MemoryTransport::new([down(), down(), Ok(response(200, GRANT))]);
    let source = source(&authorisation);
    *source.grant() = Some(old(60));
    let service =
        MemoryTransport::new([200, 200, 401, 401, 200].map(|code| Ok(response(code, "[]"))));
    let client = client_of(&source, &service);
    let before = Instant::now();
    for _ in 0..2 {
        client.send(&any_json()).await.unwrap();
    }
    // The second call made no request, and the first had a short deadline.
    assert_eq!(authorisation.remaining(), 2);
    let limit = Deadline::of(&authorisation.requests()[0]).unwrap().instant();
    let five = Duration::from_secs(5);
    assert!((before + five..=Instant::now() + five).contains(&limit));

    // A refused token is not used again, even if it has not expired.
    let error = client.send(&any_json()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Token);
    client.send(&any_json()).await.unwrap();
    let used = tokens_of(&service);
    assert_eq!(
        used,
        ["gwt_old", "gwt_old", "gwt_old", "gwt_old", "gwt_1"]
            .map(|token| format!("Bearer {token}"))
    );
}

#[test]
fn a_token_is_used_while_the_next_one_is_requested() {
    let silent = transport_fn(|_| std::future::pending());
    let source = ClientCredentials::new("https://login.example.com", "id", "x", silent).unwrap();
    *source.grant() = Some(old(60));
    let token = old(60).token;
    assert!(!source.is_current(&token));
    let mut asks = source.token(None);
    assert!(asks.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    assert!(source.is_current(&token));
    // It is also kept when the requesting call is dropped.
    drop(asks);
    assert_eq!(pollster::block_on(source.token(None)).unwrap(), token);
}

#[tokio::test]
async fn an_expired_token_is_not_used() {
    for (failure, is_transient) in [(Failure::Connect, true), (Failure::Tls, false)] {
        let authorisation = MemoryTransport::new([Err(TransportError::new(failure, "scripted"))]);
        let source = source(&authorisation);
        *source.grant() = Some(old(40));
        let client = client_of(&source, &MemoryTransport::default());
        let error = client.send(&any_json()).await.unwrap_err();
        assert_eq!((error.kind(), error.is_transient()), (ErrorKind::Token, is_transient));
    }
}

#[tokio::test]
async fn clients_with_one_source_share_its_token() {
    let authorisation = MemoryTransport::new([Ok(response(200, GRANT))]);
    let source = source(&authorisation);
    let service = MemoryTransport::new([(); 2].map(|()| Ok(response(200, "[]"))));
    for _ in 0..2 {
        client_of(&source, &service).send(&any_json()).await.unwrap();
    }
    assert_eq!(tokens_of(&service), ["Bearer gwt_1", "Bearer gwt_1"]);
    // A client that still has an older token asks the source.
    assert!(!source.is_current(&old(60).token));
}

#[tokio::test]
async fn concurrent_clients_with_one_source_make_one_request() {
    let requests = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&requests);
    let authorisation = transport_fn(move |_| {
        let number = counted.fetch_add(1, Ordering::Relaxed);
        async move {
            // The other call is polled before the response arrives.
            tokio::task::yield_now().await;
            let token = format!("gwt_{number}");
            Ok(response(200, GRANT.replace("gwt_1", &token)).map(Into::into))
        }
    });
    let url = "https://login.example.com/token";
    let source = Arc::new(ClientCredentials::new(url, "id", "secret", authorisation).unwrap());
    let service =
        MemoryTransport::new([200, 200, 401, 401, 200, 200].map(|code| Ok(response(code, "[]"))));
    let clients = [client_of(&source, &service), client_of(&source, &service)];
    for expected in 1..=2 {
        let query = any_json();
        let (first, second) = tokio::join!(clients[0].send(&query), clients[1].send(&query));
        first.and(second).unwrap();
        assert_eq!(requests.load(Ordering::Relaxed), expected);
    }
}

#[tokio::test]
async fn a_response_above_the_limit_is_an_error() {
    let limit = usize::try_from(RESPONSE_LIMIT).unwrap();
    for length in [limit - 1, limit, limit + 1] {
        let grant = format!("{GRANT}{}", " ".repeat(length - GRANT.len()));
        let authorisation = MemoryTransport::new([Ok(response(200, grant))]);
        let service = MemoryTransport::new([Ok(response(200, "[]"))]);
        let outcome = client(&authorisation, &service).send(&any_json()).await;
        assert_eq!(outcome.is_ok(), length <= limit, "{length}");
    }
}

#[tokio::test]
async fn a_request_has_a_timeout() {
    let authorisation = MemoryTransport::new([Ok(response(200, GRANT))]);
    let service = MemoryTransport::new([Ok(response(200, "[]"))]);
    let before = Instant::now();
    client(&authorisation, &service).send(&any_json()).await.unwrap();
    let limit = Deadline::of(&authorisation.requests()[0]).unwrap().instant();
    assert!((before + TIMEOUT..=Instant::now() + TIMEOUT).contains(&limit));
}

#[tokio::test]
async fn a_refused_token_is_replaced() {
    let authorisation = MemoryTransport::new([Ok(response(200, GRANT)), Ok(response(200, SHORT))]);
    let service = MemoryTransport::new([Ok(response(401, "")), Ok(response(200, "[]"))]);
    client(&authorisation, &service).send(&any_json()).await.unwrap();
    assert_eq!(authorisation.remaining(), 0);
}

#[tokio::test]
async fn a_blocking_transport_works_with_both_clients() {
    let url = "https://login.example.com/token";
    let source = || {
        let authorisation = MemoryTransport::new([Ok(response(200, GRANT))]);
        ClientCredentials::new_blocking(url, "id", "secret", authorisation).unwrap()
    };
    let service = MemoryTransport::new([(); 2].map(|()| Ok(response(200, "[]"))));
    let client = Client::builder("https://gateway.example.com").token(source());
    client.transport(service.clone()).build().unwrap().send(&any_json()).await.unwrap();
    let client = BlockingClient::builder("https://gateway.example.com").token(source());
    client.transport(service.clone()).build().unwrap().send(&any_json()).unwrap();
    for request in service.requests() {
        assert_eq!(request.headers()["authorization"], "Bearer gwt_1");
    }
}

#[cfg(feature = "reqwest")]
#[test]
fn a_transport_without_its_runtime_is_an_error_that_names_the_runtime() {
    use gateway_transport::Options;
    use gateway_transport::reqwest::ReqwestTransport;

    let transport = ReqwestTransport::new(&Options::default()).unwrap();
    let source =
        ClientCredentials::new("http://127.0.0.1:1/token", "id", "secret", transport).unwrap();
    let client = BlockingClient::builder("https://gateway.example.com").token(source);
    let client = client.transport(MemoryTransport::default()).build().unwrap();
    let error = client.send(&any_json()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Token);
    assert!(error.source().unwrap().to_string().contains("tokio runtime"), "{error:?}");
}

#[tokio::test]
async fn a_refusal_names_only_a_standard_code() {
    let refusal = r#"{"error":"invalid_client","error_description":"CANARY"}"#;
    let own = r#"{"error":"CANARY"}"#;
    for (status, body, expected) in [
        (401, refusal, "the authorisation server refused the request: invalid_client"),
        (400, own, "the authorisation server refused the request with a non-standard code"),
        (200, "CANARY", "the authorisation server returned no token"),
    ] {
        let authorisation = MemoryTransport::new([Ok(response(status, body))]);
        let client = client(&authorisation, &MemoryTransport::default());
        let error = client.send(&any_json()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Token);
        assert_eq!(error.source().unwrap().to_string(), expected);
        assert!(!format!("{error:?} {error}").contains("CANARY"));
    }
}

#[test]
fn the_secret_is_sent_only_over_https() {
    let transport = MemoryTransport::default();
    for bad in ["http://login.example.com/token", "login", "ftp://login.example.com"] {
        let error = ClientCredentials::new(bad, "id", "CANARY", transport.clone()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config, "{bad}");
    }
    assert!(ClientCredentials::new("http://127.0.0.1:1/", "id", "x", transport).is_ok());
}

#[tokio::test]
async fn a_panic_of_a_blocking_transport_is_an_error_without_a_secret() {
    let transport = blocking_transport_fn(|_| panic!("planted panic"));
    let url = "https://login.example.com/token";
    let source = ClientCredentials::new_blocking(url, "id", "CANARY", transport).unwrap();
    let error = source.token(None).await.unwrap_err();
    assert_eq!(error.to_string(), "the thread of the transport failed");
    assert_eq!(format!("{source:?}"), "ClientCredentials { .. }");
    assert!(!format!("{error:?}").contains("CANARY"));
}
