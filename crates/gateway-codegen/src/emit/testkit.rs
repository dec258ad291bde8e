//! Code of the test kit: contract cases, the description for the contract checks, and typed mocks.

use crate::config::Role;
use crate::emit::file::GeneratedFile;
use crate::emit::testkit::fixture::Fixtures;
use crate::project::Project;
use crate::text::RustFile;

mod cases;
mod contract;
mod fixture;
mod mocks;
mod names;
mod param;

pub(super) fn emit(project: &Project<'_>) -> Vec<GeneratedFile> {
    let mut root = RustFile::new(&project.purpose());
    for module in ["cases", "contract", "mocks"] {
        root.line(format_args!("#[cfg(feature = \"{module}\")]"));
        root.line(format_args!("pub(crate) mod {module};"));
    }
    root.line("#[cfg(any(feature = \"cases\", feature = \"mocks\"))]");
    root.line("mod fixtures;");
    let folder = project.config.modules(Role::Testkit);
    vec![
        GeneratedFile::old(format!("{folder}.rs"), root),
        GeneratedFile::old(format!("{folder}/cases.rs"), cases::emit(project)),
        GeneratedFile::old(format!("{folder}/contract.rs"), contract::emit(project)),
        GeneratedFile::old(format!("{folder}/fixtures.rs"), Fixtures::of(project.service).emit()),
        GeneratedFile::old(format!("{folder}/mocks.rs"), mocks::emit(project)),
    ]
}
