//! Transcripts of every command in every format, with the sample service.

use crate::run::{Person, stdout};

fn transcript(person: &Person, commands: &[&[&str]]) -> String {
    let shown: Vec<String> = commands.iter().map(|args| person.see(args)).collect();
    shown.join("\n")
}

#[test]
fn tables() {
    insta::assert_snapshot!(transcript(
        &Person::new(),
        &[
            &["--demo", "-o", "table", "candidates", "list", "--vacancy-id", "101"],
            &[
                "candidates",
                "list",
                "--vacancy-id",
                "101",
                "--status",
                "Shortlist",
                "--demo",
                "-o",
                "table"
            ],
            &["--demo", "vacancies", "list", "-o", "table"],
            &["--demo", "credits", "get", "-o", "table"],
            &["--demo", "candidates", "list", "--vacancy-id", "9", "-o", "table"],
        ]
    ));
}

#[test]
fn terminals() {
    let list: &[&str] = &["--demo", "candidates", "list", "--vacancy-id", "101"];
    let seen: Vec<String> =
        [40, 80, 100, 120, 200].map(|columns| Person::new().on_terminal(columns).see(list)).into();
    insta::assert_snapshot!(seen.join("\n"));
}

#[test]
fn json() {
    insta::assert_snapshot!(transcript(
        &Person::new(),
        &[
            &["--demo", "candidates", "list", "--vacancy-id", "101", "--status", "Shortlist"],
            &["--demo", "candidates", "list", "--vacancy-id", "9"],
            &["--demo", "vacancies", "list", "-o", "ndjson"],
            &["--demo", "credits", "get"],
            &["--demo", "credits", "get", "-o", "raw"],
        ]
    ));
}

#[test]
fn csv() {
    insta::assert_snapshot!(transcript(
        &Person::new(),
        &[
            &["--demo", "vacancies", "list", "-o", "csv"],
            &[
                "--demo",
                "candidates",
                "list",
                "--vacancy-id",
                "101",
                "-o",
                "csv",
                "--fields",
                "id,phone,phone_mobile"
            ],
            &["--demo", "credits", "get", "-o", "csv"],
        ]
    ));
}

#[test]
fn selections() {
    insta::assert_snapshot!(transcript(
        &Person::new(),
        &[
            &[
                "--demo",
                "candidates",
                "list",
                "--fields",
                "id,portal.name",
                "--filter",
                "portal.name=Indeed",
                "-o",
                "ndjson"
            ],
            &[
                "--demo",
                "candidates",
                "list",
                "--fields",
                "name,id",
                "--sort",
                "-date",
                "--filter",
                "name~gro",
                "-o",
                "table"
            ],
            &["--demo", "vacancies", "list", "--sort=-id", "--fields", "id"],
        ]
    ));
}

#[test]
fn api() {
    insta::assert_snapshot!(transcript(
        &Person::new(),
        &[
            &["--demo", "api", "credits/get"],
            &[
                "--demo",
                "api",
                "candidates/list",
                "-f",
                "vacancy_id=101",
                "-f",
                "status=Offer made"
            ],
            &["--demo", "api", "vacancies/list", "-o", "table"],
            &["--demo", "api", "nothing/here"],
        ]
    ));
}

#[test]
fn checks() {
    let person = Person::new();
    insta::assert_snapshot!(transcript(
        &person,
        &[
            &["--demo", "check", "-o", "table"],
            &["--demo", "check", "--strict", "-o", "csv"],
            &["--demo", "check", "--strict", "--report", "tap"],
        ]
    ));
    let junit = person.run(&["--demo", "check", "--report", "junit"]);
    assert!(stdout(&junit).ends_with("</testsuite>\n"));
}

#[test]
fn requests_without_sending() {
    let url = "https://gateway.example.com/prefix";
    insta::assert_snapshot!(transcript(
        &Person::of_service(url),
        &[
            &[
                "candidates",
                "list",
                "--dry-run",
                "--vacancy-id",
                "7",
                "--status",
                "On hold's & more"
            ],
            &["credits", "get", "--dry-run"],
            &["api", "x/y", "-f", "a=b c", "--dry-run"],
        ]
    ));
}
