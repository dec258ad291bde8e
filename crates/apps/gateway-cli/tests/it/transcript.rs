//! Transcripts of every command in every format, with the sample data or, if whole records are printed, with a service
//! whose records do not depend on the spec.

use gateway_testkit::raw_server::{Connection, Next, RawRequest, RawServer};

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
    let mut seen: Vec<String> =
        [40, 80, 100, 120, 200].map(|columns| Person::new().on_terminal(columns).see(list)).into();
    let person = Person::new().on_terminal(80);
    seen.push(person.see(&[list, &["--wide"]].concat()));
    seen.push(person.see(&[list, &["--columns", "ID,Name,PORTAL.NAME,type"]].concat()));
    seen.push(person.see(&[list, &["--status", "Shortlist"]].concat()));
    seen.push(person.see(&[list, &["--filter", "name=Nobody"]].concat()));
    seen.push(person.see(&["--demo", "vacancies", "list"]));
    seen.push(person.see(&["--demo", "credits", "get"]));
    seen.push(person.see(&[list, &["--wide", "-o", "json"]].concat()));
    insta::assert_snapshot!(seen.join("\n"));
}

#[test]
fn json() {
    let service = service();
    insta::assert_snapshot!(transcript(
        &Person::of_service(&service.uri("")),
        &[
            &["candidates", "list", "--vacancy-id", "101", "--status", "Shortlist"],
            &["candidates", "list", "--vacancy-id", "9"],
            &["vacancies", "list", "-o", "ndjson"],
            &["credits", "get"],
            &["credits", "get", "-o", "raw"],
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
    let service = service();
    insta::assert_snapshot!(transcript(
        &Person::of_service(&service.uri("")),
        &[
            &["api", "credits/get"],
            &["api", "candidates/list", "-f", "vacancy_id=9", "-f", "status=Offer made"],
            &["api", "vacancies/list", "-o", "table"],
            &["api", "nothing/here"],
        ]
    ));
}

#[test]
fn checks() {
    let person = Person::new();
    let shown = transcript(
        &person,
        &[
            &["--demo", "check", "-o", "table", "--filter", "check~."],
            &["--demo", "check", "--strict", "-o", "csv"],
        ],
    );
    insta::assert_snapshot!(without_records(&shown));
    let junit = person.run(&["--demo", "check", "--report", "junit"]);
    assert!(stdout(&junit).ends_with("</testsuite>\n"));
}

/// Removes the checks of records, which follow from the fields in the spec, and replaces all numbers of checks.
#[track_caller]
fn without_records(shown: &str) -> String {
    let of_records = ["candidates.", "vacancies.", "credits."];
    let number = |word: &str| {
        let digits = word.trim_start_matches("1..");
        let counts = digits != "0" && digits.parse::<u32>().is_ok();
        if counts { word.replace(digits, "N") } else { word.to_owned() }
    };
    let mut removed = 0;
    let mut rest = String::new();
    for line in shown.lines() {
        let name = line.split_once(" - ").map_or(line, |(_, name)| name);
        if of_records.iter().any(|group| name.starts_with(group)) {
            removed += 1;
            continue;
        }
        let is_counted = ["ok ", "not ok ", "1..", "stderr: note: "];
        if is_counted.iter().any(|start| line.starts_with(start)) {
            let (count, text) = line.split_once(" - ").map_or((line, None), |(a, b)| (a, Some(b)));
            let count = count.split(' ').map(number).collect::<Vec<_>>().join(" ");
            rest.push_str(&count);
            rest.extend(text.map(|text| format!(" - {text}")));
        } else {
            rest.push_str(line);
        }
        rest.push('\n');
    }
    assert!(removed > 40 && removed % 2 == 0, "{removed} checks of records in two formats");
    rest
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

/// Starts a service with fixed responses.
fn service() -> RawServer {
    RawServer::start(|request: &RawRequest, connection: &mut Connection| {
        let asks = |text: &str| request.target().contains(text);
        let body = if asks("method=candidates/list&vacancy_id=9") {
            r#"{"status":"success","result":[]}"#
        } else if asks("method=candidates/list") {
            CANDIDATES
        } else if asks("method=vacancies/list") {
            VACANCIES
        } else if asks("method=credits/get") {
            r#"{"credits_number":"184.50","currency":"EUR"}"#
        } else {
            let head = "HTTP/1.1 400 Bad Request\r\ncontent-type: application/problem+json\r\n";
            let head = format!("{head}content-length: {}\r\n\r\n", PROBLEM.len());
            connection.send(head.as_bytes());
            connection.send(PROBLEM.as_bytes());
            return Next::Close;
        };
        connection.respond("content-type: application/json\r\n", body.as_bytes());
        Next::Close
    })
    .unwrap()
}

const CANDIDATES: &str = r#"{"status":"success","result":[{"id":"48141","name":"Gijs Шевченко","email":"gijs.shevchenko20@example.org","phone":"+49 30 5651277","phone_mobile":"+31 6 5178 0121","date":"2026-06-28 20:22:57","portal":{"id":"5","name":"eJobs"},"type":"person"}]}"#;

const VACANCIES: &str = r#"[{"id":"101","project":"Warehouse operator, night shift"},{"id":"102","project":"Senior Rust engineer"},{"id":"103","project":"Ingénieur qualité (H/F)"},{"id":"104","project":"Pflegefachkraft – Teilzeit"},{"id":"105","project":"Customer service agent, Dutch/German"},{"id":"106","project":"Șef de șantier"}]"#;

const PROBLEM: &str = r#"{"type":"urn:gateway:problem:method-unknown","title":"The parameter method does not name an operation","status":400,"methods":["candidates/list","vacancies/list","credits/get"]}"#;
