//! The spans that the program exports, as a collector receives them.

mod collector;

use std::collections::BTreeMap;

use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use opentelemetry_proto::tonic::trace::v1::status::StatusCode;
use serde_json::Value;
use tempfile::TempDir;

use self::collector::{Collector, attributes};
use crate::http2_client::Client;
use crate::process::{Served, error, program};
use crate::support::{call, exchange};

/// Starts a server that exports to a collector when it stops.
fn start(endpoint: &str) -> (Served, TempDir) {
    let mut command = program();
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint);
    command.env("OTEL_EXPORTER_OTLP_HEADERS", "x-key=from%20the%20environment");
    // An empty name counts as none.
    command.env("OTEL_SERVICE_NAME", "");
    command.env("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test");
    command.env("OTEL_BSP_SCHEDULE_DELAY", "600000");
    // No proxy may get the headers.
    command.env("HTTP_PROXY", "http://127.0.0.1:9").env("ALL_PROXY", "http://127.0.0.1:9");
    Served::filled(command, 3, &["--log-level", "info"])
}

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

#[test]
fn each_sampled_request_is_a_span_with_the_id_of_its_log_line() {
    let collector = Collector::start();
    let (served, _directory) = start(&collector.endpoint);
    let (base_url, token) = (&served.base_url, &served.token);
    let with = |id: &str, more: &str| format!("X-Request-Id: {id}\r\n{more}");
    let parent = format!("traceparent: 00-{TRACE}-00f067aa0ba902b7-01\r\ntracestate: a=b\r\n");
    let unsampled = format!("traceparent: 00-{TRACE}-00f067aa0ba902b7-00\r\n");
    let credits = "method=credits/get";
    let list = "method=candidates/list";
    drop(call(base_url, token, "GET", credits, &with("child", &parent)));
    drop(call(base_url, token, "GET", credits, &with("unsampled", &unsampled)));
    let first = call(base_url, token, "GET", list, &with("list", ""));
    let etag = format!("If-None-Match: {}\r\n", first.header("etag").unwrap());
    assert_eq!(call(base_url, token, "GET", list, &with("same", &etag)).status, 304);
    let wrong = call(base_url, "gwt_canary-of-a-token", "GET", credits, &with("wrong", ""));
    assert_eq!(wrong.status, 401);
    let secret = "method=candidates/list&vacancy_id=1&status=canary-of-a-query";
    drop(call(base_url, token, "GET", secret, &with("held", "")));
    drop(call(base_url, token, "CANARY-OF-A-VERB", credits, &with("verb", "")));
    let address = base_url.strip_prefix("http://").unwrap();
    let head = "GET /canary-of-a-path HTTP/1.1\r\nHost: a\r\nX-Request-Id: path\r\n\
        Connection: close\r\n\r\n";
    drop(exchange(address, head.as_bytes()));
    let second = http::Request::get(format!("{base_url}/c/oauth/v1?{credits}"))
        .header("authorization", format!("Bearer {token}"))
        .header("x-request-id", "second");
    let answered = Client::plain(base_url).send(second.body(bytes::Bytes::new()).unwrap());
    assert_eq!(answered.unwrap().status(), 200);

    let token = token.clone();
    let log = served.stop();
    let log: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (spans, bytes) = collector.received();
    let mut found = BTreeMap::new();
    for span in &spans {
        let attributes = attributes(&span.attributes);
        let line = log.iter().find(|line| line["request_id"] == *attributes["gateway.request.id"]);
        let trace = u128::from_be_bytes(span.trace_id.clone().try_into().unwrap());
        let trace = format!("{trace:032x}");
        assert!(line.is_some(), "{span:?}");
        assert_eq!(span.kind(), SpanKind::Server);
        assert!(span.start_time_unix_nano < span.end_time_unix_nano);
        assert_eq!(span.status.as_ref().unwrap().code(), StatusCode::Unset);
        assert_eq!(attributes["gateway.response.end"], "complete");
        assert!(!attributes.contains_key("error.type"));
        found.insert(attributes["gateway.request.id"].clone(), (span, trace, attributes));
    }
    let ids: Vec<_> = found.keys().map(String::as_str).collect();
    assert_eq!(ids, ["child", "held", "list", "path", "same", "second", "verb", "wrong"]);
    for (id, name, status) in [
        ("child", "GET credits/get", "200"),
        ("list", "GET candidates/list", "200"),
        ("same", "GET candidates/list", "304"),
        ("wrong", "GET", "401"),
        ("path", "GET", "404"),
        ("verb", "HTTP", "405"),
        ("second", "GET credits/get", "200"),
    ] {
        let (span, trace, attributes) = &found[id];
        assert_eq!((&*span.name, &*attributes["http.response.status_code"]), (name, status));
        let is_child = id == "child";
        assert_eq!((trace == TRACE, span.parent_span_id.is_empty()), (is_child, !is_child));
    }
    let (child, _, attributes) = &found["child"];
    assert_eq!(child.parent_span_id, [0, 0xf0, 0x67, 0xaa, 0x0b, 0xa9, 0x02, 0xb7]);
    assert_eq!(child.trace_state, "a=b");
    assert_eq!(attributes["gateway.operation"], "credits/get");
    assert_eq!(attributes["gateway.account.id"], "1");
    assert_eq!(found["wrong"].2["gateway.problem"], "token-invalid");
    assert_eq!(found["verb"].2["http.request.method"], "_OTHER");
    let text = String::from_utf8_lossy(&bytes).to_ascii_lowercase();
    assert!(!text.contains("canary") && !text.contains(&token.to_ascii_lowercase()), "{text}");
}

#[test]
fn a_redirect_is_not_followed_and_causes_are_logged() {
    let other = Collector::start();
    let redirect = format!("307 Go\r\nLocation: {}/v1/traces\r\nContent-Length: 0", other.endpoint);
    let first = Collector::answering(redirect);
    for (endpoint, cause) in
        [(&*first.endpoint, "status code: 307"), ("http://127.0.0.1:1", "Connection refused")]
    {
        let (served, _directory) = start(endpoint);
        drop(call(&served.base_url, &served.token, "GET", "method=credits/get", ""));
        let log = served.stop();
        assert!(log.contains(cause), "{log}");
    }
    assert_eq!((first.received().0.len(), other.received().0.len()), (1, 0));
}

#[test]
fn an_unusable_endpoint_stops_the_start_and_is_not_repeated() {
    let output = program()
        .env("OTEL_EXPORTER_OTLP_ENDPOINT", "http://user:hunter2@ x")
        .args(["serve", "--demo", "--listen", "127.0.0.1:0"])
        .output()
        .unwrap();
    let text = error(&output);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("OTEL_EXPORTER_OTLP_ENDPOINT is invalid"), "{text}");
    assert!(!text.contains("hunter2"), "{text}");
}
