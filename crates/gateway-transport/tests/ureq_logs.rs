//! The log of ureq, which shows the query in one target. A process has one logger, so this test has its own.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use gateway_transport::ureq::UreqTransport;
use gateway_transport::{BlockingTransport, Options, Proxy};
use methodical_testkit::raw_server::{Next, RawServer};
use tracing_subscriber::filter::dynamic_filter_fn;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{Layer as _, fmt};

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
        let transport = UreqTransport::new(&Options::default().proxy(Proxy::Never)).unwrap();
        transport.send(http::Request::get(&target).body("".into()).unwrap()).unwrap();
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
