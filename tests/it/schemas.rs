//! The JSON Schemas and the decoders are generated from the same spec independently: they must accept the same JSON
//! values.

use std::cell::Cell;
use std::fs;
use std::path::Path;

use gateway_client::model::{Candidate, Credits, Portal, Vacancy};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Map, Value, json};

#[test]
fn schemas_and_decoders_agree() {
    agree("candidate", |text| serde_json::from_str::<Candidate>(text).is_ok());
    agree("portal", |text| serde_json::from_str::<Portal>(text).is_ok());
    agree("vacancy", |text| serde_json::from_str::<Vacancy>(text).is_ok());
    agree("credits", |text| serde_json::from_str::<Credits>(text).is_ok());
}

/// Compares the schema and the decoder on many values: mostly records, many of them almost valid.
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

/// Generates values for a schema: mostly valid, otherwise arbitrary.
fn value(root: &Value, schema: &Value) -> BoxedStrategy<Value> {
    if let Some(path) = schema["$ref"].as_str() {
        let definition = root.pointer(path.trim_start_matches('#')).unwrap();
        return value(root, definition);
    }
    if let Some(Value::Array(choices)) = schema.get("anyOf") {
        let choices: Vec<_> = choices.iter().map(|choice| value(root, choice)).collect();
        return prop::strategy::Union::new(choices).boxed();
    }
    let ty = schema["type"].as_str().or_else(|| schema.pointer("/type/0")?.as_str());
    let valid = match (schema.get("properties"), ty) {
        (Some(Value::Object(properties)), _) => record(root, properties),
        (_, Some("integer")) => or_null(any::<u32>().prop_map(Value::from)),
        (_, Some("boolean")) => or_null(any::<bool>().prop_map(Value::from)),
        _ => or_null(".{0,8}".prop_map(Value::from)),
    };
    prop_oneof![12 => valid, 1 => any_value()].boxed()
}

fn or_null(value: impl Strategy<Value = Value> + 'static) -> BoxedStrategy<Value> {
    prop_oneof![3 => value, 1 => Just(Value::Null)].boxed()
}

fn record(root: &Value, properties: &Map<String, Value>) -> BoxedStrategy<Value> {
    let fields: Vec<_> = properties
        .iter()
        .map(|(name, schema)| {
            prop::option::weighted(0.85, (Just(name.clone()), value(root, schema)))
        })
        .collect();
    let extra = prop::option::weighted(0.3, ("x[a-z]{1,3}", any_value()));
    (fields, extra)
        .prop_map(|(fields, extra)| {
            Value::Object(fields.into_iter().flatten().chain(extra).collect())
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
