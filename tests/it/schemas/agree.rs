//! Compares a JSON Schema with the decoder, which is generated independently from the same spec: they must accept the
//! same JSON values. The tests of the gateway and of the recipe box include this file.

use std::cell::Cell;
use std::fs;

use arbitrary::Unstructured;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, TestRunner};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Compares the schema and the decoder on records, and on records in which some values are replaced or missing.
#[track_caller]
pub(crate) fn agree<R>(schema: &str)
where
    R: for<'a> arbitrary::Arbitrary<'a> + Serialize + DeserializeOwned,
{
    let record = |bytes: Vec<u8>| {
        let record: R = Unstructured::new(&bytes).arbitrary().unwrap();
        serde_json::to_value(record).unwrap()
    };
    let records = prop::collection::vec(any::<u8>(), 0..600).prop_map(record);
    let path = format!("{}/../{schema}.json", env!("CARGO_MANIFEST_DIR"));
    let json: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&json).unwrap();
    let (accepted, refused) = (Cell::new(0), Cell::new(0));
    let config = Config { cases: 300, failure_persistence: None, ..Config::default() };
    let changes = prop::collection::vec((any::<Index>(), prop::option::of(other())), 0..3);
    TestRunner::new(config)
        .run(&(records, changes), |(mut record, changes)| {
            for (at, value) in changes {
                change(&mut record, at, value);
            }
            let valid = validator.is_valid(&record);
            let count = if valid { &accepted } else { &refused };
            count.set(count.get() + 1);
            let is_read = serde_json::from_str::<R>(&record.to_string()).is_ok();
            prop_assert_eq!(is_read, valid, "{}", record);
            Ok(())
        })
        .unwrap();
    let (accepted, refused) = (accepted.get(), refused.get());
    assert!(accepted > 30 && refused > 30, "{schema}: {accepted} accepted, {refused} refused");
}

/// Replaces a listed field or a value in it, or removes the field.
fn change(record: &mut Value, at: Index, value: Option<Value>) {
    let Value::Object(fields) = record else { return };
    let names: Vec<_> = fields.keys().cloned().collect();
    let Some(name) = names.get(at.index(names.len().max(1))) else { return };
    let Some(value) = value else {
        fields.remove(name);
        return;
    };
    let inner = fields.get_mut(name).filter(|_| at.index(3) == 0).and_then(|field| match field {
        Value::Array(items) => items.first_mut(),
        Value::Object(members) => members.values_mut().next(),
        _ => None,
    });
    match inner {
        Some(inner) => *inner = value,
        None => drop(fields.insert(name.clone(), value)),
    }
}

/// Values that are valid in some fields and in some forms.
fn other() -> impl Strategy<Value = Value> {
    let values = r#"[
        null, true, false, 0, 1, -2, 10, 18446744073709551615, 1.5, -2.5e300,
        "", "0", "1", "-7", "1.5", "Y", "true", "main", "vegan",
        [], [1], [1.5], ["1"], [null], [[]], [{}],
        {}, {"a": 1}, {"a": "1"}, {"a": []}, {"street": 1}
    ]"#;
    prop::sample::select(serde_json::from_str::<Vec<Value>>(values).unwrap())
}
