//! One set of calls over five transports: the results are the same for each transport, async or blocking.

use std::fmt::Write as _;
use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::body::Body;
use axum::extract::RawQuery;
use axum::http::{HeaderMap, Response, StatusCode};
use axum::routing::get;
use gateway_client::model::{GetCredits, ListCandidates, ListVacancies, StatusName};
use gateway_client::transport::cassette::{Recorder, Replayer};
use gateway_client::transport::reqwest::ReqwestTransport;
use gateway_client::transport::reqwest_blocking::ReqwestBlockingTransport;
use gateway_client::transport::tower::ServiceTransport;
use gateway_client::transport::ureq::UreqTransport;
use gateway_client::transport::{BlockingTransport, Options, Proxy, Transport};
use gateway_client::{Client, Entry, Error, RetryPolicy, blocking};
use tokio::runtime::Runtime;

use crate::support::{Call, Driver, Log, RUNTIME, TOKEN, fixture, serve, token};

/// A call, and its expected result.
type Case = (fn(&Driver) -> Result<String, Error>, &'static str);

const CASES: [Case; 19] = [
    (|driver| all(driver), "2 records: 1 3, rejected: result[1].id"),
    (|driver| of_vacancy(driver, 52), "1 records: 4712"),
    (|driver| of_vacancy(driver, 53), "0 records:"),
    (|driver| of_vacancy(driver, 400), "Status 400, 1 attempts: Wrong vacancy"),
    (|driver| of_vacancy(driver, 403), "Forbidden 403, 1 attempts: Forbidden"),
    (|driver| of_vacancy(driver, 503), "Server 503, 2 attempts"),
    (|driver| of_vacancy(driver, 302), "Redirected 302, 1 attempts"),
    (|driver| of_vacancy(driver, 200), "ContentType 200, 1 attempts"),
    (vacancies, "Welder, Rotterdam|Nurse (nights)|"),
    (credits, "120.50 EUR"),
    // The rest of the response is not read, and does not disturb later calls.
    (|driver| streamed(driver, &ListCandidates::new(), 1), "1, dropped"),
    (|driver| raw(driver, &ListVacancies::new()), "200 application/json, 107 bytes"),
    (|driver| raw(driver, &vacancy(403)), "403 application/problem+json, 21 bytes"),
    (|driver| raw(driver, &vacancy(503)), "503 text/plain, 4 bytes"),
    (|driver| streamed(driver, &ListCandidates::new(), 9), "1, rejected: result[1].id, 3, the end"),
    (|driver| streamed(driver, &vacancy(53), 9), "the end"),
    (|driver| streamed(driver, &vacancy(403), 9), "Forbidden 403, 1 attempts: Forbidden"),
    (|driver| streamed(driver, &vacancy(200), 9), "ContentType 200, 1 attempts"),
    (|driver| streamed(driver, &vacancy(503), 9), "Server 503, 2 attempts"),
];

#[test]
fn reqwest_gives_the_expected_results() {
    check(&over(ReqwestTransport::new(&options()).unwrap(), &served()));
}

#[test]
fn blocking_reqwest_gives_the_expected_results() {
    check(&block_over(ReqwestBlockingTransport::new(&options()).unwrap(), &served()));
}

#[test]
fn ureq_gives_the_expected_results() {
    check(&block_over(UreqTransport::new(&options()).unwrap(), &served()));
}

#[test]
fn a_tower_service_gives_the_expected_results() {
    check(&over(ServiceTransport::<_, Body>::new(answers()), "https://gateway.example.com"));
}

#[test]
fn a_recorded_and_a_replayed_cassette_give_the_expected_results() {
    let tape = Log::default();
    let recorder = Recorder::new(ServiceTransport::<_, Body>::new(answers()), tape.clone());
    check(&over(recorder, "https://gateway.example.com"));

    let tape = tape.text();
    assert!(!tape.contains(TOKEN));
    let replayer = Arc::new(Replayer::new(&tape).unwrap());
    check(&over(Arc::clone(&replayer), "https://elsewhere.example.com"));
    assert_eq!(replayer.remaining(), 0);
    check(&block_over(Replayer::new(&tape).unwrap(), "https://elsewhere.example.com"));
}

#[track_caller]
fn check(driver: &Driver) {
    for (number, (ask, expected)) in CASES.iter().enumerate() {
        let got = ask(driver).unwrap_or_else(|error| outcome(&error));
        assert_eq!(&got, expected, "case {number}");
    }
}

fn outcome(error: &Error) -> String {
    let mut text = format!(
        "{:?} {}, {} attempts",
        error.kind(),
        error.status().map_or(0, |status| status.as_u16()),
        error.attempts()
    );
    if let Some(title) = error.problem().and_then(|problem| problem.title) {
        assert!(String::from_utf8_lossy(error.body().unwrap()).contains(&*title));
        write!(text, ": {title}").unwrap();
    }
    text
}

fn all(driver: &Driver) -> Result<String, Error> {
    listed(driver, &ListCandidates::new())
}

fn of_vacancy(driver: &Driver, vacancy: u64) -> Result<String, Error> {
    listed(driver, &self::vacancy(vacancy))
}

fn vacancy(number: u64) -> ListCandidates {
    ListCandidates::new().vacancy_status(number, StatusName::Shortlist)
}

fn listed(driver: &Driver, query: &ListCandidates) -> Result<String, Error> {
    let listing = driver.send(query)?;
    let mut text = format!("{} records:", listing.items.len());
    for one in &listing.items {
        write!(text, " {}", one.id.as_str()).unwrap();
    }
    for one in &listing.rejected {
        write!(text, ", rejected: {}", one.error().path()).unwrap();
    }
    Ok(text)
}

fn vacancies(driver: &Driver) -> Result<String, Error> {
    let listing = driver.send(&ListVacancies::new())?;
    let titles: Vec<_> = listing.items.iter().filter_map(|one| one.project.as_deref()).collect();
    Ok(titles.join("|"))
}

fn credits(driver: &Driver) -> Result<String, Error> {
    let credits = driver.send(&GetCredits::new())?;
    Ok(format!("{} {}", credits.credits_number, credits.currency))
}

fn raw(driver: &Driver, call: &impl Call) -> Result<String, Error> {
    let answer = driver.stream_raw(call)?;
    let media_type = answer.headers()["content-type"].to_str().unwrap();
    Ok(format!("{} {media_type}, {} bytes", answer.status().as_u16(), answer.body().len()))
}

/// Reads at most `most` records of a list one by one, and drops the rest.
fn streamed(driver: &Driver, query: &ListCandidates, most: usize) -> Result<String, Error> {
    let mut records = driver.stream(query)?;
    let mut entries = Vec::new();
    while entries.len() < most {
        entries.push(match records.next().transpose()? {
            Some(Entry::Record(one)) => one.id.as_str().to_owned(),
            Some(Entry::Rejected(one)) => format!("rejected: {}", one.error().path()),
            None => {
                entries.push("the end".to_owned());
                return Ok(entries.join(", "));
            }
        });
    }
    entries.push("dropped".to_owned());
    Ok(entries.join(", "))
}

/// Returns the service of these tests. It is stateless, so every driver gets the same responses.
fn answers() -> Router {
    let answer = |RawQuery(query), headers: HeaderMap| async move {
        // The same in all requests (contract, sections 4 and 5).
        let header = |name| headers.get(name).unwrap().to_str().unwrap();
        assert_eq!((header("accept"), header("authorization")), (JSON, BEARER));
        answer(query)
    };
    Router::new().route("/c/oauth/v1", get(answer))
}

fn answer(query: Option<String>) -> Response<Body> {
    let (status, media_type, body) = match query.unwrap_or_default().as_str() {
        "method=candidates/list" => (200, JSON, fixture!("candidates-one-bad-record")),
        "method=candidates/list&vacancy_id=52&status=Shortlist" => {
            (200, JSON, fixture!("candidates-of-vacancy-and-status"))
        }
        "method=candidates/list&vacancy_id=53&status=Shortlist" => {
            (200, JSON, r#"{"status":"success","result":[]}"#)
        }
        "method=candidates/list&vacancy_id=400&status=Shortlist" => {
            (400, PROBLEM, r#"{"title":"Wrong vacancy"}"#)
        }
        "method=candidates/list&vacancy_id=403&status=Shortlist" => {
            (403, PROBLEM, r#"{"title":"Forbidden"}"#)
        }
        "method=candidates/list&vacancy_id=302&status=Shortlist" => (302, "text/plain", ""),
        "method=candidates/list&vacancy_id=200&status=Shortlist" => {
            (200, "text/html", "<p>Please log in</p>")
        }
        "method=vacancies/list" => (200, JSON, fixture!("vacancies")),
        "method=credits/get" => (200, JSON, fixture!("credits")),
        _ => (503, "text/plain", "busy"),
    };
    let response = Response::builder()
        .status(StatusCode::from_u16(status).unwrap())
        .header("content-type", media_type)
        .header("location", "https://elsewhere.example.com/");
    response.body(body.into()).unwrap()
}

/// Serves the responses until the tests end, and returns the base URL.
fn served() -> String {
    static SERVERS: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());
    serve(&SERVERS, answers())
}

fn over(transport: impl Transport, base_url: &str) -> Driver {
    let builder = Client::builder(base_url).token(token()).retry(retry()).transport(transport);
    // Some transports are bound to the runtime in which they are first used.
    let _inside = RUNTIME.enter();
    Driver::Async(builder.build().unwrap())
}

fn block_over(transport: impl BlockingTransport, base_url: &str) -> Driver {
    let builder = blocking::Client::builder(base_url).token(token()).retry(retry());
    Driver::Blocking(builder.transport(transport).build().unwrap())
}

fn retry() -> RetryPolicy {
    let shortest = std::time::Duration::from_millis(1);
    RetryPolicy::default().max_attempts(2).base_delay(shortest)
}

fn options() -> Options {
    Options::default().proxy(Proxy::Never)
}

const BEARER: &str = "Bearer gwt_test-token";
const JSON: &str = "application/json";
const PROBLEM: &str = "application/problem+json";
