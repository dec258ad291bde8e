//! Completions in a real shell.

use std::process::Command;

use crate::process::Process;
use crate::run::{Person, code, stderr, stdout};

#[test]
fn bash_completes_commands_flags_and_values() {
    let person = Person::new();
    let script = person.run(&["completions", "bash"]);
    std::fs::write(person.home.path().join("script"), stdout(&script)).unwrap();
    for (words, expected) in [
        (&["cand"][..], "candidates"),
        (&["candidates", "list", "--vacancy-i"], "--vacancy-id"),
        (&["vacancies", "list", "-o", "c"], "csv"),
        (&["check", "--str"], "--strict"),
        (&["completions", "f"], "fish"),
    ] {
        let mut bash = Command::new("bash");
        bash.args(["-c", BASH, "bash", "gateway"]).args(words);
        bash.current_dir(person.home.path()).env_clear();
        let output = Process::start_piped(bash).end();
        let found = (code(&output), stderr(&output), stdout(&output).trim_end());
        assert_eq!(found, (0, "", expected), "{words:?}");
    }
}

/// Completes the words as bash does.
const BASH: &str = r#"
source ./script || exit
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_gateway "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\n' "${COMPREPLY[@]}"
"#;
