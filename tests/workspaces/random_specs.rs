//! Random specs, which together have every feature of the language: the decoders generated from each accept what its JSON
//! Schemas and its OpenAPI documents accept.
//!
//! The models of all specs are compiled in one workspace.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use methodical_codegen::config::Config;
use methodical_codegen::ir::{Operation, Service};
use methodical_codegen::{Project, emit};

use crate::drawn::{covering, read};
use crate::new_workspace::Workspace;

const DICE: &str = include_str!("../../crates/methodical/codegen/tests/random_specs/dice.rs");
const MODEL: &str = include_str!("../../crates/methodical/codegen/src/init/model/lib.rs");

#[test]
fn the_decoders_of_random_specs_agree_with_their_schemas() {
    let parent = tempfile::tempdir().unwrap();
    let ours = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let workspace = Workspace { root: parent.path().to_owned() };
    fs::copy(ours.join("Cargo.lock"), workspace.root.join("Cargo.lock")).unwrap();
    let manifest = WORKSPACE.replace("«root»", ours.to_str().unwrap());
    workspace.write("Cargo.toml", &manifest);

    let (numbers, _) = covering();
    let mut manifest = AGREEMENT.to_owned();
    let mut tests = String::new();
    for number in numbers {
        let (_, service) = read(number, false);
        let name = format!("spec-{number}");
        write_model(&workspace, &name, &service);
        writeln!(manifest, "{name} = {{ path = \"../{name}\" }}").unwrap();
        tests += &tests_of(&name, &service);
    }
    workspace.write("agreement/Cargo.toml", &manifest);
    workspace.write("agreement/tests/it/main.rs", HARNESS);
    workspace.write("agreement/tests/it/dice.rs", DICE);
    workspace.write("agreement/tests/it/values.rs", VALUES);
    workspace.write(
        "agreement/tests/it/specs.rs",
        &format!("#![allow(deprecated)]\n\nuse crate::check;\n\n{tests}"),
    );
    workspace.passes("test", &["--package", "agreement"]);
}

/// Writes the model of a service with its schemas.
fn write_model(workspace: &Workspace, name: &str, service: &Service) {
    let config = CONFIG.replace("«name»", name);
    let config = Config::parse(config.as_bytes()).unwrap();
    for file in emit::all(&Project { service, config: &config }) {
        workspace.write(&file.path, &file.text);
    }
    workspace.write(&format!("{name}/Cargo.toml"), &CRATE.replace("«name»", name));
    workspace.write(&format!("{name}/src/lib.rs"), MODEL);
}

/// Returns the test of a service, which checks its models and its operations.
fn tests_of(name: &str, service: &Service) -> String {
    let package = name.replace('-', "_");
    let mut test = format!("#[test]\nfn {package}() {{\n    use {package}::*;\n");
    for model in &service.models {
        let (owned, file) = (model.rust.pascal(), model.rust.kebab());
        let borrowed = model.rust.followed_by("ref").pascal();
        writeln!(test, "    check!(model {name:?}, {file:?}, {owned}, {borrowed});").unwrap();
    }
    for operation in &service.operations {
        let kind = if operation.response.is_list { "list" } else { "object" };
        let (file, new) = (operation.rust.kebab(), new(operation));
        let verdict = operation.response.reported();
        let reports = verdict.is_some();
        if operation.response.of.is_none() && !reports {
            // Any JSON is one.
            continue;
        }
        writeln!(test, "    check!({kind} {name:?}, {file:?}, {reports}, {new});").unwrap();
    }
    test + "}\n"
}

/// Returns the expression for a query without optional parameters.
fn new(operation: &Operation) -> String {
    let required = operation.params.iter().filter(|param| param.required);
    let arguments: Vec<_> = required.map(|_| "\"x\"").collect();
    format!("{}::new({})", operation.rust.pascal(), arguments.join(", "))
}

const HARNESS: &str = include_str!("../random-specs/agreement.rs");

const VALUES: &str = include_str!("../random-specs/values.rs");

const CONFIG: &str = r#"
spec = "spec.toml"
[crate]
model = { name = "«name»", folder = "«name»" }
[documents]
json-schema = "schemas/«name»/models"
openapi = "schemas/«name»/operations"
"#;

const CRATE: &str = r#"
[package]
name = "«name»"
edition = "2024"

[features]
arbitrary = []
proptest = []

[dependencies]
methodical-model.workspace = true
"#;

const AGREEMENT: &str = r#"
[package]
name = "agreement"
edition = "2024"

[dependencies]
methodical-model.workspace = true
jsonschema = { version = "0.60", default-features = false }
serde_json = "1"
"#;

const WORKSPACE: &str = r#"
[workspace]
resolver = "3"
members = ["agreement", "spec-*"]

[workspace.dependencies]
methodical-model = { path = "«root»/crates/methodical/model" }
"#;
