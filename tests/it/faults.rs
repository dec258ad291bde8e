//! What the client makes of servers that break, byte by byte, over four transports: the same typed error, in time, and
//! never with the token or a person in it. What may be gone the next time is asked for twice, everything else once.

use std::error::Error as _;
use std::fmt::Write as _;
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::{Duration, Instant};

use gateway_client::model::ListCandidates;
use gateway_client::transport::bridge::OffThread;
use gateway_client::transport::reqwest::ReqwestTransport;
use gateway_client::transport::reqwest_blocking::ReqwestBlockingTransport;
use gateway_client::transport::ureq::UreqTransport;
use gateway_client::transport::{Options, Proxy};
use gateway_client::{AccessToken, Client, Error, ErrorKind, RetryPolicy, blocking};
use gateway_testkit::raw_server::{Next, RawServer};

use self::cases::{Case, End, cases};
use crate::support::Driver;

mod cases;

#[test]
fn every_fault_has_its_kind() {
    let cases = cases();
    let mut lines: Vec<String> = Vec::new();
    // Most of the time is spent in waiting for a limit to pass.
    for chunk in cases.chunks(16) {
        thread::scope(|scope| {
            let mut threads = Vec::new();
            threads.extend(chunk.iter().map(|case| scope.spawn(|| line(case))));
            lines.extend(threads.into_iter().map(|thread| thread.join().unwrap()));
        });
    }
    let head = format!("{:<46} connections, outcome", "fault");
    insta::assert_snapshot!([vec![head], lines].concat().join("\n"));
}

/// What became of a case: one outcome if all transports agree, else one for each.
fn line(case: &Case) -> String {
    let outcomes = TRANSPORTS.map(|name| (name, in_time(case, name)));
    let mut line = format!("{:<46} {}  ", case.name, case.connections);
    let [(_, first), rest @ ..] = &outcomes;
    if rest.iter().all(|(_, outcome)| outcome == first) {
        line.push_str(first);
    } else {
        for (name, outcome) in &outcomes {
            write!(line, "{name}: {outcome}  ").unwrap();
        }
    }
    line.trim_end().to_owned()
}

/// What became of a case over a transport, and that it was in time: a busy machine is late now and then, and a client
/// that does not keep its limit is late every time.
fn in_time(case: &Case, transport: &str) -> String {
    let mut late = Vec::new();
    loop {
        let (outcome, elapsed) = outcome(case, transport);
        if elapsed <= LIMIT + LIMIT / 10 {
            return outcome;
        }
        late.push(elapsed);
        let name = &case.name;
        assert!(late.len() < TRIES, "{name}, {transport}: may take {LIMIT:?}, took {late:?}");
    }
}

/// What became of a case over a transport, and how long it took.
fn outcome(case: &Case, transport: &str) -> (String, Duration) {
    let (bytes, end) = (case.bytes.clone(), case.end);
    let server = RawServer::start(move |_request, connection| {
        connection.send(&bytes);
        match end {
            End::Close => Next::Close,
            End::Reset => Next::Reset,
            End::Hang => {
                connection.wait_for_close(Duration::from_secs(3));
                Next::Close
            }
        }
    })
    .unwrap();
    let driver = driver(transport, &server.uri(""));
    let begun = Instant::now();
    let result = driver.candidates(&ListCandidates::new());
    let elapsed = begun.elapsed();
    let progress = server.progress();
    assert_eq!(progress.connections, case.connections, "{}, {transport}: connections", case.name);
    assert_eq!(progress.requests.len(), case.connections, "{}, {transport}: requests", case.name);
    let outcome = match result {
        Ok(listing) if listing.rejected.is_empty() => {
            format!("ok, {} records", listing.items.len())
        }
        Ok(listing) => {
            let kinds: Vec<_> = listing
                .rejected
                .iter()
                .map(|one| {
                    assert_silent(case, &format!("{one:?} {:?} {}", one.error(), one.error()));
                    format!("{:?} at {}", one.error().kind(), one.error().path())
                })
                .collect();
            format!("ok, {} records, rejected: {}", listing.items.len(), kinds.join(", "))
        }
        Err(error) => {
            assert_silent(case, &everything(&error));
            shown(&error)
        }
    };
    (outcome, elapsed)
}

/// The kind, with what the model says if that is where it comes from.
fn shown(error: &Error) -> String {
    let mut shown = format!("{:?}", error.kind());
    if let Some(status) = error.status()
        && !matches!(error.kind(), ErrorKind::Decode | ErrorKind::NotSuccess)
    {
        write!(shown, " {}", status.as_u16()).unwrap();
    }
    if let Some(source) =
        error.source().and_then(|one| one.downcast_ref::<gateway_client::model::Error>())
    {
        write!(shown, ": {source}").unwrap();
    }
    shown
}

/// Everything that an error can put into a log.
fn everything(error: &Error) -> String {
    let mut text = format!("{error} {error:?} {error:#?}");
    let mut source = error.source();
    while let Some(cause) = source {
        write!(text, " {cause} {cause:?}").unwrap();
        source = cause.source();
    }
    text
}

fn assert_silent(case: &Case, text: &str) {
    assert!(!text.contains("CANARY"), "{}: {text}", case.name);
}

/// The four transports, made once: each reads the certificates of the system.
struct Transports {
    reqwest: ReqwestTransport,
    reqwest_blocking: Arc<ReqwestBlockingTransport>,
    ureq: Arc<UreqTransport>,
    off_thread: Arc<OffThread<UreqTransport>>,
}

static ALL: LazyLock<Transports> = LazyLock::new(|| {
    let options = Options::default().proxy(Proxy::Never);
    Transports {
        reqwest: ReqwestTransport::new(&options).unwrap(),
        reqwest_blocking: Arc::new(ReqwestBlockingTransport::new(&options).unwrap()),
        ureq: Arc::new(UreqTransport::new(&options).unwrap()),
        off_thread: Arc::new(OffThread::new(UreqTransport::new(&options).unwrap())),
    }
});

fn driver(transport: &str, base_url: &str) -> Driver {
    let token = AccessToken::new("gwt_CANARY").unwrap();
    let retry = RetryPolicy::default().max_attempts(2).base_delay(Duration::ZERO);
    let asynchronous = Client::builder(base_url).token(token.clone()).retry(retry.clone());
    let block = blocking::Client::builder(base_url).token(token).retry(retry);
    let asynchronous = match transport {
        "reqwest" => asynchronous.transport(ALL.reqwest.clone()),
        "off-thread" => asynchronous.transport(Arc::clone(&ALL.off_thread)),
        _ => {
            let block = match transport {
                "ureq" => block.transport(Arc::clone(&ALL.ureq)),
                _ => block.transport(Arc::clone(&ALL.reqwest_blocking)),
            };
            return Driver::Blocking(block.call_timeout(LIMIT).build().unwrap());
        }
    };
    Driver::Async(asynchronous.call_timeout(LIMIT).build().unwrap())
}

const TRANSPORTS: [&str; 4] = ["reqwest", "reqwest-blocking", "ureq", "off-thread"];

/// How long a call may take.
const LIMIT: Duration = Duration::from_millis(600);

/// How often a call may be late by more than a tenth.
const TRIES: usize = 5;
