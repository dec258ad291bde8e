//! Usage errors and help.

use crate::run::{Person, code, stderr};

// The messages and the help mention the sample service.
#[cfg(feature = "demo")]
#[test]
fn usage_errors() {
    let url = ("GATEWAY_BASE_URL", "http://127.0.0.1:9");
    let token = ("GATEWAY_TOKEN", "gwt_x");
    let see = |variables: &[(&str, &str)], args: &[&str]| {
        let person =
            variables.iter().fold(Person::new(), |person, (name, value)| person.with(name, value));
        person.see(args)
    };
    insta::assert_snapshot!(
        [
            see(&[], &["credits", "get"]),
            see(&[token], &["credits", "get"]),
            see(&[url], &["credits", "get"]),
            see(&[url, ("GATEWAY_TOKEN", "two words")], &["credits", "get"]),
            see(&[token, ("GATEWAY_BASE_URL", "http://gateway.example.com")], &["credits", "get"]),
            see(&[token], &["credits", "get", "--base-url", "https://u:p@h"]),
            see(&[], &["candidates", "list", "--vacancy-id", "x"]),
            see(&[], &["candidates", "list", "--vacancy-id", "18446744073709551616"]),
            see(&[], &["candidates", "list", "--vacancy-id", "1", "--status", ""]),
            see(&[], &["credits", "get", "--timeout", "30s"]),
            see(&[], &["candidate", "list"]),
            see(&[token, url], &["candidates", "list", "--filter", "name"]),
            see(&[], &["--profile", "../work", "config", "list"]),
            see(&[], &["config", "path", "-o", "jsn"]),
        ]
        .join("\n")
    );
}

#[cfg(feature = "demo")]
#[test]
fn help() {
    let person = Person::new();
    insta::assert_snapshot!(
        [&["-h"][..], &["--help"], &["help", "options"]].map(|args| person.see(args)).join("\n")
    );
}

#[test]
fn a_former_flag_fails_with_its_replacement() {
    let person = Person::new();
    for (args, hint) in [
        (&["board", "--to", "x"][..], "--from MIRROR names the mirror to read"),
        (&["vacancies", "list", "--excel"], "-o xlsx writes a workbook"),
        (&["vacancies", "list", "--color", "never"], "set NO_COLOR to turn colors off"),
        (&["auth", "login", "--keyring"], "to use a keyring, set `token-command`"),
        (&["config", "set", "token-keyring", "true"], "to use a keyring, set `token-command`"),
        (&["config", "set", "token-for", "a"], "remove it; then log in again: `auth login` stores"),
        (&["mirror", "sync", "--account", "a"], "instead of --account NAME, use --profile NAME"),
        (&["dashboard", "--access-log", "a"], "redirect it with 2>>FILE"),
        (&["mirror", "check", "--repair"], "`mirror rebuild` corrects"),
        (&["check", "--report", "tap"], "`check -o json` prints all checks"),
        (&["vacancies", "list", "--cache"], "add --from mirror"),
        (&["cache", "clear"], "a mirror answers without the service"),
        (&["mirror", "export"], "`mirror copy --to URL` copies the mirror"),
        (&["airbyte", "spec"], "use `mirror copy --to postgres://…`"),
    ] {
        let output = person.run(args);
        assert_eq!(code(&output), 2, "{args:?}");
        assert!(stderr(&output).contains(hint), "{args:?}: {}", stderr(&output));
    }
    let command = person.run(&["mirror", "export"]);
    assert!(stderr(&command).starts_with("error: unknown command `export`"));
    let plain = person.run(&["vacancies", "list", "cache"]);
    assert!(!stderr(&plain).contains("has no cache"), "{}", stderr(&plain));
}

#[test]
fn a_refused_argument_does_not_act_on_the_terminal() {
    let person = Person::new();
    for args in [
        &["credits", "get", "--timeout", "1\u{9b}2J\u{1b}[2J"][..],
        &["cre\u{9b}2J"],
        &["candidates", "list", "--filter", "na\u{9b}me"],
    ] {
        let output = person.run(args);
        let plain = stderr(&output).replace("\u{1b}[", "");
        assert_eq!(code(&output), 2);
        assert!(plain.contains("\\u{9b}"), "{args:?}: {plain}");
        assert!(plain.chars().all(|one| one == '\n' || !one.is_control()), "{args:?}: {plain}");
    }
}

#[test]
fn a_number_that_is_not_one_names_what_is_accepted() {
    let person = Person::new();
    for (line, expected) in [
        ("mirror sync --concurrency x", "expected a whole number from 1 to 255"),
        ("mirror sync --concurrency 0", "expected a whole number from 1 to 255"),
        ("watch --webhook https://h --batch 0", "expected a whole number of 1 or more"),
        ("credits check --days 1.5", "expected a whole number, such as 101"),
        ("candidates list --limit 1.5", "expected a whole number of 1 or more"),
    ] {
        let output = person.run_line(line);
        assert_eq!(code(&output), 2, "{line}");
        assert!(stderr(&output).contains(expected), "{line}: {}", stderr(&output));
    }
}
