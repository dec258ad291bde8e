//! The time to check a spec grows with its size: at the sizes here, an algorithm that compares all
//! models with each other takes minutes, and one that follows all chains takes hours.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use methodical_codegen::spec::{Reading, read_bytes};

/// Number of models.
const MODELS: usize = 10_000;

/// Reads a spec with many models. The function returns the model that a model contains.
fn read(models: usize, contained: impl Fn(usize) -> Option<usize>) -> Reading {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests"));
    let spec = fs::read_to_string(folder.join("good-spec.toml")).expect("it is there");
    let mut spec = spec.replacen(
        "state = {",
        "first = { type = \"M0\", presence = \"optional\", doc = \"A model.\" }\nstate = {",
        1,
    );
    for model in 0..models {
        _ = writeln!(spec, "[model.M{model}]\ndoc = \"A model.\"\n[model.M{model}.field]");
        _ = writeln!(spec, "id = {{ type = \"text\", presence = \"required\", doc = \"An id.\" }}");
        if let Some(next) = contained(model) {
            _ = writeln!(
                spec,
                "next = {{ type = \"M{next}\", presence = \"optional\", doc = \"A model.\" }}"
            );
        }
    }
    read_bytes(spec.as_bytes(), folder, "spec.toml")
}

/// The limit is also that of the length of a file on disk.
#[test]
fn a_spec_may_have_4_mib() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests"));
    let mut spec = fs::read(folder.join("good-spec.toml")).expect("it is there");
    spec.resize(4 * 1024 * 1024, b'\n');
    assert!(
        read_bytes(&spec, folder, "spec.toml").is_ok_and(|(_, warnings)| warnings.text.is_empty())
    );
    spec.push(b'\n');
    let report = read_bytes(&spec, folder, "spec.toml").expect_err("it is too large");
    assert!(report.text.contains("the file is larger than 4 MiB"), "{report}");
}

#[test]
fn a_chain_of_models() {
    let next = |model| Some(model + 1).filter(|&next| next < MODELS);
    assert_eq!(read(MODELS, next).expect("it is valid").1.text, "");
}

#[test]
fn a_ring_of_models() {
    let ring = read(MODELS, |model| Some((model + 1) % MODELS));
    assert!(ring.is_err_and(|report| report.errors > MODELS));
}

#[test]
fn unused_models() {
    let unused = 3 * MODELS;
    let (_, report) = read(unused + 1, |_| None).expect("it is valid");
    assert_eq!(report.warnings, unused);
    assert!(
        report.text.contains("`model.M20000` is never used"),
        "the last lines of the report are missing"
    );
}
