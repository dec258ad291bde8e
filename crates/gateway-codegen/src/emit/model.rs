//! Code of the model: scalars, enums, records, queries, tables, constants and random values.

use askama::Template;

use crate::config::Role;
use crate::emit::GeneratedFile;
use crate::ir::Service;
use crate::project::Project;

mod draws;
pub(in crate::emit) mod examples;
mod paging;
pub(in crate::emit) mod queries;
mod random;
pub(in crate::emit) mod records;
pub(super) mod service;
pub(in crate::emit) mod states;
mod strategies;
mod tables;
mod types;

pub(crate) use crate::emit::model::tables::gauge;

#[derive(Template)]
#[template(path = "model/root.rs.jinja")]
struct Root<'a> {
    purpose: String,
    service: &'a Service,
}

pub(super) fn emit(project: &Project<'_>) -> Vec<GeneratedFile> {
    let service = project.service;
    let folder = project.config.modules(Role::Model);
    let mut files = records::emit(project);
    let root = Root { purpose: project.purpose(), service };
    files.push(GeneratedFile::rust(format!("{folder}.rs"), &root));
    files.push(queries::emit(project, format!("{folder}/queries.rs")));
    files.extend(types::emit(service, &folder));
    files.extend(
        [
            ("draws", draws::emit(service)),
            ("service", service::emit(service)),
            ("strategies", strategies::emit(service)),
            ("tables", tables::emit(service)),
        ]
        .map(|(module, file)| GeneratedFile::old(format!("{folder}/{module}.rs"), file)),
    );
    files
}
