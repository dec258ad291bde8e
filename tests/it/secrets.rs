//! Secrets in a query, a form, a header and a path: they are sent, and nothing else shows them.

use std::sync::Arc;

use gateway_client::transport::reqwest::ReqwestTransport;
use gateway_client::transport::ureq::UreqTransport;
use gateway_client::transport::{
    BlockingTransport, MemoryTransport, Options, Proxy, Redacted, TransportError,
    TransportErrorKind,
};
use gateway_testkit::mocks::Mock;
use gateway_testkit::raw_server::{Next, RawServer};
use gateway_transport::cassette::{Recorder, Replayer};
use http::Method;
use methodical_client::model::{Auth, BodyFormat, RawQuery, Secret, SecretPlace, Service};
use methodical_client::{AccessToken, Client, ClientBuilder, RetryPolicy, blocking};

use crate::outputs::{Outputs, assert_silent};
use crate::support::{json, with_subscriber};

/// A service with a secret in each place.
struct Shop;

impl Service for Shop {
    const PATH: &'static str = "/rest/{secret}/v1";
    const SELECTOR: &'static str = "method";
    const ACCEPT: &'static str = "application/json";
    const AUTH: Auth = Auth::Secrets(&[
        Secret::new("api_key", SecretPlace::Query),
        Secret::new("x-user", SecretPlace::Header),
        Secret::new("account", SecretPlace::Path),
        Secret::new("pin", SecretPlace::Form),
    ]);
}

#[test]
fn each_secret_is_sent_in_its_place() {
    let transport = MemoryTransport::new([Ok(json(200, "[]"))]);
    client("https://h/eu", transport.clone(), &Outputs::default()).send(&query()).unwrap();
    let [sent] = transport.requests().try_into().unwrap();
    assert_eq!(
        sent.uri(),
        "https://h/eu/rest/CANARY:path%2F/v1?method=items/list&name=a&api_key=CANARY%26key"
    );
    assert_eq!(sent.headers()["x-user"], "CANARY-user");
    assert!(sent.headers()["x-user"].is_sensitive());
    assert!(!sent.headers().contains_key("authorization"));
    assert_eq!(sent.headers()["accept"], Shop::ACCEPT);
    let shown = "https://h/eu/rest/REDACTED/v1?method=items/list&name=a&api_key=REDACTED";
    assert_eq!(Redacted::target(&sent), shown);
    assert_eq!(sent.body(), "");

    let transport = MemoryTransport::new([Ok(json(200, "[]"))]);
    client("https://h", transport.clone(), &Outputs::default()).send(&post()).unwrap();
    let [sent] = transport.requests().try_into().unwrap();
    assert_eq!(sent.method(), Method::POST);
    assert_eq!(sent.uri().query(), Some("method=items/list&api_key=CANARY%26key"));
    assert_eq!(sent.headers()["content-type"], "application/x-www-form-urlencoded");
    assert_eq!(sent.body(), "name=a&pin=CANARY%25pin");
    assert_eq!(Redacted::body(&sent), "name=a&pin=REDACTED");
}

#[test]
fn nothing_shows_a_secret() {
    let shown = Outputs::default();
    let ask = |client: &blocking::Client<Shop>, query: &RawQuery<Shop>| {
        if let Err(error) = client.send(query) {
            shown.print_error(&error);
        }
    };
    let location = "https://h/rest/CANARY:path%2F/v1?api_key=CANARY%26key";
    let outcome = |step: Result<(u16, &'static str), TransportErrorKind>| {
        let (status, body) = step.map_err(|kind| TransportError::new(kind, "scripted"))?;
        let mut response = json(status, body);
        response.headers_mut().insert("location", location.parse().unwrap());
        Ok(response)
    };
    for step in [
        Ok((200, "[]")),
        Ok((200, "no JSON")),
        Ok((403, "refused")),
        Ok((302, "")),
        Err(TransportErrorKind::Interrupted),
    ] {
        for query in [query(), post()] {
            let transport = MemoryTransport::new([outcome(step)]);
            let recorder = Arc::new(Recorder::new(transport, Vec::new()));
            let client = client("https://h", Arc::clone(&recorder), &shown);
            ask(&client, &query);
            shown.print(&client);
            shown.print(&client.request(&query).unwrap());
            drop(client);
            let cassette = Arc::into_inner(recorder).unwrap().into_writer();
            shown.add(&String::from_utf8(cassette).unwrap());
        }
    }
    shown.print(&secrets(blocking::Client::<Shop>::builder("https://h")));

    // A cassette without the request shows how the request differs from the closest line.
    let line =
        r#"{"method":"GET","target":"/rest/REDACTED/v1","status":200,"headers":[],"body":"[]"}"#;
    let client = client("https://h", Replayer::new(line).unwrap(), &shown);
    ask(&client, &query());
    ask(&client, &post());
    shown.print(&Mock::of(&query()).token("CANARY&key"));

    log_calls(&shown);
    let text = shown.text();
    for part in [
        r#""request":"name=a&pin=REDACTED""#,
        "requested: GET /rest/REDACTED/v1?",
        "api_key=- name=a&pin=REDACTED",
    ] {
        assert!(text.contains(part), "{text}");
    }
    let attempts = text.matches("attempt finished").count();
    assert!(attempts >= 16, "{attempts} attempts were logged");
    assert_silent(&text, "secrets");
}

