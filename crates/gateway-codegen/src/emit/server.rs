//! Code of the server: the operations, their parameters, the trait of their storage, and the records it writes.

use crate::config::Role;
use crate::emit::file::GeneratedFile;
use crate::project::Project;
use crate::text::RustFile;

mod call;
mod operation;
mod parameters;
mod record;
mod recovered;

pub(super) fn emit(project: &Project<'_>) -> Vec<GeneratedFile> {
    let service = project.service;
    let folder = project.config.modules(Role::Server);
    let mut root = RustFile::new(&project.purpose());
    let mut files = Vec::new();
    for (module, file) in [
        ("call", Some(call::emit(service))),
        ("operation", Some(operation::emit(service))),
        ("parameters", Some(parameters::emit(service))),
        ("record", Some(record::emit(service))),
        ("recovered", recovered::emit(service)),
    ] {
        if let Some(file) = file {
            root.line(format_args!("pub(crate) mod {module};"));
            files.push(GeneratedFile::old(format!("{folder}/{module}.rs"), file));
        }
    }
    files.push(GeneratedFile::old(format!("{folder}.rs"), root));
    files
}
