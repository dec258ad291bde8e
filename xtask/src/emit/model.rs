//! The types of gateway-model: scalars, enums, records, and the queries of the operations.

pub(super) use self::queries::States;
use crate::emit::GeneratedFile;
use crate::ir::{Doc, Service, Source};
use crate::text::Rust;

mod enums;
mod queries;
mod random;
mod records;
mod scalars;

pub(super) fn emit(service: &Service) -> Vec<GeneratedFile> {
    let file = |module: &str, text: Rust| GeneratedFile {
        path: format!("crates/gateway-model/src/generated/{module}.rs"),
        text: text.finish(),
    };
    let mut files = records::emit(service);
    files.extend([
        GeneratedFile {
            path: "crates/gateway-model/src/generated.rs".to_owned(),
            text: root(service).finish(),
        },
        file("draws", random::draws(service)),
        file("enums", enums::emit(service)),
        file("queries", queries::emit(service)),
        file("scalars", scalars::emit(service)),
        file("strategies", random::strategies(service)),
    ]);
    files
}

/// The modules, and every name that users of the crate see.
fn root(service: &Service) -> Rust {
    let mut file = Rust::new("What `cargo xtask` made of the spec, and the names that users see.");
    for module in ["enums", "models", "queries", "scalars", "service"] {
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
    re_export(&mut file, "enums", enums.collect());
    re_export(&mut file, "models", models.collect());
    re_export(
        &mut file,
        "queries",
        service.operations.iter().map(|one| one.rust.pascal()).collect(),
    );
    re_export(&mut file, "scalars", service.scalars.iter().map(|one| one.rust.pascal()).collect());
    file
}

fn re_export(file: &mut Rust, module: &str, mut names: Vec<String>) {
    names.sort();
    if !names.is_empty() {
        file.line(format_args!("pub use self::{module}::{{{}}};", names.join(", ")));
    }
}

/// What every declaration is described by: what it is, where the service text says so.
fn about(file: &mut Rust, doc: &Doc, source: &Source) {
    file.doc(&doc.0);
    if !source.0.is_empty() {
        file.doc_break();
        file.doc(&format!("Section {} of the service text.", source.0));
    }
}
