//! The features of the language, and those of a spec: its keys, their words, and how types are combined.

use std::collections::BTreeSet;

use gateway_codegen::ir::{
    BUILT_IN, Decides, ErrorClass, Leniency, MEANINGS, Operation, Response, Service, Type,
    ValueType, Wire,
};
use gateway_codegen::spec::grammar::{DOCUMENT, Language, Shape, Table};

/// Returns all features of both versions of the language.
pub(crate) fn all() -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for language in Language::ALL {
        keys(&DOCUMENT, language, &format!("{} ", language.number()), None, &mut all);
    }
    for meaning in MEANINGS {
        for wire in Wire::ALL.into_iter().filter(|wire| meaning.form(*wire).is_some()) {
            all.insert(format!("{} as {}", meaning.word, wire.word()));
            for query in [Wire::String, Wire::Integer] {
                if query != wire && meaning.query_form(wire, query).is_some() {
                    all.insert(format!("{} as {} and {}", meaning.word, wire.word(), query.word()));
                }
            }
        }
    }
    for wire in ["string", "integer", "integer-or-text"] {
        all.extend(["open", "closed"].map(|kind| format!("{kind} enum as {wire}")));
    }
    let values: Vec<_> = BUILT_IN.iter().map(|one| one.word).chain(["scalar", "enum"]).collect();
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
    all.extend(ErrorClass::WORDS.map(|(word, _)| format!("class {word}")));
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
    let language = document.get("spec-language").and_then(toml::Value::as_integer);
    let language = Language::ALL.into_iter().find(|one| Some(one.number()) == language).unwrap();
    let mut found = BTreeSet::new();
    let path = format!("{} ", language.number());
    keys(&DOCUMENT, language, &path, Some(&[&document]), &mut found);
    for scalar in &service.scalars {
        let wires = format!("{} as {}", scalar.meaning.word, scalar.wire.word());
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

/// Adds the keys of a table, with their words: all of them, or those that are given.
fn keys(
    table: &Table,
    language: Language,
    path: &str,
    given: Option<&[&toml::Value]>,
    found: &mut BTreeSet<String>,
) {
    for key in table.keys_in(language) {
        let values: Option<Vec<_>> =
            given.map(|given| given.iter().filter_map(|value| value.get(key.name)).collect());
        if values.as_ref().is_some_and(Vec::is_empty) {
            continue;
        }
        let path = format!("{path}{}", key.name);
        let has = |fits: &dyn Fn(&toml::Value) -> bool| {
            values.as_ref().is_none_or(|values| values.iter().any(|value| fits(value)))
        };
        let mut inner = |table, values: Option<Vec<&toml::Value>>| {
            keys(table, language, &format!("{path}."), values.as_deref(), found);
        };
        match key.shape {
            Shape::Table(table) => inner(table, values.clone()),
            Shape::Named(_, table) => inner(
                table,
                values.as_ref().map(|values| {
                    values
                        .iter()
                        .filter_map(|one| one.as_table())
                        .flat_map(|one| one.values())
                        .collect()
                }),
            ),
            Shape::Tables(table) => inner(
                table,
                values.as_ref().map(|values| {
                    values.iter().filter_map(|one| one.as_array()).flatten().collect()
                }),
            ),
            Shape::Choice(words) => {
                let words = words.iter().filter(|(word, _)| has(&|one| one.as_str() == Some(word)));
                found.extend(words.map(|(word, _)| format!("{path} = {word}")));
            }
            Shape::Boolean if !has(&|one| one.as_bool() == Some(true)) => continue,
            _ => {}
        }
        found.insert(path);
    }
}

/// Returns the features of a response.
fn in_response(operation: &Operation) -> Vec<String> {
    let mut found = Vec::new();
    let Some(body) = operation.response.body() else { return found };
    let place = match body.at.len() {
        0 => "the body",
        1 => "an object",
        _ => "objects",
    };
    let of = match &operation.response {
        Response::Value { of, .. } => {
            found.push(format!("value {}", kind(of)));
            "value"
        }
        Response::Nothing { .. } => "nothing",
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
        ValueType::BuiltIn(built_in) => built_in.word,
        ValueType::Scalar(_) => "scalar",
        ValueType::Enum(_) => "enum",
    }
}
