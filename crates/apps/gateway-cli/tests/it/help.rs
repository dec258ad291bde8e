//! Help, manual pages and completions: they are complete, and their examples work.

use std::collections::BTreeSet;
use std::fs;

use crate::run::{Person, code, stderr, stdout};
use crate::tree::leaves;

/// Returns the arguments of each example, split as in a shell.
fn examples(text: &str) -> Vec<Vec<String>> {
    let lines = text.lines().filter(|line| !line.contains("[OPTIONS]") && !line.contains('…'));
    lines
        .filter_map(|line| {
            let line = line.trim();
            // A command that prints the token may come first.
            let at = if line.starts_with("gateway ") { 0 } else { line.find("| gateway ")? + 2 };
            // Not every shell allows a comment after a command.
            assert!(!line.contains('#') && !line.contains("  "), "{line}");
            let words = shlex::split(line.get(at..)?).unwrap();
            let own = words.into_iter().skip(1);
            Some(own.take_while(|word| word != "|" && word != ">").collect())
        })
        .collect()
}

/// Returns the short help of a command, which fits a screen.
fn short_help(person: &Person, command: &[String]) -> String {
    let mut args: Vec<&str> = command.iter().map(String::as_str).collect();
    args.push("-h");
    let help = stdout(&person.run(&args)).to_owned();
    assert!(help.lines().count() <= 40, "{help}");
    assert!(help.contains("Common options: `gateway help options`\n"), "{help}");
    assert!(!help.contains("--output <FORMAT>") && !help.contains("\n\n\n"), "{help}");
    help
}

/// Runs the examples with sample data and settings, and makes a dry run of the others.
#[test]
fn examples_work() {
    let person = Person::of_service("https://gateway.example.com");
    assert_eq!(code(&person.run(&["--profile", "work", "config", "set", "timeout", "9"])), 0);
    let mut texts = vec![GUIDE.to_owned(), README.to_owned()];
    texts.push(stdout(&person.run(&["--help"])).to_owned());
    texts.push(short_help(&person, &[]));
    for (command, help) in leaves() {
        texts.push(help.clone());
        texts.push(short_help(&person, command));
    }
    let mut examples: Vec<_> = texts.iter().flat_map(|text| examples(text)).collect();
    examples.sort();
    examples.dedup();
    assert!(examples.len() > 25, "{examples:?}");
    for example in examples {
        let mut args: Vec<&str> = example.iter().map(String::as_str).collect();
        if args.contains(&"--demo") {
            if !cfg!(feature = "demo") {
                continue;
            }
        } else if args.contains(&"login") || args.contains(&"--all") {
            // It changes files, and needs a service or a folder.
            continue;
        } else if !["config", "profile", "--dry-run"].iter().any(|one| args.contains(one)) {
            args.push("--dry-run");
        }
        // With Parquet, which this program lacks, and with files that a loader writes.
        let is_parquet = args.starts_with(&["mirror", "copy"])
            && !args.iter().any(|arg| arg.starts_with("postgres:"));
        if is_parquet || args.starts_with(&["tap", "--config"]) {
            continue;
        }
        let output = person.run(&args);
        // A command that reads a mirror does not find it, and one that changes it refuses a dry run, after parsing.
        let accepted = [".db does not exist\n", "cannot use --dry-run: it prints requests"];
        let is_accepted = accepted.iter().any(|text| stderr(&output).contains(text));
        assert!(code(&output) == 0 || is_accepted, "{args:?}: {}", stderr(&output));
        // An assistant asks nothing here.
        let is_silent = args.ends_with(&["mcp"]);
        assert!(is_silent || !output.stdout.is_empty() || !output.stderr.is_empty(), "{args:?}");
    }
}

#[cfg(not(feature = "demo"))]
#[test]
fn a_build_without_sample_data_does_not_mention_it() {
    let person = Person::new();
    for args in [&["-h"][..], &["--help"], &["man"], &["credits", "get"], &["help"]] {
        let shown = person.see(args);
        assert!(!shown.contains("demo") && !shown.contains("ample data"), "{shown}");
    }
}

#[cfg(feature = "demo")]
#[test]
fn the_readme_shows_what_the_program_prints() {
    let person = Person::new().on_terminal(100);
    let sessions = README.split("```console\n").skip(1);
    let sessions: Vec<_> = sessions.filter_map(|block| block.split_once("```\n")).collect();
    assert_eq!(sessions.len(), 3);
    for (session, _) in sessions {
        for transcript in session.trim_start_matches("$ ").split("\n$ ") {
            let (command, expected) = transcript.split_once('\n').unwrap_or((transcript, ""));
            let args = command.trim_start_matches("cargo run --").trim_start_matches("gateway");
            let args = shlex::split(args).unwrap();
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let output = person.run(&args);
            let printed: Vec<&str> = stdout(&output).lines().map(str::trim_end).collect();
            assert_eq!(printed.join("\n"), expected.trim_end(), "{command}");
        }
    }
}

