//! Behaviour specific to the ureq adapter.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use gateway_transport::ureq::UreqTransport;
use gateway_transport::{
    BlockingTransport, Deadline, ErrorKind, Options, Phase, Proxy, Request, Sent,
};
use methodical_testkit::raw_server::{Next, RawServer};
use tracing_subscriber::filter::dynamic_filter_fn;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{Layer as _, fmt};

/// The options may contain the password of a proxy.
#[test]
fn a_transport_has_a_name_and_prints_no_option() {
    let transport = direct();
    assert_eq!((transport.name(), format!("{transport:?}").as_str()), ("ureq", "UreqTransport"));
}

#[test]
fn a_reset_does_not_end_a_body_without_a_length() {
    let server = RawServer::start(|_, connection| {
        connection.send(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nhello");
        // Wait until the client has read this far: a reset discards data that has not been read.
        connection.wait_for_scripts(2, Duration::from_secs(20));
        Next::Reset
    })
    .unwrap();
    let transport = direct();
    let body = transport.send(get(&server.uri("/"))).unwrap().into_body();
    let company = transport.send(get(&server.uri("/company")));
    let error = body.collect(100).unwrap_err();
    drop(company);
    assert_eq!((error.kind(), error.phase()), (ErrorKind::Interrupted, Phase::Body));
}

#[test]
fn names_are_looked_up_with_and_without_a_deadline() {
    let server = RawServer::start(|_, connection| {
        connection.respond("", b"hello");
        Next::Close
    })
    .unwrap();
    let named = server.uri_by_name("/");
    for target in [server.uri("/"), named, "http://no-such-host.invalid/".to_owned()] {
        let mut with_deadline = get(&target);
        with_deadline.extensions_mut().insert(Deadline::after(Duration::from_secs(20)));
        for request in [get(&target), with_deadline] {
            let body = direct().send(request).and_then(|response| response.into_body().collect(9));
            match body {
                Ok(body) => assert_eq!(body, "hello"),
                Err(error) => {
                    let actual = (error.kind(), error.phase(), error.sent());
                    assert_eq!(actual, (ErrorKind::Resolve, Phase::Connect, Sent::No));
                    assert!(target.ends_with(".invalid/"), "{target}: {error:?}");
                }
            }
        }
    }
}

#[test]
fn only_one_target_of_ureq_logs_the_query() {
    let server = RawServer::start(|_, connection| {
        connection.respond("", b"hello");
        Next::Close
    })
    .unwrap();
    let target = server.uri("/?name=canaryperson");
    let log = Log::default();
    let (writer, excludes_run) = (log.clone(), Arc::new(AtomicBool::new(true)));
    let layer = fmt::layer().with_ansi(false).with_writer(move || writer.clone());
    let excludes = Arc::clone(&excludes_run);
    let filter = dynamic_filter_fn(move |metadata, _| match metadata.target() {
        "ureq_proto::util" => false,
        "ureq::run" => !excludes.load(Ordering::Relaxed),
        _ => true,
    });
    // Global, as in a program: a logger of one thread is not asked while it writes, which hides the query.
    tracing_subscriber::registry().with(layer.with_filter(filter)).init();
    let find_query = || {
        direct().send(get(&target)).unwrap();
        let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
        text.lines().find(|line| line.contains("canaryperson")).map(str::to_owned)
    };
    // As the documentation of `UreqTransport` recommends.
    assert_eq!(find_query(), None);
    // If this fails, ureq masks more than it did: update the documentation.
    excludes_run.store(false, Ordering::Relaxed);
    let line = find_query().unwrap();
    assert!(line.contains("DEBUG ureq::run: GET http://"), "{line}");
}

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn direct() -> UreqTransport {
    UreqTransport::new(&Options::default().proxy(Proxy::Never)).unwrap()
}

fn get(target: &str) -> Request {
    http::Request::get(target).body("".into()).unwrap()
}
