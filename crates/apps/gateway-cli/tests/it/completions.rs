//! Completions in a real shell.

use std::process::Command;

use gateway_testkit::raw_server::{Connection, Next, RawRequest, RawServer};

use crate::process::Process;
use crate::run::{Person, code, stderr, stdout};

/// Returns what bash offers for these words; the last one is incomplete.
fn offered(person: &Person, words: &[&str]) -> Vec<String> {
    let folder = person.home.path();
    let script = person.run(&["completions", "bash"]);
    std::fs::write(folder.join("script"), stdout(&script)).unwrap();
    let program = person.command(&[]);
    let mut bash = Command::new("bash");
    bash.args(["-c", BASH, "bash"]).arg(program.get_program()).args(words);
    bash.current_dir(folder).env_clear();
    bash.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = Process::start_piped(bash).end();
    assert_eq!((code(&output), stderr(&output)), (0, ""), "{words:?}");
    stdout(&output).lines().map(str::to_owned).collect()
}

#[test]
fn bash_completes_commands_flags_fields_and_profiles() {
    let person = Person::new();
    for profile in ["home", "work"] {
        let set = ["--profile", profile, "config", "set", "timeout", "9"];
        assert_eq!(code(&person.run(&set)), 0);
    }
    for (words, expected) in [
        (&["cand"][..], &["candidates"][..]),
        (&["candidates", "list", "--vac"], &["--vacancy-id"]),
        (&["candidates", "list", "--fields", "ph"], &["phone", "phone_mobile"]),
        (
            &["candidates", "list", "--fields", "id,por"],
            &["id,portal", "id,portal.id", "id,portal.name"],
        ),
        (&["candidates", "list", "--sort", "-da"], &["-date"]),
        (&["vacancies", "list", "--filter", ""], &["id=", "project="]),
        (&["vacancies", "list", "-o", "c"], &["csv"]),
        (&["vacancies", "list", "--output", "=", "c"], &["csv"]),
        (&["--profile", ""], &["home", "work"]),
        (&["profile", "use", "w"], &["work"]),
        (&["config", "set", "base"], &["base-url"]),
        (&["candidates", "list", "--output-file", "scr"], &[]),
    ] {
        assert_eq!(offered(&person, words), expected, "{words:?}");
    }
}

#[test]
fn bash_completes_groups_and_values_of_the_mirror_but_no_people() {
    let service = RawServer::start(|request: &RawRequest, connection: &mut Connection| {
        let target = request.target();
        let candidate = r#"{"status":"success","result":[{"id":"4711","name":"Ann Example"}]}"#;
        let body = if target.contains("method=vacancies/list") {
            r#"[{"id":"101","project":"Welder\u001b[2J"},{"id":"205","project":"Nurse"}]"#
        } else if target.contains("method=credits/get") {
            r#"{"credits_number":"12.50","currency":"EUR"}"#
        } else if target.contains("vacancy_id=205")
            || target.contains("status=") && !target.contains("status=On")
        {
            r#"{"status":"success","result":[]}"#
        } else {
            candidate
        };
        connection.respond("content-type: application/json\r\n", body.as_bytes());
        Next::Close
    });
    let service = service.unwrap();
    let person = Person::of_service(&service.uri(""));
    let list: &[&str] = &["candidates", "list", "--vacancy-id"];
    assert!(offered(&person, &[list, &[""]].concat()).is_empty(), "there is no mirror yet");
    let sync = ["mirror", "sync", "-q", "--to", "m.db", "--values", "On hold; ls"];
    let sync = person.run(&sync);
    assert_eq!(code(&sync), 0, "{}", stderr(&sync));
    let from = |words: &[&str]| {
        let words: Vec<_> = [&["--from", "m.db"], words].concat();
        offered(&person, &words)
    };
    assert_eq!(from(&[list, &[""]].concat()), ["101", "205"]);
    assert_eq!(from(&["candidates", "list", "--status", "On"]), [r"On\ hold\;\ ls"]);
    assert!(from(&["candidates", "list", "--status", ""]).contains(&"Shortlist".to_owned()));
    assert!(from(&["mirror", "forget", ""]).is_empty());
    assert_eq!(from(&["mirror", "forget", "--table", "va"]), ["vacancy"]);
    let described = person.run(&[
        "__complete",
        "--",
        "--from",
        "m.db",
        "candidates",
        "list",
        "--vacancy-id",
        "",
    ]);
    assert_eq!(stdout(&described), "101\tWelder\\u{1b}[2J\n205\tNurse\n");
    std::fs::write(person.home.path().join("m.db"), "not a mirror").unwrap();
    assert!(from(&[list, &[""]].concat()).is_empty());
}

/// Completes the words as bash does. `compopt` works only while a person types.
const BASH: &str = r#"
compopt() { :; }
source ./script || exit
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_gateway "$1"
(( ${#COMPREPLY[@]} )) && printf '%s\n' "${COMPREPLY[@]}"
exit 0
"#;
