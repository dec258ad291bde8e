//! Responses of a service, and the output of the program into a pipe and on a terminal.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::thread;

use gateway_testkit::raw_server::{Connection, Next, RawRequest, RawServer};

use crate::run::{ClosedPort, LIST_HEAD, Person, TOKEN, code, serve, serve_with, stderr, stdout};

#[test]
fn a_table_of_checks_has_the_failures() {
    let closed = serve_with("401 Unauthorized", "www-authenticate: Bearer\r\n", "no");
    assert_eq!(code(&Person::of_service(&closed.uri("")).run(&["check"])), 3);
    assert_eq!(code(&Person::of_service(&ClosedPort::new().url()).run(&["check"])), 4);
    let page = serve_with("200 OK", "content-type: text/html\r\n", "<html>");
    let url = page.uri("");
    let person = Person::of_service(&url).on_terminal(80);
    let output = person.run(&["check"]);
    assert_eq!(code(&output), 5);
    let failures = stdout(&output);
    assert!(
        failures.starts_with("CHECK ") && failures.contains("representation.json"),
        "{failures}"
    );
    assert!(!failures.contains("representation.no_coding"), "{failures}");
    // With -v, or if records are selected, the table has all checks.
    for args in [&["check", "-v"][..], &["check", "--filter", "verdict=pass"]] {
        let output = person.run(args);
        assert!(stdout(&output).starts_with("CHECK "), "{}", stdout(&output));
        assert!(stdout(&output).contains("representation.no_coding"), "{}", stdout(&output));
    }
    // A program gets all checks.
    let output = Person::of_service(&url).run(&["check"]);
    assert!(stdout(&output).contains("representation.no_coding"), "{}", stdout(&output));
}

/// A list without a readable record must not fill the disk with messages.
#[test]
fn the_first_skipped_records_are_named_and_the_others_are_counted() {
    for (first, exit) in [("{\"id\":\"1\",\"project\":\"Welder\"}", 6), ("{}", 5)] {
        let body = format!("[{first}{}]", ",{}".repeat(5000));
        let server = serve(body);
        let person = Person::of_service(&server.uri(""));
        let more = if exit == 6 { "4980" } else { "4981" };
        for format in ["json", "ndjson", "csv", "table"] {
            let output = person.run(&["vacancies", "list", "-o", format]);
            assert_eq!(code(&output), exit, "{}", stderr(&output));
            let lines: Vec<&str> = stderr(&output).lines().collect();
            let named = lines.iter().filter(|line| line.starts_with("warning: skipped record "));
            assert_eq!(named.count(), 20, "{lines:?}");
            assert!(
                lines.contains(&&*format!("warning: skipped {more} more records")),
                "{lines:?}"
            );
            assert!(lines.len() <= 23, "{lines:?}");
        }
    }
}