#[test]
fn help_is_a_command_too() {
    let person = Person::new();
    let shown = |args: &[&str]| stdout(&person.run(args)).to_owned();
    assert_eq!(shown(&["help"]), shown(&["--help"]));
    assert_eq!(shown(&["help", "candidates", "list"]), shown(&["candidates", "list", "--help"]));
    assert_eq!(shown(&["help", "config"]), shown(&["config", "--help"]));
    insta::assert_snapshot!(
        [person.see(&["help", "candidats"]), person.see(&["help", "config", "sett"])].join("\n")
    );
}

#[test]
fn topics_have_help() {
    let person = Person::new();
    let long = stdout(&person.run(&["--help"])).to_owned();
    for topic in ["environment", "exit-codes"] {
        let output = person.run(&["help", topic]);
        assert!(stdout(&output).lines().count() > 5, "{topic}");
        assert!(long.contains(stdout(&output).trim_end()), "{topic}");
    }
    let options = person.run(&["help", "options"]);
    for flag in ["--output <FORMAT>", "--profile <NAME>", "--dry-run", "--verbose"] {
        assert!(stdout(&options).contains(flag), "{flag}");
    }
}

#[test]
fn completions_and_manual_pages_are_complete() {
    let person = Person::new();
    for shell in ["elvish", "powershell"] {
        let output = person.run(&["completions", shell]);
        let script = stdout(&output);
        assert!(script.contains("vacancy-id"), "{shell}");
        // `--token` is refused, so it is not completed.
        let words = script.split(|letter: char| !letter.is_alphanumeric() && letter != '-');
        assert_eq!(words.filter(|word| *word == "--token").count(), 0, "{shell}");
    }
    let version = env!("CARGO_PKG_VERSION");
    let output = person.run(&["man", "placements", "list"]);
    assert!(stdout(&output).contains(&format!("\"gateway {version}\"")), "{}", stdout(&output));
    let output = person.run(&["man"]);
    assert!(stdout(&output).starts_with(".ie"));
    for text in ["SUBCOMMANDS", "  gateway --demo candidates list", "  143  "] {
        assert!(stdout(&output).replace("\\-", "-").contains(text), "{text}");
    }
}

#[cfg(unix)]
#[test]
fn bash_completes_commands_flags_and_values() {
    let person = Person::new();
    let script = person.run(&["completions", "bash"]);
    fs::write(person.home.path().join("script"), stdout(&script)).unwrap();
    for (words, expected) in [
        (&["cand"][..], "candidates"),
        (&["candidates", "list", "--vacancy-i"], "--vacancy-id"),
        (&["vacancies", "list", "-o", "c"], "csv"),
        (&["check", "--str"], "--strict"),
        (&["completions", "f"], "fish"),
    ] {
        let mut bash = std::process::Command::new("bash");
        bash.args(["-c", BASH, "bash", "gateway"]).args(words);
        bash.current_dir(person.home.path()).env_clear();
        let output = crate::process::Process::start_piped(bash).end();
        let found = (code(&output), stderr(&output), stdout(&output).trim_end());
        assert_eq!(found, (0, "", expected), "{words:?}");
    }
}

/// Completes the words as bash does.
#[cfg(unix)]
const BASH: &str = r#"
source ./script || exit
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_gateway "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\n' "${COMPREPLY[@]}"
"#;

/// A package installs the pages of all commands.
#[test]
fn all_manual_pages_are_written_to_a_folder() {
    let person = Person::new();
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("man1");
    let output = person.run(&["man", "--all", pages.to_str().unwrap()]);
    assert!(output.status.success(), "{}", stderr(&output));
    let names: BTreeSet<String> = fs::read_dir(&pages)
        .unwrap()
        .map(|page| page.unwrap().file_name().into_string().unwrap())
        .collect();
    for name in ["gateway.1", "gateway-candidates.1", "gateway-candidates-list.1"] {
        assert!(names.contains(name), "{names:?}");
        let page = fs::read_to_string(pages.join(name)).unwrap();
        assert!(page.contains("\"gateway ") && page.contains("Print only data"), "{page}");
    }

    let output = person.run(&["man", "--all", pages.join("gateway.1").to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("error: cannot write the pages to"), "{}", stderr(&output));
}

const GUIDE: &str = include_str!("../../../../../docs/program.md");
const README: &str = include_str!("../../../../../README.md");
