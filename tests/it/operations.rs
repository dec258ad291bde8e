//! The three operations of both clients over HTTP, against scripted responses and against the real server.

use gateway_client::ErrorKind;
use gateway_client::model::{CandidateKind, ListCandidates, StatusName};
use gateway_server::demo::{self, Demo};
use tokio::runtime::Runtime;
use wiremock::matchers::{header, method, path, query_param, query_param_is_missing};
use wiremock::{Mock, MockBuilder, MockServer, ResponseTemplate};

use crate::support::{Driver, TOKEN, fixture};

/// A wiremock server with a runtime, for blocking tests.
struct Scripted {
    runtime: Runtime,
    server: MockServer,
}

impl Scripted {
    fn start() -> Self {
        let runtime = Runtime::new().unwrap();
        let server = runtime.block_on(MockServer::start());
        Self { runtime, server }
    }

    /// Answers the requests that `request` matches, and expects one from each client.
    fn answer(&self, request: MockBuilder, response: ResponseTemplate) {
        self.runtime.block_on(request.respond_with(response).expect(2).mount(&self.server));
    }

    fn drivers(&self) -> [Driver; 2] {
        Driver::both(&self.server.uri(), TOKEN)
    }
}

/// Matches the parts of a request that are the same for all operations (contract, sections 4 and 5).
fn call(operation: &str) -> MockBuilder {
    Mock::given(method("GET"))
        .and(path("/c/oauth/v1"))
        .and(query_param("method", operation))
        .and(header("accept", "application/json"))
        .and(header("authorization", format!("Bearer {TOKEN}").as_str()))
}

fn json(body: &str) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_raw(body, "application/json")
}

#[test]
fn scripted_candidates() {
    let scripted = Scripted::start();
    scripted.answer(
        call("candidates/list").and(query_param_is_missing("vacancy_id")),
        json(fixture!("candidates-one-bad-record")),
    );
    scripted.answer(
        call("candidates/list")
            .and(query_param("vacancy_id", "52"))
            .and(query_param("status", "Shortlist")),
        json(fixture!("candidates-of-vacancy-and-status")),
    );
    for driver in scripted.drivers() {
        let all = driver.candidates(&ListCandidates::new()).unwrap();
        assert_eq!(all.items.len(), 2);
        assert_eq!(all.rejected[0].index(), 1);
        assert_eq!(all.rejected[0].error().path(), "result[1].id");

        let query = ListCandidates::new().vacancy_status(52, StatusName::Shortlist);
        let shortlist = driver.candidates(&query).unwrap().strict().unwrap();
        assert_eq!(shortlist[0].id.as_str(), "4712");
        assert_eq!(shortlist[0].name.as_deref(), Some("Björn Sample"));
        assert_eq!(shortlist[0].kind, Some(CandidateKind::Person));
    }
}

#[test]
fn scripted_vacancies() {
    let scripted = Scripted::start();
    scripted.answer(call("vacancies/list"), json(fixture!("vacancies")));
    for driver in scripted.drivers() {
        let vacancies = driver.vacancies().unwrap().strict().unwrap();
        let titles: Vec<_> = vacancies.iter().map(|one| one.project.as_deref().unwrap()).collect();
        assert_eq!(titles, ["Welder, Rotterdam", "Nurse (nights)", ""]);
    }
}

#[test]
fn scripted_credits() {
    let scripted = Scripted::start();
    scripted.answer(call("credits/get"), json(fixture!("credits")));
    for driver in scripted.drivers() {
        let credits = driver.credits().unwrap();
        assert_eq!(credits.credits_number.as_str(), "120.50");
        assert_eq!(credits.currency.as_str(), "EUR");
    }
}

#[test]
fn the_error_of_a_scripted_failure_keeps_the_response() {
    let scripted = Scripted::start();
    let problem = r#"{"type":"urn:x:suspended","title":"Account suspended","status":403}"#;
    let response = ResponseTemplate::new(403).set_body_raw(problem, "application/problem+json");
    scripted.answer(call("credits/get"), response);
    for driver in scripted.drivers() {
        let error = driver.credits().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Forbidden);
        assert_eq!(error.status().unwrap(), 403);
        assert_eq!(error.problem().unwrap().title.as_deref(), Some("Account suspended"));
        assert_eq!(error.body().unwrap(), problem);
        assert_eq!(error.attempts(), 1);
    }
}

#[test]
fn a_redirect_is_not_followed() {
    let scripted = Scripted::start();
    let elsewhere = ResponseTemplate::new(302).insert_header("location", "http://127.0.0.1:1/");
    scripted.answer(call("credits/get"), elsewhere);
    for driver in scripted.drivers() {
        assert_eq!(driver.credits().unwrap_err().kind(), ErrorKind::Redirected);
    }
}

fn real() -> (Demo, [Driver; 2]) {
    let demo = demo::start().unwrap();
    let drivers = Driver::both(demo.base_url(), demo.token());
    (demo, drivers)
}

#[test]
fn real_candidates() {
    let (_demo, drivers) = real();
    for driver in drivers {
        let all = driver.candidates(&ListCandidates::new()).unwrap().strict().unwrap();
        assert!(all.len() > 20, "{} candidates", all.len());

        let vacancy = &driver.vacancies().unwrap().items[0];
        let query = ListCandidates::new().vacancy_id(&vacancy.id);
        let linked = driver.candidates(&query).unwrap().strict().unwrap();
        assert!((1..all.len()).contains(&linked.len()), "{} of {}", linked.len(), all.len());

        let [shortlist, new, rejected] =
            [StatusName::Shortlist, StatusName::New, StatusName::Rejected].map(|status| {
                let query = ListCandidates::new().vacancy_status(&vacancy.id, status);
                driver.candidates(&query).unwrap()
            });
        for listing in [&shortlist, &new, &rejected] {
            assert!(listing.items.iter().all(|one| linked.contains(one)));
            assert!(listing.items.len() < linked.len());
        }

        let none = driver.candidates(&ListCandidates::new().vacancy_id(u64::MAX)).unwrap();
        assert_eq!(none.items, []);
    }
}

#[test]
fn real_vacancies_and_credits() {
    let (_demo, drivers) = real();
    for driver in drivers {
        let vacancies = driver.vacancies().unwrap().strict().unwrap();
        assert!(vacancies.iter().all(|one| one.project.is_some()));
        assert!(vacancies.is_sorted_by_key(|one| one.id.as_str().parse::<u64>().unwrap()));
        assert_eq!(driver.credits().unwrap().currency.as_str(), "EUR");
    }
}

#[test]
fn real_server_refuses_another_token() {
    let demo = demo::start().unwrap();
    for driver in Driver::both(demo.base_url(), TOKEN) {
        let error = driver.credits().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unauthorized);
        assert!(!format!("{error:?} {error}").contains(TOKEN));
    }
}
