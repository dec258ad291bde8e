//! Every exit code, caused by a real failure.

use std::collections::BTreeSet;
use std::time::Duration;

use Service::{Answers, Dies, Gone, Hangs, Silent};
use gateway_testkit::raw_server::{Connection, Next, RawServer};
use rustix::process::Signal;

use crate::process::Process;
use crate::run::{BALANCE, ClosedPort, Person, code, stderr, stdout};

/// The exit code, the service, the command, and a part of standard error.
const TABLE: &[(i32, Service, &str, &str)] = &[
    (0, Answers("200 OK", "[]"), "vacancies list", ""),
    (1, Answers("200 OK", "[]"), "vacancies list --output-file /dev/full", "No space left"),
    (1, Answers("200 OK", "{}"), "api any --output-file /dev/full", "No space left"),
    (2, Gone, "candidates list --status New", "--vacancy-id <ID or TITLE>"),
    (2, Gone, "credits get --token-file nothing", "token file nothing does not exist"),
    (3, Answers("403 Forbidden", ""), "credits get -o raw", "the service denied access"),
    (3, Answers("401 Unauthorized", ""), "auth status", "the environment variable GATEWAY_TOKEN"),
    (4, Gone, "credits get", "check the base URL, and that the service is running"),
    (4, Gone, "candidates list --vacancy Nurse", "the title `Nurse`: cannot reach the service"),
    (4, Silent, "credits get --timeout 1", "use `--timeout SECONDS` to wait longer"),
    (4, Hangs, "vacancies list --timeout 1", "use `--timeout SECONDS` to wait longer"),
    (4, Dies, "vacancies list", "error: "),
    (4, Answers("408 Request Timeout", ""), "credits get --timeout 1", "retry later"),
    (4, Answers("504 Gateway Timeout", ""), "credits get -o raw --timeout 1", "retry later"),
    (4, Answers("503 Service Unavailable", ""), "check --timeout 1", "retry later"),
    (5, Answers("200 OK", "<html>"), "credits get", "run the same command with `-o raw`"),
    (5, Answers("501 Not Implemented", ""), "credits get", "the problem is on the service's side"),
    (6, Answers("200 OK", r#"[0,{"id":"1"},2]"#), "vacancies list -o csv", "skipped 2 records"),
    (2, Gone, "credits check --below 12,50", "expected a decimal number"),
    (
        5,
        Answers("200 OK", r#"{"credits_number":"1,234.50","currency":"EUR"}"#),
        "credits check --below 100",
        "`credits_number` is not a decimal number",
    ),
    (8, Answers("200 OK", BALANCE), "credits check --below 100", "credits too low"),
    (130, Hangs, "vacancies list --output-file v.csv", "interrupted"),
    (130, Silent, "credits get", "interrupted"),
    (143, Hangs, "vacancies list --output-file v.csv", "terminated"),
];

/// The service at the base URL.
#[derive(Clone, Copy, Debug)]
enum Service {
    /// Responds with this status and this JSON.
    Answers(&'static str, &'static str),
    /// Never responds to a request.
    Silent,
    /// Sends the beginning of a list, and then nothing.
    Hangs,
    /// Sends the beginning of a list, and resets the connection.
    Dies,
    /// Does not listen.
    Gone,
}

impl Service {
    /// Starts the service.
    fn start(self) -> RawServer {
        let wait = |connection: &mut Connection| {
            connection.wait_for_close(Duration::from_secs(60));
            Next::Close
        };
        RawServer::start(move |_, connection: &mut Connection| match self {
            Answers(status, body) => {
                let length = body.len();
                let head = format!("HTTP/1.1 {status}\r\n{JSON}content-length: {length}\r\n\r\n");
                connection.send(head.as_bytes());
                connection.send(body.as_bytes());
                Next::Close
            }
            Hangs | Dies => {
                connection
                    .send(format!("HTTP/1.1 200 OK\r\n{JSON}\r\n[{{\"id\":\"1\"}},").as_bytes());
                if matches!(self, Hangs) { wait(connection) } else { Next::Reset }
            }
            Silent | Gone => wait(connection),
        })
        .unwrap()
    }
}

/// Returns the rows that work here: only Linux has a device that is always full.
fn table() -> impl Iterator<Item = &'static (i32, Service, &'static str, &'static str)> {
    TABLE.iter().filter(|(code, ..)| match code {
        1 => cfg!(target_os = "linux"),
        _ => true,
    })
}

#[test]
fn every_failure_has_its_exit_code() {
    for &(expected, service, command, said) in table() {
        let nobody = ClosedPort::new();
        let args: Vec<&str> = command.split(' ').collect();
        let server = service.start();
        let url = if matches!(service, Gone) { nobody.url() } else { server.uri("") };
        let person = Person::of_service(&url);
        let program = person.start(&args);
        signal(expected, &server, &program);
        let output = program.end();
        let told = stderr(&output);
        assert_eq!(code(&output), expected, "{args:?} of {service:?}: {told}");
        assert!(told.contains(said), "{args:?} of {service:?}: {told}");
    }
}

/// The table has exactly the codes in the help, except the codes that only mirrors use.
#[test]
fn every_code_is_documented() {
    let help = Person::new().run(&["--help"]);
    let (_, list) = stdout(&help).split_once("Exit codes:\n").unwrap();
    let named: BTreeSet<i32> =
        list.lines().map(|line| line.split_whitespace().next().unwrap().parse().unwrap()).collect();
    let reached: BTreeSet<i32> = TABLE.iter().map(|&(code, ..)| code).chain(OF_MIRROR).collect();
    assert_eq!(named, reached);
}

/// Sends the signal of an exit code, after the request has arrived.
#[track_caller]
fn signal(expected: i32, server: &RawServer, program: &Process) {
    let signal = match expected {
        130 => Signal::INT,
        143 => Signal::TERM,
        _ => return,
    };
    assert!(server.wait_until(Duration::from_secs(30), |seen| !seen.requests.is_empty()));
    program.signal(signal);
}

/// The codes that the tests of the mirror cause.
const OF_MIRROR: [i32; 4] = [7, 9, 10, 11];
const JSON: &str = "content-type: application/json\r\nconnection: close\r\n";
