//! Kinds of values: built-in types and meanings.

#![expect(clippy::expect_used, clippy::panic, reason = "a test that cannot start has failed")]

use std::path::Path;

use methodical_codegen::config::Config;
use methodical_codegen::ir::{BUILT_IN, MEANINGS, Service, ValueType, Wire};
use methodical_codegen::spec::{read_bytes, read_file};
use methodical_codegen::{Project, emit};

/// The specs of which the tests of the workspace compile all generated code, one in each version of the language.
const FIXTURES: [&str; 2] = [
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/fixtures/tool-shed/spec.toml"),
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/fixtures/recipe-box/spec.toml"),
];

#[test]
fn the_fixtures_that_are_compiled_have_every_kind_of_value() {
    let services = FIXTURES.map(|path| {
        let reading = read_file(Path::new(path), "spec.toml");
        reading.service.unwrap_or_else(|| panic!("{}", reading.report))
    });
    let models = services.iter().flat_map(|service| &service.models);
    let fields: Vec<_> =
        models.flat_map(|model| &model.fields).filter_map(|field| field.ty.value()).collect();
    for built_in in BUILT_IN {
        assert!(fields.contains(&&ValueType::BuiltIn(built_in)), "no field is {}", built_in.word);
    }
    for meaning in MEANINGS {
        for wire in Wire::ALL.iter().copied().filter(|wire| meaning.form(*wire).is_some()) {
            let is_one = |ty: &&ValueType| match ty {
                ValueType::Scalar(scalar) => (scalar.meaning, scalar.wire) == (meaning, wire),
                ValueType::BuiltIn(_) | ValueType::Enum(_) => false,
            };
            let (word, noun) = (meaning.word, wire.noun());
            assert!(fields.iter().any(is_one), "no field is `{word}` as {noun}");
        }
    }
}

/// An integer has one text, so a query may hold it as text too.
#[test]
fn an_integer_may_be_text_in_a_query() {
    let shelf_id = "[scalar.ShelfId]\nwire = \"integer\"\nquery-wire = \"string\"\nmeaning = \"id\"\n\
                    example = \"3\"\ndoc = \"A shelf.\"\n\n[enum.State]";
    let spec = include_str!("good-spec.toml")
        .replace("[enum.State]", shelf_id)
        .replace("shelf = { type = \"integer\"", "shelf = { type = \"ShelfId\"")
        .replace("params = { shelf = 3", "params = { shelf = \"3\"");
    let queries = generated(&spec, "crates/gateway-model/src/generated/queries.rs");
    assert!(queries.contains("query.push(\"shelf\", &ToString::to_string(shelf));"), "{queries}");
    assert!(queries.contains(".shelf(3)"), "{queries}");
}

fn generated(spec: &str, path: &str) -> String {
    let service = service(spec);
    let config =
        Config::parse(include_bytes!("../../../../spec/codegen.toml")).expect("it is valid");
    let files = emit::all(&Project { service: &service, config: &config });
    files.into_iter().find(|one| one.path == path).expect("it is generated").text
}

fn service(spec: &str) -> Service {
    let here = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests"));
    let reading = read_bytes(spec.as_bytes(), here, "spec.toml");
    reading.service.unwrap_or_else(|| panic!("{}", reading.report))
}

/// On the command line, a boolean by codes is `true` or `false`, whatever the service reads.
#[test]
fn a_boolean_by_codes_is_true_or_false_in_examples_of_the_program() {
    let deep = "[scalar.Deep]\nwire = \"codes\"\ntrue = [1]\nfalse = [0]\nmeaning = \"boolean\"\n\
                example = \"1\"\ndoc = \"Whether it is deep.\"\n\n[enum.State]";
    let spec = include_str!("good-spec.toml")
        .replace("[enum.State]", deep)
        .replace("shelf = { type = \"integer\"", "shelf = { type = \"Deep\", required = true")
        .replace("params = { shelf = 3", "params = { shelf = true")
        .replace("shelf=3", "shelf=1");
    let commands = generated(&spec, "crates/apps/gateway-cli/src/generated/commands.rs");
    assert!(commands.contains("--shelf true"), "{commands}");
    assert!(!commands.contains("--shelf 1"), "{commands}");
}
