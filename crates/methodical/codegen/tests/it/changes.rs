//! Changes of a spec are classified, and require a version.

mod calls;
mod order;
mod responses;
mod version;

use std::fs;
use std::path::Path;

use methodical_codegen::diff;
use methodical_codegen::ir::Service;
use methodical_codegen::spec::read_bytes;

fn here() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests"))
}

fn good() -> String {
    fs::read_to_string(here().join("good-spec.toml")).expect("it is there")
}

fn mirrored() -> String {
    fs::read_to_string(here().join("mirrored/spec.toml")).expect("it is there")
}

fn read(text: &str) -> Service {
    let reading = read_bytes(text.as_bytes(), here(), "spec.toml");
    reading.unwrap_or_else(|report| panic!("{report}")).0
}

/// Changes the good spec by replacing text, and compares.
#[track_caller]
fn check(replacements: &[(&str, &str)], expected: &[&str]) {
    let mut text = good();
    for (from, to) in replacements {
        assert!(text.contains(from), "the spec has no `{from}`");
        text = text.replacen(from, to, 1);
    }
    compare(&good(), &text, expected);
}

#[track_caller]
fn compare(old: &str, new: &str, expected: &[&str]) {
    let changes: Vec<_> = diff::changes((old, &read(old)), (new, &read(new)))
        .iter()
        .map(|change| format!("{} {}: {}", change.class, change.place, change.what))
        .collect();
    assert_eq!(changes, expected);
}

#[test]
fn equal_specs_have_no_changes() {
    check(&[("# ", "# "), ("spec-language", "spec-language")][..0], &[]);
}

/// Returns the good spec with additional declarations that contain these lines.
fn declaring(fields: &str, values: &str, params: &str, example: &str) -> String {
    format!(
        r#"{}
[model.Case]
doc = "A case."
[model.Case.field]
{fields}
[enum.Heat]
doc = "How hot it is."
[enum.Heat.value]
{values}
[operation.list_cases]
select = "cases/list"
doc = "Lists cases."
response.list = {{ of = "Tool" }}
[operation.list_cases.param]
{params}
[[example]]
name = "cases"
operation = "list_cases"
doc = "Cases."
response = "fixtures/tools.json"
{example}
"#,
        good()
    )
}

/// Names are printed as in the spec, although Rust reserves some of them.
#[test]
fn reserved_names_are_printed_as_in_the_spec() {
    let rejected = "Rejected = { wire = \"rejected\", doc = \"Rejected.\" }";
    compare(
        &declaring(FIELD, VALUE, "", QUERY),
        &declaring(FIELD, &format!("{VALUE}\n{rejected}"), "", QUERY)
            .replace("[model.Case]", "[model.Option]")
            .replace("[model.Case.field]", "[model.Option.field]"),
        &[
            "breaking model.Case: removed",
            "additive enum.Heat.value.Rejected: added",
            "additive model.Option: added",
        ],
    );
}

#[test]
fn changes_of_the_service_and_of_open_points() {
    check(
        &[
            ("path = \"/api/v2\"", "path = \"/api/v3\""),
            ("server = \"Never.\"", "server = \"Sometimes.\""),
        ],
        &[
            "breaking service: path changed from `/api/v2` to `/api/v3`",
            "additive open-point.Q-id: behaviour of the server changed; check whether users rely on the old one",
        ],
    );
}

const FIELD: &str = r#"a = { type = "text", presence = "optional", doc = "A." }"#;

const VALUE: &str = r#"Hot = { wire = "hot", doc = "Hot." }"#;

const QUERY: &str = r#"query = "call=cases/list""#;
