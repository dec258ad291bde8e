//! Deliveries of `watch`, and what repeated commands report.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use gateway_testkit::raw_server::{Connection, Next, RawRequest, RawServer};

use crate::process::Process;
use crate::run::{BALANCE, ClosedPort, Person, code, serve_account, stderr, stdout};

fn service(lists: &'static [&'static str]) -> RawServer {
    serve_account(lists, &[BALANCE])
}

/// A receiver of webhooks that answers with these statuses, the last one repeatedly.
fn receiver(statuses: &'static [u16]) -> RawServer {
    let asked = AtomicUsize::new(0);
    RawServer::start(move |_request: &RawRequest, connection: &mut Connection| {
        let number = asked.fetch_add(1, Ordering::Relaxed);
        let status = statuses.get(number).or_else(|| statuses.last()).unwrap();
        let head =
            format!("HTTP/1.1 {status} Answer\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
        connection.send(head.as_bytes());
        Next::Close
    })
    .unwrap()
}

fn person(service: &RawServer) -> Person {
    Person::of_service(&service.uri("")).with("GATEWAY_WEBHOOK_SECRET", SECRET)
}

#[test]
fn a_new_consumer_gets_the_changes_of_its_first_sync() {
    let service = service(&[ONE, TWO]);
    let person = person(&service);
    assert_eq!(code(&person.run(&["mirror", "sync"])), 0);
    let events = person.run(&["watch", "--once"]);
    assert_eq!(stdout(&events).matches(r#""kind":"added""#).count(), 1, "{}", stdout(&events));
    let of_first = person.run(&["watch", "--to", "new.db", "--once", "--emit-baseline"]);
    assert_eq!(stdout(&of_first).matches(r#""kind":"added""#).count(), 2, "{}", stdout(&of_first));
}

#[test]
fn printed_events_are_delivered_to_commands_too() {
    let service = service(&[ONE, TWO]);
    let person = person(&service);
    let log = person.home.path().join("events");
    let exec = format!("sh -c 'cat >> {}'", log.display());
    assert_eq!(code(&person.run(&["watch", "--once", "--exec", &exec])), 0);
    assert!(stdout(&person.run(&["watch", "--once", "--emit-baseline"])).contains("Nurse"));
    assert_eq!(code(&person.run(&["watch", "--once", "--exec", &exec])), 0);
    assert!(std::fs::read_to_string(&log).unwrap().contains("Nurse"));
}

#[test]
fn an_event_that_waits_is_a_failure_of_a_single_run() {
    let service = service(&[ONE]);
    let person = person(&service);
    let watch = |exec: &str, more: &[&str]| {
        person.run(&[&["watch", "--once", "--emit-baseline", "--exec", exec], more].concat())
    };
    let failed = watch("false", &[]);
    assert_eq!(code(&failed), 5, "{}", stderr(&failed));
    let waiting = watch("true", &[]);
    assert_eq!(code(&waiting), 5, "{}", stderr(&waiting));
    assert!(stderr(&waiting).contains("waiting changes: 1"), "{}", stderr(&waiting));
    assert_eq!(code(&watch("true", &["--resume"])), 0);
    assert_eq!(code(&watch("true", &[])), 0);
}

#[test]
fn the_cause_of_a_failed_delivery_is_printed_once() {
    let service = service(&[ONE]);
    let person = person(&service);
    let watch = |to: &[&str]| {
        let to = [&["--consumer", "all"], to].concat();
        let output =
            person.run(&[&["watch", "--once", "--emit-baseline", "--resume"], &*to].concat());
        (code(&output), stderr(&output).to_owned())
    };
    let failing = receiver(&[500]);
    let (exit, text) = watch(&["--webhook", &failing.uri("/")]);
    assert_eq!((exit, text.matches("answered 500").count()), (5, 1), "{text}");
    let (exit, text) = watch(&["--exec", "./no-such-program"]);
    assert_eq!((exit, text.matches("does not exist").count()), (2, 1), "{text}");
    let closed = ClosedPort::new();
    let (exit, text) = watch(&["--webhook", &closed.url()]);
    assert_eq!((exit, text.matches("cannot connect").count()), (4, 1), "{text}");
    let gone = receiver(&[410, 200]);
    let url = gone.uri("/");
    let (exit, text) = watch(&["--webhook", &url]);
    assert!(exit == 5 && text.contains("gateway watch --resume"), "{exit} {text}");
    let disabled = person.run(&["watch", "--once", "--consumer", "all", "--webhook", &url]);
    assert_eq!(code(&disabled), 5);
    assert!(stderr(&disabled).contains("gateway watch --resume"), "{}", stderr(&disabled));
    assert_eq!(watch(&["--webhook", &url]).0, 0);
}

#[test]
fn a_repeated_sync_notes_only_changes() {
    let service = service(&[ONE, ONE, TWO]);
    let person = person(&service);
    let process = Process::start_piped(person.command(&["mirror", "sync", "--every", "1s"]));
    // The request of the fifth sync follows the notes of the fourth.
    let is_list = |request: &RawRequest| request.target().contains("method=vacancies/list");
    assert!(service.wait_until(LIMIT, |seen| {
        seen.requests.iter().filter(|request| is_list(request)).count() >= 5
    }));
    process.signal(rustix::process::Signal::TERM);
    let output = process.end();
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let notes = stderr(&output).lines().filter(|line| line.starts_with("note: vacancy: "));
    let notes: Vec<_> = notes.map(|line| line.rsplit(": ").next().unwrap()).collect();
    assert_eq!(notes, ["1 record, 1 added", "2 records, 1 added"]);
}

#[test]
fn a_secret_that_others_can_read_is_refused() {
    use std::os::unix::fs::PermissionsExt as _;

    let service = service(&[ONE]);
    let person = person(&service);
    let path = person.home.path().join("secret");
    std::fs::write(&path, SECRET).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    let url = "https://hooks.example.com";
    let args = ["watch", "--every", "1h", "--webhook", url, "--webhook-secret-file", "secret"];
    let refused = person.run(&args);
    assert_eq!(code(&refused), 2);
    assert!(stderr(&refused).contains("replace the secret if"), "{}", stderr(&refused));
}

const ONE: &str = r#"[{"id":"1","project":"Welder"}]"#;
const TWO: &str = r#"[{"id":"1","project":"Welder"},{"id":"2","project":"Nurse"}]"#;
const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const LIMIT: Duration = Duration::from_secs(60);
