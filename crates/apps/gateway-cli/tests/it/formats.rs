//! The selection of the output format; a flag that would have no effect is refused.

use std::fs;

use crate::run::{ClosedPort, Person, code, serve, stderr, stdout};

#[test]
fn flags_without_effect_are_refused() {
    let nobody = ClosedPort::new();
    let person = Person::of_service(&nobody.url());
    for (command, message) in [
        ("vacancies list -o raw --filter id=1", "cannot use --filter: -o raw prints"),
        ("vacancies list -o raw --fields id", "cannot use --fields: -o raw prints"),
        ("api any --sort id", "cannot use --sort: `api` prints the response unchanged"),
        ("api any --output-file v.csv", "cannot use -o csv: `api` prints"),
        ("check --fields nmae", "unknown field `nmae`"),
        ("check --output-file none/c.csv", "cannot write none/c.csv"),
        ("credits get --filter currency=USD", "cannot use --filter: the output is one"),
        ("credits get --filter none=x", "error: cannot use --filter"),
        ("credits get --sort currency", "cannot use --sort: the output is one"),
        ("vacancies list -o json --csv-raw", "cannot use --csv-raw: the output format is json"),
        ("vacancies list -o raw --csv-raw", "cannot use --csv-raw: the output format is raw"),
        ("vacancies list --csv-raw --output-file v.json", "cannot use --csv-raw"),
        ("vacancies list --output-file v.xml", ".csv, .json, .jsonl, .ndjson"),
        ("vacancies list -o json --separator ;", "cannot use --separator"),
        ("vacancies list --separator a", "expected , or ; or | or : or tab"),
        ("vacancies list --output-file v.csv.gz", "choose the format with -o"),
    ] {
        let output = person.run_line(command);
        assert_eq!(code(&output), 2, "{command}: {}", stderr(&output));
        assert!(stderr(&output).contains(message), "{command}: {}", stderr(&output));
        assert!(output.stdout.is_empty(), "{command}");
        assert_eq!(fs::read_dir(person.home.path()).unwrap().count(), 0, "{command}");
    }
}

#[test]
fn every_format_filters_sorts_and_selects() {
    let server = serve(r#"[{"id":"1","project":"b"},{"id":"2","project":"a"}]"#);
    let person = Person::of_service(&server.uri(""));
    for (command, expected) in [
        ("vacancies list --filter id=2", "[\n{\"id\":\"2\",\"project\":\"a\"}\n]\n"),
        ("vacancies list --sort project --fields id", "[\n{\"id\":\"2\"},\n{\"id\":\"1\"}\n]\n"),
        ("vacancies list --csv-raw", "id,project\r\n1,b\r\n2,a\r\n"),
        ("vacancies list --separator ; --filter id=2", "id;project\r\n2;a\r\n"),
        ("vacancies list -o csv --separator tab --output-file v.tsv", ""),
    ] {
        let output = person.run_line(command);
        assert_eq!(code(&output), 0, "{command}: {}", stderr(&output));
        assert_eq!(stdout(&output), expected, "{command}");
    }
    let file = |name: &str| fs::read_to_string(person.home.path().join(name)).unwrap();
    assert_eq!(file("v.tsv"), "id\tproject\r\n1\tb\r\n2\ta\r\n");
}

#[test]
fn a_check_logs_every_request() {
    let server = serve("[]");
    let person = Person::of_service(&server.uri(""));
    let output = person.run_line("check -v --output-file contract.csv");
    assert!(person.home.path().join("contract.csv").exists(), "{}", stderr(&output));
    let requests = stderr(&output).lines().filter(|line| line.starts_with("> GET ")).count();
    assert!(requests > 30, "{requests}");
    assert!(!stderr(&output).contains(crate::run::TOKEN));
    let output = person.run(&["check", "--dry-run"]);
    assert_eq!(stdout(&output).lines().count(), 1);
    assert!(stderr(&output).contains("this is the first request"));
}
