//! The generated files of services that use most of the language, and the screens that show their operations. `cargo xtask --check`
//! compares the files of this workspace.

#![expect(clippy::expect_used, clippy::panic, reason = "a test that cannot start has failed")]

use std::path::Path;

use gateway_codegen::config::Config;
use gateway_codegen::output::Output;
use gateway_codegen::spec::read_file;
use gateway_codegen::{Project, show};

#[test]
fn files_of_a_service_in_language_1() {
    assert_generated("tool-shed");
}

#[test]
fn files_of_a_service_in_language_2() {
    assert_generated("recipe-box");
}

#[test]
fn files_of_a_service_with_pages() {
    assert_generated("photo-finder");
}

#[test]
fn files_of_a_service_with_forms_and_lists_of_values() {
    assert_generated("box-office");
}

#[track_caller]
fn assert_generated(name: &str) {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let reading = read_file(&root.join("tests/fixtures").join(name).join("spec.toml"), "spec.toml");
    let service = reading.service.unwrap_or_else(|| panic!("{}", reading.report));
    let config = Config::parse(include_bytes!("../../../spec/codegen.toml")).expect("it is valid");
    let project = Project { service: &service, config: &config };
    let output = Output::of(&project, root).expect("rustfmt runs");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(format!("snapshots/generated/{name}"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        let screens = service.operations.iter().map(|one| show::operation(&service, one));
        insta::assert_snapshot!("screens", screens.collect::<Vec<_>>().join("\n"));
        for (path, text) in output.files().iter().filter(|(path, _)| is_compared(path, name)) {
            insta::assert_snapshot!(path.as_str(), text);
        }
    });
}

/// The schema of the language is the same for all services. Schemas of records and of operations are parts of the
/// OpenAPI document of the service.
fn is_compared(path: &str, service: &str) -> bool {
    path.starts_with("crates/")
        || path == format!("docs/generated/openapi/{service}.json")
        || path.starts_with("docs/generated/operations/")
        || path == "docs/generated/types.md"
}
