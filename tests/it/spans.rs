//! The spans and events of a call: its span, the spans of its attempts, and nothing secret or personal.

use std::fmt::Write as _;
use std::time::Duration;

use gateway_client::model::{ListCandidates, ListVacancies, RawQuery};
use gateway_client::transport::{MemoryTransport, TransportError, TransportErrorKind};
use gateway_client::{AccessToken, Client, Error, RetryPolicy, blocking, token_fn};
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::Registry;

use crate::support::{BASE_URL, Driver, Log, json, with_subscriber};

#[test]
fn a_call_has_a_span_and_one_for_each_attempt() {
    const SCENES: [(&str, Call, &[Step]); 11] = [
        ("success at the first attempt", vacancies, &[Ok((200, "[]"))]),
        ("503, then success", of_vacancy, &[Ok((503, "")), Ok((200, NONE))]),
        ("401, then success with the next token", vacancies, &[Ok((401, "")), Ok((200, "[]"))]),
        ("401 twice", vacancies, &[Ok((401, "")), Ok((401, ""))]),
        (
            "no response",
            vacancies,
            &[Err(TransportErrorKind::Connect), Err(TransportErrorKind::Interrupted)],
        ),
        ("a response that cannot be decoded", vacancies, &[Ok((200, "7"))]),
        ("a raw query", raw, &[Ok((404, ""))]),
        ("a complete stream", streamed, &[Ok((200, LIST))]),
        ("a truncated stream", streamed, &[Ok((200, TRUNCATED))]),
        ("a stream refused with 403", streamed, &[Ok((403, ""))]),
        ("a raw stream", raw_stream, &[Ok((200, LIST))]),
    ];
    let mut stories = String::new();
    for (name, call, steps) in SCENES {
        let [first, second] = drivers(steps).map(|driver| {
            let log = Log::default();
            let _outcome = with_subscriber(subscriber(&log), || call(&driver));
            story(&log)
        });
        assert_eq!(first, second, "{name}: async and blocking");
        write!(stories, "# {name}\n{first}\n").unwrap();
    }
    insta::assert_snapshot!(stories);
}

#[test]
fn rejected_records_are_one_warning_in_the_span_of_their_call() {
    const WARNING: &str = "records were rejected gateway.rejected=2 gateway.paths=\"[1].id, [3]\"";
    let calls: [Call; 2] = [vacancies, streamed];
    for call in calls {
        for driver in drivers(&[Ok((200, PARTLY_REJECTED))]) {
            let log = Log::default();
            with_subscriber(subscriber(&log), || call(&driver)).unwrap();
            let text = story(&log);
            let warnings: Vec<&str> = text.lines().filter(|line| line.contains("WARN")).collect();
            assert!(matches!(warnings[..], [one] if one.ends_with(WARNING)), "{text}");
            let end = text.lines().last().unwrap();
            assert!(end.contains("gateway.rejected=2") && end.ends_with("close"), "{text}");
        }
    }
}

/// Returns a subscriber that writes a line for each event, and for the start and the end of each span.
fn subscriber(log: &Log) -> impl tracing::Subscriber + Send + Sync + use<> {
    let log = log.clone();
    let layer = tracing_subscriber::fmt::layer()
        .with_ansi(false)
        .without_time()
        .with_target(false)
        .with_span_events(FmtSpan::NEW | FmtSpan::CLOSE)
        .with_writer(move || log.clone());
    Registry::default().with(layer)
}

/// Returns the lines, without times.
fn story(log: &Log) -> String {
    let mut text = String::new();
    for line in log.text().lines() {
        let line = line.split(" time.busy=").next().unwrap();
        let (before, after) = line.split_once("gateway.elapsed_ms=").unwrap_or((line, ""));
        let elapsed = if after.is_empty() { "" } else { "gateway.elapsed_ms=…" };
        let after = after.trim_start_matches(|one: char| one.is_ascii_digit() || one == '.');
        let before = before.trim_start().trim_start_matches("DEBUG ");
        // The fields of the call are in its own lines.
        let (indent, own) = match before.split_once("}:attempt{") {
            Some((_, own)) => ("  attempt{", own),
            None => ("", before),
        };
        writeln!(text, "{indent}{own}{elapsed}{after}").unwrap();
    }
    text
}

/// The outcome of an attempt: a status with a body, or a failure of the transport.
type Step = Result<(u16, &'static str), TransportErrorKind>;

/// Returns both clients over the same script, with two attempts, no pause between them, and another token after a
/// refusal.
fn drivers(steps: &[Step]) -> [Driver; 2] {
    let outcome = |step: &Step| match *step {
        Ok((status, body)) => Ok(json(status, body)),
        Err(kind) => Err(TransportError::new(kind, "scripted")),
    };
    let script = || MemoryTransport::new(steps.iter().map(outcome));
    let retry = || RetryPolicy::default().max_attempts(2).base_delay(Duration::ZERO);
    let tokens = || {
        token_fn(|refused| async move {
            AccessToken::new(if refused.is_some() { "gwt_CANARY.2" } else { "gwt_CANARY.1" })
        })
    };
    let client = Client::builder(BASE_URL).token(tokens()).retry(retry());
    let blocking = blocking::Client::builder(BASE_URL).token(tokens()).retry(retry());
    [
        Driver::Async(client.transport(script()).build().unwrap()),
        Driver::Blocking(blocking.transport(script()).build().unwrap()),
    ]
}

/// The call of a scenario.
type Call = fn(&Driver) -> Result<(), Error>;

fn vacancies(driver: &Driver) -> Result<(), Error> {
    driver.send(&ListVacancies::new()).map(drop)
}

fn of_vacancy(driver: &Driver) -> Result<(), Error> {
    driver.send(&ListCandidates::new().vacancy_status(7, "On hold")).map(drop)
}

fn raw(driver: &Driver) -> Result<(), Error> {
    driver.send(&RawQuery::new("portals/list").pair("country", "RO")).map(drop)
}

fn streamed(driver: &Driver) -> Result<(), Error> {
    driver.stream(&ListVacancies::new())?.try_for_each(|entry| entry.map(drop))
}

fn raw_stream(driver: &Driver) -> Result<(), Error> {
    driver.stream_raw(&ListVacancies::new()).map(drop)
}

const NONE: &str = r#"{"status":"success","result":[]}"#;
const LIST: &str = r#"[{"id":"1","project":"Welder"},{"id":"2","project":"Nurse"}]"#;
const PARTLY_REJECTED: &str = r#"[{"id":"1"},{"id":2},{"id":"3"},"CANARY"]"#;
const TRUNCATED: &str = r#"[{"id":"1","project":"Welder"},{"id":"2","#;
