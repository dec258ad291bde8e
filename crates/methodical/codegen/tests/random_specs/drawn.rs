//! Random specs: each has a number, and the same text whenever it is drawn.
//!
//! Texts and names are hostile wherever the language allows them.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a spec that cannot be drawn fails its test"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use methodical_codegen::ir::Service;
use methodical_codegen::spec::read_bytes;

use crate::drawn::features::{all, of};
use crate::drawn::operations::operations;
use crate::drawn::paper::Paper;
use crate::drawn::requests::Requests;
use crate::drawn::types::Types;

mod dice;
mod features;
mod operations;
mod paper;
mod requests;
mod responses;
mod types;

/// A random spec with the responses of its examples.
pub(crate) struct Drawn {
    pub(crate) spec: String,
    fixtures: Vec<(String, String)>,
}

impl Drawn {
    /// Draws the spec with a number. If it is dull, all descriptions are the same.
    pub(crate) fn new(number: u64, dull: bool) -> Self {
        let mut paper = Paper::new(number, dull);
        let requests = Requests::draw(&mut paper);
        let types = Types::draw(&mut paper);
        let envelope = paper.dice.chance(20);
        paper.line("spec-language = 2");
        service(&mut paper, &requests, envelope);
        types.write(&mut paper);
        let fixtures = operations(&mut paper, &requests, &types, envelope);
        Self { spec: paper.text, fixtures }
    }

    /// Writes the responses of the examples to the folder of the spec.
    pub(crate) fn write_fixtures(&self, folder: &Path) {
        for (name, text) in &self.fixtures {
            fs::write(folder.join(name), text).unwrap();
        }
    }
}

/// Reads the spec with a number.
pub(crate) fn read(number: u64, dull: bool) -> (Drawn, Service) {
    let folder = tempfile::tempdir().unwrap();
    let drawn = Drawn::new(number, dull);
    drawn.write_fixtures(folder.path());
    let reading = read_bytes(drawn.spec.as_bytes(), folder.path(), "spec.toml");
    let service = reading.service.unwrap_or_else(|| panic!("{}\n{}", reading.report, drawn.spec));
    (drawn, service)
}

/// Returns the numbers of a few specs that together have all features, and the features that no spec has.
pub(crate) fn covering() -> (Vec<u64>, BTreeSet<String>) {
    let features = |number| {
        let (drawn, service) = read(number, false);
        (number, of(&drawn.spec, &service))
    };
    let specs: Vec<_> = (0..SPECS).map(features).collect();
    let (mut chosen, mut missing) = (Vec::new(), all());
    // The spec with the most of the missing features, repeatedly.
    while let Some((number, features)) =
        specs.iter().rev().max_by_key(|(_, features)| features.intersection(&missing).count())
        && !features.is_disjoint(&missing)
    {
        chosen.push(*number);
        missing = missing.difference(features).cloned().collect();
    }
    (chosen, missing)
}

/// Number of specs from which [`covering`] chooses.
const SPECS: u64 = 300;

/// Writes the service, and how it is called.
fn service(paper: &mut Paper, requests: &Requests, envelope: bool) {
    let doc = paper.doc();
    let about = paper.about().join("\n");
    paper.line(format_args!(
        "[service]\nname = \"random\"\ntitle = \"Random\"\nversion = \"1.0.0\"\napi-version = \"v1\"\n\
         accept = \"application/json\"\npath = \"{}\"\ndoc = {doc}\n{about}",
        requests.path(),
    ));
    if envelope {
        paper.line("envelope = \"all\"");
    }
    let tables = requests.tables(paper);
    paper.line(tables);
    if envelope {
        paper.line("[envelope.all]\nfailure = { present = \"failure-of-all\" }");
    }
    let [question, client, server] = [paper.doc(), paper.doc(), paper.doc()];
    paper.line(format_args!(
        "[open-point.D-x]\nnumber = 1\nsource = \"4\"\nquestion = {question}\nclient = {client}\nserver = {server}"
    ));
}
