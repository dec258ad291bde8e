//! The generated files of a service with every feature that our own lacks, and the screen that shows an operation.
//! `cargo xtask --check` compares the files of this workspace.

use std::path::Path;

use methodical_codegen::config::Config;
use methodical_codegen::output::Output;
use methodical_codegen::spec::read_file;
use methodical_codegen::{Project, show};

#[test]
fn files_of_a_service_with_every_feature() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../.."));
    let reading = read_file(&root.join("tests/fixtures/every-feature/spec.toml"), "spec.toml");
    let service = reading.service.unwrap_or_else(|| panic!("{}", reading.report));
    let config =
        Config::parse(include_bytes!("../../../../spec/codegen.toml")).expect("it is valid");
    let project = Project { service: &service, config: &config };
    let output = Output::of(&project, root).expect("rustfmt runs");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("snapshots/generated");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        let screen = service.operations.first().map(|one| show::operation(&service, one));
        insta::assert_snapshot!("screen", screen.unwrap_or_default());
        for (path, text) in output.files().iter().filter(|(path, _)| is_compared(path)) {
            insta::assert_snapshot!(path.as_str(), text);
        }
    });
}

/// The files of this workspace show the others, which do not depend on the features. No server can have all of them.
fn is_compared(path: &str) -> bool {
    let code = [
        "commands",
        "contract",
        "enums",
        "mocks",
        "models/photo",
        "queries",
        "scalars",
        "service",
        "tables",
    ];
    let documents = ["openapi/add-photo.json", "operations/search-photos.md", "types.md"];
    code.iter().any(|name| path.ends_with(&format!("/generated/{name}.rs")))
        || documents.iter().any(|name| path == format!("docs/generated/{name}"))
}
