//! The spans and events of a call: its span, the spans of its attempts, and nothing secret or personal.

use std::fmt::Write as _;
use std::io;
use std::time::Duration;

use axum::http::Response;
use bytes::Bytes;
use gateway_client::model::{ListCandidates, ListVacancies, RawQuery};
use gateway_client::transport::reqwest::ReqwestTransport;
use gateway_client::transport::ureq::UreqTransport;
use gateway_client::transport::{
    BoxError, BoxFuture, MemoryTransport, Options, Proxy, TransportError, TransportErrorKind,
};
use gateway_client::{AccessToken, CallOptions, Client, Error, RetryPolicy, TokenSource, blocking};
use gateway_testkit::raw_server::{Next, RawServer};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::Registry;

use self::story::Story;
use crate::support::{Driver, Log, with_subscriber};

mod story;

#[test]
fn a_call_has_a_span_and_one_for_each_attempt() {
    use Step::{Answer, Failure};

    const SCENES: [(&str, Call, &[Step]); 11] = [
        ("success at the first attempt", vacancies, &[Answer(200, "[]")]),
        ("503, then success", of_vacancy, &[Answer(503, ""), Answer(200, NONE)]),
        ("401, then success with the next token", vacancies, &[Answer(401, ""), Answer(200, "[]")]),
        ("401 twice", vacancies, &[Answer(401, ""), Answer(401, "")]),
        (
            "no response",
            vacancies,
            &[Failure(TransportErrorKind::Connect), Failure(TransportErrorKind::Interrupted)],
        ),
        ("a response that cannot be decoded", vacancies, &[Answer(200, "7")]),
        ("a raw query", raw, &[Answer(404, "")]),
        ("a complete stream", streamed, &[Answer(200, LIST)]),
        ("a truncated stream", streamed, &[Answer(200, TRUNCATED)]),
        ("a stream refused with 403", streamed, &[Answer(403, "")]),
        ("a raw stream", raw_stream, &[Answer(200, LIST)]),
    ];
    let mut stories = String::new();
    for (name, call, steps) in SCENES {
        let [first, second] = drivers(steps).map(|driver| {
            let story = Story::default();
            let _outcome =
                with_subscriber(Registry::default().with(story.clone()), || call(&driver));
            story.text()
        });
        assert_eq!(first, second, "{name}: async and blocking");
        write!(stories, "# {name}\n{first}\n").unwrap();
    }
    insta::assert_snapshot!(stories);
}

#[test]
fn rejected_records_are_one_warning_in_the_span_of_their_call() {
    const WARNING: &str =
        "    * WARN records were rejected gateway.rejected=2 gateway.paths=\"[1].id, [3]\"";
    let calls: [Call; 2] = [vacancies, streamed];
    for call in calls {
        for driver in drivers(&[Step::Answer(200, PARTLY_REJECTED)]) {
            let story = Story::default();
            let subscriber = Registry::default().with(story.clone());
            with_subscriber(subscriber, || call(&driver)).unwrap();
            let text = story.text();
            let warnings: Vec<&str> = text.lines().filter(|line| line.contains("WARN")).collect();
            assert_eq!(warnings, [WARNING], "{text}");
            assert_eq!(text.matches("= call gateway.rejected=2\n").count(), 1, "{text}");
        }
    }
}

#[test]
fn no_event_contains_a_token_or_personal_data() {
    let log = Log::default();
    with_subscriber(log.subscriber(), || {
        for body in [PERSON, r#"{"status":"CANARY"}"#, "CANARY"] {
            for status in [200, 401, 403, 500] {
                call_every_method(status, body);
            }
        }
    });
    let text = log.text();
    let attempts = text.matches("attempt finished").count();
    assert!(attempts >= 120, "{attempts} attempts were logged");
    let line = text.lines().find(|line| line.to_ascii_lowercase().contains("canary"));
    assert_eq!(line, None, "this line was logged");
}

/// Calls a server with this response through every method of the clients, with a secret token and a personal query.
fn call_every_method(status: u16, body: &'static str) {
    let server = RawServer::start(move |_request, connection| {
        let head = format!("HTTP/1.1 {status} CANARY\r\nx-person: CANARY\r\n");
        let rest = format!("content-type: application/json\r\ncontent-length: {}", body.len());
        connection.send(format!("{head}{rest}\r\n\r\n{body}").as_bytes());
        Next::Close
    })
    .unwrap();
    let options = Options::default().proxy(Proxy::Never);
    let query = ListCandidates::new().vacancy_status(7, "CANARY");
    let raw = RawQuery::new("candidates/list").pair("mail", "CANARY");

    let client = blocking::Client::builder(server.uri(""))
        .token(Refusable)
        .retry(without_pause())
        .transport(UreqTransport::new(&options).unwrap())
        .build()
        .unwrap();
    let _outcome = client.send(&query);
    let _outcome = client.send_raw(&raw);
    let _outcome = client.stream(&query).map(Iterator::count);
    let _outcome = client.stream_raw(&raw).map(|mut answer| io::copy(&mut answer, &mut io::sink()));

    let client = Client::builder(server.uri(""))
        .token(Refusable)
        .retry(without_pause())
        .transport(ReqwestTransport::new(&options).unwrap())
        .build()
        .unwrap();
    // The subscriber sees only the events of this thread.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let _outcome = client.send(&query).await;
        let _outcome = client.send_raw(&raw).await;
        if let Ok(mut records) = client.stream(&query).await {
            while records.next().await.is_some() {}
        }
        if let Ok(mut answer) = client.stream_raw(&raw).await {
            while let Ok(Some(_)) = answer.chunk().await {}
        }
    });
}

/// A step of a script: the outcome of an attempt.
#[derive(Clone, Copy)]
enum Step {
    Answer(u16, &'static str),
    Failure(TransportErrorKind),
}

impl Step {
    fn outcome(self) -> Result<Response<Bytes>, TransportError> {
        match self {
            Self::Answer(status, body) => {
                let response = Response::builder().status(status);
                Ok(response.header("content-type", "application/json").body(body.into()).unwrap())
            }
            Self::Failure(kind) => Err(TransportError::new(kind, "scripted")),
        }
    }
}

/// Returns both clients, over the same script.
fn drivers(steps: &[Step]) -> [Driver; 2] {
    let script = || MemoryTransport::new(steps.iter().map(|step| step.outcome()));
    Driver::scripted(|| Refusable, &CallOptions::new(), script).map(|(driver, _)| driver)
}

fn without_pause() -> RetryPolicy {
    RetryPolicy::default().max_attempts(2).base_delay(Duration::ZERO)
}

/// A token source that returns another token after a refusal.
struct Refusable;

impl TokenSource for Refusable {
    fn token<'a>(
        &'a self,
        refused: Option<&'a AccessToken>,
    ) -> BoxFuture<'a, Result<AccessToken, BoxError>> {
        let text = if refused.is_some() { "gwt_CANARY.2" } else { "gwt_CANARY.1" };
        Box::pin(async move { Ok(AccessToken::new(text)?) })
    }
}

/// The call of a scene.
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
const PERSON: &str = r#"{"status":"success","result":[{"id":"1","name":"CANARY","email":["CANARY"]},{"id":["CANARY"]}]}"#;
