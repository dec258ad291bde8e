//! Files that `gateway-server import` reads, and the lists that the server then sends.

use std::path::{Path, PathBuf};

use gateway_server::{CandidateRow, CreditsRow, PortalRow};

use crate::process::{Served, account, acme, error, on_each_database, program, run};
use crate::support::get;

fn files(directory: &Path) -> [String; 3] {
    let write = |name: &str, text: &str| {
        let path = directory.join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    [
        write(
            "candidates.csv",
            "id,name,email,phone,phone_mobile,date,portal_id,portal_name,type,vacancy_id,status\n\
             11,\"Groß, Anna\",a@example.org,,+31 6,2026-01-02 03:04:05,3,Indeed,person,52,New\n\
             12,\"O\"\"Neill\",,,,,,,,52,On hold\n",
        ),
        write(
            "vacancies.ndjson",
            "{\"id\":\"52\",\"project\":\"Welder\"}\n\n{\"id\":53,\"project\":\"Barista\"}\n\
             {\"vacancy_id\":\"53\",\"candidate_id\":\"11\",\"status\":\"Rejected\"}\n",
        ),
        write("credits.json", "{\"credits_number\":\"-3.50\",\"currency\":\"CHF\"}"),
    ]
}

/// Returns the list of the candidates in [`files`].
fn imported_candidates() -> String {
    let anna = CandidateRow {
        name: "Groß, Anna",
        email: "a@example.org",
        phone_mobile: "+31 6",
        date: "2026-01-02 03:04:05",
        portal: PortalRow { name: "Indeed", ..PortalRow::new("3") },
        kind: "person",
        ..CandidateRow::new("11")
    };
    let o_neill = CandidateRow { name: "O\"Neill", kind: "person", ..CandidateRow::new("12") };
    let [anna, o_neill] = [anna, o_neill].map(|row| serde_json::to_string(&row).unwrap());
    format!(r#"{{"status":"success","result":[{anna},{o_neill}]}}"#)
}

/// Imports and serves an account, and imports the responses into a second account, which serves the same bytes.
fn import_serve_and_copy(database: &str) {
    let directory = tempfile::tempdir().unwrap();
    let copy = directory.path().join("copy.db");
    let copy = copy.to_str().unwrap();
    let token = account(database, "acme");
    let [csv, ndjson, json] = files(directory.path());
    let import = ["import", "--account", "acme", &csv, &ndjson, &json];
    let dry = run(database, &[&import[..], &["--dry-run"]].concat());
    assert!(dry.contains("candidates: 2 new") && dry.contains("dry run"), "{dry}");
    let real = run(database, &import);
    assert!(real.contains("vacancies: 2 new") && real.contains("statuses: 3 new"), "{real}");
    assert!(run(database, &import).contains("candidates: 0 new, 0 changed, 2 unchanged"));

    let served = Served::start(database, &[]);
    let candidates = get(&served.base_url, &token, "method=candidates/list");
    assert_eq!(candidates.text(), imported_candidates());
    let held = get(&served.base_url, &token, "method=candidates/list&vacancy_id=52&status=On+hold");
    assert!(held.text().contains("\"12\"") && !held.text().contains("\"11\""));
    let credits = get(&served.base_url, &token, "method=credits/get");
    let balance = CreditsRow::new("-3.50", "CHF");
    assert_eq!(credits.text(), serde_json::to_string(&balance).unwrap());

    // Another account on another server, imported from the responses of this one.
    let copied = account(copy, "copy");
    let responses = ["candidates/list", "vacancies/list", "credits/get"].map(|method| {
        let path = directory.path().join(method.replace('/', "-") + ".json");
        let response = get(&served.base_url, &token, &format!("method={method}"));
        std::fs::write(&path, &response.body).unwrap();
        (path.to_str().unwrap().to_owned(), response.body)
    });
    let paths: Vec<&str> = responses.iter().map(|(path, _)| path.as_str()).collect();
    run(copy, &[&["import", "--account", "copy"], &paths[..]].concat());
    let filtered = directory.path().join("held.json");
    std::fs::write(&filtered, &held.body).unwrap();
    let filter = ["--vacancy-id", "52", "--status", "On hold", filtered.to_str().unwrap()];
    run(copy, &[&["import", "--account", "copy"][..], &filter].concat());
    let other = Served::start(copy, &[]);
    for (method, (_, body)) in
        ["candidates/list", "vacancies/list", "credits/get"].iter().zip(&responses)
    {
        let again = get(&other.base_url, &copied, &format!("method={method}"));
        assert_eq!(again.body, *body, "{method}");
    }
    let again =
        get(&other.base_url, &copied, "method=candidates/list&vacancy_id=52&status=On%20hold");
    assert_eq!(again.body, held.body);
    assert_eq!(get(&other.base_url, &token, "method=credits/get").status, 401);
    assert!(run(database, &["check"]).contains("no damage"));
}

#[test]
fn an_imported_account_is_served_and_copied_to_another_database() {
    on_each_database(import_serve_and_copy);
}

/// Imports files into the account, and returns the exit code and standard error.
fn import(database: &str, files: &[PathBuf]) -> (Option<i32>, String) {
    let mut command = program();
    command.args(["import", "--account", "acme", "--database", database]).args(files);
    let output = command.output().unwrap();
    (output.status.code(), error(&output))
}

#[test]
fn a_record_that_clients_would_skip_is_not_imported() {
    let (directory, database, _token) = acme();
    // A quote is two bytes in JSON, so only the second title is too long.
    for (quotes, code) in [((1 << 19) - 20, 0), (1 << 19, 2)] {
        let path = directory.path().join("v.csv");
        let title = "\"\"".repeat(quotes);
        std::fs::write(&path, format!("id,project\n1,\"{title}\"\n")).unwrap();
        let (found, error) = import(&database, &[path]);
        let is_named = error.contains("clients read at most 1048576; shorten it");
        assert_eq!((found, is_named), (Some(code), code == 2), "{error}");
    }
}

#[test]
fn a_record_of_more_than_8_mib_is_refused_before_its_end() {
    let (directory, database, _token) = acme();
    for (name, start) in [
        ("v.csv", "id,project\n1,\""),
        ("v.ndjson", "{\"id\":1,\"project\":\""),
        ("v.json", "[{\"id\":1,\"project\":\""),
    ] {
        let path = directory.path().join(name);
        std::fs::write(&path, start.to_owned() + &"a".repeat(9 << 20)).unwrap();
        let (code, error) = import(&database, &[path]);
        assert_eq!(code, Some(2), "{error}");
        assert!(error.contains("the record has more than 8388608 bytes"), "{error}");
    }
}

#[test]
fn the_documented_sample_files_are_imported() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/server/data.md");
    let page = std::fs::read_to_string(page).unwrap();
    let (directory, database, _token) = acme();
    let mut reports = Vec::new();
    for block in page.split("```").skip(1).step_by(2) {
        let (kind, text) = block.split_once('\n').unwrap();
        let extension = match kind {
            "json" => "ndjson",
            "csv" => "csv",
            _ => continue,
        };
        let file = directory.path().join(format!("sample.{extension}"));
        std::fs::write(&file, text).unwrap();
        reports.push(run(&database, &["import", "--account", "acme", file.to_str().unwrap()]));
    }
    for (report, expected) in reports.iter().zip([
        ["vacancies: 2 new", "candidates: 0 new", "statuses: 0 new"],
        ["vacancies: 0 new", "candidates: 2 new", "statuses: 2 new"],
        ["candidates: 1 new", "statuses: 1 new", "credits: changed"],
    ]) {
        assert!(expected.iter().all(|line| report.contains(line)), "{report}");
    }
    assert_eq!(reports.len(), 3);
}

/// Several files are checked in one run, and an invalid file does not cause an error for each of a million lines.
#[test]
fn up_to_twenty_errors_are_reported_in_one_run() {
    let (directory, database, _token) = acme();
    let lines = |format: &str, wrong: &str| {
        let mut text = if format == "csv" { "id,name\n".to_owned() } else { String::new() };
        (0..15).for_each(|_| text.push_str(wrong));
        let path = directory.path().join(format!("a.{format}"));
        std::fs::write(&path, text).unwrap();
        path
    };
    let files = [
        lines("csv", "x,secret\n"),
        lines(
            "ndjson",
            "{\"id\":\"x\",\"name\":\"secret\"}\n{\"id\":1\n{\"id\":\"2\",\"naam\":\"\"}\n",
        ),
    ];
    let (code, text) = import(&database, &files);
    assert_eq!(code, Some(2), "{text}");
    assert_eq!(text.lines().count(), 20, "{text}");
    assert!(
        text.contains("a.csv:2: `id` must be") && text.contains("a.csv:16: `id` must"),
        "{text}"
    );
    assert!(text.contains("a.ndjson:2: the JSON value is truncated"), "{text}");
    assert!(text.contains("a.ndjson:3: unknown field `naam`"), "{text}");
    assert!(text.ends_with("nothing was imported\n") && !text.contains("secret"), "{text}");
    let response =
        "{\"result\":[{\"id\":\"1\",\"name\":\"\"},{\"id\":\"x\",\"name\":\"\"},{\"naam\":\"\"}]}";
    let json = directory.path().join("a.json");
    std::fs::write(&json, response).unwrap();
    let (_code, text) = import(&database, &[json, files[0].clone()]);
    assert_eq!(text.lines().count(), 17, "{text}");
    for expected in ["json:1: record 2: `id`", "json:1: record 3: unknown", "a.csv:2: `id`"] {
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn a_column_or_field_may_have_another_name() {
    let (directory, database, token) = acme();
    for (name, text) in [
        ("a.csv", "id,name,mobile\n1,Ada,+31 6\n"),
        ("a.ndjson", "{\"id\":\"2\",\"name\":\"Bob\",\"mobile\":\"+31 7\"}\n"),
    ] {
        let path = directory.path().join(name);
        std::fs::write(&path, text).unwrap();
        let path = path.to_str().unwrap();
        let rename = ["--rename", "mobile=phone_mobile"];
        run(&database, &[&["import", "--account", "acme", path][..], &rename].concat());
    }
    let served = Served::start(&database, &[]);
    let list = get(&served.base_url, &token, "method=candidates/list");
    for number in ["+31 6", "+31 7"] {
        assert!(list.text().contains(&format!("\"phone_mobile\":\"{number}\"")), "{}", list.text());
    }
}
