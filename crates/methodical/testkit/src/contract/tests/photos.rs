//! A service with bearer tokens, whose lists are in an envelope.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};

use bytes::Bytes;
use gateway_transport::{BlockingBody, Request, blocking_transport_fn};
use http::HeaderValue;
use http::header::{AUTHORIZATION, CONTENT_TYPE, ETAG, WWW_AUTHENTICATE};
use methodical_model::{Auth, Dispatch};

use super::{LIMIT, OBJECT, failed, field, service};
use crate::contract::description::{Contract, Data, Kind, Operation, Param, Record, Values};
use crate::contract::{Profile, Report, Target, Verdict, run};

static PHOTO: Record = Record { identity: Some("id"), fields: &[field("id", Kind::Integer, true)] };

const ALBUM: Param = Param {
    check: "album",
    name: "album",
    values: Values::Text,
    sample: "harbour",
    unknown: Some("nowhere"),
    recovers: Some("album"),
    ..LIMIT
};

static PHOTOS: Contract = service(
    "/api",
    Auth::Bearer,
    Dispatch::query(&["action"]),
    &[
        Operation {
            group: "list",
            select: "photos/list",
            source: "",
            post: None,
            response: Data {
                is_list: true,
                at: &["photos"],
                success: Some((&["stat"], &["ok"])),
                ..OBJECT
            },
            reports_failures: false,
            record: &PHOTO,
            params: &[
                ALBUM,
                Param {
                    check: "since",
                    name: "since",
                    sample: "7",
                    unknown: None,
                    needs: &["album"],
                    recovers: None,
                    ..ALBUM
                },
            ],
        },
        Operation {
            group: "get",
            select: "photos/get",
            source: "",
            post: None,
            response: OBJECT,
            reports_failures: false,
            record: &PHOTO,
            params: &[Param { check: "id", name: "id", recovers: None, required: true, ..ALBUM }],
        },
    ],
);

const BOTH: &str = r#"{"stat":"ok","photos":[{"id":1},{"id":2}]}"#;
const FIRST: &str = r#"{"stat":"ok","photos":[{"id":1}]}"#;
const NONE: &str = r#"{"stat":"ok","photos":[]}"#;

/// The errors of the service.
#[derive(Clone, Copy)]
struct Faults {
    /// The photos of the album.
    album: Option<&'static str>,
    /// The photos that were taken since a date, without the album.
    since: Option<&'static str>,
    /// Whether the photos change with every request.
    changes: bool,
}

const SOUND: Faults = Faults { album: None, since: None, changes: false };

/// Answers with status, challenge and body.
fn answer(faults: Faults, request: &Request) -> (u16, &'static str, &'static str) {
    let authorization = request.headers().get(AUTHORIZATION).map(HeaderValue::as_bytes);
    let authorization = authorization.map(|value| String::from_utf8_lossy(value).into_owned());
    let authorization = authorization.map(|value| value.replacen("bearer", "Bearer", 1));
    match authorization.as_deref() {
        Some("Bearer right") => {}
        Some("Bearer not a token") => return (400, r#"Bearer error="invalid_request""#, "{}"),
        Some(token) if token.starts_with("Bearer") => {
            return (401, r#"Bearer error="invalid_token""#, "{}");
        }
        _ => return (401, "Bearer", "{}"),
    }
    let pairs = request.uri().query().unwrap_or_default().split('&');
    let mut given: BTreeMap<_, _> = pairs.filter_map(|pair| pair.split_once('=')).collect();
    given.remove("undefined_parameter");
    let values: Vec<_> = given.into_iter().collect();
    match values.as_slice() {
        [("action", "photos/list")] => (200, "", BOTH),
        [("action", "photos/list"), ("since", "7")] => (200, "", faults.since.unwrap_or(BOTH)),
        [("action", "photos/list"), ("album", "harbour"), ..]
        | [("action", "photos/list"), ("album", "%68arbour")] => {
            (200, "", faults.album.unwrap_or(FIRST))
        }
        [("action", "photos/list"), ("album", album)] if !album.is_empty() => (200, "", NONE),
        [("action", "photos/get"), ("id", "harbour")] => (200, "", r#"{"id":1}"#),
        _ => (400, "", r#"{"allowed":["photos/list","photos/get"]}"#),
    }
}

/// Runs the checks on the service with these faults.
fn judge(faults: Faults) -> Report {
    let version = AtomicU32::new(0);
    let transport = blocking_transport_fn(move |request: Request| {
        let (status, challenge, body) = answer(faults, &request);
        let version = version.fetch_add(u32::from(faults.changes), Ordering::Relaxed);
        let mut response = http::Response::builder().status(status);
        response = response.header(CONTENT_TYPE, "application/json");
        response = response.header(ETAG, format!("W/\"{version}\""));
        if !challenge.is_empty() {
            response = response.header(WWW_AUTHENTICATE, challenge);
        }
        Ok(response.body(BlockingBody::from(Bytes::from(body))).unwrap())
    });
    let target = Target::new("https://gateway.example.com", "right").unwrap();
    run(&PHOTOS, &target, &transport, Profile::Reference)
}

/// Returns the checks that fail because of these faults.
fn added(faults: Faults) -> Vec<String> {
    let (report, sound) = (judge(faults), judge(SOUND));
    let sound = failed(&sound);
    let added = failed(&report).into_iter().filter(|name| !sound.contains(name));
    added.map(str::to_owned).collect()
}

/// Returns the verdict of a check on the service with these faults.
fn verdict(faults: Faults, name: &str) -> Verdict {
    let report = judge(faults);
    let mut findings = report.findings().iter();
    findings.find(|one| one.check.name == name).unwrap().verdict.clone()
}

#[test]
fn a_service_with_an_envelope_keeps_its_contract() {
    let report = judge(SOUND);
    for finding in report.findings() {
        let (group, _) = finding.check.name.split_once('.').unwrap();
        if ["list", "get", "authorization"].contains(&group) {
            assert_eq!(finding.verdict, Verdict::Pass, "{}", finding.check.name);
        }
    }
    for name in ["album_subset", "album_envelope", "unknown_album", "album_case", "since_alone"] {
        assert_eq!(verdict(SOUND, &format!("filters.{name}")), Verdict::Pass, "{name}");
    }
}

/// Requires that these faults fail one check, and that the check is inconclusive if the data changes.
#[track_caller]
fn fails(faults: Faults, check: &str, detail: &str) {
    assert_eq!(added(faults), [check]);
    assert_eq!(verdict(faults, check), Verdict::Fail(detail.to_owned()));
    let changed = "the data changed between two requests".to_owned();
    assert_eq!(verdict(Faults { changes: true, ..faults }, check), Verdict::Skip(changed));
}

#[test]
fn a_filter_that_adds_records_fails() {
    let stranger = Faults { album: Some(r#"{"stat":"ok","photos":[{"id":3}]}"#), ..SOUND };
    fails(stranger, "filters.album_subset", "1 of 1 records are not in the larger list");
}

#[test]
fn a_parameter_that_has_an_effect_alone_fails() {
    let effect = Faults { since: Some(FIRST), ..SOUND };
    fails(effect, "filters.since_alone", "1 records instead of 2");
}
