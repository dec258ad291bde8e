//! A new optional field changes generated files.
//! `tests/workspaces/evolution.rs` compiles the workspace with new fields, which need no edit by hand.

use methodical_codegen::config::Config;
use methodical_codegen::ir::Service;
use methodical_codegen::spec::read_bytes;
use methodical_codegen::{Workspace, emit};

use crate::{read, root};

fn service(spec: &str) -> Service {
    let reading = read_bytes(spec.as_bytes(), Some(&root().join("spec")), "spec/gateway.toml");
    reading.unwrap_or_else(|report| panic!("{report}"))
}

fn spec() -> String {
    read(&root().join("spec/gateway.toml"))
}

#[test]
fn only_generated_files_change() {
    let file = "spec/codegen.toml";
    let files = |spec: &str| {
        let config = Config::parse(read(&root().join(file)).as_bytes(), file).expect("it is valid");
        emit::all(&Workspace { root: root().to_owned(), config, service: service(spec) })
    };
    let added = "added = { type = \"text\", presence = \"optional\", personal = true, doc = \"Added.\" }\nphone = {";
    let (before, after) = (files(&spec()), files(&spec().replacen("phone = {", added, 1)));
    let changed = after.iter().filter(|file| !before.contains(file));
    let changed: Vec<_> = changed.map(|file| file.path.as_str()).collect();
    assert_eq!(
        changed,
        [
            "crates/apps/gateway-cli/src/generated/commands.rs",
            "crates/apps/gateway-python/python/gateway/_generated.py",
            "crates/apps/gateway-python/src/generated/records.rs",
            "crates/apps/gateway-server/src/generated/record.rs",
            "crates/gateway-model/src/generated/tables.rs",
            "crates/gateway-model/src/generated/types.rs",
            "crates/gateway-testkit/src/generated/contract.rs",
            "docs/generated/datacontract.yaml",
            "docs/generated/json-schema/candidate.json",
            "docs/generated/openapi/list-candidates.json",
            "docs/generated/operations/list-candidates.md",
            "docs/generated/types.md",
        ]
    );
}