#[test]
fn a_recorded_call_is_replayed_with_other_secrets() {
    let transport =
        MemoryTransport::new([Ok(json(200, "[7]")), Ok(json(200, "[8]")), Ok(json(200, "[9]"))]);
    let recorder = Arc::new(Recorder::new(transport, Vec::new()));
    let other_post = post().pair("other", "1");
    for query in [&query(), &other_post, &post()] {
        client("https://h", Arc::clone(&recorder), &Outputs::default()).send(query).unwrap();
    }
    let cassette = Arc::into_inner(recorder).unwrap().into_writer();
    let replayer = Replayer::new(&String::from_utf8(cassette).unwrap()).unwrap();
    let builder = blocking::Client::<Shop>::builder("https://h");
    let client = with(builder, ["1", "2", "3", "4"]).transport(replayer).build().unwrap();
    // The body distinguishes two calls to the same URL.
    assert_eq!(client.send(&post()).unwrap().as_str(), "[9]");
    assert_eq!(client.send(&other_post).unwrap().as_str(), "[8]");
    assert_eq!(client.send(&query()).unwrap().as_str(), "[7]");
}

#[test]
fn a_client_needs_a_source_for_each_secret() {
    let secret = || AccessToken::secret("x").unwrap();
    let builder = || blocking::Client::<Shop>::builder("https://h");
    let text = |builder: blocking::ClientBuilder<Shop>| {
        builder.transport(MemoryTransport::default()).build().unwrap_err().to_string()
    };
    assert_eq!(
        text(builder()),
        "the client has no secret `api_key`; set it with `ClientBuilder::token`"
    );
    assert_eq!(
        text(builder().token(secret()).secret("account", secret())),
        "the client has no secret `x-user`; set it with `ClientBuilder::secret`"
    );
    let all = builder().token(secret()).secret("account", secret()).secret("x-user", secret());
    let all = all.secret("pin", secret());
    assert_eq!(text(all.secret("user", secret())), "the service has no secret `user`; remove it");
}

/// Logs calls through real transports at every level.
fn log_calls(outputs: &Outputs) {
    let options = Options::default().proxy(Proxy::Never);
    let (ureq, reqwest) = (UreqTransport::new(&options), ReqwestTransport::new(&options));
    let (ureq, reqwest) = (ureq.unwrap(), reqwest.unwrap());
    // A single thread, so that the subscriber also sees what the client does in the background.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let call = |base_url: &str| {
        let blocking = client(base_url, ureq.clone(), outputs);
        let builder = secrets(<Client<Shop>>::builder(base_url)).transport(reqwest.clone());
        let client = builder.build().unwrap();
        for query in [query(), post()] {
            let _outcome = blocking.send(&query);
            let _outcome = runtime.block_on(client.send(&query));
        }
    };
    with_subscriber(outputs.subscriber(), || {
        for status in [200, 302, 403] {
            let server = RawServer::start(move |_request, connection| {
                let head = format!("HTTP/1.1 {status} X\r\ncontent-type: application/json");
                connection.send(format!("{head}\r\ncontent-length: 2\r\n\r\n[]").as_bytes());
                Next::Close
            });
            call(&server.unwrap().uri(""));
        }
        // Nothing listens on this port now.
        let closed = RawServer::start(|_, _| Next::Close).unwrap().uri("");
        call(&closed);
    });
}

/// Sets the secrets.
fn secrets<S: Service, T>(builder: ClientBuilder<S, T>) -> ClientBuilder<S, T> {
    with(builder, ["CANARY&key", "CANARY-user", "CANARY:path/", "CANARY%pin"])
}

fn with<S: Service, T>(builder: ClientBuilder<S, T>, secrets: [&str; 4]) -> ClientBuilder<S, T> {
    let [key, user, account, pin] = secrets.map(|text| AccessToken::secret(text).unwrap());
    let builder = builder.token(key).secret("x-user", user).secret("account", account);
    builder.secret("pin", pin).retry(RetryPolicy::never())
}

fn client(
    base_url: &str,
    transport: impl BlockingTransport,
    outputs: &Outputs,
) -> blocking::Client<Shop> {
    let builder = secrets(blocking::Client::builder(base_url)).observer(outputs.clone());
    builder.transport(transport).build().unwrap()
}

fn query() -> RawQuery<Shop> {
    RawQuery::new("items/list").pair("name", "a")
}

/// A call with a form, which has another secret.
fn post() -> RawQuery<Shop> {
    query().post(BodyFormat::Form)
}
