//! Every command of the server, its responses, its log, its metrics and its files: tokens, database passwords and
//! personal data appear only where they belong.
//!
//! The commands come from the help of the program, so a new one fails this test until it is in [`LINES`].

#[path = "../../../../../tests/canary/canaries.rs"]
mod canaries;

use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Output, Stdio};

use self::canaries::{Canary, found, search_files};
use crate::process::{Served, account, error, program, run};
use crate::support::{call, exchange, get};

const PASSWORD: &str = "canary5d1e88c09password";
const NAME: &str = "Zwaantje Kanarie-4b7d";
const EMAIL: &str = "kanarie4b7d@person.example";
const PHONE: &str = "+31690417552";
const STATUS: &str = "Kanarie-status-91c0";

fn personal() -> Vec<Canary> {
    vec![
        Canary::new("the name", NAME),
        Canary::new("the e-mail address", EMAIL),
        Canary::new("the phone number", PHONE),
        Canary::new("the status", STATUS),
    ]
}

/// A command line on a database, its exit code, and its exit code if the database is down. It runs in a folder with
/// files.
struct Line(&'static str, i32);

/// The command lines. `{TOKEN}` is the id of a token. `serve` is in another test.
const LINES: &[Line] = &[
    Line("account create other", 0),
    Line("account list", 0),
    Line("token create --account acme --expires 1d", 0),
    Line("token list --account acme", 0),
    Line("token revoke --account acme 000000000000", 2),
    Line("import --account acme fine.ndjson", 0),
    Line("import --account acme fine.csv", 0),
    Line("import --account acme bad.csv", 2),
    Line("import --account acme bad.json", 2),
    Line("import --account acme types.ndjson", 2),
    Line("import --account acme header.csv", 2),
    Line("import --account acme --replace empty.ndjson", 0),
    Line("credits set --account acme 12.50 EUR", 0),
    Line("demo-data --account other --candidates 3", 0),
    Line("check", 0),
    Line("health --ops-listen 127.0.0.1:1", 1),
    Line("backup copy.db", 0),
    Line("restore copy.db", 2),
    Line("delete status 52 7 --account acme", 0),
    Line("delete candidate 7 --account acme", 0),
    Line("delete candidate 7 --account acme", 2),
    Line("delete vacancy 52 --account acme", 0),
    Line("delete traces", 0),
    Line("delete account other --yes", 0),
];

/// Writes valid and invalid files to import, with the person's data.
fn write_files(folder: &Path) {
    let person = format!(r#""id":"7","name":"{NAME}","email":"{EMAIL}","phone":"{PHONE}""#);
    let vacancy = r#"{"id":"52","project":"Welder"}"#;
    let application = format!(r#"{{"vacancy_id":"52","candidate_id":"7","status":"{STATUS}"}}"#);
    for (file, text) in [
        ("fine.ndjson", format!("{{{person},\"type\":\"person\"}}\n{vacancy}\n{application}\n")),
        ("fine.csv", format!("id,name,email,phone\n8,{NAME},{EMAIL},{PHONE}\n")),
        ("bad.csv", format!("id,name,email\n8,\"{NAME},{EMAIL}\n")),
        ("bad.json", format!(r#"[{{{person} "{EMAIL}""#)),
        ("types.ndjson", format!(r#"{{"id":["{EMAIL}"],"name":{{"{NAME}":1}}}}"#)),
        ("header.csv", format!("8,{NAME},{EMAIL}\n9,{NAME},{EMAIL}\n")),
        ("empty.ndjson", String::new()),
    ] {
        fs::write(folder.join(file), text).unwrap();
    }
}

/// Runs a command line in a folder, with the password in the environment.
fn run_line(line: &str, database: &str, folder: &Path) -> Output {
    let mut command = program();
    command.args(line.split(' ')).current_dir(folder).env("TMPDIR", folder);
    command.env("PGPASSWORD", PASSWORD).env("RUST_BACKTRACE", "1").env("RUST_LOG", "trace");
    command.env("GATEWAY_DATABASE", database);
    if line != "serve --listen 127.0.0.1:0" {
        return command.output().unwrap();
    }
    // A server waits for a database that cannot be reached: its first line says why.
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let (mut errors, mut text) = (BufReader::new(child.stderr.take().unwrap()), String::new());
    errors.read_line(&mut text).unwrap();
    child.kill().unwrap();
    errors.read_to_string(&mut text).unwrap();
    Output { status: child.wait().unwrap(), stdout: Vec::new(), stderr: text.into_bytes() }
}

/// Adds the canaries in a command's output.
fn search(canaries: &[Canary], place: &str, output: &Output, hits: &mut Vec<String>) {
    for (of, bytes) in [("output", &output.stdout), ("errors", &output.stderr)] {
        let names = found(canaries, bytes);
        hits.extend(names.iter().map(|name| format!("{name} in the {of} of {place}")));
    }
    if error(output).contains("panicked at") {
        hits.push(format!("a panic of {place}: {}", error(output)));
    }
}

/// Returns the paths of all commands without subcommands.
fn commands(path: &[String], commands_found: &mut Vec<String>) {
    let output = program().args(path).arg("--help").output().unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    let names = help.split("\nCommands:\n").nth(1).and_then(|rest| rest.split("\n\n").next());
    let Some(names) = names else { return commands_found.push(path.join(" ")) };
    let words = names.lines().filter_map(|line| line.strip_prefix("  "));
    for name in words.filter_map(|line| line.split(' ').next()) {
        if !name.is_empty() && name != "help" {
            commands(&[path, &[name.to_owned()]].concat(), commands_found);
        }
    }
}

#[test]
fn every_command_is_swept() {
    let mut all = Vec::new();
    commands(&[], &mut all);
    assert!(all.len() >= 17, "{all:?}");
    let swept = |path: &String| LINES.iter().any(|line| line.0.starts_with(path.as_str()));
    let forgotten: Vec<_> = all.iter().filter(|path| *path != "serve" && !swept(path)).collect();
    assert!(forgotten.is_empty(), "add lines for {forgotten:?}");
}

#[test]
fn commands_show_no_personal_data_and_leave_none_behind() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path();
    write_files(folder);
    let database = folder.join("a.db").to_str().unwrap().to_owned();
    let token = Canary::new("the token", account(&database, "acme").as_str());
    let (mut hits, mut canaries) = (Vec::new(), personal());
    canaries.extend([token, Canary::new("the password", PASSWORD)]);
    for Line(line, code) in LINES {
        let output = run_line(line, &database, folder);
        assert_eq!(output.status.code(), Some(*code), "{line}: {}", error(&output));
        search(&canaries, line, &output, &mut hits);
        if line.starts_with("backup") {
            // The search works: the data is in the file.
            let bytes = fs::read(folder.join("copy.db")).unwrap();
            assert_eq!(found(&canaries, &bytes).len(), 4);
        }
    }
    // `fine.csv` has imported the person again under another id.
    let last = run_line("delete candidate 8 --account acme", &database, folder);
    assert_eq!(last.status.code(), Some(0), "{}", error(&last));
    // Only the reader's files contain the person, and no file contains a token.
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let is_input = path
            .extension()
            .is_some_and(|end| ["csv", "json", "ndjson"].map(OsStr::new).contains(&end));
        if is_input || path.ends_with("copy.db") {
            fs::remove_file(&path).unwrap();
        }
    }
    search_files(&canaries, folder, &mut hits);
    assert_eq!(hits, [""; 0]);
}

/// Every command with a database that cannot be reached, a URL that cannot be used, or a file that is damaged.
#[test]
fn no_command_prints_the_password_of_a_database_url() {
    let canaries = [Canary::new("the password", PASSWORD)];
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path();
    write_files(folder);
    fs::write(folder.join("damaged.db"), format!("{PASSWORD} {}", "x".repeat(9000))).unwrap();
    let before = fs::read_dir(folder).unwrap().count();
    let mut hits = Vec::new();
    for database in [
        "postgres://u:PASSWORD@127.0.0.1:1/d",
        "postgres://u@127.0.0.1:1/d?password=PASSWORD&sslmode=odd",
        "postgres://u:PASSWORD@127.0.0.1:1/d?sslmode=verify-ca&sslrootcert=ca.pem",
        "postgres://u:PASSWORD@127.0.0.1:1/d?passwort=PASSWORD",
        "postgres://u:PASSWORD@127.0.0.1:no/d",
        "Postgres://u:PASSWORD@127.0.0.1:1/d",
        "postgress://u:PASSWORD@127.0.0.1:1/d",
        "postgres:/u:PASSWORD@127.0.0.1/d",
        "u:PASSWORD@127.0.0.1/d",
        "host=127.0.0.1 password=PASSWORD",
        "damaged.db",
    ] {
        let database = database.replace("PASSWORD", PASSWORD);
        let lines = LINES.iter().map(|Line(line, _)| *line);
        let lines = lines.filter(|line| !line.starts_with("health"));
        for line in lines.chain(["serve --listen 127.0.0.1:0", "serve --check"]) {
            let output = run_line(line, &database, folder);
            assert!(!output.status.success(), "{line}");
            search(&canaries, line, &output, &mut hits);
        }
    }
    assert_eq!(fs::read_dir(folder).unwrap().count(), before, "a URL was taken for a file name");
    fs::remove_file(folder.join("damaged.db")).unwrap();
    search_files(&canaries, folder, &mut hits);
    assert_eq!(hits, [""; 0]);
}

/// A server with every log: what it writes, and what it sends to everyone except the reader of a list.
#[test]
fn a_server_shows_no_token_and_no_personal_data() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path();
    write_files(folder);
    let database = folder.join("a.db").to_str().unwrap().to_owned();
    let token = account(&database, "acme");
    let fine = folder.join("fine.ndjson");
    run(&database, &["import", "--account", "acme", fine.to_str().unwrap()]);

    let mut command = program();
    command.stderr(Stdio::piped()).env("RUST_LOG", "trace").env("TMPDIR", folder);
    let flags = ["--log-level", "info", "--ops-listen", "127.0.0.1:0"];
    let mut served = Served::started_by(command, &database, &flags);
    let mut log = BufReader::new(served.child.stderr.take().unwrap());
    let mut started = String::new();
    log.read_line(&mut started).unwrap();
    let line: serde_json::Value = serde_json::from_str(&started).unwrap();
    let ops = line["ops"].as_str().unwrap().trim_start_matches("http://").to_owned();

    let mut canaries = personal();
    canaries.push(Canary::new("the token", &token));
    let list = get(&served.base_url, &token, "method=candidates/list");
    assert_eq!(found(&canaries, &list.body).len(), 3, "the list has the person");
    let mut hits = Vec::new();
    let mut answered = |place: &str, bytes: &[u8]| {
        hits.extend(found(&canaries, bytes).iter().map(|name| format!("{name} in {place}")));
    };
    let held = format!("method=candidates/list&vacancy_id=52&status={STATUS}");
    drop(get(&served.base_url, &token, &held));
    let twice = format!("Authorization: Bearer {token}\r\n");
    let id = format!("X-Request-Id: {EMAIL} a\r\n");
    let others = format!("Cookie: {EMAIL}\r\nUser-Agent: {NAME}\r\ntraceparent: 00-{token}-01\r\n");
    for (given, method, query, more) in [
        ("gwt_wrong", "GET", held.as_str(), ""),
        ("gwt_wrong", "GET", "method=candidates/list", twice.as_str()),
        (&token, "POST", "method=candidates/list", id.as_str()),
        (&token, "GET", &format!("{held}%0d%0a%1b[31m"), others.as_str()),
        (&token, STATUS, "method=candidates/list", ""),
        (&token, "GET", &format!("method={EMAIL}"), ""),
        (&token, "GET", &format!("method=credits/get&{EMAIL}={NAME}"), ""),
        (&token, "GET", &format!("method=candidates/list&vacancy_id={PHONE}&status=x"), ""),
        (&token, "GET", &format!("method=credits/get&access_token={token}"), ""),
    ] {
        let query = query.replace(' ', "%20");
        let response = call(&served.base_url, given, method, &query, more);
        answered(&format!("the head of {method} {query}"), response.head.as_bytes());
        answered(&format!("the body of {method} {query}"), &response.body);
    }
    let address = served.base_url.trim_start_matches("http://").to_owned();
    for request in [
        format!("GET /{token} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"),
        format!("GET / HTTP/1.1\r\nHost: {EMAIL}\r\nConnection: close\r\n\r\n"),
        format!("{token} {EMAIL}\r\n\r\n"),
        format!("GET / HTTP/1.1\r\nHost: a\r\n{}: {token}\r\n\r\n", "x".repeat(20_000)),
    ] {
        answered("the answer to a malformed request", &exchange(&address, request.as_bytes()));
    }
    for path in ["/metrics", "/healthz", "/readyz", "/", &format!("/{token}")] {
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\n\r\n");
        answered(&format!("the answer to {path}"), &exchange(&ops, request.as_bytes()));
    }
    served.signal("-TERM");
    let mut rest = String::new();
    log.read_to_string(&mut rest).unwrap();
    assert!(rest.lines().count() > 10, "{rest}");
    let is_json = |line: &str| serde_json::from_str::<serde_json::Value>(line).is_ok();
    assert!(rest.lines().all(is_json), "{rest}");
    answered("the log", (started + &rest).as_bytes());
    assert_eq!(served.child.wait().unwrap().code(), Some(0));
    let mut rest = String::new();
    served.out.read_to_string(&mut rest).unwrap();
    answered("standard output", rest.as_bytes());
    let token = [Canary::new("the token", &token)];
    search_files(&token, folder, &mut hits);
    assert_eq!(hits, [""; 0]);
}
