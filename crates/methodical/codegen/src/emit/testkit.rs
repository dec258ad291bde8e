//! Code of the test kit: contract cases, the description for the contract checks, and typed mocks.

use std::collections::{BTreeMap, BTreeSet};

use askama::Template;

use crate::config::{Project, Role};
use crate::emit::{GeneratedFile, filters};
use crate::ir::{Example, Service};

mod contract;
mod mocks;

#[derive(Template)]
#[template(path = "testkit/root.rs.jinja")]
struct Root {
    purpose: String,
}

#[derive(Template)]
#[template(path = "testkit/cases.rs.jinja")]
struct Cases<'a> {
    service: &'a Service,
    fixtures: &'a Fixtures<'a>,
}

/// The responses of the examples as constants, byte for byte. A package has only the files of its crate, so generated
/// code cannot include them from the folder of the spec.
#[derive(Template)]
#[template(path = "testkit/fixtures.rs.jinja")]
struct Fixtures<'a> {
    fixtures: BTreeMap<&'a str, Fixture<'a>>,
}

struct Fixture<'a> {
    /// The name of the constant.
    name: String,
    body: &'a str,
    has_mock: bool,
}

pub(super) fn emit(project: &Project<'_>) -> Vec<GeneratedFile> {
    let service = project.service;
    let folder = project.config.modules(Role::Testkit);
    let fixtures = &Fixtures::of(service);
    let file = |name: &str| format!("{folder}/{name}.rs");
    vec![
        GeneratedFile::rust(format!("{folder}.rs"), &Root { purpose: project.purpose() }),
        GeneratedFile::rust(file("cases"), &Cases { service, fixtures }),
        GeneratedFile::rust(file("contract"), &contract::template(service)),
        GeneratedFile::rust(file("fixtures"), fixtures),
        GeneratedFile::rust(file("mocks"), &mocks::template(project, fixtures)),
    ]
}

impl<'a> Fixtures<'a> {
    /// Names each constant after its file.
    fn of(service: &'a Service) -> Self {
        let mut fixtures: BTreeMap<_, Fixture<'_>> = BTreeMap::new();
        for Example { path, body, client, .. } in &service.examples {
            let fixture = Fixture { name: constant(path), body, has_mock: false };
            fixtures.entry(path.as_str()).or_insert(fixture).has_mock |= client;
        }
        let mut taken = BTreeSet::new();
        for fixture in fixtures.values_mut() {
            while !taken.insert(fixture.name.clone()) {
                fixture.name.push_str("_2");
            }
        }
        Self { fixtures }
    }

    /// Returns the expression for the response of an example.
    fn of_example(&self, example: &Example) -> String {
        let name = self.fixtures.get(example.path.as_str()).map(|fixture| &*fixture.name);
        format!("fixtures::{}", name.unwrap_or_default())
    }
}

/// Returns the name of the constant for a file: `ALL_PHOTOS` for `fixtures/all-photos.json`.
fn constant(path: &str) -> String {
    let file = path.rsplit('/').next().unwrap_or(path);
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    let name: String = stem.chars().map(letter).collect();
    let is_name = name.starts_with(|first: char| first.is_ascii_uppercase());
    if is_name { name } else { format!("FILE_{name}") }
}

/// Returns the selector of the operation of an example.
fn select<'a>(service: &'a Service, example: &Example) -> &'a str {
    service.operations.get(example.operation).map_or("", |operation| &operation.select)
}
