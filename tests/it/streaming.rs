//! Lists of 1,000,000 records: records arrive while the list is being sent, in constant memory, and truncation is an
//! error.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;
use std::{env, fs, io};

use gateway_client::model::{Candidate, ListCandidates, ListVacancies, RawQuery};
use gateway_client::{Client, Entry, Error, ErrorKind, blocking};
use gateway_server::{CandidateRow, Place, PortalRow, Stage};
use gateway_testkit::raw_server::{Next, RawServer};

use self::relay::Relay;
use crate::support::{
    Driver, PATIENCE, RUNTIME, TOKEN, run_in_child, serve_records, token, within,
};

mod relay;

#[test]
fn a_million_records_are_streamed_in_constant_memory() {
    let directory = tempfile::tempdir().unwrap();
    let (server, token) = serve_records(directory.path(), &mut fill);
    let relay = Relay::to(server.address());
    let base_url = relay.base_url();
    let [first, second] = Driver::both(&base_url, token.reveal());
    for (mode, driver) in [("async", first), ("blocking", second)] {
        let before = relay.returned();
        // Memory is measured in a child process, without the server.
        let variables = [(BASE_URL, &*base_url), (BEARER, token.reveal()), (MODE, mode)];
        let child = run_in_child("streaming::reader", &variables);
        let stdout = String::from_utf8_lossy(&child.stdout);
        assert!(
            child.status.success(),
            "{mode}: {stdout}{}",
            String::from_utf8_lossy(&child.stderr)
        );
        let growth: u64 = stdout
            .lines()
            .find_map(|line| line.split_once("KiB of growth: "))
            .and_then(|(_, figure)| figure.trim().parse().ok())
            .unwrap();
        println!("{mode}: {CANDIDATES} candidates, peak memory grew by {growth} KiB");
        assert!(growth < 16 * 1024, "{mode}: peak memory grew by {growth} KiB");

        // After the first record the client reads no more: the bytes sent by then are in the buffers of the sockets.
        let whole = relay.returned() - before;
        let mut records = listed(&driver);
        let before = relay.returned();
        assert_eq!(records.next().unwrap().unwrap().id.as_str(), "1");
        let sent = relay.returned() - before;
        assert!(sent < whole / 2, "{mode}: {sent} of {whole} bytes before the first record");
    }
    RUNTIME.block_on(server.stop());
}

/// The part of the test above that runs in a child process.
#[test]
#[ignore = "runs in a child process, started by another test"]
fn reader() {
    let Ok(base_url) = env::var(BASE_URL) else { return };
    let [first, second] = Driver::both(&base_url, &env::var(BEARER).unwrap());
    let driver = if env::var(MODE).unwrap() == "async" { first } else { second };
    // The first call allocates what is allocated once, such as the threads of a runtime.
    driver.send(&ListVacancies::new()).unwrap();
    let before = memory("VmRSS:");
    assert_eq!(listed(&driver).map(Result::unwrap).count(), CANDIDATES);
    println!("KiB of growth: {}", memory("VmHWM:").saturating_sub(before));
}

#[test]
fn a_truncated_body_reports_the_received_bytes() {
    within(LIMIT, || {
        let server = RawServer::start(|_request, connection| {
            connection.send(head(1 << 40).as_bytes());
            for _ in 0..1_000 {
                connection.send(&[b'x'; 1_000]);
            }
            Next::Close
        })
        .unwrap();
        let method = RawQuery::new("anything/list");
        let asynchronous = async {
            let client = Client::builder(server.uri("")).token(token()).build().unwrap();
            let mut answer = client.stream_raw(&method).await.unwrap();
            loop {
                if let Err(error) = answer.chunk().await {
                    break error;
                }
            }
        };
        let client = blocking::Client::builder(server.uri("")).token(token()).build().unwrap();
        let mut answer = client.stream_raw(&method).unwrap();
        let in_pieces = loop {
            if let Err(error) = answer.chunk() {
                break error;
            }
        };
        let mut answer = client.stream_raw(&method).unwrap();
        let copied = io::copy(&mut answer, &mut io::sink()).unwrap_err();
        let copied = copied.downcast::<Error>().unwrap();
        for error in [RUNTIME.block_on(asynchronous), in_pieces, copied] {
            assert_eq!((error.kind(), error.delivered()), (ErrorKind::Interrupted, None));
            assert_eq!(error.to_string(), "the response is incomplete after 1000000 bytes");
        }
    });
}

