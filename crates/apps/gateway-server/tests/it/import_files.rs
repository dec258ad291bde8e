//! Files that `gateway-server import` reads, and the lists that are served then.

use std::path::Path;

use crate::cluster;
use crate::documented::Documented;
use crate::process::{Served, account, acme, error, program, run};
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
    let portal = Documented::read("candidate", "Portal");
    let candidate = Documented::read("candidate", "Candidate");
    let anna = candidate.record(&[
        ("id", r#""11""#),
        ("name", r#""Groß, Anna""#),
        ("email", r#""a@example.org""#),
        ("phone_mobile", r#""+31 6""#),
        ("date", r#""2026-01-02 03:04:05""#),
        ("portal", &portal.record(&[("id", r#""3""#), ("name", r#""Indeed""#)])),
        ("type", r#""person""#),
    ]);
    let o_neill =
        candidate.record(&[("id", r#""12""#), ("name", r#""O\"Neill""#), ("type", r#""person""#)]);
    format!(r#"{{"status":"success","result":[{anna},{o_neill}]}}"#)
}

/// Imports and serves an account, and imports the responses into a second account, which serves the same bytes.
fn import_serve_and_copy(database: &str, copy: &str) {
    let directory = tempfile::tempdir().unwrap();
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
    let balance = [("credits_number", r#""-3.50""#), ("currency", r#""CHF""#)];
    assert_eq!(credits.text(), Documented::read("credits", "Credits").record(&balance));

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
    run(
        copy,
        &[
            "import",
            "--account",
            "copy",
            "--vacancy-id",
            "52",
            "--status",
            "On hold",
            filtered.to_str().unwrap(),
        ],
    );
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
fn an_imported_account_is_served_and_copied_on_sqlite() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    import_serve_and_copy(&path("one.db"), &path("two.db"));
}

#[test]
fn an_imported_account_is_served_and_copied_on_postgresql() {
    let (Some(one), Some(two)) = (cluster::database(), cluster::database()) else { return };
    import_serve_and_copy(&one.url, &two.url);
}

/// Files of which a part would be lost if they were imported.
const LOSSES: [(&str, &str, &str); 15] = [
    ("q0.csv", "\"", "1: a quote is opened but never closed"),
    (
        "q0-crlf.csv",
        "id,project\r\n1,\"b\nb\"\r\n2,\"c\r\nd\r\n",
        "4: a quote is opened but never closed",
    ),
    ("q1.csv", "id,name\n1,\"secret\n2,Bob\n3,Carl\n", "2: a quote is opened but never closed"),
    ("q2.csv", "id,name\n1,Ann\n\"2\",\"secret\n", "3: a quote is opened but never closed"),
    ("q3.csv", "id,name,name\n1,Ann,secret\n", "1: column `name` is named twice"),
    (
        "q4.ndjson",
        r#"{"id":"6","name":"secret","candidate_id":"5","vacancy_id":"1","status":"New"}"#,
        "1: `id` is not a field of the status",
    ),
    (
        "q5.ndjson",
        r#"{"id":"6","project":"P","name":"secret"}"#,
        "1: `name` is not a field of a vac",
    ),
    (
        "q6.ndjson",
        r#"{"credits_number":"1","currency":"EUR","status":"secret"}"#,
        "1: `status` is not a field of the credit balance",
    ),
    (
        "q7.ndjson",
        r#"{"id":"6","name":"secret","currency":"EUR"}"#,
        "1: `currency` is not a field of a",
    ),
    ("q8.ndjson", "{\"id\":\"6\",\"email\":\"secret\"}", "1: `name` is missing"),
    (
        "q9.json",
        "{\"credits_number\":\"1\",\"currency\":\"EUR\"}\n{\"credits_number\":\"2\",\"currency\":\"EUR\"}",
        "2: the credit balance is already different on line 1",
    ),
    (
        "r1.json",
        r#"{"status":"error","result":[]}"#,
        "1: the `status` of the response is not `success`",
    ),
    (
        "r2.json",
        r#"{"result":[{"id":"6","name":"secret"}]}"#,
        "1: the `status` of the response is not `success`",
    ),
    (
        "r3.json",
        r#"{"status":"success","result":[],"id":"6"}"#,
        "1: `id` is not a field of a response",
    ),
    (
        "r4.json",
        r#"{"status":"success","result":[],"result":[]}"#,
        "1: field `result` is given twice",
    ),
];

#[test]
fn a_record_that_clients_would_skip_is_not_imported() {
    let (directory, database, _token) = acme();
    // A quote is two bytes in JSON, so only the second title is too long.
    for (quotes, code) in [((1 << 19) - 20, 0), (1 << 19, 2)] {
        let path = directory.path().join("v.csv");
        let title = "\"\"".repeat(quotes);
        std::fs::write(&path, format!("id,project\n1,\"{title}\"\n")).unwrap();
        let output = program()
            .args(["import", "--account", "acme", "--database", &database])
            .arg(&path)
            .output()
            .unwrap();
        let error = error(&output);
        assert_eq!(output.status.code(), Some(code), "{error}");
        assert_eq!(
            error.contains("clients read at most 1048576; shorten it"),
            code == 2,
            "{error}"
        );
    }
}

#[test]
fn an_invalid_file_is_reported_with_its_line_and_changes_nothing() {
    let (directory, database, _token) = acme();
    let refused = |name: &str, text: &str, expected: &str| {
        let path = directory.path().join(name);
        std::fs::write(&path, text).unwrap();
        let output = program()
            .args(["import", "--account", "acme", "--database", &database])
            .arg(&path)
            .output()
            .unwrap();
        let error = error(&output);
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
        assert!(error.contains(&format!("{name}:{expected}")), "{error}");
        assert!(error.ends_with("nothing was imported\n") && !error.contains("secret"), "{error}");
        error
    };
    let good = r#"{"id":"1","name":"secret"}"#;
    refused(
        "a.ndjson",
        &format!("{good}\n{{\"id\":\"x\"}}\n"),
        "2: `id` must be a whole number from 0 to",
    );
    let error = refused(
        "b.ndjson",
        &format!("{good}\n\n{{\"nmae\":\"secret\"}}\n"),
        "3: unknown field `nmae`; known fields: ",
    );
    for known in ["id", "project", "name", "portal", "candidate_id", "credits_number"] {
        assert!(error.contains(&format!(" {known}, ")), "{known}: {error}");
    }
    refused(
        "c.ndjson",
        &format!("{good}\n{{\"id\":\"2\",\"name\":\"secret"),
        "2: the JSON value is truncated",
    );
    refused("d.ndjson", "not JSON", "1: invalid JSON at column 2");
    refused(
        "e.json",
        "[\n{\"id\":\"1\",\"name\":\"\"},\n{\"id\":\"2\",\"name\":\"\",\"date\":\"2026-02-30 00:00:00\"}\n]",
        "3: `date` is not",
    );
    refused(
        "f.json",
        "{\"status\":\"success\",\"result\":[{\"id\":\"1\",\"name\":\"\"},\n{\"id\":7.5}]}",
        "2: `id` must be a string or a whole number",
    );
    refused(
        "g.csv",
        "id,name\n1,secret\n2\n",
        "3: the number of cells is 1, but the first line has 2",
    );
    let error =
        refused("h.csv", "id,nmae\n1,secret\n", "1: unknown column `nmae`; known columns: ");
    for known in ["project", "name", "portal.id", "portal.name", "status"] {
        assert!(error.contains(&format!(", {known}")), "{known}: {error}");
    }
    refused("i.csv", "id,name,vacancy_id,status\n1,secret,9,New\n", "2: vacancy 9 does not exist");
    refused("j.ndjson", "{\"id\":\"1\",\"id\":\"2\"}", "1: field `id` is given twice");
    refused(
        "k.json",
        "{\"credits_number\":\"1e3\",\"currency\":\"EUR\"}",
        "1: `credits_number` must be a plain decimal",
    );
    refused(
        "l.ndjson",
        "{\"id\":\"1\",\"name\":\"secret\",\"vacancy_id\":\"3\"}",
        "1: `vacancy_id` and `status` must be given together",
    );
    refused("o.ndjson", "{\"id\":\"1\",\"name\":\"a\\u0000secret\"}", "1: `name` contains a NUL");
    refused("m.ndjson", "{\"id\":\"007\"}", "1: `id` must be a whole number");
    refused("n.ndjson", "{\"id\":\"9223372036854775808\"}", "1: `id` must be a whole number");
    refused(
        "p.json",
        r#"[{"id":"1","name":"secret"},{"id":"1","name":"other"}]"#,
        "1: candidate 1 is already different on line 1",
    );
    refused(
        "q.ndjson",
        "{\"id\":\"1\",\"name\":\"\",\"portal\":{\"nmae\":\"secret\"}}",
        "1: `portal` must be an object",
    );
    refused("r.ndjson", "\"secret\"", "1: expected a record, an array of records");
    refused("s.ndjson", "{\"name\":[\"secret\"]}", "1: `name` must be a string");
    for (name, text, expected) in LOSSES {
        refused(name, text, expected);
    }
    let served = Served::start(&database, &[]);
    let token = run(&database, &["token", "create", "--account", "acme"]);
    let list = get(&served.base_url, token.trim(), "method=candidates/list");
    assert_eq!(list.text(), r#"{"status":"success","result":[]}"#);
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

/// An export that failed often leaves an empty file behind.
#[test]
fn an_import_without_records_is_warned_about() {
    let (directory, database, _token) = acme();
    for (name, text, is_warned) in [
        ("a.csv", "", true),
        ("b.csv", "id,name\n", true),
        ("c.ndjson", "\n", true),
        ("d.json", "{\"status\":\"success\",\"result\":[]}", true),
        ("e.csv", "id,name\n1,A\n", false),
        ("f.csv", "id,name\n1,A\n", false),
    ] {
        let file = directory.path().join(name);
        std::fs::write(&file, text).unwrap();
        let mut import = program();
        import.args(["import", "--account", "acme", "--database", &database]).arg(file);
        let output = import.output().unwrap();
        assert!(output.status.success(), "{name}: {}", error(&output));
        assert_eq!(error(&output).contains("contain no records"), is_warned, "{name}");
    }
}

/// Several files are checked in one run, and a wrong file does not print an error for each of a million lines.
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
    let import = |files: &[std::path::PathBuf]| {
        let mut command = program();
        command.args(["import", "--account", "acme", "--database", &database]).args(files);
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        error(&output)
    };
    let text = import(&files);
    assert_eq!(text.lines().count(), 20, "{text}");
    assert!(
        text.contains("a.csv:2: `id` must be") && text.contains("a.csv:16: `id` must"),
        "{text}"
    );
    assert!(text.contains("a.ndjson:2: the JSON value is truncated"), "{text}");
    assert!(text.contains("a.ndjson:3: unknown field `naam`"), "{text}");
    assert!(text.ends_with("nothing was imported\n") && !text.contains("secret"), "{text}");
    assert_eq!(import(&files[..1]).lines().count(), 15);
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
