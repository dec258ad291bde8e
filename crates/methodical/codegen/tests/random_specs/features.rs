//! The features of the language, and those of a spec: its keys, their words, and the wires of each meaning.

use std::collections::BTreeSet;

use methodical_codegen::ir::{Meaning, Service, Wire};
use methodical_codegen::spec;
use serde_json::Value;

/// Returns all features of the language.
pub(crate) fn all() -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    let schema = spec::schema();
    keys(&schema, &schema, "", None, &mut all);
    for meaning in Meaning::ALL.iter().copied() {
        for wire in Wire::ALL.iter().copied().filter(|wire| meaning.kind(*wire).is_some()) {
            all.insert(format!("{} as {}", meaning.word(), wire.word()));
            for query in [Wire::String, Wire::Integer] {
                if query != wire && meaning.query_kind(wire, query).is_some() {
                    all.insert(format!(
                        "{} as {} and {}",
                        meaning.word(),
                        wire.word(),
                        query.word()
                    ));
                }
            }
        }
    }
    all
}

/// Returns the features of a spec.
pub(crate) fn of(spec: &str, service: &Service) -> BTreeSet<String> {
    let document: toml::Value = toml::from_str(spec).unwrap();
    let mut found = BTreeSet::new();
    let schema = spec::schema();
    keys(&schema, &schema, "", Some(&[&document]), &mut found);
    for scalar in &service.scalars {
        let wires = format!("{} as {}", scalar.meaning(), scalar.wire.word());
        found.extend(scalar.query_wire.map(|wire| format!("{wires} and {}", wire.word())));
        found.insert(wires);
    }
    found
}

/// Adds the keys of the tables of a schema, with their words: all of them, or those that are given.
fn keys(
    root: &Value,
    schema: &Value,
    path: &str,
    given: Option<&[&toml::Value]>,
    found: &mut BTreeSet<String>,
) {
    let name = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next());
    let schema = name.map_or(schema, |name| &root["$defs"][name]);
    let has = |fits: &dyn Fn(&toml::Value) -> bool| {
        given.is_none_or(|given| given.iter().any(|value| fits(value)))
    };
    for word in
        schema["oneOf"].as_array().into_iter().flatten().filter_map(|one| one["const"].as_str())
    {
        if has(&|one| one.as_str() == Some(word)) {
            found.insert(format!("{path} = {word}"));
        }
    }
    if schema["type"] == "boolean" && !has(&|one| one.as_bool() == Some(true)) {
        return;
    }
    found.insert(path.to_owned());
    let below = |one: &dyn Fn(&toml::Value) -> Vec<toml::Value>| -> Option<Vec<toml::Value>> {
        given.map(|given| given.iter().flat_map(|value| one(value)).collect())
    };
    let mut inner = |schema: &Value, path: &str, values: Option<Vec<toml::Value>>| {
        let values: Option<Vec<_>> = values.as_ref().map(|values| values.iter().collect());
        if values.as_ref().is_none_or(|values| !values.is_empty()) {
            keys(root, schema, path, values.as_deref(), found);
        }
    };
    for (key, property) in schema["properties"].as_object().into_iter().flatten() {
        let values = below(&|one| one.get(key).cloned().into_iter().collect());
        inner(property, &format!("{path}.{key}"), values);
    }
    if schema["additionalProperties"].is_object() {
        let values = below(&|one| {
            one.as_table().into_iter().flat_map(toml::Table::values).cloned().collect()
        });
        inner(&schema["additionalProperties"], path, values);
    }
    if schema["items"].is_object() {
        let values = below(&|one| one.as_array().into_iter().flatten().cloned().collect());
        inner(&schema["items"], path, values);
    }
}
