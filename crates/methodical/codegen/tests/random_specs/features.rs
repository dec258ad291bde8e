//! The features of the language, and those of a spec: its keys, their words, and how types are combined.

use std::collections::BTreeSet;

use methodical_codegen::ir::{
    BuiltIn, Decides, ErrorClass, Leniency, Meaning, Operation, Service, Type, ValueType, Wire,
};
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
    for wire in ["string", "integer", "integer-or-text"] {
        all.extend(["open", "closed"].map(|kind| format!("{kind} enum as {wire}")));
    }
    let values: Vec<_> =
        BuiltIn::ALL.iter().map(|one| one.word()).chain(["scalar", "enum"]).collect();
    let single = || values.iter().copied().chain(["model"]);
    let any = || single().chain(["list", "map"]);
    let collections = || {
        ["list", "map"]
            .into_iter()
            .flat_map(|outer| any().map(move |of| format!("{outer} of {of}")))
    };
    for presence in ["required", "optional"] {
        let types = single().map(str::to_owned).chain(collections());
        all.extend(types.map(|ty| format!("{presence} {ty}")));
    }
    all.extend(single().chain(["map"]).map(|of| format!("one-as-list for list of {of}")));
    all.extend(["map", "model"].map(|of| format!("empty-array-as-map for {of}")));
    all.extend(["list", "map"].map(|of| format!("absent-as-empty for {of}")));
    all.extend(any().map(|of| format!("blank-as-none for {of}")));
    for value in &values {
        all.extend([format!("parameter {value}"), format!("parameters {value}")]);
    }
    all.extend(any().filter(|of| *of != "model").map(|of| format!("value {of}")));
    all.extend(ErrorClass::ALL.iter().map(|class| format!("class {}", class.word())));
    let others = [
        "list in the body",
        "list in an object",
        "list in objects",
        "object in the body",
        "object in an object",
        "object in objects",
        "value in the body",
        "value in an object",
        "value in objects",
        "nothing in the body",
        "one-as-list for the list",
        "absent-as-empty for the list",
        "fields above the list",
        "success in the object with the data",
        "success in the object that is the data",
        "success outside",
        "failure outside",
        "failure around a list that is the body",
        "class of all that begin with a text",
    ];
    all.extend(others.map(str::to_owned));
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
    for one in &service.enums {
        let kind = if one.open_ended { "open" } else { "closed" };
        found.insert(format!("{kind} enum as {}", one.wire.word()));
    }
    for field in service.models.iter().flat_map(|model| &model.fields) {
        let presence = if field.required { "required" } else { "optional" };
        let of = |of| format!("{} of {}", kind(&field.ty), kind(of));
        let ty = match &field.ty {
            Type::Value(_) | Type::Model(_) => kind(&field.ty).to_owned(),
            Type::List(inner) | Type::Map(inner) => of(inner),
        };
        found.insert(format!("{presence} {ty}"));
        for leniency in &field.lenient {
            let is_inner = *leniency == Leniency::OneAsList;
            let ty = if is_inner { &*ty } else { kind(&field.ty) };
            found.insert(format!("{} for {ty}", leniency.word()));
        }
    }
    for operation in &service.operations {
        for param in &operation.params {
            let count = if param.list.is_some() { "parameters" } else { "parameter" };
            found.insert(format!("{count} {}", value_kind(&param.ty)));
        }
        found.extend(in_response(operation));
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

/// Returns the features of a response.
fn in_response(operation: &Operation) -> Vec<String> {
    let mut found = Vec::new();
    let body = &operation.response;
    if !body.is_body() {
        return found;
    }
    let place = match body.at.len() {
        0 => "the body",
        1 => "an object",
        _ => "objects",
    };
    let of = match &body.of {
        None => "nothing",
        Some(of) if of.model().is_none() => {
            found.push(format!("value {}", kind(of)));
            "value"
        }
        _ if body.is_list => "list",
        _ => "object",
    };
    found.push(format!("{of} in {place}"));
    let flags = [
        (body.one_as_list, "one-as-list for the list"),
        (body.absent_as_empty, "absent-as-empty for the list"),
        (body.beside_above > 0, "fields above the list"),
    ];
    found.extend(flags.into_iter().filter(|(is, _)| *is).map(|(_, name)| name.to_owned()));
    let Some(verdict) = &body.verdict else { return found };
    let is_inside = body.at.len() > 1 && verdict.decides.path().starts_with(&body.at[..1]);
    found.push(
        match &verdict.decides {
            Decides::Success { .. } if body.at.is_empty() => {
                "success in the object that is the data"
            }
            Decides::Success { .. } if is_inside => "success in the object with the data",
            Decides::Success { .. } => "success outside",
            Decides::Failure { .. } if body.at.is_empty() && body.is_list => {
                "failure around a list that is the body"
            }
            Decides::Failure { .. } => "failure outside",
        }
        .to_owned(),
    );
    for (text, class) in &verdict.classes {
        found.push(format!("class {}", class.word()));
        if text.ends_with('*') {
            found.push("class of all that begin with a text".to_owned());
        }
    }
    found
}

/// Returns the kind of a type.
fn kind(ty: &Type) -> &'static str {
    match ty {
        Type::Value(value) => value_kind(value),
        Type::Model(_) => "model",
        Type::List(_) => "list",
        Type::Map(_) => "map",
    }
}

fn value_kind(value: &ValueType) -> &'static str {
    match value {
        ValueType::BuiltIn(built_in) => built_in.word(),
        ValueType::Scalar(_) => "scalar",
        ValueType::Enum(_) => "enum",
    }
}
