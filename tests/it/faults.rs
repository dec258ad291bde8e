//! Faults of peers, byte by byte, over two transports. Each call ends within its time limit with a typed error, retries
//! only where that can help, and never puts the token or personal data into any output. The snapshot has one outcome
//! for each fault, or one for each transport where the transports differ.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, Instant};
use std::{io, panic, thread};

use gateway_client::transport::Proxy;
use gateway_testkit::raw_server::{Next, RawServer};

use self::answers::{answers, streams};
use self::case::{Case, LIST, Peer, answer};
use self::client::{DIRECT, OVER, Over, Transports};
use self::outcome::outcome;
use self::peer::Running;
use self::wire::{connection, framing, proxies};
use crate::outputs::Outputs;
use crate::support::{with_subscriber, within};

mod answers;
mod case;
mod client;
mod outcome;
mod peer;
mod wire;

#[test]
fn every_fault_has_its_typed_outcome() {
    let panics = count_panics();
    let groups = [connection(), framing(), answers(), streams(), proxies()];
    let lines = within(Duration::from_secs(900), move || {
        let outcomes = outcomes(groups.iter().flat_map(|group| &group.cases));
        let head = format!("{:<WIDTH$} attempts, connections, requests, outcome", "fault");
        let mut lines = vec![head];
        for group in &groups {
            lines.extend([String::new(), format!("# {}", group.name)]);
            let names = group.cases.iter().map(|case| &*case.name);
            lines.extend(names.map(|name| format!("{name:<WIDTH$} {}", outcomes[name])));
        }
        lines
    });
    assert_eq!(
        panics.load(Ordering::Relaxed),
        0,
        "panics on all threads, including those of other failed tests"
    );
    assert_eq!(ELSEWHERE.progress().connections, 0, "a redirect was followed");
    insta::assert_snapshot!(lines.join("\n"));
}

/// A client may use or refuse such a response, so the table has no line for it.
#[test]
fn a_response_before_its_request_is_used_or_refused() {
    for (over, pick) in OVER {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let base_url = format!("http://{}", listener.local_addr().unwrap());
        thread::spawn(move || {
            for mut stream in listener.incoming().map_while(Result::ok) {
                // A client that refuses an early response closes the connection while it is sent.
                let _written = stream.write_all(&answer(LIST));
                let _read = io::copy(&mut stream, &mut io::sink());
            }
        });
        let (outputs, limit) = (Outputs::default(), Duration::from_secs(20));
        let client = pick(DIRECT.clients(&base_url, limit, &outputs));
        let outcome = with_subscriber(outputs.subscriber(), || outcome(&client, false, &outputs));
        outputs.check("early response");
        assert!(["ok, 2 records", "Transport"].contains(&&*outcome), "{over}: {outcome}");
    }
}

/// Returns the outcome of each case by its name.
fn outcomes<'a>(cases: impl Iterator<Item = &'a Case>) -> BTreeMap<&'a str, String> {
    let (busy, idle): (Vec<_>, Vec<_>) = cases.partition(|case| case.is_busy);
    let outcomes = Mutex::new(BTreeMap::new());
    // Most idle cases wait for a time limit; concurrent busy ones would delay them.
    for (threads, cases) in [(16, idle), (3, busy)] {
        let next = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let outcome = over_both(case);
                        outcomes.lock().unwrap().insert(&*case.name, outcome);
                    }
                });
            }
        });
    }
    outcomes.into_inner().unwrap()
}

/// Returns one outcome if both transports agree, otherwise one for each.
fn over_both(case: &Case) -> String {
    let rows = OVER.map(|over| (over.0, in_time(case, over)));
    let [(_, first), (_, second)] = &rows;
    if first == second {
        return first.clone();
    }
    rows.map(|(over, row)| format!("{over}: {row}")).join("; ")
}

/// Returns the outcome of a case, and fails if every try exceeds its time limit. On a busy machine some tries are late;
/// a client that ignores its limit is late in every try.
fn in_time(case: &Case, over: Over) -> String {
    let mut late = Vec::new();
    loop {
        let (row, elapsed) = run(case, over);
        let limit = case.limit;
        if elapsed <= limit + limit / 10 {
            return row;
        }
        late.push(elapsed);
        let name = &case.name;
        assert!(
            late.len() < TRIES,
            "{name}, {}: the limit is {limit:?}, the calls took {late:?}",
            over.0
        );
    }
}

/// Returns the outcome of a case, and how long the call took.
fn run(case: &Case, (_, pick): Over) -> (String, Duration) {
    let peer = Running::start(&case.peer);
    let behind;
    let transports = match case.proxy_of {
        Some(_) => {
            let proxy = Proxy::server(&format!("http://{}", peer.address()));
            behind = Transports::new(proxy.unwrap());
            &behind
        }
        None => &*DIRECT,
    };
    let outputs = Outputs::default();
    let client = pick(transports.clients(&base_url(case, &peer), case.limit, &outputs));
    let begun = Instant::now();
    let outcome =
        with_subscriber(outputs.subscriber(), || outcome(&client, case.is_streamed, &outputs));
    let elapsed = begun.elapsed();
    outputs.check(&case.name);
    let (attempts, (connections, requests)) = (outputs.attempts(), peer.seen());
    (format!("{attempts} {connections} {requests}  {outcome}"), elapsed)
}

fn base_url(case: &Case, peer: &Running) -> String {
    match (case.proxy_of, &case.peer) {
        (Some(scheme), _) => format!("{scheme}://gateway.invalid"),
        // A label of 64 bytes is invalid, so no name server is queried.
        (None, Peer::Unknown) => format!("http://{}.invalid", "x".repeat(64)),
        (None, Peer::Server(_) | Peer::Nobody) => format!("http://{}", peer.address()),
    }
}

/// Counts the panics from now on, on all threads.
fn count_panics() -> Arc<AtomicUsize> {
    let count = Arc::new(AtomicUsize::new(0));
    let (counter, previous) = (Arc::clone(&count), panic::take_hook());
    panic::set_hook(Box::new(move |panic| {
        counter.fetch_add(1, Ordering::Relaxed);
        previous(panic);
    }));
    count
}

/// The target of the redirects. No client may connect to it.
static ELSEWHERE: LazyLock<RawServer> =
    LazyLock::new(|| RawServer::start(|_, _| Next::Close).unwrap());

/// How many tries of a call may exceed its limit by more than a tenth before the test fails.
const TRIES: usize = 5;

const WIDTH: usize = 58;
