//! The time to check a spec grows with its size: at the sizes here, an algorithm that compares all
//! models with each other takes minutes, and one that follows all chains takes hours.

use std::fmt::Write as _;

use methodical_codegen::spec::Reading;

use crate::{good, read};

/// Number of models.
const MODELS: usize = 10_000;

/// Reads a spec with many models. The function returns the model that a model contains.
fn spec(models: usize, contained: impl Fn(usize) -> Option<usize>) -> Reading {
    let mut spec = good().replacen(
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
    read(spec)
}

/// The limit is also that of the length of a file on disk.
#[test]
fn a_spec_may_have_4_mib() {
    let mut spec = good().into_bytes();
    spec.resize(4 * 1024 * 1024, b'\n');
    assert!(read(&spec).is_ok_and(|(_, warnings)| warnings.text.is_empty()));
    spec.push(b'\n');
    let report = read(&spec).expect_err("it is too large");
    assert!(report.text.contains("the file is larger than 4 MiB"), "{report}");
}

#[test]
fn a_chain_of_models() {
    let next = |model| Some(model + 1).filter(|&next| next < MODELS);
    assert_eq!(spec(MODELS, next).expect("it is valid").1.text, "");
}

#[test]
fn a_ring_of_models() {
    let ring = spec(MODELS, |model| Some((model + 1) % MODELS));
    assert!(ring.is_err_and(|report| report.errors > MODELS));
}

#[test]
fn unused_models() {
    let unused = 3 * MODELS;
    let (_, report) = spec(unused + 1, |_| None).expect("it is valid");
    assert_eq!(report.warnings, unused);
    assert!(
        report.text.contains("`model.M20000` is never used"),
        "the last lines of the report are missing"
    );
}
