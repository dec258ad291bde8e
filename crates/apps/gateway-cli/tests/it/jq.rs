//! The flag `--jq`.

use std::fs;

use crate::run::{Person, code, serve, stderr, stdout};

const BODY: &str =
    r#"[{"id":"1","project":"Welder","pay":1.10},{"id":"2","project":"\u001b[2JCook"},{"id":"3"}]"#;

#[track_caller]
fn check(args: &[&str], expected: &str) {
    let server = serve(BODY);
    let output = Person::of_service(&server.uri("")).run(args);
    assert_eq!((code(&output), stderr(&output)), (0, ""), "{args:?}");
    assert_eq!(stdout(&output), expected, "{args:?}");
}

#[test]
fn the_input_is_the_selected_list() {
    check(
        &["vacancies", "list", "--jq", ".[0], .[].id"],
        "{\"id\":\"1\",\"project\":\"Welder\",\"pay\":1.10}\n1\n2\n3\n",
    );
    check(&["vacancies", "list", "--jq", "length", "--filter", "id>1"], "2\n");
    check(
        &["vacancies", "list", "--jq", ".", "--fields", "id", "--limit", "1"],
        "[{\"id\":\"1\"}]\n",
    );
    check(&["vacancies", "list", "--jq", "length", "--filter", "id=none"], "0\n");
    check(
        &["vacancies", "list", "--jq", ".[0].count", "--count-by", "project", "-o", "json"],
        "1\n",
    );
    check(&["api", "vacancies/list", "--jq", "map(.id) | join(\",\")"], "1,2,3\n");
}

/// Like jq, it writes its input to standard error. The results before it are printed.
#[test]
fn a_filter_that_ends_with_halt_error_fails() {
    let server = serve(BODY);
    let person = Person::of_service(&server.uri(""));
    for (filter, expected, printed, message) in [
        ("halt", 0, "", ""),
        (".[0].id, halt_error", 5, "1\n", r#"[{"id":"1""#),
        (r#""too\u001b few\n" | halt_error"#, 5, "", "too\\u{1b} few\nerror: "),
        ("{} | halt_error(3)", 5, "", "{}\nerror: the --jq filter ended with `halt_error`\n"),
        ("halt_error(0)", 0, "", r#"[{"id":"1""#),
    ] {
        let output = person.run(&["vacancies", "list", "--jq", filter]);
        assert_eq!((code(&output), stdout(&output)), (expected, printed), "{filter}");
        assert!(stderr(&output).starts_with(message), "{filter}: {}", stderr(&output));
    }
    let file = person.home.path().join("v.json");
    fs::write(&file, "old").unwrap();
    let args = ["vacancies", "list", "--output-file", "v.json", "--jq", ".[0].id, halt_error"];
    assert_eq!(code(&person.run(&args)), 5);
    assert_eq!(fs::read_to_string(&file).unwrap(), "old");
}

#[test]
fn text_that_is_nested_too_deeply_is_not_parsed() {
    for start in ["", "#\\\"\\n", "\\\"[\\\\\\\"[\\\" {\\\"a\\\":"] {
        let text = start.to_owned() + &"[".repeat(50_000);
        let body = format!(r#"[{{"id":"1","project":"{text}"}}]"#);
        let server = serve(body);
        let person = Person::of_service(&server.uri(""));
        for filter in
            [".[].project | tonumber", ".[].project | fromjson", "map(.project | toboolean)"]
        {
            let output = person.run(&["vacancies", "list", "--jq", filter]);
            assert_eq!(code(&output), 2, "{filter}: {}", stderr(&output));
            let cause = "cause: cannot use a string as JSON\n";
            assert!(stderr(&output).contains(cause), "{filter}: {}", stderr(&output));
        }
    }
    check(&["vacancies", "list", "--jq", r#""1 [2,\"[\"]\n{}" | fromjson"#], "1\n[2,\"[\"]\n{}\n");
    let deepest = r#"("[" * 127 + "]" * 127) | fromjson | tojson | length"#;
    check(&["vacancies", "list", "--jq", deepest], "254\n");
}
