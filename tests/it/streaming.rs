//! Lists of 1,000,000 records: records arrive while the list is being sent, in constant memory, and truncation is an
//! error.

use std::process::Command;
use std::time::Duration;
use std::{env, fs, io};

use gateway_client::model::{Candidate, ListCandidates, ListVacancies, RawQuery};
use gateway_client::{Entry, Error, ErrorKind};
use gateway_testkit::raw_server::{Next, RawServer};

use crate::support::{Driver, PATIENCE, RUNTIME, TOKEN, within};

#[test]
fn a_million_records_are_streamed_in_constant_memory() {
    let record = |number| format!(r#"{{"id":"{number}","email":"bjorn.sample@example.com"}},"#);
    let block: String = (0..1_000).map(record).collect();
    let server = RawServer::start(move |request, connection| {
        if request.target().contains("vacancies") {
            connection.respond("content-type: application/json\r\n", b"[]");
            return Next::KeepAlive;
        }
        let last = r#"{"id":"last"}]}"#;
        let length = LIST.len() + block.len() * RECORDS / 1_000 + last.len();
        connection.send((head(length) + LIST).as_bytes());
        connection.flood(block.as_bytes(), block.len() * RECORDS / 1_000);
        connection.send(last.as_bytes());
        Next::Close
    })
    .unwrap();
    let base_url = server.uri("");
    let [first, second] = Driver::both(&base_url, TOKEN);
    for (mode, driver) in [("async", first), ("blocking", second)] {
        let before = server.progress().written;
        // Memory is measured in a child process, without the server. A child that runs too long loses the server and
        // ends.
        let mut child = Command::new(env::current_exe().unwrap());
        child.args(["streaming::reader", "--exact", "--ignored", "--nocapture"]);
        child.env(BASE_URL, &base_url).env(MODE, mode);
        let child = within(LIMIT, move || child.output().unwrap());
        let [stdout, stderr] = [child.stdout, child.stderr].map(String::from_utf8);
        let stdout = stdout.unwrap();
        assert!(child.status.success(), "{mode}: {stdout}{}", stderr.unwrap());
        let growth: u64 = stdout
            .lines()
            .find_map(|line| line.split_once("KiB of growth: "))
            .and_then(|(_, figure)| figure.trim().parse().ok())
            .unwrap();
        println!("{mode}: {RECORDS} candidates, peak memory grew by {growth} KiB");
        assert!(growth < 16 * 1024, "{mode}: peak memory grew by {growth} KiB");

        // After the first record the client reads no more: the bytes sent by then are in the buffers of the sockets.
        let whole = server.progress().written - before;
        let mut records = listed(&driver);
        let before = server.progress().written;
        assert_eq!(records.next().unwrap().unwrap().id.as_str(), "0");
        let sent = server.progress().written - before;
        assert!(sent < whole / 2, "{mode}: {sent} of {whole} bytes before the first record");
        // Blocking records may also be dropped inside a runtime.
        RUNTIME.block_on(async { drop(records) });
        assert!(server.wait_until(PATIENCE, |seen| seen.ended == seen.connections), "{mode}");
    }
}

/// The part of the test above that runs in a child process.
#[test]
#[ignore = "runs in a child process, started by another test"]
fn reader() {
    let Ok(base_url) = env::var(BASE_URL) else { return };
    let [first, second] = Driver::both(&base_url, TOKEN);
    let driver = if env::var(MODE).unwrap() == "async" { first } else { second };
    // The first call makes the one-time allocations, such as the threads of a runtime.
    driver.send(&ListVacancies::new()).unwrap();
    let before = memory("VmRSS:");
    assert_eq!(listed(&driver).map(Result::unwrap).count(), RECORDS + 1);
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
        let [first, second] = Driver::both(&server.uri(""), TOKEN);
        let Driver::Blocking(client) = &second else { panic!("the second driver is blocking") };
        let mut answer = client.stream_raw(&method).unwrap();
        let copied = io::copy(&mut answer, &mut io::sink()).unwrap_err();
        let errors = [&first, &second].map(|driver| driver.stream_raw(&method).unwrap_err());
        for error in errors.into_iter().chain([copied.downcast::<Error>().unwrap()]) {
            assert_eq!((error.kind(), error.delivered()), (ErrorKind::Interrupted, None));
            assert_eq!(error.to_string(), "the response is incomplete after 1000000 bytes");
        }
    });
}

/// Streams candidates, none of which may be rejected.
fn listed(driver: &Driver) -> impl Iterator<Item = Result<Candidate, Error>> + use<> {
    let records = driver.stream(&ListCandidates::new()).unwrap();
    records.map(|entry| match entry? {
        Entry::Record(candidate) => Ok(candidate),
        Entry::Rejected(one) => panic!("{one:?}"),
    })
}

fn head(length: usize) -> String {
    format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n")
}

/// Returns a memory figure of this process, in KiB.
fn memory(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim().trim_end_matches(" kB").trim().parse().unwrap()
}

/// The start of a list.
const LIST: &str = r#"{"status":"success","result":["#;

const RECORDS: usize = 1_000_000;

/// Maximum time of a call: the longest reads all records.
const LIMIT: Duration = Duration::from_secs(120);

const BASE_URL: &str = "GATEWAY_TEST_BASE_URL";
const MODE: &str = "GATEWAY_TEST_MODE";
