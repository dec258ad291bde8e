//! Code of the test kit: contract cases, the description for the contract checks, and typed mocks.

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
}

/// The responses of the examples as constants, byte for byte. A package has only the files of its crate, so generated
/// code cannot include them from the folder of the spec.
#[derive(Template)]
#[template(path = "testkit/fixtures.rs.jinja")]
struct Fixtures<'a> {
    service: &'a Service,
}

pub(super) fn emit(project: &Project<'_>) -> Vec<GeneratedFile> {
    let service = project.service;
    let folder = project.config.modules(Role::Testkit);
    let file = |name: &str| format!("{folder}/{name}.rs");
    vec![
        GeneratedFile::rust(format!("{folder}.rs"), &Root { purpose: project.purpose() }),
        GeneratedFile::rust(file("cases"), &Cases { service }),
        GeneratedFile::rust(file("contract"), &contract::template(service)),
        GeneratedFile::rust(file("fixtures"), &Fixtures { service }),
        GeneratedFile::rust(file("mocks"), &mocks::template(project)),
    ]
}

/// Returns the selector of the operation of an example.
fn select<'a>(service: &'a Service, example: &Example) -> &'a str {
    service.operations.get(example.operation).map_or("", |operation| &operation.select)
}
