//! Undocumented fields, and the names of fields.

use crate::run::{Person, code, serve, stderr, stdout};

/// Runs the command against a service that responds with some vacancies. Checks standard output and standard error.
#[track_caller]
fn check(command: &str, out: &str, err: &str) {
    let server = serve(r#"[{"id":"1","project":"Welder","headcount":3},{"id":"2"}]"#);
    let output = Person::of_service(&server.uri("")).run_line(command);
    assert_eq!(code(&output), 0, "{command}: {}", stderr(&output));
    assert_eq!((stdout(&output), stderr(&output)), (out, err), "{command}");
}

#[test]
fn undocumented_fields_can_be_selected() {
    let warning = "warning: unknown field `headcount`; the fields are id, project\n";
    let csv = "id,headcount\r\n1,3\r\n2,\r\n";
    check("vacancies list --fields id,headcount -o csv", csv, warning);
    let json = "{\"headcount\":3}\n{\"headcount\":null}\n";
    check("vacancies list --fields headcount -o ndjson", json, warning);
    let filtered = "{\"id\":\"1\",\"project\":\"Welder\",\"headcount\":3}\n";
    check("vacancies list --filter headcount=3 -o ndjson", filtered, warning);
    // Shown even if notes are off, because the name may be why the list is empty.
    check("vacancies list --filter headcount=4 -o ndjson -q", "", warning);
}

#[test]
fn a_field_that_may_be_a_mistake_is_refused() {
    let server = serve("[]");
    let person = Person::of_service(&server.uri(""));
    let output = person.run_line("vacancies list --fields PROJETC -o csv");
    let message =
        "error: unknown field `PROJETC`\n  hint: did you mean `project`? All fields: id, project\n";
    assert_eq!((code(&output), stdout(&output), stderr(&output)), (2, "", message));
}

#[test]
fn field_names_match_in_any_case_and_count_once() {
    let csv = "id,project\r\n1,Welder\r\n2,\r\n";
    check("vacancies list --fields ID,Project,id -o csv", csv, "");
    let sorted = "{\"id\":\"2\"}\n{\"id\":\"1\"}\n";
    check("vacancies list --fields ID -o ndjson --sort -ID", sorted, "");
    let filtered = "{\"id\":\"1\"}\n";
    check("vacancies list --fields ID,id --filter PROJECT~weld -o ndjson", filtered, "");
}
