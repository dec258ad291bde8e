//! Completions in a real shell.

use std::process::Command;

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