#[test]
fn dropping_records_ends_the_exchange() {
    within(LIMIT, || {
        let [first, second] = endless();
        drop_records(first);
        drop_records(second);
        // Blocking records may be dropped inside a runtime.
        let alone = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let [_, blocking] = endless();
        alone.block_on(async { drop_records(blocking) });
        let [_, blocking] = endless();
        RUNTIME.block_on(RUNTIME.spawn(async { drop_records(blocking) })).unwrap();
    });
}

/// Returns both clients, each with the server of an endless list.
fn endless() -> [(Driver, RawServer); 2] {
    let server = || {
        let block = block_of(10_000);
        RawServer::start(move |_request, connection| {
            connection.send(head(1 << 40).as_bytes());
            connection.send(br#"{"status":"success","result":["#);
            while connection.send(block.as_bytes()) {}
            Next::Close
        })
        .unwrap()
    };
    let (first, second) = (server(), server());
    let [asynchronous, _] = Driver::both(&first.uri(""), TOKEN);
    let [_, blocking] = Driver::both(&second.uri(""), TOKEN);
    [(asynchronous, first), (blocking, second)]
}

/// Reads one record of a list, and drops the rest.
fn drop_records((driver, server): (Driver, RawServer)) {
    let mut records = listed(&driver);
    assert_eq!(records.next().unwrap().unwrap().id.as_str(), "0");
    drop(records);
    assert!(server.wait_until(PATIENCE, |seen| seen.ended == 1));
}

/// Streams candidates, none of which may be rejected.
fn listed(driver: &Driver) -> impl Iterator<Item = Result<Candidate, Error>> + use<> {
    let records = driver.stream(&ListCandidates::new()).unwrap();
    records.map(|entry| match entry? {
        Entry::Record(candidate) => Ok(candidate),
        Entry::Rejected(one) => panic!("{one:?}"),
    })
}

fn fill(stage: &mut dyn Stage) -> Result<(), gateway_server::Error> {
    for number in 1..=CANDIDATES {
        let row = CandidateRow {
            name: "Björn Sample",
            email: "bjorn.sample@example.com",
            phone: "+31 20 5550123",
            phone_mobile: "+31 6 5550 1234",
            date: "2026-11-20 10:00:00",
            portal: PortalRow { name: "Company website", ..PortalRow::new("3") },
            kind: "person",
            ..CandidateRow::new("")
        };
        let number = u64::try_from(number).unwrap();
        stage.candidate(Place { file: 0, line: number }, number.try_into().unwrap(), &row)?;
    }
    Ok(())
}

fn head(length: usize) -> String {
    format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n")
}

/// Returns this many small records, each followed by a comma.
fn block_of(count: usize) -> Arc<str> {
    let mut block = String::new();
    for number in 0..count {
        write!(block, r#"{{"id":"{number}"}},"#).unwrap();
    }
    block.into()
}

/// Returns a memory figure of this process, in KiB.
fn memory(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim().trim_end_matches(" kB").trim().parse().unwrap()
}

const CANDIDATES: usize = 1_000_000;

/// Maximum time of a test: the longest reads 600,000 records twice.
const LIMIT: Duration = Duration::from_secs(120);

const BASE_URL: &str = "GATEWAY_TEST_BASE_URL";
const BEARER: &str = "GATEWAY_TEST_BEARER";
const MODE: &str = "GATEWAY_TEST_MODE";
