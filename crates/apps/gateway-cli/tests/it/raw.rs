//! Raw responses of any length.

use std::fs;

use gateway_testkit::raw_server::{Connection, Next, RawServer};

use crate::run::{Person, code, serve_with, stderr, stdout};

/// Length of the response, in MiB: above the limit of 64 MiB for responses that are held in memory.
const MEBIBYTES: usize = 65;

/// Starts a service that sends the whole response, or a truncated one.
fn service(whole: bool) -> RawServer {
    RawServer::start(move |_, connection: &mut Connection| {
        let length = (MEBIBYTES << 20) + 4;
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n"
        );
        connection.send(head.as_bytes());
        connection.send(b"[\"");
        let block = vec![b'x'; 1 << 20];
        for _ in 0..MEBIBYTES {
            connection.send(&block);
        }
        if whole {
            connection.send(b"\"]");
        }
        Next::Close
    })
    .unwrap()
}

#[test]
fn a_long_response_is_printed_whole() {
    let server = service(true);
    let person = Person::of_service(&server.uri(""));
    for (args, end) in [
        (&["vacancies", "list", "-o", "raw"][..], ""),
        (&["api", "anything/list", "-o", "raw"], ""),
        (&["api", "anything/list"], "\n"),
    ] {
        let output = person.run(args);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert_eq!(output.stdout.len(), (MEBIBYTES << 20) + 4 + end.len(), "{args:?}");
        assert!(output.stdout.ends_with(format!("x\"]{end}").as_bytes()));
    }
}

#[test]
fn a_truncated_response_leaves_the_old_file() {
    let server = service(false);
    let person = Person::of_service(&server.uri(""));
    fs::write(person.home.path().join("v.json"), "old").unwrap();
    for args in [
        &["vacancies", "list", "-o", "raw", "--output-file", "v.json"][..],
        &["api", "anything/list", "--output-file", "v.json"],
    ] {
        let output = person.run(args);
        assert_eq!(code(&output), 4);
        let bytes = (MEBIBYTES << 20) + 2;
        let message = format!("the response is incomplete after {bytes} bytes");
        assert!(stderr(&output).contains(&message), "{}", stderr(&output));
        assert_eq!(fs::read_to_string(person.home.path().join("v.json")).unwrap(), "old");
    }
}

#[test]
fn an_error_response_is_shown_but_not_written_to_a_file() {
    let server = serve_with("404 Not Found", "", "no");
    let person = Person::of_service(&server.uri(""));
    fs::write(person.home.path().join("v.json"), "old").unwrap();
    for (args, shown) in [
        (&["api", "none"][..], "no\n"),
        (&["api", "none", "--output-file", "-"], "no\n"),
        (&["api", "none", "--output-file", "v.json"], ""),
        (&["vacancies", "list", "-o", "raw", "--output-file", "v.json"], ""),
    ] {
        let output = person.run(args);
        assert_eq!(code(&output), 5);
        assert_eq!(stdout(&output), shown, "{args:?}");
        assert_eq!(fs::read_to_string(person.home.path().join("v.json")).unwrap(), "old");
    }
}
