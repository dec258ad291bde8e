//! A new optional field needs no edit by hand: it changes generated files, and no other file names all fields of a record.
//! `tests/workspaces/evolution.rs` compiles the workspace with new fields.

use methodical_codegen::config::Config;
use methodical_codegen::ir::Service;
use methodical_codegen::spec::read_bytes;
use methodical_codegen::{Project, emit};

use crate::{read, root, sources};

fn service(spec: &str) -> Service {
    let reading = read_bytes(spec.as_bytes(), &root().join("spec"), "spec/gateway.toml");
    reading.unwrap_or_else(|report| panic!("{report}"))
}

fn spec() -> String {
    read(&root().join("spec/gateway.toml"))
}

#[test]
fn only_generated_files_change() {
    let config = Config::parse(include_bytes!("../../../spec/codegen.toml")).expect("it is valid");
    let files = |spec: &str| emit::all(&Project { service: &service(spec), config: &config });
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
            "docs/generated/openapi/recruitment-gateway.json",
            "docs/generated/operations/list-candidates.md",
            "docs/generated/types.md",
        ]
    );
}

#[test]
fn no_other_file_names_all_fields() {
    let service = service(&spec());
    let mut lists = Vec::new();
    for model in &service.models {
        let names = model.fields.iter().flat_map(|field| match field.ty.model() {
            None => vec![field.wire.clone()],
            Some(id) => {
                let fields = service.model(id).fields.iter();
                fields.map(|one| format!("{}.{}", field.wire, one.wire)).collect()
            }
        });
        let names = names.collect::<Vec<_>>().join("\",\"");
        // The columns of a table and the header of its rows, but not a choice of columns.
        lists.push(format!("(&{}),[\"{names}\"]", model.rust.screaming_snake()));
        lists.push(format!(").0,[\"{names}\",\"extra\"]"));
        if model.fields.len() > 4 {
            lists.push(names);
        }
    }
    let rows = service.models.iter().map(|model| format!("{}Row {{", model.rust.pascal()));
    let rows: Vec<_> = rows.collect();
    let mut found = Vec::new();
    for folder in ["crates", "tests", "xtask"] {
        let mut sources = sources(&root().join(folder), "rs");
        sources.retain(|path, _| !path.iter().any(|part| part == "generated"));
        for (path, text) in sources {
            let dense: String = text.split_whitespace().collect();
            let dense = dense.replace('*', "");
            let is_list = lists.iter().any(|list| dense.contains(list));
            // A literal has a colon after its first field.
            let is_whole = |row: &str| row.contains(':') && !row.contains("..");
            let literals = rows.iter().flat_map(|row| text.split(row.as_str()).skip(1));
            let ends = ["};", "})", "},", "}."];
            let mut literals = literals.map(|row| {
                ends.iter().fold(row, |row, end| row.split(end).next().unwrap_or_default())
            });
            if is_list || literals.any(is_whole) {
                found.push(path.display().to_string());
            }
        }
    }
    assert_eq!(found, [""; 0], "these files need an edit for each new field");
}
