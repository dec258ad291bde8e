//! Code of the test kit: contract cases, the description for the contract checks, and typed mocks.

use askama::Template;

use crate::config::{Project, Role};
use crate::emit::{GeneratedFile, filters};
use crate::ir::{Example, Service};

mod contract;
mod mocks;

/// The files with the examples of the spec. A package has only the files of its crate, so generated code cannot include the
/// responses from the folder of the spec; they are constants, byte for byte.
#[derive(Template)]
enum File<'a> {
    #[template(path = "testkit/root.rs.jinja")]
    Root { purpose: String },
    #[template(path = "testkit/cases.rs.jinja")]
    Cases { service: &'a Service },
    #[template(path = "testkit/fixtures.rs.jinja")]
    Fixtures { service: &'a Service },
}

pub(super) fn emit(project: &Project<'_>) -> Vec<GeneratedFile> {
    let service = project.service;
    let folder = project.config.modules(Role::Testkit);
    let file = |name: &str| format!("{folder}/{name}.rs");
    vec![
        GeneratedFile::rust(format!("{folder}.rs"), &File::Root { purpose: project.purpose() }),
        GeneratedFile::rust(file("cases"), &File::Cases { service }),
        GeneratedFile::rust(file("contract"), &contract::template(service)),
        GeneratedFile::rust(file("fixtures"), &File::Fixtures { service }),
        GeneratedFile::rust(file("mocks"), &mocks::template(project)),
    ]
}

/// Returns the selector of the operation of an example.
fn select<'a>(service: &'a Service, example: &Example) -> &'a str {
    service.operations.get(example.operation).map_or("", |operation| &operation.select)
}
