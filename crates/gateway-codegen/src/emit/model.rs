//! Code of the model: scalars, enums, records, queries, tables, constants and random values.

use askama::Template;

use crate::config::Role;
use crate::emit::GeneratedFile;
use crate::ir::Service;
use crate::project::Project;

mod columns;
pub(in crate::emit) mod examples;
mod paging;
pub(in crate::emit) mod queries;
mod random;
pub(in crate::emit) mod records;
pub(super) mod service;
pub(in crate::emit) mod states;
pub(in crate::emit) mod tables;
mod types;

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
    files.extend(random::emit(service, &folder));
    files.push(service::emit(service, &folder));
    files.push(tables::emit(service, &folder));
    files
}
