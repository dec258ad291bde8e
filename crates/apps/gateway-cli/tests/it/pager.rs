//! The pager: long output on a terminal goes through it, and nothing is lost if it fails.

use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use gateway_testkit::raw_server::{Connection, Next, RawServer};
use rustix::process::Signal;

use crate::run::{LIST_HEAD, Person};
use crate::terminal::Running;

/// Returns a list without its end.
fn records(count: usize) -> Vec<u8> {
    let all: Vec<String> = (1..=count).map(|id| format!("{{\"id\":\"{id}\"}}")).collect();
    format!("[{}", all.join(",")).into_bytes()
}

fn service(count: usize) -> RawServer {
    let body = [LIST_HEAD, &records(count), b"]"].concat();
    RawServer::start(move |_, connection: &mut Connection| {
        connection.send(&body);
        Next::Close
    })
    .unwrap()
}

/// Starts a service that sends the end of a list only after a message, or after its client has gone.
fn slow_service(count: usize) -> (RawServer, impl Fn()) {
    let (go_on, wait) = sync_channel(0);
    let wait = Arc::new(Mutex::new(wait));
    let start = [LIST_HEAD, &records(count)].concat();
    let server = RawServer::start(move |_, connection: &mut Connection| {
        connection.send(&start);
        if wait.lock().unwrap().recv_timeout(Duration::from_secs(20)).is_ok() {
            connection.send(b"]");
        }
        Next::Close
    })
    .unwrap();
    (server, move || go_on.send(()).unwrap())
}

fn person(server: &RawServer) -> Person {
    Person::of_service(&server.uri("")).with("NO_COLOR", "1").with("TERM", "xterm")
}

const LIST: [&str; 2] = ["vacancies", "list"];

const MARK: &str = "sed 's/^/| /'";

#[test]
fn long_output_goes_through_the_pager() {
    let server = service(60);
    for args in [&LIST[..], &["vacancies", "list", "-o", "ndjson"]] {
        let person = person(&server).with("PAGER", MARK);
        let (status, seen) = Running::start(person.command(args)).end();
        assert_eq!(status.code(), Some(0), "{seen}");
        let is_marked = seen.lines().all(|line| line.starts_with("| "));
        assert!(seen.lines().count() >= 60 && is_marked, "{seen}");
    }
}

#[test]
fn output_is_not_paged_against_the_will() {
    let long = service(60);
    let marked = |server: &RawServer| person(server).with("PAGER", MARK);
    for (person, args) in [
        (marked(&long), &["vacancies", "list", "--no-pager"][..]),
        (marked(&long), &["vacancies", "list", "-v"]),
        (marked(&long).with("CI", "1"), &LIST),
        (person(&long).with("PAGER", ""), &LIST),
        (person(&long).with("PAGER", "cat"), &LIST),
        (marked(&long).with("TERM", "dumb"), &LIST),
    ] {
        let (status, seen) = Running::start(person.command(args)).end();
        assert_eq!(status.code(), Some(0), "{seen}");
        assert!(seen.contains("\n15\r\n") && !seen.contains('|'), "{args:?}: {seen}");
    }
}

#[test]
fn output_is_printed_if_the_pager_does_not_start() {
    let server = service(60);
    let person = person(&server).with("PAGER", "/nowhere/pager -x");
    let (status, seen) = Running::start(person.command(&LIST)).end();
    assert_eq!(status.code(), Some(0), "{seen}");
    assert!(seen.ends_with("60\r\n\r\n60 vacancies\r\n"), "{seen}");
}

#[test]
fn a_pager_that_fails_is_an_error() {
    let server = service(60);
    let person = person(&server).with("PAGER", "false");
    let (status, seen) = Running::start(person.command(&LIST)).end();
    assert_eq!(status.code(), Some(1), "{seen}");
    assert!(seen.contains("the pager failed (exit status: 1)"), "{seen}");
}

#[test]
fn a_signal_ends_the_pager_too() {
    let (server, _go_on) = slow_service(2000);
    let pager = "sh -c 'echo begun; exec cat >/dev/null'";
    let person = person(&server).with("PAGER", pager);
    let mut running = Running::start(person.command(&LIST));
    running.read_to("begun\r\n");
    running.program().signal(Signal::TERM);
    let (status, seen) = running.end();
    assert_eq!(status.code(), Some(143));
    assert!(seen.ends_with("warning: terminated\r\n"), "{seen}");
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_belongs_to_the_pager() {
    let (server, go_on) = slow_service(2000);
    let pager = "sh -c 'trap \"echo stopped\" INT; cat; cat; echo end'";
    let person = person(&server).with("PAGER", pager);
    let mut running = Running::start_below_shell(&person.command(&LIST));
    running.read_to("\r\n2000\r\n");
    running.press("\u{3}");
    running.read_to("stopped\r\n");
    go_on();
    let seen = running.read_to("exit code 0\r\n");
    assert!(seen.contains("2000 vacancies\r\nend\r\n"), "{seen}");
    running.press("\n");
    running.end();
}
