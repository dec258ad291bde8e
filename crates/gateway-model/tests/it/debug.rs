//! `Debug` and errors show no personal data: the tests fill every model of the spec, in both forms, with canaries.

use std::collections::BTreeSet;
use std::fmt::Debug;

use gateway_model::{
    Candidate, Credits, GetCredits, ListCandidates, ListOperation as _, ListVacancies, Next,
    Operation as _, Portal, RawQuery, Record, Vacancy,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use toml::Table;

#[test]
#[cfg_attr(miri, ignore = "reading the spec takes more than ten minutes")]
fn no_model_shows_personal_data() {
    let spec = spec();
    let mut seen = BTreeSet::new();
    let mut check = |name, both: fn(&str)| {
        both(&filled(&spec, name).to_string());
        seen.insert(name);
    };
    check("Candidate", both::<Candidate>);
    check("Credits", both::<Credits>);
    check("Portal", both::<Portal>);
    check("Vacancy", both::<Vacancy>);
    let all: BTreeSet<&str> = table(&spec, "model").keys().map(String::as_str).collect();
    assert_eq!(seen, all, "every model of the spec has its line above");
}

#[test]
#[cfg_attr(miri, ignore = "reading the spec takes more than ten minutes")]
fn no_container_shows_personal_data() {
    let good = filled(&spec(), "Candidate");
    let body = json!({ "status": "success", "result": [good, { "name": CANARY }, CANARY] });
    let body = body.to_string();
    let listing = ListCandidates::decode(body.as_bytes()).unwrap();
    assert_eq!((listing.items.len(), listing.rejected.len()), (1, 2));
    quiet(&listing);
    quiet(&ListCandidates::new().decode_borrowed(body.as_bytes()).unwrap());

    let mut decoder = ListCandidates::new().decoder();
    decoder.push(body.as_bytes());
    quiet(&decoder);
    for _ in 0..3 {
        let next = decoder.next_record().unwrap();
        assert!(matches!(next, Next::Item(_) | Next::Rejected(_)));
        quiet(&next);
    }
    quiet(&decoder);

    quiet(&RawQuery::decode(body.as_bytes()).unwrap());
    let query = RawQuery::new("m/n").pair("name", CANARY);
    quiet(&query);
    quiet(&query.query().unwrap());
    let shown = format!("{:?}", query.query().unwrap());
    assert_eq!(shown, r#"Query { method: "m/n", names: ["name"] }"#);
}

#[test]
fn no_error_contains_a_value() {
    for record in [
        r#"{"id":"CANARY","name":["CANARY"]}"#,
        r#"{"id":"1","name":{"CANARY":1}}"#,
        r#"{"CANARY":"CANARY"}"#,
        r#""CANARY""#,
        r#"{"id":"CANARY","id":"CANARY"}"#,
        r#"{"id":"1","portal":"CANARY"}"#,
        r#"{"id":"1","portal":{"id":"CANARY","name":7}}"#,
        r#"{"id":"1","name":"CANARY\ud800"}"#,
        r#"{"id":"1","CANARY":CANARY}"#,
    ] {
        let body = format!(r#"{{"status":"success","result":[{record}]}}"#);
        match ListCandidates::decode(body.as_bytes()) {
            Ok(listing) => error(listing.rejected[0].error()),
            Err(other) => error(&other),
        }
    }
    error(&ListCandidates::decode(br#"{"status":"CANARY","result":[]}"#).unwrap_err());
    error(&ListVacancies::decode(b"CANARY").unwrap_err());
    error(&GetCredits::decode(br#"{"credits_number":["CANARY"]}"#).unwrap_err());
    error(&ListCandidates::new().vacancy_id("CANARY").query().unwrap_err());
    let raw = RawQuery::decode(br#""CANARY""#).unwrap();
    error(&raw.get::<u8>().unwrap_err());
    let vacancy: Vacancy = serde_json::from_str(r#"{"id":"1","note":"CANARY"}"#).unwrap();
    error(&vacancy.extra().get::<u8>("note").unwrap_err());
}

/// Decodes the record in its owned and borrowed forms, and checks both.
fn both<T>(json: &str)
where
    T: Record + DeserializeOwned + Debug,
    for<'a> T::Ref<'a>: Debug,
{
    quiet(&serde_json::from_str::<T>(json).unwrap());
    quiet(&serde_json::from_str::<T::Ref<'_>>(json).unwrap());
}

#[track_caller]
fn quiet(value: &impl Debug) {
    for text in [format!("{value:?}"), format!("{value:#?}")] {
        assert!(!text.contains(CANARY), "{text}");
    }
}

#[track_caller]
fn error(error: &gateway_model::DecodeError) {
    quiet(error);
    assert!(!error.to_string().contains(CANARY), "{error}");
}

/// A record with every field of the spec and two more. Personal and unlisted fields are canaries; the others have text
/// that is valid for all of their types.
fn filled(spec: &Table, model: &str) -> Value {
    let fields = table(table(spec, "model"), model)["field"].as_table().unwrap();
    let mut record: serde_json::Map<String, Value> = fields
        .iter()
        .map(|(name, field)| {
            let (field, ty) = (field.as_table().unwrap(), field["type"].as_str().unwrap());
            let personal = field.get("personal").is_some_and(|flag| flag.as_bool() == Some(true));
            let value = match ty {
                _ if table(spec, "model").contains_key(ty) => filled(spec, ty),
                _ if personal => CANARY.into(),
                _ => "12".into(),
            };
            (name.clone(), value)
        })
        .collect();
    record.insert("note".to_owned(), json!([CANARY, { CANARY: CANARY }]));
    record.insert(CANARY.to_owned(), Value::Null);
    Value::Object(record)
}

fn spec() -> Table {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../spec/gateway.toml");
    std::fs::read_to_string(path).unwrap().parse().unwrap()
}

fn table<'t>(table: &'t Table, key: &str) -> &'t Table {
    table[key].as_table().unwrap()
}

const CANARY: &str = "CANARY";
