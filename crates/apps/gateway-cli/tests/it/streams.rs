//! Slow lists: records are printed while they arrive, even if the list fails later.

use std::io::{BufRead as _, BufReader};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gateway_testkit::raw_server::{Connection, Next, RawServer};

use crate::run::{LIST_HEAD, Person};
use crate::terminal::Running;

#[test]
fn records_are_printed_while_they_arrive() {
    for (command, lines) in [
        ("vacancies list -o ndjson", &["{\"id\":\"1\"}\n"][..]),
        ("vacancies list -o csv", &["id,project\r\n", "1,\r\n"]),
        // The line of a record ends when the next one arrives.
        ("vacancies list -o json", &["[\n"]),
        ("vacancies list -o raw", &["[{\"id\":\"1\"},\n"]),
        ("api vacancies/list", &["[{\"id\":\"1\"},\n"]),
    ] {
        let ended = Arc::new(AtomicBool::new(false));
        let ends = Arc::clone(&ended);
        let server = RawServer::start(move |_, connection: &mut Connection| {
            connection.send(LIST_HEAD);
            connection.send(b"[{\"id\":\"1\"},\n");
            connection.wait_for_close(Duration::from_secs(20));
            ends.store(true, Ordering::SeqCst);
            Next::Close
        })
        .unwrap();
        let person = Person::of_service(&server.uri(""));
        let args: Vec<&str> = command.split(' ').collect();
        let program = person.start(&args);
        let mut out = BufReader::new(program.child().take_stdout().unwrap());
        for expected in lines {
            let mut line = String::new();
            out.read_line(&mut line).unwrap();
            assert_eq!(line, *expected, "{command}");
        }
        assert!(!ended.load(Ordering::SeqCst), "{command}");
    }
}

#[test]
fn an_error_appears_below_the_printed_records() {
    let server = RawServer::start(|_, connection: &mut Connection| {
        connection.send(LIST_HEAD);
        connection.send(b"[{\"id\":\"1\"},{\"id\":\"2\"},");
        Next::Close
    })
    .unwrap();
    let person = Person::of_service(&server.uri("")).with("NO_COLOR", "1");
    let failed = "error: the response does not match the contract after 2 records\r\n  cause: \
                  truncated document at [2] (line 1 column 24), expected the rest of the document\r\n";
    for (command, printed) in [
        ("vacancies list", "ID  PROJECT\r\n1\r\n2\r\n"),
        (
            "vacancies list -o json",
            "[\r\n  {\r\n    \"id\": \"1\"\r\n  },\r\n  {\r\n    \"id\": \"2\"\r\n  }\r\n",
        ),
        ("vacancies list -o ndjson", "{\"id\":\"1\"}\r\n{\"id\":\"2\"}\r\n"),
        ("vacancies list -o csv", "id,project\r\r\n1,\r\r\n2,\r\r\n"),
        // An incomplete list is not sorted, so nothing is printed.
        ("vacancies list --sort id", ""),
    ] {
        let args: Vec<&str> = command.split(' ').collect();
        let (status, seen) = Running::start(person.command(&args)).end();
        assert_eq!(status.code(), Some(5));
        assert!(seen.starts_with(&format!("{printed}{failed}")), "{command}: {seen}");
    }
}

#[test]
fn log_messages_overwrite_no_record() {
    let server = RawServer::start(|_, connection: &mut Connection| {
        connection.send(LIST_HEAD);
        connection.send(b"[{\"id\":\"1\"},{\"id\":\"2\"}");
        connection.wait_for_close(Duration::from_millis(100));
        connection.send(b"]");
        Next::Close
    })
    .unwrap();
    let person = Person::of_service(&server.uri("")).with("NO_COLOR", "1");
    for format in ["json", "ndjson", "csv"] {
        let args = ["vacancies", "list", "-v", "-o", format];
        let (status, seen) = Running::start(person.command(&args)).end();
        assert!(status.success(), "{seen}");
        // A message clears the current line first, so a record must not be on it.
        let mut parts = seen.split("\r\u{1b}[K");
        assert!(parts.all(|part| part.is_empty() || part.ends_with('\n')), "{seen:?}");
    }
}

#[test]
fn a_truncated_response_ends_its_line() {
    let server = RawServer::start(|_, connection: &mut Connection| {
        connection.send(b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n[1,");
        Next::Close
    })
    .unwrap();
    let person = Person::of_service(&server.uri("")).with("NO_COLOR", "1");
    let (status, seen) = Running::start(person.command(&["api", "any"])).end();
    assert_eq!(status.code(), Some(4));
    assert!(seen.starts_with("[1,\r\nerror: the response is incomplete after 3 bytes"), "{seen}");
}

#[test]
fn the_progress_line_counts_received_records() {
    let server = RawServer::start(|_, connection: &mut Connection| {
        connection.send(LIST_HEAD);
        connection.send(b"[{\"id\":\"1\"}");
        // Longer than the delay of the progress line.
        for _ in 0..2 {
            connection.wait_for_close(Duration::from_millis(600));
            connection.send(b",{\"id\":\"2\"}");
        }
        connection.send(b"]");
        Next::Close
    })
    .unwrap();
    let person = Person::of_service(&server.uri("")).with("NO_COLOR", "1");
    let list = ["vacancies", "list", "--output-file", "v.csv", "--filter", "id=none"];
    for (columns, shown) in
        [(80, "\r\u{1b}[K2 records\r\u{1b}[K"), (6, "\r\u{1b}[K2 rec\r\u{1b}[K")]
    {
        let (status, seen) = Running::start_at(person.command(&list), columns).end();
        assert!(status.success(), "{seen}");
        assert!(seen.contains(shown), "{seen:?}");
        assert!(seen.contains("note: wrote 0 records to v.csv"), "{seen}");
    }
}
