//! Code of the server: the operations, their parameters, the trait of their storage, and the records it writes.

use crate::config::Role;
use crate::emit::file::GeneratedFile;
use crate::project::Project;
use crate::text::RustFile;

mod call;
mod operation;
mod parameters;
mod record;

pub(super) fn emit(project: &Project<'_>) -> Vec<GeneratedFile> {
    let service = project.service;
    let folder = project.config.modules(Role::Server);
    let mut root = RustFile::new(&project.purpose());
    for module in ["call", "operation", "parameters", "record"] {
        root.line(format_args!("pub(crate) mod {module};"));
    }
    vec![
        GeneratedFile::rust(format!("{folder}.rs"), root),
        GeneratedFile::rust(format!("{folder}/call.rs"), call::emit(service)),
        GeneratedFile::rust(format!("{folder}/operation.rs"), operation::emit(service)),
        GeneratedFile::rust(format!("{folder}/parameters.rs"), parameters::emit(service)),
        GeneratedFile::rust(format!("{folder}/record.rs"), record::emit(service)),
    ]
}
