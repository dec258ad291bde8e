//! Read and written, a record is the same JSON value, unlisted members and nulls included.

use gateway_model::{Candidate, CandidateRef, Credits, Vacancy};
use proptest::prelude::*;
use serde::Serialize;
use serde_json::{Map, Value};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn candidate(record in record(&["name", "email", "phone", "phone_mobile", "date", "type"], &["id"], true)) {
        let text = serde_json::to_string(&record)?;
        let owned: Candidate = serde_json::from_str(&text)?;
        prop_assert_eq!(written(&owned)?, read(&text)?);
        let borrowed: CandidateRef<'_> = serde_json::from_str(&text)?;
        prop_assert_eq!(written(&borrowed)?, read(&text)?);
        prop_assert_eq!(borrowed.into_owned(), owned);
    }

    #[test]
    fn vacancy(record in record(&["project"], &["id"], false)) {
        let text = serde_json::to_string(&record)?;
        let vacancy: Vacancy = serde_json::from_str(&text)?;
        prop_assert_eq!(written(&vacancy)?, read(&text)?);
    }

    #[test]
    fn credits(record in record(&[], &["credits_number", "currency"], false)) {
        let text = serde_json::to_string(&record)?;
        let credits: Credits = serde_json::from_reader(text.as_bytes())?;
        prop_assert_eq!(written(&credits)?, read(&text)?);
    }
}

fn written(record: &impl Serialize) -> Result<Value, serde_json::Error> {
    read(&serde_json::to_string(record)?)
}

/// `serde_json` may round a number that it reads, so both sides are read from text.
fn read(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str(text)
}

fn record(
    optional: &'static [&'static str],
    required: &'static [&'static str],
    portal: bool,
) -> impl Strategy<Value = Value> {
    let text = || string(12).prop_map(Value::from);
    let optional: Vec<_> = optional.iter().map(|name| (Just(*name), maybe(text()))).collect();
    let required: Vec<_> = required.iter().map(|name| (Just(*name), text())).collect();
    let portal = if portal { maybe(portal_object()).boxed() } else { Just(None).boxed() };
    (optional, required, portal, prop::collection::btree_map(string(9), json(), 0..4)).prop_map(
        |(optional, required, portal, extra)| {
            let mut record: Map<String, Value> =
                extra.into_iter().filter(|(name, _)| !LISTED.contains(&name.as_str())).collect();
            let optional = optional.into_iter().filter_map(|(name, value)| Some((name, value?)));
            let listed =
                required.into_iter().chain(optional).chain(portal.map(|one| ("portal", one)));
            record.extend(listed.map(|(name, value)| (name.to_owned(), value)));
            Value::Object(record)
        },
    )
}

fn portal_object() -> impl Strategy<Value = Value> {
    (string(9), string(12), json()).prop_map(
        |(id, name, extra)| serde_json::json!({ "id": id, "name": name, "unlisted": extra }),
    )
}

/// Not there, `null`, or a value.
fn maybe(value: impl Strategy<Value = Value>) -> impl Strategy<Value = Option<Value>> {
    prop_oneof![1 => Just(None), 1 => Just(Some(Value::Null)), 3 => value.prop_map(Some)]
}

/// Any characters; a regular expression would take longer than the test itself.
fn string(longest: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(any::<char>(), 0..longest).prop_map(String::from_iter)
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        string(12).prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(string(6), inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

const LISTED: &[&str] = &[
    "id",
    "name",
    "email",
    "phone",
    "phone_mobile",
    "date",
    "portal",
    "type",
    "project",
    "credits_number",
    "currency",
];
