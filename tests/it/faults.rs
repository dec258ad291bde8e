//! Faults of peers, byte by byte, over two transports. Each call ends within its time limit with a typed error, retries
//! only where that can help, and never puts the token or personal data into any output. The snapshot has one outcome for
//! each fault, or one for each transport where the transports differ.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, Instant};
use std::{panic, thread};

use gateway_client::transport::Proxy;
use gateway_testkit::raw_server::{Next, RawServer};

use self::answers::{answers, streams};
use self::case::{Case, Group, Peer};
use self::client::{DIRECT, Over, Transports};
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
        let rows = Rows::of(&groups);
        let head = format!("{:<WIDTH$} attempts, connections, requests, outcome", "fault");
        let mut lines = vec![head];
        for group in &groups {
            lines.extend([String::new(), format!("# {}", group.name)]);
            lines.extend(group.cases.iter().map(|case| rows.line(case)));
        }
        lines
    });
    assert_eq!(
        panics.load(Ordering::Relaxed),
        0,
        "panics on all threads, those of other failed tests included"
    );
    assert_eq!(ELSEWHERE.progress().connections, 0, "a redirect was followed");
    insta::assert_snapshot!(lines.join("\n"));
}

/// The outcome of each case over each transport.
struct Rows<'a>(Vec<(&'a Case, Over, String)>);

impl<'a> Rows<'a> {
    fn of(groups: &'a [Group]) -> Self {
        let cases = groups.iter().flat_map(|group| &group.cases);
        let tasks = cases.flat_map(|case| Over::ALL.map(|over| (case, over)));
        let (busy, idle): (Vec<_>, Vec<_>) = tasks.partition(|(case, _)| case.is_busy);
        // Most idle cases wait for a time limit; busy ones at the same time would delay them.
        let mut rows = Self::with_threads(16, &idle);
        rows.extend(Self::with_threads(3, &busy));
        Self(rows)
    }

    fn with_threads(count: usize, tasks: &[(&'a Case, Over)]) -> Vec<(&'a Case, Over, String)> {
        let next = AtomicUsize::new(0);
        let rows = Mutex::new(Vec::new());
        thread::scope(|scope| {
            for _ in 0..count {
                scope.spawn(|| {
                    while let Some((case, over)) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let row = in_time(case, *over);
                        rows.lock().unwrap().push((*case, *over, row));
                    }
                });
            }
        });
        rows.into_inner().unwrap()
    }

    /// Returns the line of a case: one outcome if all transports agree, otherwise one for each transport.
    fn line(&self, case: &Case) -> String {
        let rows = Over::ALL.map(|over| {
            let matches = |row: &&(&Case, Over, String)| std::ptr::eq(row.0, case) && row.1 == over;
            &self.0.iter().find(matches).unwrap().2
        });
        let what = if rows.iter().all(|row| *row == rows[0]) {
            rows[0].clone()
        } else {
            let each = Over::ALL.iter().zip(rows);
            each.map(|(over, row)| format!("{over:?}: {row}")).collect::<Vec<_>>().join("; ")
        };
        format!("{:<WIDTH$} {what}", case.name)
    }
}

/// Returns the outcome of a case, and fails if every try exceeds its time limit. On a busy machine some tries are late; a
/// client that ignores its limit is late in every try.
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
            "{name}, {over:?}: the limit is {limit:?}, the calls took {late:?}"
        );
    }
}

/// Returns the outcome of a case, and how long the call took.
fn run(case: &Case, over: Over) -> (String, Duration) {
    let peer = Running::start(&case.peer);
    let behind;
    let transports = match &case.peer {
        Peer::Proxy(..) | Peer::NoProxy => {
            let proxy = Proxy::server(&format!("http://{}", peer.address()));
            behind = Transports::new(proxy.unwrap());
            &behind
        }
        _ => &*DIRECT,
    };
    let outputs = Outputs::default();
    let client = transports.client(over, &base_url(case, &peer), case.limit, &outputs);
    let begun = Instant::now();
    let outcome = with_subscriber(outputs.subscriber(), || outcome(&client, &case.ask, &outputs));
    let elapsed = begun.elapsed();
    outputs.check(&case.name);
    let (attempts, (connections, requests)) = (outputs.attempts(), peer.seen());
    (format!("{attempts} {connections} {requests}  {outcome}"), elapsed)
}

fn base_url(case: &Case, peer: &Running) -> String {
    let address = peer.address();
    match &case.peer {
        // A label of 64 bytes is invalid, so no name server is queried.
        Peer::Unknown => format!("http://{}.invalid", "x".repeat(64)),
        Peer::Proxy(scheme, _) => format!("{scheme}://gateway.invalid"),
        Peer::NoProxy => "http://gateway.invalid".to_owned(),
        _ => format!("http://{address}"),
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
