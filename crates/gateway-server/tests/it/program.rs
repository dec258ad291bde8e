//! The program `gateway-server`, run as a process: commands, messages, exit codes and signals.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::cluster;
use crate::documented::Documented;
use crate::process::{Served, account, error, program, run};
use crate::support::{call, get};

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
const LOSSES: [(&str, &str, &str); 13] = [
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
    let directory = tempfile::tempdir().unwrap();
    let database = directory.path().join("a.db").to_str().unwrap().to_owned();
    account(&database, "acme");
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
    let directory = tempfile::tempdir().unwrap();
    let database = directory.path().join("a.db").to_str().unwrap().to_owned();
    account(&database, "acme");
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
fn a_revoked_token_is_refused_and_no_token_is_in_the_database() {
    let directory = tempfile::tempdir().unwrap();
    let database = directory.path().join("a.db").to_str().unwrap().to_owned();
    let token = account(&database, "acme");
    let served = Served::start(&database, &[]);
    assert_eq!(get(&served.base_url, &token, "method=credits/get").status, 200);
    let list = run(&database, &["token", "list", "--account", "acme"]);
    assert!(list.contains("valid") && list.contains("test") && !list.contains(&token), "{list}");
    let id = list.lines().nth(1).unwrap().split(' ').next().unwrap().to_owned();
    run(&database, &["token", "revoke", "--account", "acme", &id]);
    // A revoked token gets exactly the same response as an unknown one.
    let stable = |token: &str| {
        let response = get(&served.base_url, token, "method=credits/get");
        let lines = response
            .head
            .lines()
            .filter(|line| !line.starts_with("x-request-id") && !line.starts_with("date"));
        (lines.collect::<Vec<_>>().join("\n"), response.body)
    };
    assert_eq!(stable(&token), stable("gwt_never"));
    drop(served);
    for name in ["a.db", "a.db-wal"] {
        let bytes = std::fs::read(directory.path().join(name)).unwrap_or_default();
        let found = bytes.windows(token.len()).any(|window| window == token.as_bytes());
        assert!(!found, "{name} holds the token");
        assert!(!bytes.windows(20).any(|window| window == &token.as_bytes()[4..24]), "{name}");
    }
}

/// The server remembers tokens and balances between two commits, which other processes make.
#[test]
fn the_first_request_after_another_process_changed_something_sees_it() {
    let directory = tempfile::tempdir().unwrap();
    let database = directory.path().join("a.db").to_str().unwrap().to_owned();
    let token = account(&database, "acme");
    let served = Served::start(&database, &[]);
    let credits = || get(&served.base_url, &token, "method=credits/get");
    let file = directory.path().join("credits.json");
    for number in ["1.00", "2.00", "3.00"] {
        std::fs::write(&file, format!("{{\"credits_number\":\"{number}\",\"currency\":\"CHF\"}}"))
            .unwrap();
        run(&database, &["import", "--account", "acme", file.to_str().unwrap()]);
        for _ in 0..3 {
            assert!(credits().text().contains(number), "{}", credits().text());
        }
    }
    run(&database, &["delete", "account", "acme", "--yes"]);
    assert_eq!(credits().status, 401);
}

#[test]
fn the_documented_sample_files_are_imported() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/server/data.md");
    let page = std::fs::read_to_string(page).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let database = directory.path().join("a.db").to_str().unwrap().to_owned();
    account(&database, "acme");
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
    let directory = tempfile::tempdir().unwrap();
    let database = directory.path().join("a.db").to_str().unwrap().to_owned();
    account(&database, "acme");
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

#[test]
fn connections_that_are_closed_to_make_room_are_logged_once() {
    let directory = tempfile::tempdir().unwrap();
    let database = directory.path().join("a.db").to_str().unwrap().to_owned();
    let token = account(&database, "acme");
    let mut command = program();
    command.stderr(Stdio::piped());
    let mut served = Served::started_by(command, &database, &["--connections", "4"]);
    let address = served.base_url.strip_prefix("http://").unwrap();
    let _silent: Vec<_> = (0..12).map(|_| TcpStream::connect(address).unwrap()).collect();
    assert_eq!(get(&served.base_url, &token, "method=credits/get").status, 200);
    served.signal("-TERM");
    let mut log = String::new();
    served.child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
    assert_eq!(log.matches("connections_closed").count(), 1, "{log}");
    assert!(log.contains("--connections"), "{log}");
}

#[test]
fn a_wrong_call_fails_with_its_reason_and_exit_code() {
    let directory = tempfile::tempdir().unwrap();
    let database = directory.path().join("a.db").to_str().unwrap().to_owned();
    run(&database, &["account", "create", "acme"]);
    let check = |arguments: &[&str], code: i32, text: &str| {
        let output = program().args(arguments).output().unwrap();
        let error = error(&output);
        assert_eq!(output.status.code(), Some(code), "{arguments:?} {error}");
        assert!(error.contains(text), "{arguments:?} {error}");
    };
    check(&["serve"], 2, "set --database FILE or GATEWAY_DATABASE");
    check(
        &["account", "create", "acme", "--database", &database],
        2,
        "account \"acme\" already exists",
    );
    check(
        &["token", "list", "--account", "x", "--database", &database],
        2,
        "account \"x\" does not exist",
    );
    check(
        &["token", "create", "--account", "acme", "--expires", "soon", "--database", &database],
        2,
        "90d",
    );
    check(
        &["token", "create", "--account", "acme", "--expires", "0d", "--database", &database],
        2,
        "longer than 0",
    );
    for control in ["a\u{1b}[2J", "a\nb", "a\u{85}b"] {
        let token = ["token", "create", "--account", "acme", "--database", &database];
        check(&[&token[..], &["--label", control]].concat(), 2, "control characters");
        let create = ["account", "create", "--database", &database];
        check(&[&create[..], &[control]].concat(), 2, "control characters");
        check(&[&create[..], &["b", "--token", control]].concat(), 2, "control characters");
    }
    check(
        &["credits", "set", "--account", "acme", "1,5", "EUR", "--database", &database],
        2,
        "plain decimal",
    );
    check(
        &["import", "--account", "acme", "--database", &database, "nowhere.csv"],
        2,
        "cannot read nowhere.csv",
    );
    check(&["serve", "--database", &database, "--tls-key", "k"], 2, "must be set together");
    for (flag, value) in [
        ("readers", "9999999999999999999"),
        ("head-timeout", "18446744073709551615"),
        ("idle-timeout", "0"),
    ] {
        let help = format!("{flag} must be from 1 to");
        check(&["serve", "--database", &database, &format!("--{flag}"), value], 2, &help);
    }
    for (flag, expected) in [
        ("--listen=localhost:8080", "such as 127.0.0.1:8080 or [::]:8080; names are not looked up"),
        ("--rate=-1", "expected a whole number, 0 or more"),
        ("--rate=4294967296", "the number is too large"),
    ] {
        check(&["serve", "--database", &database, flag], 2, expected);
    }
    let missing = directory.path().join("missing/a.db").to_str().unwrap().to_owned();
    check(&["backup", &missing, "--database", &database], 2, "missing does not exist; create it");
    let output = program().args(["account", "list"]).env("GATEWAY_DATABASE", "").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(error(&output).contains("GATEWAY_DATABASE is empty"), "{}", error(&output));
    check(&["serve", "--demo", "--database", &database], 2, "'--demo' cannot be used with");
    check(
        &[
            &["serve", "--database", &database, "--listen", "127.0.0.1:0"][..],
            &["--tls-key", "k", "--tls-certificate", "c"],
        ]
        .concat(),
        1,
        "cannot read c: No such file",
    );
    check(
        &["serve", "--database-timeout", "0", "--database", "postgres://nobody@127.0.0.1:1/x"],
        1,
        "cannot connect to the database: 127.0.0.1:1: Connection refused",
    );
    std::fs::write(directory.path().join("empty.db"), "").unwrap();
    let empty = directory.path().join("empty.db").to_str().unwrap().to_owned();
    check(&["serve", "--database", &empty], 3, "is empty, so it is not a database");
}

/// A mistyped name must not create a database.
#[test]
fn only_serve_and_account_create_create_a_database() {
    const COMMANDS: [&[&str]; 6] = [
        &["check"],
        &["account", "list"],
        &["token", "list", "--account", "acme"],
        &["import", "--account", "acme", "nowhere.csv"],
        &["credits", "set", "--account", "acme", "1", "EUR"],
        &["demo-data", "--account", "acme"],
    ];
    fn refused(database: &str, expected: &str) {
        for arguments in COMMANDS {
            let output = program().args(arguments).args(["--database", database]).output().unwrap();
            let error = error(&output);
            assert_eq!(output.status.code(), Some(2), "{arguments:?} {error}");
            assert!(error.contains(expected), "{arguments:?} {error}");
        }
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("nosuch.db");
    refused(path.to_str().unwrap(), "does not exist");
    assert_eq!(std::fs::read_dir(&directory).unwrap().count(), 0);
    account(path.to_str().unwrap(), "acme");
    assert!(run(path.to_str().unwrap(), &["check"]).contains("no damage"));
    let Some(database) = cluster::database() else { return };
    refused(&database.url, "the database has no tables of this program");
    account(&database.url, "acme");
    assert!(run(&database.url, &["check"]).contains("no damage"));
}

#[test]
fn flags_take_precedence_over_the_environment_and_that_over_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("gateway.toml");
    std::fs::write(
        &file,
        "rate = 1\nburst = 1\nreaders = 1\ndatabase = \"postgres://u:hunter2@h/d?password=hunter2\"\n",
    )
    .unwrap();
    let output = program()
        .env("GATEWAY_RATE", "2")
        .env("GATEWAY_BURST", "2")
        .args(["serve", "--print-config", "--rate", "3", "--config"])
        .arg(&file)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    for line in ["rate = 3", "burst = 2", "readers = 1", "idle-timeout = 60"] {
        assert!(text.lines().any(|other| other == line), "{line}: {text}");
    }
    assert!(!text.contains("hunter2"), "{text}");
}

/// Every command, with URLs that cannot be used: none of its output repeats the password.
#[test]
fn no_command_prints_the_password_of_a_database_url() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("vacancies.ndjson");
    std::fs::write(&file, "{\"id\":\"52\"}\n").unwrap();
    let commands: [&[&str]; 10] = [
        &["serve"],
        &["serve", "--print-config"],
        &["account", "create", "acme"],
        &["account", "list"],
        &["token", "create", "--account", "acme", "--label", "a"],
        &["token", "list", "--account", "acme"],
        &["token", "revoke", "--account", "acme", "a"],
        &["import", "--account", "acme", file.to_str().unwrap()],
        &["demo-data", "--account", "acme"],
        &["check"],
    ];
    for url in [
        "postgress://user:canary@127.0.0.1:1/d",
        "postgres://user:canary@127.0.0.1:1/d?sslmode=verify",
        "postgres://user:canary@127.0.0.1:1/d?sslmode=verify-ca&sslrootcert=ca.pem",
        "postgres://user:canary@127.0.0.1:1/d?passwort=canary",
        "Postgres://user:canary@127.0.0.1:1/d",
        "postgres://user:canary@127.0.0.1:no/d",
        "postgres:/user:canary@127.0.0.1/d",
        "user:canary@127.0.0.1/d",
        "host=127.0.0.1 password=canary",
    ] {
        for arguments in commands {
            for flag in [true, false] {
                let mut command = program();
                command.env("GATEWAY_DATABASE_TIMEOUT", "0").env("PGPASSWORD", "canary");
                command.args(arguments);
                if flag {
                    command.args(["--database", url]);
                } else {
                    command.env("GATEWAY_DATABASE", url);
                }
                let output = command.current_dir(directory.path()).output().unwrap();
                let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), error(&output));
                assert!(!text.is_empty() && !text.contains("canary"), "{arguments:?}: {text}");
            }
        }
    }
    let left: Vec<_> = std::fs::read_dir(directory.path()).unwrap().collect();
    assert_eq!(left.len(), 1, "a URL was taken for the name of a file: {left:?}");
}

