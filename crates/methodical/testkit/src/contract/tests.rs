//! Services that are called by POST, and that report failures in the body.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use gateway_transport::{BlockingBody, Redacted, Request, blocking_transport_fn};
use http::Method;
use methodical_model::codegen::{Body, Decides, Verdict};
use methodical_model::{Auth, BodyFormat, Dispatch, Secret, SecretPlace};

use crate::contract::description::{Contract, Data, Field, Kind, Operation, Param, Record, Values};
use crate::contract::evidence::Parameter;
use crate::contract::{Profile, Report, Target, run};

const KEY: [Secret; 1] = [Secret::new("key", SecretPlace::Form)];

/// Returns a field whose check has the field's name.
pub(super) const fn field(name: &'static str, kind: Kind, required: bool) -> Field {
    Field { check: name, name, kind, required, source: "", open: &[] }
}

/// An optional parameter with any integer.
const LIMIT: Param = Param {
    check: "limit",
    name: "limit",
    values: Values::Integer,
    origin: None,
    sample: "1",
    unknown: None,
    required: false,
    needs: &[],
    recovers: None,
    source: "",
    open: &[],
};

/// A list of shows, with a marker of success.
const LIST: Body = Body {
    at: &["shows"],
    verdict: Some(&Verdict::new(Decides::Success { at: &["result"], is: &["success"] })),
    ..Body::ROOT
};

/// Returns a service.
pub(super) const fn service(
    path: &'static str,
    auth: Auth,
    dispatch: Dispatch,
    operations: &'static [Operation],
) -> Contract {
    let (accept, source, token_source) = ("application/json", "", "");
    Contract { path, dispatch, auth, accept, source, token_source, operations }
}

static SHOW: Record = Record { identity: Some("id"), fields: &[field("id", Kind::Text, true)] };

pub(super) const fn shows(select: &'static str, post: Option<(BodyFormat, bool)>) -> Operation {
    Operation {
        group: select,
        select,
        source: "",
        post,
        literals: &["limit"],
        lists: &["day"],
        response: Data { is_list: true, body: &LIST },
        reports_failures: true,
        record: &SHOW,
        params: &[LIMIT],
    }
}

/// A service whose every call is a POST with the selector in its form.
static BOX_OFFICE: Contract = service(
    "/api",
    Auth::Secrets(&KEY),
    Dispatch::form(&["action"]).constants(&[("format", "json")]),
    &[
        shows("GetShows", Some((BodyFormat::Form, true))),
        shows("AddOrder", Some((BodyFormat::Form, false))),
    ],
);

/// Operations called by POST, with their names in the path and in the query.
static BY_PATH: Contract = service(
    "/api",
    Auth::Secrets(&KEY),
    Dispatch::path(),
    &[shows("shows.list", Some((BodyFormat::Json, true)))],
);
static BY_QUERY: Contract = service(
    "/api",
    Auth::Secrets(&KEY),
    Dispatch::query(&["action"]),
    &[shows("GetShows", Some((BodyFormat::Form, true))), shows("OldShows", None)],
);

const SHOWS: &str = r#"{"result":"success","shows":[{"id":"1"},{"id":"2"}]}"#;
const REFUSED: &str = r#"{"result":"error","message":"GetShows or AddOrder"}"#;

/// Returns the response of the box office, with status 200.
fn answer(form: &str) -> &'static str {
    let Some(rest) = form.strip_prefix("action=GetShows&format=json") else { return REFUSED };
    match rest {
        "&key=right" | "&limit=1&key=right" | "&undefined_parameter=1&key=right" => SHOWS,
        _ => REFUSED,
    }
}

/// Runs the checks and returns the report and all requests.
fn judge(answer: fn(&str) -> &'static str) -> (Report, Vec<Request>) {
    let requests = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&requests);
    let transport = blocking_transport_fn(move |request: Request| {
        let status = if request.uri().path() == "/api" { 200 } else { 404 };
        let form = String::from_utf8_lossy(request.body()).into_owned();
        kept.lock().unwrap().push(request);
        let response = http::Response::builder().status(status);
        let response = response.header("content-type", "application/json");
        Ok(response.body(BlockingBody::from(Bytes::from(answer(&form)))).unwrap())
    });
    let target = Target::new("https://gateway.example.com", "right").unwrap();
    let report = run(&BOX_OFFICE, &target, &transport, Profile::Reference);
    let requests = requests.lock().unwrap().clone();
    (report, requests)
}

