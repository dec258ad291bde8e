//! The lists, recoveries and gauges of a mirror follow from the spec.

use std::path::Path;

use methodical_codegen::spec::read_bytes;

use crate::{HERE, config, files, service};

const SPEC: &str = include_str!("../mirrored/spec.toml");

/// Returns the generated tables of a spec, without the space around each line.
fn tables(spec: &str) -> String {
    let here = Path::new(HERE).join("mirrored");
    let reading = read_bytes(spec.as_bytes(), Some(&here), "spec.toml");
    let files = files(service(reading), config());
    let path = "crates/gateway-model/src/generated/tables.rs";
    let file = files.iter().find(|file| file.path == path).expect("it is generated");
    file.text.lines().map(str::trim).collect::<Vec<_>>().join("\n")
}

/// Returns what follows a text, up to an end.
#[track_caller]
fn between<'t>(text: &'t str, start: &str, end: &str) -> Vec<&'t str> {
    let (_, after) = text.split_once(start).unwrap_or_else(|| panic!("no `{start}` in\n{text}"));
    let (found, _) = after.split_once(end).expect("it ends");
    found.lines().filter(|line| !line.is_empty()).collect()
}

#[test]
fn a_field_has_a_column_with_a_name_of_its_own() {
    let tables = tables(SPEC);
    assert_eq!(
        between(&tables, "pub static TOOL: Table = Table::new(\"tool\", \"id\", &[", "]);"),
        [
            "Column::text(&[\"id\"]).typed(FieldType::Id),",
            "Column::text(&[\"owner\", \"name\"]).personal(),",
            "Column::json(&[\"owner\", \"phones\"]),",
            // `maker.name` would be `maker_name`, which another field has.
            "Column::json(&[\"maker\"]).personal(),",
            "Column::text(&[\"maker_name\"]),",
            "Column::integer(&[\"weight\"]),",
            "Column::boolean(&[\"sharp\"]),",
            "Column::text(&[\"heavy\"]),",
            "Column::json(&[\"uses\"]).personal(),",
            "Column::json(&[\"parts\"]).personal(),",
        ]
    );
}

#[test]
fn a_model_of_a_list_without_required_parameters_has_a_table_with_a_free_name() {
    let tables = tables(SPEC);
    let declared = tables.lines().filter(|line| line.starts_with("pub static"));
    let names: Vec<_> = declared.filter_map(|line| line.split('"').nth(1)).collect();
    assert_eq!(names, ["tool", "shelf", "service_mirror_wall", "tool_place", "tool_place_"]);
}

#[test]
fn a_value_is_recovered_only_from_a_whole_list_whose_groups_are_listed() {
    let without = |from: &str, to: &str| {
        assert!(SPEC.contains(from), "{from}");
        !tables(&SPEC.replacen(from, to, 1)).contains("visitor.recovery")
    };
    assert!(!without("Lists the tools.", "Lists all tools."));
    assert!(without(", recovers = \"place\"", ""));
    assert!(without(", recovers = \"state\"", ""));
    // No list has the shelves, or an identity of this type.
    assert!(without(
        "page = { type = \"integer\",",
        "page = { type = \"integer\", required = true,"
    ));
    assert!(without("type = \"ShelfId\", recovers", "type = \"integer\", recovers"));
}
