//! Code of gateway-testkit: contract cases and typed mocks.

use crate::emit::file::GeneratedFile;
use crate::ir::Service;
use crate::text::RustFile;

mod cases;
mod fixture;
mod mocks;

pub(super) fn emit(service: &Service) -> Vec<GeneratedFile> {
    let mut root = RustFile::new("Code that `cargo xtask` generates from the spec.");
    for module in ["cases", "mocks"] {
        root.line(format_args!("#[cfg(feature = \"{module}\")]"));
        root.line(format_args!("pub(crate) mod {module};"));
    }
    let folder = "crates/gateway-testkit/src/generated";
    vec![
        GeneratedFile::rust(format!("{folder}.rs"), root),
        GeneratedFile::rust(format!("{folder}/cases.rs"), cases::emit(service)),
        GeneratedFile::rust(format!("{folder}/mocks.rs"), mocks::emit(service)),
    ]
}
