//! Undocumented fields, and responses to methods outside of the contract.

use crate::run::{Person, code, serve, stderr, stdout};

/// Runs the command against a service that responds with this body, and returns standard output and standard error.
#[track_caller]
fn ask(body: &'static str, command: &str, expected: i32) -> (String, String) {
    let server = serve(body);
    let output = Person::of_service(&server.uri("")).run_line(command);
    assert_eq!(code(&output), expected, "{command}: {}", stderr(&output));
    (stdout(&output).to_owned(), stderr(&output).to_owned())
}

#[track_caller]
fn check(body: &'static str, command: &str, out: &str, err: &str) {
    assert_eq!(ask(body, command, 0), (out.to_owned(), err.to_owned()), "{command}");
}

const MORE: &str = r#"[{"id":"1","project":"Welder","headcount":3},{"id":"2"}]"#;

#[test]
fn undocumented_fields_can_be_selected() {
    let csv = "id,headcount\r\n1,3\r\n2,\r\n";
    check(MORE, "vacancies list --any-field --fields id,headcount -o csv", csv, "");
    let json = "{\"headcount\":3}\n{\"headcount\":null}\n";
    check(MORE, "vacancies list --any-field --fields headcount -o ndjson", json, "");
    let filtered = "{\"id\":\"1\",\"project\":\"Welder\",\"headcount\":3}\n";
    check(MORE, "vacancies list --any-field --filter headcount=3 -o ndjson", filtered, "");
}

#[test]
fn undocumented_fields_are_refused_by_default() {
    for flag in ["--fields id,headcount", "--filter headcount=3", "--sort -headcount"] {
        let (out, message) = ask(MORE, &format!("vacancies list {flag}"), 2);
        assert_eq!(out, "");
        let hint =
            message.strip_prefix("error: unknown field `headcount`\n  hint: ").expect(&message);
        // The hint suggests a field, if the spec has a similar one.
        let list = hint.split_once("the fields are ").or_else(|| hint.split_once("All fields: "));
        let (_, list) = list.expect(&message);
        let fields = list.strip_suffix("; --any-field accepts undocumented fields\n");
        let fields: Vec<_> = fields.expect(&message).split(", ").collect();
        assert!(fields.contains(&"id") && fields.contains(&"project"), "{message}");
    }
    let (out, message) = ask(MORE, "vacancies list --fields PROJETC", 2);
    assert!(out.is_empty() && message.contains("did you mean `project`?"), "{message}");
}

#[test]
fn field_names_match_in_any_case() {
    check(
        MORE,
        "vacancies list --fields ID,Project -o csv",
        "id,project\r\n1,Welder\r\n2,\r\n",
        "",
    );
    check(
        MORE,
        "vacancies list --fields ID -o ndjson --sort -ID",
        "{\"id\":\"2\"}\n{\"id\":\"1\"}\n",
        "",
    );
    check(
        MORE,
        "vacancies list --fields ID,id --filter PROJECT~weld -o ndjson",
        "{\"id\":\"1\"}\n",
        "",
    );
    // Fields of a response may differ only in their case: an exact match takes precedence.
    let twins = r#"[{"ID":"7","id":"1","Portal":{"Name":"x"}}]"#;
    check(twins, "api any --fields id,ID -o ndjson", "{\"id\":\"1\",\"ID\":\"7\"}\n", "");
    check(
        twins,
        "api any --fields portal -o csv",
        "Portal\r\n\"{\"\"Name\"\":\"\"x\"\"}\"\r\n",
        "",
    );
}

#[test]
fn a_field_named_twice_is_printed_once() {
    check(MORE, "vacancies list --fields id,id -o csv", "id\r\n1\r\n2\r\n", "");
    check(MORE, "vacancies list --fields id,id -o ndjson", "{\"id\":\"1\"}\n{\"id\":\"2\"}\n", "");
    check(MORE, "vacancies list --fields id,id -o table", "ID\n1\n2\n", "");
}

#[test]
fn every_field_of_every_record_has_a_column() {
    let differ = r#"[{"a":1},{"b":2,"a.b":3,"a":{"b":4}}]"#;
    check(differ, "api any -o csv", "a,b,a.b\r\n1,,\r\n\"{\"\"b\"\":4}\",2,3\r\n", "");
    check(differ, "api any -o csv --fields a.b,b", "a.b,b\r\n,\r\n3,2\r\n", "");
    check(differ, "api any --filter a.b=3 --fields a.b -o ndjson", "{\"a.b\":3}\n", "");
    let inner = r#"[{"a":{"b":4}}]"#;
    check(inner, "api any -o csv --fields a.b", "a.b\r\n4\r\n", "");
}

#[test]
fn a_record_that_is_not_an_object_has_the_column_value() {
    let mixed = r#"[1,2.50,"x",null,{"n":"y"}]"#;
    check(mixed, "api any -o csv", "value,n\r\n1,\r\n2.50,\r\nx,\r\n,\r\n,y\r\n", "");
    check(mixed, "api any -o ndjson", "1\n2.50\n\"x\"\nnull\n{\"n\":\"y\"}\n", "");
    check(r#"["b",3,10]"#, "api any -o table --sort -value", "VALUE\nb\n10\n3\n", "");
}

#[test]
fn the_records_of_an_envelope_are_in_its_result() {
    let envelope = r#"{"status":"success","result":[{"id":"1"},{"id":"2"}]}"#;
    check(envelope, "api any -o csv", "id\r\n1\r\n2\r\n", "");
    check(envelope, "api any -o ndjson --filter id=2", "{\"id\":\"2\"}\n", "");
    check(envelope, "api any", &format!("{envelope}\n"), "");
    let failed = r#"{"status":"error","result":[]}"#;
    check(failed, "api any -o csv", "status,result\r\nerror,[]\r\n", "");
}

#[test]
fn a_field_that_no_record_has_gets_a_warning() {
    let warning = "warning: no record has a field `idd`; did you mean `id`?\n";
    check(
        r#"[{"id":1}]"#,
        "api any -o ndjson --fields id,idd",
        "{\"id\":1,\"idd\":null}\n",
        warning,
    );
    check("[]", "api any -o json --filter id=1", "[]\n", "");
}
