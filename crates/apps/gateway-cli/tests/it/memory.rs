//! Memory use does not depend on the length of a response.

use std::fs;
use std::process::Stdio;
use std::sync::{Mutex, mpsc};
use std::time::Duration;

use gateway_testkit::raw_server::{Connection, Next, RawServer};

use crate::process::Process;
use crate::run::Person;

/// Maximum memory of the program, in KiB. Most of it is the code of the debug build.
const LIMIT: u64 = 40 << 10;

/// Length of a record in the response, in bytes.
const RECORD: usize = 4 << 10;

/// Number of records: the response is 40 MiB long.
const RECORDS: usize = 10 << 10;

#[test]
fn memory_does_not_grow_with_the_response() {
    let (started, process) = mpsc::channel();
    let (ended, peak) = mpsc::channel();
    let process = Mutex::new(process);
    let server = RawServer::start(move |_request, connection: &mut Connection| {
        let head = r#"{"status":"success","result":[{"id":"1"}"#;
        let mut record = r#",{"id":"2","comment":""#.to_owned();
        record.push_str(&"x".repeat(RECORD - record.len() - 2));
        record.push_str("\"}");
        let block = record.repeat(64);
        let length = head.len() + RECORDS * RECORD + 2;
        let status = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
        connection.send(format!("{status}content-length: {length}\r\n\r\n{head}").as_bytes());
        for _ in 0..RECORDS / 64 {
            connection.send(block.as_bytes());
        }
        // The program is still running, because the response is incomplete.
        let process: u32 = process.lock().unwrap().recv_timeout(Duration::from_secs(60)).unwrap();
        ended.send(memory_of(process)).unwrap();
        connection.send(b"]}");
        Next::Close
    })
    .unwrap();
    let person = Person::of_service(&server.uri(""));
    for (line, kept) in [
        ("candidates list -o ndjson", false),
        ("candidates list -o json", false),
        ("candidates list -o csv", false),
        ("candidates list -o table", false),
        ("candidates list -o raw", false),
        ("api candidates/list", false),
        // As documented. It also shows that the measurement notices growth.
        ("candidates list -o ndjson --sort id", true),
    ] {
        let args: Vec<&str> = line.split(' ').collect();
        let mut command = person.command(&args);
        command.stdout(Stdio::null());
        let program = Process::start(command);
        started.send(program.child().id()).unwrap();
        assert!(program.wait().success(), "{line}");
        let peak = peak.try_recv().unwrap();
        assert_eq!(peak > LIMIT, kept, "{line}: {peak} KiB");
    }
}

/// Returns the peak memory of a process, in KiB.
fn memory_of(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}
