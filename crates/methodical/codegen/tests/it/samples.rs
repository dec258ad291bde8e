//! The sample specs together have every key and word of the language, and the behavior of the code that is generated
//! from them does not depend on descriptions.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, thread};

use methodical_codegen::ir::Service;
use methodical_codegen::spec::{read_file, schema};
use proc_macro2::{TokenStream, TokenTree};
use serde_json::Value;

use crate::{ROOT, config, files, service};

/// Returns the paths of the sample specs, and of that of this workspace.
pub(crate) fn paths() -> Vec<PathBuf> {
    let root = Path::new(ROOT);
    let folders = ["tests/fixtures", "tests/samples"]
        .map(|folder| fs::read_dir(root.join(folder)).expect("samples"));
    let samples = folders
        .into_iter()
        .flatten()
        .map(|entry| entry.expect("an entry").path().join("spec.toml"));
    let mut paths: Vec<_> = samples.chain([root.join("spec/gateway.toml")]).collect();
    paths.sort();
    paths
}

pub(crate) fn read(path: &Path) -> Service {
    service(read_file(path, "spec.toml"))
}

#[test]
fn the_sample_specs_have_every_key_and_word() {
    let schema = schema();
    let mut missing = BTreeSet::new();
    keys(&schema, &schema, "", None, &mut missing);
    for path in paths() {
        let spec = fs::read_to_string(path).expect("a spec");
        let mut found = BTreeSet::new();
        let document = toml::from_str(&spec).expect("it is valid");
        keys(&schema, &schema, "", Some(&[&document]), &mut found);
        missing.retain(|key| !found.contains(key));
    }
    // These are words of `secrets`, too.
    missing.retain(|key| !key.starts_with(".auth.secret.in = "));
    assert_eq!(missing, BTreeSet::new(), "add them to tests/fixtures/every-feature/spec.toml");
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
    let schema =
        name.map_or(schema, |name| root.pointer(&format!("/$defs/{name}")).expect("a table"));
    let has = |fits: &dyn Fn(&toml::Value) -> bool| {
        given.is_none_or(|given| given.iter().any(|value| fits(value)))
    };
    let choices = ["oneOf", "anyOf"].into_iter().filter_map(|key| schema[key].as_array());
    for one in choices.flatten() {
        match one["const"].as_str() {
            Some(word) if has(&|one| one.as_str() == Some(word)) => {
                found.insert(format!("{path} = {word}"));
            }
            Some(_) => {}
            None => keys(root, one, path, given, found),
        }
    }
    if (schema["type"] == "boolean" || schema.pointer("/type/0").is_some_and(|ty| ty == "boolean"))
        && !has(&|one| one.as_bool() == Some(true))
    {
        return;
    }
    found.insert(path.to_owned());
    let mut inner = |schema: &Value,
                     path: &str,
                     below: &dyn Fn(&toml::Value) -> Vec<toml::Value>| {
        let values = given.map(|given| given.iter().flat_map(|one| below(one)).collect::<Vec<_>>());
        let values: Option<Vec<_>> = values.as_ref().map(|values| values.iter().collect());
        if schema.is_object() && values.as_ref().is_none_or(|values| !values.is_empty()) {
            keys(root, schema, path, values.as_deref(), found);
        }
    };
    for (key, property) in schema["properties"].as_object().into_iter().flatten() {
        let path = format!("{path}.{key}");
        inner(property, &path, &|one| one.get(key).cloned().into_iter().collect());
    }
    inner(&schema["additionalProperties"], path, &|one| {
        one.as_table().into_iter().flat_map(toml::Table::values).cloned().collect()
    });
    inner(&schema["items"], path, &|one| one.as_array().into_iter().flatten().cloned().collect());
}

/// The fuzz target `spec` also changes the names.
#[test]
fn generated_code_parses_and_ignores_descriptions() {
    thread::scope(|scope| {
        for path in paths() {
            scope.spawn(move || check_generated_code(&path));
        }
    });
}

fn check_generated_code(path: &Path) {
    let service = read(path);
    let plain = described(service.clone(), &["A plain sentence."]);
    let hostile = described(service, &HOSTILE);
    let (plain, hostile) = (files(plain, config()), files(hostile, config()));
    assert_eq!(plain.len(), hostile.len());
    for (one, other) in
        hostile.iter().zip(&plain).filter(|(one, _)| one.path.strip_suffix(".rs").is_some())
    {
        if let Err(error) = syn::parse_file(&one.text) {
            panic!("{}, {}: {error}\n{}", path.display(), one.path, one.text);
        }
        let tokens = |text: &str| code(text.parse().expect("it was parsed"));
        assert_eq!(tokens(&one.text), tokens(&other.text), "{}, {}", path.display(), one.path);
    }
}

/// Texts that end a comment or a string in some language.
const HOSTILE: [&str; 12] = [
    "*/ pub fn evil() {} /*",
    "\npub fn evil() {}",
    "\r\npub fn evil() {}",
    "\"; pub fn evil() {} //",
    "\\",
    "\"#; pub fn evil() {} //",
    "```\n#![allow(x)]\n```",
    "{{ evil }} {%- if evil %}",
    "${evil}",
    "<script> --> ]]>",
    "`",
    "\u{2028}pub fn evil() {}",
];

/// Returns the service with these texts in turn in place of all descriptions.
fn described(mut service: Service, texts: &[&str]) -> Service {
    let mut next = texts.iter().cycle();
    let mut set = |doc: &mut String| (*next.next().expect("a cycle")).clone_into(doc);
    set(&mut service.about.doc);
    service.scalars.iter_mut().for_each(|one| set(&mut Arc::make_mut(one).about.doc));
    for one in service.enums.iter_mut().map(Arc::make_mut) {
        set(&mut one.about.doc);
        one.values.iter_mut().for_each(|value| set(&mut value.doc));
    }
    for model in &mut service.models {
        set(&mut model.about.doc);
        model.fields.iter_mut().for_each(|field| set(&mut field.about.doc));
    }
    for operation in &mut service.operations {
        set(&mut operation.about.doc);
        operation.params.iter_mut().for_each(|param| set(&mut param.about.doc));
    }
    service.examples.iter_mut().for_each(|one| set(&mut one.doc));
    for point in &mut service.open_points {
        [&mut point.question, &mut point.client, &mut point.server].into_iter().for_each(&mut set);
    }
    service
}

/// Returns the tokens of a file without its descriptions and the contents of its strings.
fn code(tokens: TokenStream) -> Vec<String> {
    let mut code = Vec::new();
    let mut rest = tokens.into_iter().peekable();
    while let Some(token) = rest.next() {
        match token {
            TokenTree::Punct(mark) if mark.as_char() == '#' => {
                rest.next_if(
                    |next| matches!(next, TokenTree::Punct(mark) if mark.as_char() == '!'),
                );
                match rest.next() {
                    Some(TokenTree::Group(group)) if group.to_string().starts_with("[doc =") => {}
                    other => code.extend(other.map(|other| format!("#{other}"))),
                }
            }
            TokenTree::Group(group) => {
                code.push(format!("{:?}", group.delimiter()));
                code.extend(self::code(group.stream()));
            }
            TokenTree::Literal(literal) if literal.to_string().contains('"') => {
                code.push("\"\"".to_owned());
            }
            other => code.push(other.to_string()),
        }
    }
    code
}
