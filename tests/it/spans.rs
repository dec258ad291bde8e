//! What a subscriber sees of a call: its span, the spans of its attempts, and nothing that is secret or personal.

use std::fmt::Write as _;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::http::Response;
use bytes::Bytes;
use gateway_client::model::{ListCandidates, ListVacancies, RawQuery};
use gateway_client::transport::reqwest::ReqwestTransport;
use gateway_client::transport::ureq::UreqTransport;
use gateway_client::transport::{
    BoxError, BoxFuture, ErrorKind, MemoryTransport, Options, Proxy, TransportError,
};
use gateway_client::{AccessToken, Client, Error, RetryPolicy, TokenSource, blocking};
use gateway_testkit::raw_server::{Next, RawServer};
use tracing::subscriber::with_default;
use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::Registry;

use self::story::Story;
use crate::support::{Driver, RUNTIME};

mod story;

#[test]
fn a_call_and_its_attempts() {
    use Step::{Answer, Failure};

    const SCENES: [(&str, Ask, &[Step]); 11] = [
        ("success the first time", vacancies, &[Answer(200, "[]")]),
        ("busy, then well", of_vacancy, &[Answer(503, ""), Answer(200, NONE)]),
        ("a refused token", vacancies, &[Answer(401, ""), Answer(200, "[]")]),
        ("a token refused twice", vacancies, &[Answer(401, ""), Answer(401, "")]),
        (
            "never an answer",
            vacancies,
            &[Failure(ErrorKind::Connect), Failure(ErrorKind::Interrupted)],
        ),
        ("an answer that cannot be read", vacancies, &[Answer(200, "7")]),
        ("a query of the caller's own", raw, &[Answer(404, "")]),
        ("a stream", streamed, &[Answer(200, LIST)]),
        ("a stream with an end that is none", streamed, &[Answer(200, CUT)]),
        ("a stream that does not begin", streamed, &[Answer(403, "")]),
        ("an answer that is passed on", passed_on, &[Answer(200, LIST)]),
    ];
    let mut stories = String::new();
    for (name, ask, steps) in SCENES {
        let [first, second] = drivers(steps).map(|driver| {
            let story = Story::default();
            let _outcome = with_default(Registry::default().with(story.clone()), || ask(&driver));
            story.told()
        });
        assert_eq!(first, second, "{name}: async and blocking");
        write!(stories, "# {name}\n{first}\n").unwrap();
    }
    insta::assert_snapshot!(stories);
}

#[test]
fn nothing_secret_is_written() {
    let log = Log::default();
    let writer = log.clone();
    let layer = tracing_subscriber::fmt::layer()
        .with_ansi(false)
        .with_span_events(FmtSpan::FULL)
        .with_writer(move || writer.clone());
    let subscriber = Registry::default().with(layer.with_filter(LevelFilter::TRACE));
    with_default(subscriber, || {
        for body in [PERSON, r#"{"status":"CANARY"}"#, "CANARY"] {
            for status in [200, 401, 403, 500] {
                converse(status, body);
            }
        }
    });
    let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    let attempts = text.matches("attempt finished").count();
    assert!(attempts >= 120, "{attempts} attempts were written");
    let line = text.lines().find(|line| line.to_ascii_lowercase().contains("canary"));
    assert_eq!(line, None, "this was written");
}

