//! Programs from other projects load the output of the connectors. `.ci/full connectors` installs them and runs these
//! tests.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::office::{Office, application, candidate, credits, vacancy};
use crate::process::Process;
use crate::run::{code, stderr, stdout};

/// Returns a program in a virtual environment of Python; `None` without the tools.
fn tool(environment: &str, program: &str) -> Option<PathBuf> {
    let Some(folder) = env::var_os("GATEWAY_LOADERS") else {
        println!("SKIPPED: GATEWAY_LOADERS is not set; run `.ci/full connectors`");
        return None;
    };
    Some(Path::new(&folder).join(environment).join("bin").join(program))
}

/// Runs a program with this standard input. It must succeed.
#[track_caller]
fn run(office: &Office, program: &Path, args: &[&str], input: &[u8]) -> Output {
    let mut command = Command::new(program);
    command.args(args).current_dir(office.folder()).stdin(Stdio::piped());
    command.env("HOME", office.folder()).env("DO_NOT_TRACK", "1");
    let output = Process::start_piped(command).end_with(input);
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    output
}

/// Runs the tap, and loads its messages with a target. Keeps the state that the target printed.
#[track_caller]
fn load(office: &Office, target: &Path, args: &[&str]) -> String {
    let tap = office.person.run(&[&["tap", "--config", "tap.json"], args].concat());
    assert_eq!(code(&tap), 0, "{}", stderr(&tap));
    let loaded = run(office, target, &["--config", "target.json"], &tap.stdout);
    let state: Value = serde_json::from_str(stdout(&loaded).lines().last().unwrap()).unwrap();
    office.file("state.json", &state);
    stdout(&tap).to_owned()
}

fn people() -> [Value; 3] {
    [candidate(1, "=1+1 Anna"), candidate(2, "Jörg \"Ω\"\n👩‍👩‍👧"), candidate(3, "007")]
}

fn office() -> Office {
    let statuses = [vacancy(101), application(101, 1, "New"), application(101, 2, "New")];
    let mut office = Office::new(&[&people()[..], &statuses, &[credits()]].concat());
    office.file("tap.json", &json!({"mirror": "tap.db"}));
    office.person = office.person.with("GATEWAY_TOKEN", &office.token);
    office
}

/// Removes the second candidate, and changes the third one.
fn change(office: &Office) {
    let [first, _, _] = people();
    office.set(&[first, candidate(3, "008"), vacancy(101), application(101, 1, "New"), credits()]);
}

fn of_type<'a>(messages: &'a str, kind: &str, stream: &str) -> Vec<&'a str> {
    let kind = format!(r#"{{"type":"{kind}","stream":"{stream}""#);
    messages.lines().filter(|line| line.starts_with(&kind)).collect()
}

const LATER: &[&str] = &["--state", "state.json"];

#[test]
fn target_jsonl_loads_the_streams() {
    let Some(target) = tool("jsonl", "target-jsonl") else { return };
    let office = office();
    std::fs::create_dir(office.folder().join("loaded")).unwrap();
    office.file("target.json", &json!({"destination_path": "loaded", "do_timestamp_file": false}));
    load(&office, &target, &[]);
    change(&office);
    load(&office, &target, LATER);
    let loaded = std::fs::read_to_string(office.folder().join("loaded/candidate.jsonl")).unwrap();
    let loaded: Vec<Value> =
        loaded.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let names: Vec<&Value> = loaded.iter().map(|record| &record["name"]).collect();
    let [first, second, third] = people();
    let expected = [&first["name"], &second["name"], &third["name"], &json!("008"), &Value::Null];
    assert_eq!(names, expected);
    assert!(loaded[4]["_sdc_deleted_at"].is_string() && loaded[4]["id"] == "2");
}

#[test]
fn target_duckdb_empties_the_data_of_a_deleted_person() {
    let Some(target) = tool("duckdb", "target-duckdb") else { return };
    let Some(python) = tool("duckdb", "python") else { return };
    let office = office();
    office.file("target.json", &json!({"filepath": "loaded.db", "default_target_schema": "main"}));
    let query = "import duckdb, json\n\
        rows = duckdb.connect('loaded.db').execute('SELECT id, name, email, phone, date, \
        _sdc_deleted_at IS NOT NULL FROM candidate ORDER BY id').fetchall()\n\
        print(json.dumps(rows))";
    let rows = |office: &Office| -> Value {
        let printed = run(office, &python, &["-c", query], b"");
        serde_json::from_str(stdout(&printed)).unwrap()
    };
    load(&office, &target, &[]);
    let all = rows(&office);
    let [_, second, _] = people();
    assert_eq!(all[1][1], second["name"]);
    assert_eq!(all.as_array().unwrap().len(), 3);

    change(&office);
    let changes = load(&office, &target, LATER);
    assert_eq!(of_type(&changes, "RECORD", "candidate").len(), 2);
    assert_eq!(of_type(&changes, "RECORD", "vacancy").len(), 0);
    let all = rows(&office);
    assert_eq!(all[1], json!(["2", null, null, null, null, true]));
    assert_eq!((&all[2][1], &all[2][5]), (&json!("008"), &json!(false)));
    // The record becomes gone, and its tombstone is repeated.
    load(&office, &target, LATER);
    assert_eq!(rows(&office)[1], json!(["2", null, null, null, null, true]));
}