#[test]
fn a_hangup_without_certificates_does_not_stop_the_server() {
    let directory = tempfile::tempdir().unwrap();
    let database = directory.path().join("a.db").to_str().unwrap().to_owned();
    let token = account(&database, "acme");
    let mut command = program();
    command.stderr(Stdio::piped());
    let mut served = Served::started_by(command, &database, &[]);
    served.signal("-HUP");
    let mut line = String::new();
    BufReader::new(served.child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.contains("\"event\":\"hangup_ignored\""), "{line}");
    assert_eq!(get(&served.base_url, &token, "method=credits/get").status, 200);
}

#[test]
fn an_interrupt_before_the_address_is_printed_stops_the_server() {
    let directory = tempfile::tempdir().unwrap();
    let database = directory.path().join("a.db");
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap();
    drop(free);
    // The server cannot print its address, because the buffers of its standard output are full.
    let (mut reader, mut full) = UnixStream::pair().unwrap();
    full.set_nonblocking(true).unwrap();
    while full.write_all(&[b' '; 4096]).is_ok() {}
    full.set_nonblocking(false).unwrap();
    let mut child = program()
        .args(["serve", "--log-level", "warn", "--listen", &address.to_string(), "--database"])
        .arg(&database)
        .stdout(OwnedFd::from(full))
        .spawn()
        .unwrap();
    let started = Instant::now();
    while TcpStream::connect(address).is_err() {
        assert!(child.try_wait().unwrap().is_none(), "the server has ended");
        assert!(started.elapsed() < Duration::from_secs(60), "the server does not listen");
        std::thread::yield_now();
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let mut printed = Vec::new();
    reader.read_to_end(&mut printed).unwrap();
    assert!(String::from_utf8(printed).unwrap().trim_start().starts_with("listening on http://"));
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn the_demo_prints_two_shell_exports_and_ends_on_a_signal() {
    for signal in ["-TERM", "-INT"] {
        let mut child = program()
            .args(["serve", "--demo", "--listen", "127.0.0.1:0"])
            // The demo ignores a database from the environment.
            .env("GATEWAY_DATABASE", "/nowhere/a.db")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut value = |name: &str| {
            let mut line = String::new();
            out.read_line(&mut line).unwrap();
            let value = line.trim_end().strip_prefix(&format!("export {name}='")).unwrap();
            value.strip_suffix('\'').unwrap().to_owned()
        };
        let (base_url, token) = (value("GATEWAY_BASE_URL"), value("GATEWAY_TOKEN"));
        assert_eq!(call(&base_url, &token, "GET", "method=vacancies/list", "").status, 200);
        let served = Served { child, out, base_url, token };
        served.signal(signal);
        let mut served = served;
        assert_eq!(served.child.wait().unwrap().code(), Some(0));
        let mut rest = String::new();
        served.out.read_line(&mut rest).unwrap();
        assert_eq!((rest.as_str(), served.token.len()), ("", 47));
    }
}