/// Calls a server that answers so, with a secret token and a personal query, in every way the clients know.
fn converse(status: u16, body: &'static str) {
    let server = RawServer::start(move |_request, connection| {
        let head = format!("HTTP/1.1 {status} CANARY\r\nx-person: CANARY\r\n");
        let rest = format!("content-type: application/json\r\ncontent-length: {}", body.len());
        connection.send(format!("{head}{rest}\r\n\r\n{body}").as_bytes());
        Next::Close
    })
    .unwrap();
    let options = Options::default().proxy(Proxy::Never);
    let query = ListCandidates::new().vacancy_id(7).status("CANARY");
    let raw = RawQuery::new("candidates/list").pair("mail", "CANARY");

    let client = blocking::Client::builder(server.uri(""))
        .token(Refusable)
        .retry(at_once())
        .transport(UreqTransport::new(&options).unwrap())
        .build()
        .unwrap();
    let _outcome = client.send(&query);
    let _outcome = client.send_raw(&raw);
    let _outcome = client.stream(&query).map(Iterator::count);
    let _outcome = client.stream_raw(&raw).map(|mut answer| io::copy(&mut answer, &mut io::sink()));

    let client = Client::builder(server.uri(""))
        .token(Refusable)
        .retry(at_once())
        .transport(ReqwestTransport::new(&options).unwrap())
        .build()
        .unwrap();
    // All on this thread, whose events are the ones that are seen.
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

/// A line of a script.
#[derive(Clone, Copy)]
enum Step {
    Answer(u16, &'static str),
    Failure(ErrorKind),
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

/// Both clients, over the same script.
fn drivers(steps: &[Step]) -> [Driver; 2] {
    let transport = || MemoryTransport::new(steps.iter().map(|step| step.outcome()));
    let client = Client::builder(BASE_URL).token(Refusable).retry(at_once());
    let blocking = blocking::Client::builder(BASE_URL).token(Refusable).retry(at_once());
    [
        Driver::Async(client.transport(transport()).build().unwrap()),
        Driver::Blocking(blocking.transport(transport()).build().unwrap()),
    ]
}

fn at_once() -> RetryPolicy {
    RetryPolicy::default().max_attempts(2).base_delay(Duration::ZERO)
}

/// Gives another token when one is refused.
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

/// What is asked in a scene.
type Ask = fn(&Driver) -> Result<(), Error>;

fn vacancies(driver: &Driver) -> Result<(), Error> {
    driver.vacancies().map(drop)
}

fn of_vacancy(driver: &Driver) -> Result<(), Error> {
    driver.candidates(&ListCandidates::new().vacancy_id(7).status("On hold")).map(drop)
}

fn raw(driver: &Driver) -> Result<(), Error> {
    let query = RawQuery::new("portals/list").pair("country", "RO");
    match driver {
        Driver::Async(client) => RUNTIME.block_on(client.send(&query)).map(drop),
        Driver::Blocking(client) => client.send(&query).map(drop),
    }
}

fn streamed(driver: &Driver) -> Result<(), Error> {
    match driver {
        Driver::Async(client) => RUNTIME.block_on(async {
            let mut records = client.stream(&ListVacancies::new()).await?;
            while let Some(entry) = records.next().await {
                entry?;
            }
            Ok(())
        }),
        Driver::Blocking(client) => {
            client.stream(&ListVacancies::new())?.try_for_each(|entry| entry.map(drop))
        }
    }
}

fn passed_on(driver: &Driver) -> Result<(), Error> {
    match driver {
        Driver::Async(client) => RUNTIME.block_on(async {
            let mut answer = client.stream_raw(&ListVacancies::new()).await?;
            while answer.chunk().await?.is_some() {}
            Ok(())
        }),
        Driver::Blocking(client) => {
            let mut answer = client.stream_raw(&ListVacancies::new())?;
            while answer.chunk()?.is_some() {}
            Ok(())
        }
    }
}

/// What is written to, and then searched.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

const BASE_URL: &str = "https://gateway.example.com/eu";
const NONE: &str = r#"{"status":"success","result":[]}"#;
const LIST: &str = r#"[{"id":"1","project":"Welder"},{"id":"2","project":"Nurse"}]"#;
const CUT: &str = r#"[{"id":"1","project":"Welder"},{"id":"2","#;
const PERSON: &str = r#"{"status":"success","result":[{"id":"1","name":"CANARY","email":["CANARY"]},{"id":["CANARY"]}]}"#;
