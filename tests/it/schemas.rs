//! The JSON Schemas and the decoders come from the same spec by different ways: on any JSON value
//! they must agree.

use std::cell::Cell;
use std::fs;
use std::path::Path;

use gateway_client::model::{Candidate, Credits, Portal, Vacancy};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Map, Value, json};
use xtask::spec::grammar::Form;

#[test]
fn candidates() {
    agree("candidate", |text| serde_json::from_str::<Candidate>(text).is_ok());
}

#[test]
fn portals() {
    agree("portal", |text| serde_json::from_str::<Portal>(text).is_ok());
}

#[test]
fn vacancies() {
    agree("vacancy", |text| serde_json::from_str::<Vacancy>(text).is_ok());
}

#[test]
fn credits() {
    agree("credits", |text| serde_json::from_str::<Credits>(text).is_ok());
}

/// The forms of the spec language: the pattern for editors and the code of the reader.
#[test]
fn forms() {
    let piece = prop::sample::select(vec![
        "a", "B", "z9", "0", "1", "12", ".", "-", "_", "~", "/", "//", " ", "\n", "é", "☂", "&",
        "=", "?", "\"", "+", "json",
    ]);
    let text = prop::collection::vec(piece, 0..7).prop_map(|pieces| pieces.concat());
    for form in Form::ALL {
        let schema =
            json!({ "type": "string", "pattern": form.pattern(), "maxLength": form.longest() });
        let validator = jsonschema::validator_for(&schema).unwrap();
        let config = Config { cases: 400, failure_persistence: None, ..Config::default() };
        TestRunner::new(config)
            .run(&text, |text| {
                let valid = validator.is_valid(&Value::from(text.as_str()));
                prop_assert_eq!(form.fits(&text), valid, "{:?} {:?}", form, text);
                Ok(())
            })
            .unwrap();
    }
}

/// Asks both about many values: mostly records, many of them almost right.
#[track_caller]
fn agree(name: &str, decodes: fn(&str) -> bool) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let path = root.join(format!("docs/generated/json-schema/{name}.json"));
    let schema: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let (accepted, refused) = (Cell::new(0), Cell::new(0));
    let config = Config { cases: 500, failure_persistence: None, ..Config::default() };
    TestRunner::new(config)
        .run(&value(&schema, &schema), |value| {
            let valid = validator.is_valid(&value);
            let count = if valid { &accepted } else { &refused };
            count.set(count.get() + 1);
            prop_assert_eq!(decodes(&value.to_string()), valid, "{}", value);
            Ok(())
        })
        .unwrap();
    let (accepted, refused) = (accepted.get(), refused.get());
    assert!(accepted > 50 && refused > 50, "{name}: {accepted} accepted, {refused} refused");
}

/// A value for a schema: a right one mostly, else any.
fn value(root: &Value, schema: &Value) -> BoxedStrategy<Value> {
    if let Some(path) = schema["$ref"].as_str() {
        let definition = root.pointer(path.trim_start_matches('#')).unwrap();
        return value(root, definition);
    }
    if let Some(Value::Array(choices)) = schema.get("anyOf") {
        let choices: Vec<_> = choices.iter().map(|choice| value(root, choice)).collect();
        return prop::strategy::Union::new(choices).boxed();
    }
    let right = match schema.get("properties") {
        Some(Value::Object(properties)) => record(root, properties),
        _ => prop_oneof![3 => ".{0,8}".prop_map(Value::from), 1 => Just(Value::Null)].boxed(),
    };
    prop_oneof![12 => right, 1 => any_value()].boxed()
}

fn record(root: &Value, properties: &Map<String, Value>) -> BoxedStrategy<Value> {
    let members: Vec<_> = properties
        .iter()
        .map(|(name, schema)| {
            prop::option::weighted(0.85, (Just(name.clone()), value(root, schema)))
        })
        .collect();
    let extra = prop::option::weighted(0.3, ("x[a-z]{1,3}", any_value()));
    (members, extra)
        .prop_map(|(members, extra)| {
            Value::Object(members.into_iter().flatten().chain(extra).collect())
        })
        .boxed()
}

fn any_value() -> BoxedStrategy<Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
        Just(json!([])),
        Just(json!([{ "id": "1" }])),
        Just(json!({})),
        Just(json!({ "id": "1" })),
    ]
    .boxed()
}