/// An error page, a notice or a redirect of a faulty service may repeat what the service received.
#[test]
fn a_token_that_the_service_repeats_is_not_shown() {
    let server = RawServer::start(|request: &RawRequest, connection: &mut Connection| {
        let target = request.target();
        let long = "x".repeat(290);
        let notices = format!("gateway-notice: got {TOKEN}\r\ngateway-notice: {long}{TOKEN}\r\n");
        let (status, body) = if target.contains("credits") {
            let detail = format!(r#"{{"title":"{TOKEN}","detail":"Bearer {TOKEN} is unknown"}}"#);
            ("401 Unauthorized", detail)
        } else if target.contains("vacancies") {
            ("404 Not Found", format!(r#"{{"detail":"no {TOKEN}","methods":["{TOKEN}"]}}"#))
        } else {
            ("200 OK", format!(r#"{{"status":"{TOKEN}","message":"{TOKEN}","result":"{TOKEN}"}}"#))
        };
        let head = format!("HTTP/1.1 {status}\r\n{JSON}{notices}location: /{TOKEN}\r\n");
        let close = format!("connection: close\r\ncontent-length: {}\r\n\r\n", body.len());
        connection.send((head + &close + &body).as_bytes());
        Next::Close
    })
    .unwrap();
    let person = Person::of_service(&server.uri("")).with("GATEWAY_MIRROR", "mirror.db");
    for line in [
        "credits get",
        "credits get -vv",
        "credits check --below 1",
        "vacancies list -vv",
        "candidates list -vv",
        "auth status",
        "check",
        "mirror sync -vv",
        "watch --once",
        "tap",
    ] {
        let output = person.run_line(line);
        assert_ne!(code(&output), 0, "{line}");
        let shown = [stdout(&output), stderr(&output)].concat();
        assert!(!shown.contains(TOKEN), "{line}: {shown}");
        // The notice that is shortened contains the start of the token.
        assert!(!shown.contains(TOKEN.get(..6).unwrap()), "{line}: {shown}");
        assert!(shown.contains("(redacted)"), "{line}: {shown}");
    }
}

#[test]
fn a_record_of_many_lines_is_printed_on_one_line() {
    let server = serve(
        "[\n  {\n    \"id\": \"1\",\r\n    \"project\": \"a\\/b \\u00e9\",\n    \"n\": 1.50\n  }\n]",
    );
    let output = Person::of_service(&server.uri("")).run(&["vacancies", "list", "-o", "ndjson"]);
    assert_eq!(stdout(&output), "{\"id\":\"1\",\"project\":\"a\\/b \\u00e9\",\"n\":1.50}\n");
}

#[test]
fn control_characters_are_escaped_on_a_terminal() {
    let body = "[{\"id\":\"1\",\"project\":\"\\u001b[2J\\u0007\u{202e}evil\u{9b}31m\\r\\n=cmd()\"},\
        {\"id\":\"2\",\"project\":\"=HYPERLINK(\\\"x\\\")\"},{\"id\":\"3\",\"project\":\"+40 21 000 0001\"},\
        {\"id\":\"4\",\"project\":\"👩‍👩‍👧 مرحبا\",\"big\":12345678901234567890.10}]";
    let server = serve(body);
    let shown = ["table", "json", "ndjson", "csv", "raw"].map(|format| {
        Person::of_service(&server.uri("")).on_terminal(80).see(&[
            "vacancies",
            "list",
            "-o",
            format,
        ])
    });
    for text in &shown {
        assert!(!text.contains(['\u{1b}', '\u{7}', '\u{202e}', '\u{9b}']), "{text}");
    }
    insta::assert_snapshot!(shown.join("\n"));

    // In a pipe, nothing is changed, not even undocumented fields.
    let output = Person::of_service(&server.uri("")).run(&["vacancies", "list", "-o", "ndjson"]);
    assert!(stdout(&output).contains(r#""big":12345678901234567890.10"#));
    assert!(stdout(&output).contains('\u{202e}'));
}

/// Lists, objects, raw responses and errors are logged in the same way.
#[test]
fn the_log_never_contains_the_token() {
    let server = RawServer::start(|request: &RawRequest, connection: &mut Connection| {
        // The token is redacted even if the service sends it back.
        let echo = format!("{JSON}x-seen: Bearer {TOKEN}\r\n");
        let body: &[u8] = match request.target() {
            target if target.contains("credits") => br#"{"credits_number":"1","currency":"EUR"}"#,
            target if target.contains("cut") => {
                connection.send(b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n[");
                return Next::Close;
            }
            _ => br#"[{"id":"1","project":"Welder"},{"id":"2"}]"#,
        };
        connection.respond(&echo, body);
        Next::Close
    })
    .unwrap();
    let url = server.uri("");
    let busy = serve_with("503 Busy", "retry-after: 0\r\n", "busy");
    let busy_url = busy.uri("");
    let shown = [
        Person::of_service(&url).see(&["vacancies", "list", "-v"]),
        Person::of_service(&url).see(&["vacancies", "list", "-v", "-o", "raw"]),
        Person::of_service(&url).see(&["credits", "get", "-v"]),
        Person::of_service(&url).see(&["auth", "status", "-v"]),
        Person::of_service(&url).see(&["credits", "get", "-vv"]),
        Person::of_service(&url).see(&["api", "cut", "-v"]),
        Person::of_service(&busy_url).see(&["credits", "get", "-v"]),
    ];
    let shown = shown.join("\n").replace(&url, "http://HOST").replace(&busy_url, "http://HOST");
    insta::assert_snapshot!(without_times(&shown));
    let sent = server.progress().requests;
    let authorization = sent.first().unwrap().header("authorization");
    assert_eq!(authorization, [format!("Bearer {TOKEN}").into_bytes()]);
}

/// Replaces the times, which differ in each run.
fn without_times(shown: &str) -> String {
    let words = shown.split(' ').collect::<Vec<_>>();
    let time = |at: usize| words.get(at + 1).is_some_and(|next| next.starts_with("ms"));
    let plain =
        |(at, word): (usize, &&str)| if time(at) { "N".to_owned() } else { (*word).to_owned() };
    words.iter().enumerate().map(plain).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    let server = RawServer::start(|_, connection: &mut Connection| {
        connection.send(LIST_HEAD);
        connection.send(b"[");
        connection.flood(&b"{\"id\":\"1\",\"project\":\"Welder\"},".repeat(1000), 100_000_000);
        Next::Close
    })
    .unwrap();
    for format in ["ndjson", "table", "csv", "json"] {
        let person = Person::of_service(&server.uri(""));
        let program = person.start(&["vacancies", "list", "-o", format]);
        let mut first = [0; 16];
        let mut out = program.child().take_stdout().unwrap();
        out.read_exact(&mut first).unwrap();
        drop(out);
        let output = program.end();
        assert_eq!((code(&output), stderr(&output)), (0, ""), "{format}");
    }
}

const JSON: &str = "content-type: application/json\r\n";

#[test]
fn hints_fit_the_cause() {
    // As an http server does with the beginning of a TLS handshake.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            drop(stream.read(&mut [0; 1024]));
            drop(stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n"));
        }
    });
    let output = Person::of_service(&url).run(&["credits", "get"]);
    assert_eq!(code(&output), 4);
    assert!(stderr(&output).contains("check the scheme and the port"), "{}", stderr(&output));
    let busy = serve_with("429 Busy", "retry-after: 99999999999999999999999\r\n", "");
    let output = Person::of_service(&busy.uri("")).run(&["credits", "get", "--timeout", "1"]);
    assert_eq!(code(&output), 4);
    assert!(stderr(&output).contains("hint: retry later"), "{}", stderr(&output));
    let broken = serve_with("200 OK", "bad header\r\n", "");
    let output = Person::of_service(&broken.uri("")).run(&["credits", "get"]);
    assert_eq!(code(&output), 5);
    assert_eq!(stderr(&output).matches("cause:").count(), 1, "{}", stderr(&output));
}
