//! Code of the model: scalars, enums, records, queries, tables, constants and random values.

use crate::config::Role;
use crate::emit::file::GeneratedFile;
use crate::project::Project;
use crate::text::RustFile;

mod draws;
mod enums;
mod modules;
pub(in crate::emit) mod queries;
mod random;
mod records;
mod scalars;
pub(super) mod service;
pub(in crate::emit) mod states;
mod strategies;
mod tables;

pub(crate) use crate::emit::model::queries::{example_query, output};
pub(crate) use crate::emit::model::records::{smallest_record, smallest_value};
pub(crate) use crate::emit::model::tables::gauge;

pub(super) fn emit(project: &Project<'_>) -> Vec<GeneratedFile> {
    let service = project.service;
    let folder = project.config.modules(Role::Model);
    let mut files = records::emit(project);
    files.push(GeneratedFile::rust(format!("{folder}.rs"), root(project)));
    files.extend(
        [
            ("draws", draws::emit(service)),
            ("enums", enums::emit(service)),
            ("queries", queries::emit(project)),
            ("scalars", scalars::emit(service)),
            ("service", service::emit(service)),
            ("strategies", strategies::emit(service)),
            ("tables", tables::emit(service)),
        ]
        .map(|(module, file)| GeneratedFile::rust(format!("{folder}/{module}.rs"), file)),
    );
    files
}

/// Returns the root module, which re-exports every public name.
fn root(project: &Project<'_>) -> RustFile {
    let service = project.service;
    let mut file = RustFile::new(&project.purpose());
    for module in ["enums", "models", "queries", "scalars", "service", "tables"] {
        file.line(format_args!("pub(crate) mod {module};"));
    }
    for (feature, module) in [("arbitrary", "draws"), ("proptest", "strategies")] {
        file.line(format_args!("#[cfg(feature = \"{feature}\")]"));
        file.line(format_args!("mod {module};"));
    }
    file.blank();
    let enums = service.enums.iter().flat_map(|one| {
        let unknown = one.open_ended.then(|| one.rust.preceded_by("unknown").pascal());
        [Some(one.rust.pascal()), unknown].into_iter().flatten()
    });
    let models = service
        .models
        .iter()
        .flat_map(|model| [model.rust.pascal(), model.rust.followed_by("ref").pascal()]);
    let names = service.operations.iter().map(|one| one.rust.pascal());
    let params = service.operations.iter().filter_map(queries::params::name);
    let queries = names.chain(params).chain(["RawQuery".to_owned()]);
    let scalars = service.scalars.iter().map(|one| one.rust.pascal());
    file.import("pub use self::enums", enums);
    file.import("pub use self::models", models);
    file.import("pub use self::queries", queries);
    file.import("pub use self::scalars", scalars);
    file
}
