//! The spans that the program exports, as a collector receives them.

mod collector;

use std::collections::BTreeMap;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use opentelemetry_proto::tonic::trace::v1::status::StatusCode;
use serde_json::Value;
use tempfile::TempDir;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use self::collector::{Collector, Reply, attributes};
use crate::http2_client::Client;
use crate::process::{Served, error, program};
use crate::support::{begin_list, call, exchange, get};

/// A server that exports to a collector.
struct Traced {
    served: Served,
    _directory: TempDir,
}

impl Traced {
    fn start(endpoint: &str, candidates: u32, flags: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut command = program();
        command.env("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint);
        command.env("OTEL_EXPORTER_OTLP_HEADERS", "x-key=from%20the%20environment");
        command.env("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test");
        command.envs(variables.iter().copied());
        let flags = [&["--log-level", "info"], flags].concat();
        let (served, directory) = Served::filled(command, candidates, &flags);
        Self { served, _directory: directory }
    }

    fn get(&self, query: &str) -> u16 {
        get(&self.served.base_url, &self.served.token, query).status
    }

    /// Asks for a large list, and reads only the first bytes of the response.
    fn begin_list(&self) -> TcpStream {
        begin_list(&self.served.base_url, &self.served.token, "").1
    }

    /// Stops the server, and returns its log.
    fn stop(self) -> Vec<Value> {
        self.served.stop().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

fn event<'l>(log: &'l [Value], event: &str) -> &'l Value {
    log.iter().find(|line| line["event"] == event).unwrap()
}

fn count(log: &[Value], event: &str) -> usize {
    log.iter().filter(|line| line["event"] == event).count()
}

/// Limit of each wait.
const GENEROUS: Duration = Duration::from_secs(60);

/// A delay after which no test is still running: only a stop exports.
const NEVER: (&str, &str) = ("OTEL_BSP_SCHEDULE_DELAY", "600000");

const SOON: (&str, &str) = ("OTEL_BSP_SCHEDULE_DELAY", "10");

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

#[test]
fn each_sampled_request_is_a_span_with_the_trace_of_its_log_line() {
    let collector = Collector::start(Reply::Ok);
    let traced = Traced::start(&collector.endpoint, 3, &[], &[NEVER]);
    let (base_url, token) = (&traced.served.base_url, &traced.served.token);
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
    let size = first.body.len().to_string();
    let log = traced.stop();
    let (spans, bytes) = collector.received();
    let mut found = BTreeMap::new();
    for span in &spans {
        let attributes = attributes(&span.attributes);
        let line = log.iter().find(|line| line["request_id"] == *attributes["gateway.request.id"]);
        let trace = u128::from_be_bytes(span.trace_id.clone().try_into().unwrap());
        let trace = format!("{trace:032x}");
        assert_eq!(line.unwrap()["trace_id"], *trace, "{span:?}");
        assert_eq!(span.kind(), SpanKind::Server);
        assert!(span.start_time_unix_nano < span.end_time_unix_nano);
        assert_eq!(span.status.as_ref().unwrap().code(), StatusCode::Unset);
        assert_eq!(attributes["url.scheme"], "http");
        assert_eq!(attributes["client.address"], "127.0.0.1");
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
        assert_eq!(attributes.get("url.path").is_some(), id != "path");
    }
    let (child, _, attributes) = &found["child"];
    assert_eq!(child.parent_span_id, [0, 0xf0, 0x67, 0xaa, 0x0b, 0xa9, 0x02, 0xb7]);
    assert_eq!(child.trace_state, "a=b");
    assert_eq!(attributes["gateway.operation"], "credits/get");
    assert_eq!(attributes["gateway.account.id"], "1");
    assert_eq!(attributes["url.path"], "/c/oauth/v1");
    assert_eq!(found["list"].2["http.response.body.size"], size);
    assert_eq!(found["wrong"].2["gateway.problem"], "token-invalid");
    assert_eq!(found["verb"].2["http.request.method"], "_OTHER");
    assert_eq!(found["second"].2["network.protocol.version"], "2");
    let unsampled = log.iter().find(|line| line["request_id"] == "unsampled").unwrap();
    assert_eq!(unsampled["trace_id"], TRACE);
    let text = String::from_utf8_lossy(&bytes).to_ascii_lowercase();
    assert!(!text.contains("canary") && !text.contains(&token.to_ascii_lowercase()), "{text}");
}

#[test]
fn a_cut_response_is_an_error_and_a_client_that_leaves_is_not() {
    let collector = Collector::start(Reply::Ok);
    let flags = ["--drain-timeout", "0"];
    let traced = Traced::start(&collector.endpoint, 40_000, &flags, &[NEVER]);
    drop(traced.begin_list());
    traced.served.ops.wait_for("gateway_requests_in_flight 0");
    let unread = traced.begin_list();
    drop(traced.stop());
    drop(unread);
    let (spans, _bytes) = collector.received();
    let ends = spans.iter().map(|span| {
        let attributes = attributes(&span.attributes);
        let error = attributes.get("error.type").cloned().unwrap_or_default();
        (attributes["gateway.response.end"].clone(), error, span.status.clone().unwrap().code())
    });
    let ends: Vec<_> = ends.collect();
    let expected =
        [("client_gone", "", StatusCode::Unset), ("drained", "drained", StatusCode::Error)];
    assert_eq!(ends, expected.map(|(end, error, code)| (end.into(), error.into(), code)));
}

#[test]
fn spans_are_exported_over_https_to_a_trusted_collector_only() {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let collector = Collector::start_tls(made.cert.der().clone(), key);
    let directory = tempfile::tempdir().unwrap();
    let roots = directory.path().join("roots.pem").to_str().unwrap().to_owned();
    std::fs::write(&roots, made.cert.pem()).unwrap();
    let trusted = Traced::start(&collector.endpoint, 3, &[], &[NEVER, ("SSL_CERT_FILE", &roots)]);
    assert_eq!(trusted.get("method=credits/get"), 200);
    drop(trusted.stop());
    assert_eq!(collector.received().0.len(), 1);

    let other = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    std::fs::write(&roots, other.cert.pem()).unwrap();
    let wary = Traced::start(&collector.endpoint, 3, &[], &[NEVER, ("SSL_CERT_FILE", &roots)]);
    assert_eq!(wary.get("method=credits/get"), 200);
    let log = wary.stop();
    let failed = event(&log, "span_export_failed");
    assert!(failed["cause"].as_str().unwrap().contains("certificate"), "{failed}");
    assert!(collector.received().0.is_empty());
}

#[test]
fn a_collector_that_fails_is_logged_once_until_it_works_again() {
    let collector = Collector::start(Reply::Unavailable);
    let traced = Traced::start(&collector.endpoint, 3, &[], &[SOON]);
    assert_eq!(traced.get("method=credits/get"), 200);
    for _ in 0..2 {
        collector.wait();
    }
    *collector.reply.lock().unwrap() = Reply::Ok;
    assert_eq!(traced.get("method=credits/get"), 200);
    let log = traced.stop();
    let failed = event(&log, "span_export_failed");
    assert!(failed["cause"].as_str().unwrap().contains("503"), "{failed}");
    assert_eq!(count(&log, "span_export_failed"), 1, "{log:?}");
    assert_eq!(count(&log, "span_export_recovered"), 1, "{log:?}");
}

#[test]
fn a_collector_that_hangs_delays_no_response_and_no_stop() {
    let collector = Collector::start(Reply::Never);
    // The timeout is longer than the test: only the limit of the stop ends the export.
    let timeout = ("OTEL_EXPORTER_OTLP_TIMEOUT", "600000");
    let variables = [SOON, timeout, ("OTEL_BSP_MAX_QUEUE_SIZE", "4")];
    let traced = Traced::start(&collector.endpoint, 3, &[], &variables);
    for _ in 0..20 {
        assert_eq!(traced.get("method=credits/get"), 200);
    }
    collector.wait();
    let stopped = Instant::now();
    traced.stop();
    assert!(stopped.elapsed() < GENEROUS);
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
    assert!(text.contains("OTEL_EXPORTER_OTLP_ENDPOINT cannot be used"), "{text}");
    assert!(!text.contains("hunter2"), "{text}");
}
