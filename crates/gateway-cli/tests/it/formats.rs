//! Which format comes out, and that nothing that is asked of it is passed over.

use std::fs;

use gateway_testkit::raw_server::{Connection, Next, RawServer};

use crate::run::{Nobody, Person, code, stderr, stdout};

#[test]
fn what_would_have_no_effect_is_refused() {
    let nobody = Nobody::new();
    let person = Person::of_service(&nobody.url());
    for (command, said) in [
        ("vacancies list -o raw --filter id=1", "so --filter has nothing to choose from"),
        ("vacancies list -o raw --fields id", "so --fields has nothing to choose from"),
        ("api any -o raw --sort id", "so --sort has nothing to choose from"),
        ("api any --include --filter id=1", "--include prints the answer as it comes, so --filter"),
        ("api any -i -o table", "--include prints the answer as it comes, in no other format"),
        ("api any -i --output-file v.csv", "in no other format"),
        ("check --report tap --filter verdict=fail", "a report has every check, so --filter"),
        ("check --report tap -o csv", "a report has a form of its own"),
        ("check --fields nmae", "a record has no field `nmae`"),
        ("check --output-file none/c.csv", "cannot be written"),
        ("check --report junit --output-file none/c.xml", "cannot be written"),
        ("credits get --filter currency=USD", "--filter and --sort are for lists"),
        ("credits get --filter none=x", "error: --filter and --sort are for lists"),
        ("credits get --sort currency", "--filter and --sort are for lists"),
        ("vacancies list -o json --excel", "--excel is about CSV, and the output is json"),
        ("vacancies list -o raw --csv-raw", "--csv-raw is about CSV, and the output is raw"),
        ("vacancies list --excel --output-file v.json", "--excel is about CSV"),
        ("vacancies list --output-file v.xlsx", "--excel writes it as Excel expects it"),
        (
            "vacancies list --excel --output-file v.xlsx",
            "v.xlsx is named like a format that this program does not",
        ),
        ("vacancies list --output-file v.tsv", "`-o csv --separator tab` writes such a file"),
        ("vacancies list --output-file v.xml", ".csv, .json, .ndjson, .txt"),
        ("vacancies list -o json --separator ;", "--separator is about CSV"),
        ("vacancies list --separator a", "write , or ; or | or : or tab"),
        ("vacancies list --output-file v.csv.gz", "can be piped"),
    ] {
        let args: Vec<&str> = command.split(' ').collect();
        let output = person.run(&args);
        assert_eq!(code(&output), 2, "{command}: {}", stderr(&output));
        assert!(stderr(&output).contains(said), "{command}: {}", stderr(&output));
        assert!(output.stdout.is_empty(), "{command}");
        assert_eq!(fs::read_dir(person.home.path()).unwrap().count(), 0, "{command}");
    }
}

#[test]
fn what_is_asked_of_an_answer_is_done() {
    let server = RawServer::start(|_, connection: &mut Connection| {
        let body = br#"[{"id":"1","n":2},{"id":"2","n":1}]"#;
        connection.respond("content-type: application/json\r\n", body);
        Next::Close
    })
    .unwrap();
    let person = Person::of_service(&server.uri(""));
    for (command, expected) in [
        ("api any --filter id=2", "[\n{\"id\":\"2\",\"n\":1}\n]\n"),
        ("api any --sort n --fields id", "[\n{\"id\":\"2\"},\n{\"id\":\"1\"}\n]\n"),
        ("api any --excel --filter id=2", "\u{feff}id,n\r\n2,1\r\n"),
        ("api any --csv-raw", "id,n\r\n1,2\r\n2,1\r\n"),
        ("api any --excel --separator ; --filter id=2", "\u{feff}id;n\r\n2;1\r\n"),
        ("api any -o csv --separator tab --output-file v.tsv", ""),
        ("api any --output-file v.csv", ""),
        ("version --output-file v.json", ""),
    ] {
        let args: Vec<&str> = command.split(' ').collect();
        let output = person.run(&args);
        assert_eq!(code(&output), 0, "{command}: {}", stderr(&output));
        assert_eq!(stdout(&output), expected, "{command}");
    }
    let file = |name: &str| fs::read_to_string(person.home.path().join(name)).unwrap();
    assert_eq!(file("v.csv"), "id,n\r\n1,2\r\n2,1\r\n");
    assert_eq!(file("v.tsv"), "id\tn\r\n1\t2\r\n2\t1\r\n");
    assert!(file("v.json").starts_with("{\"name\":\"gateway\""));
}

#[test]
fn a_check_tells_all_that_it_asks() {
    let server = RawServer::start(|_, connection: &mut Connection| {
        connection.respond("content-type: application/json\r\n", b"[]");
        Next::Close
    })
    .unwrap();
    let person = Person::of_service(&server.uri(""));
    let output = person.run(&["check", "-v", "--report", "tap"]);
    let told = stderr(&output).lines().filter(|line| line.starts_with("> GET ")).count();
    assert!(told > 30, "{told}");
    assert!(!stderr(&output).contains(crate::run::TOKEN));
    let output = person.run(&["check", "--dry-run"]);
    assert_eq!(stdout(&output).lines().count(), 1);
    assert!(stderr(&output).contains("the first of some forty requests"));
}