fn failed(report: &Report) -> Vec<&str> {
    let failed = report.findings().iter().filter(|one| one.verdict.word() == "fail");
    failed.map(|one| &*one.check.name).collect()
}

#[test]
fn a_service_with_failures_in_its_bodies_keeps_its_contract() {
    let (report, requests) = judge(answer);
    // The service has no other media type.
    assert_eq!(failed(&report), ["representation.accept_other"], "{report}");
    for request in &requests {
        assert_eq!(request.method(), Method::POST);
        assert_eq!(request.headers()["content-type"], "application/x-www-form-urlencoded");
        assert!(request.uri().query().is_none(), "{}", request.uri());
        let is_authorized = request.body().ends_with(b"key=right");
        assert!(is_authorized || request.body() == Redacted::body(request));
        assert!(Redacted::body(request).ends_with(b"key=REDACTED"));
    }
}

#[test]
fn a_post_that_is_not_idempotent_is_not_sent() {
    let (report, requests) = judge(answer);
    let mut findings = report.findings().iter();
    let skipped = findings.find(|one| one.check.name == "AddOrder.response").unwrap();
    assert_eq!(skipped.verdict.word(), "skip");
    let reason = "the contract does not declare this POST idempotent";
    assert_eq!(skipped.verdict.detail(), reason);
    let sent = |request: &&Request| {
        let form = String::from_utf8_lossy(request.body()).into_owned();
        form.contains("action=AddOrder") && !form.contains("action=GetShows")
    };
    assert_eq!(requests.iter().filter(sent).count(), 0);
}

#[test]
fn a_service_that_refuses_nothing_or_everything_fails() {
    const NOTHING: [&str; 4] =
        ["filters.limit_text", "filters.limit_empty", "method.unknown", "method.missing_400"];
    const EVERYTHING: [&str; 3] =
        ["GetShows.success", "filters.limit_envelope", "filters.unknown_parameter"];
    let (nothing, everything) = (judge(|_| SHOWS).0, judge(|_| REFUSED).0);
    for (report, names) in [(nothing, &NOTHING[..]), (everything, &EVERYTHING)] {
        let failed = failed(&report);
        assert!(names.iter().all(|name| failed.contains(name)), "{names:?}: {report}");
    }
}

/// Returns the path, query and body of a call.
fn sent(contract: &Contract, suffix: &str) -> String {
    let call = contract.call(suffix);
    let body = call.body.map(|(format, text)| format!(" {format} {text}")).unwrap_or_default();
    format!("{}?{}{body}", call.path, call.query)
}

#[test]
fn parameters_are_where_the_operation_has_them() {
    let path = "?=shows.list&day=7&limit=3&name=a%20b";
    let body = r#"{"day":["7"],"limit":3,"name":"a b"}"#;
    assert_eq!(sent(&BY_PATH, path), format!("/shows.list? JSON {body}"));
    // An invalid value is sent as text.
    let text = sent(&BY_PATH, "?=shows.list&limit=text");
    assert_eq!(text, r#"/shows.list? JSON {"limit":"text"}"#);
    assert_eq!(sent(&BY_QUERY, "?=GetShows&limit=3"), "?action=GetShows form limit=3");
    assert_eq!(sent(&BY_QUERY, "?=OldShows&limit=3"), "?action=OldShows&limit=3");
    assert_eq!(sent(&BY_QUERY, "/?=nothing/here"), "/?action=nothing/here");
    assert_eq!(sent(&BOX_OFFICE, "?=GetShows&a=1"), "? form action=GetShows&format=json&a=1");
    assert_eq!(sent(&BOX_OFFICE, "?a=1"), "? form a=1");
}

#[test]
fn a_json_body_has_no_percent_encoding_to_check() {
    let limit = Parameter::first(&BY_QUERY, |param| param.name == "limit");
    assert!(limit.is_some_and(|limit| limit.operation.post.is_some()));
    assert!(Parameter::first(&BY_PATH, |_param| true).is_none());
}
