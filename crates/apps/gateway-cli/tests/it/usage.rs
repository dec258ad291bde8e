//! Usage errors, help, version, and tables on terminals of several widths.

use crate::run::{Person, code, stderr, stdout};

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
            see(&[token, url], &["credits", "get", "--token", "gwt_y"]),
            see(&[], &["candidates", "list", "--status", "New"]),
            see(&[], &["candidates", "list", "--vacancy-id", "x"]),
            see(&[], &["candidates", "list", "--vacancy-id", "18446744073709551616"]),
            see(&[], &["candidates", "list", "--vacancy-id", "1", "--status", ""]),
            see(&[], &["credits", "get", "--timeout", "30s"]),
            see(&[], &["credits", "get", "--timeout", "0"]),
            see(&[], &["candidate", "list"]),
            without_fields(&see(&[token, url], &["candidates", "list", "--fields", "id,nmae"])),
            see(&[token, url], &["candidates", "list", "--filter", "name"]),
            see(&[], &["config", "set", "base-ulr", "x"]),
            see(&[], &["--profile", "../work", "config", "list"]),
            see(&[], &["--profile", "work", "credits", "get"]),
            see(&[], &["man", "candidats"]),
            see(&[], &["version", "-o", "raw"]),
            see(&[], &["version", "-o", "jsn"]),
        ]
        .join("\n")
    );
}

/// Replaces the list of all fields, which follows from the spec.
#[cfg(feature = "demo")]
#[track_caller]
fn without_fields(message: &str) -> String {
    let (before, rest) = message.split_once("All fields: ").unwrap();
    let (fields, after) = rest.split_once(';').unwrap();
    let fields: Vec<_> = fields.split(", ").collect();
    for path in ["id", "name", "portal", "portal.name"] {
        assert!(fields.contains(&path), "{path}: {message}");
    }
    format!("{before}All fields: …;{after}")
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
fn version() {
    let with = |there| if there { "with" } else { "without" };
    let (demo, keyring) = (with(cfg!(feature = "demo")), with(cfg!(feature = "keyring")));
    let line = concat!("gateway ", env!("CARGO_PKG_VERSION"), "\n");
    let built =
        format!("API v1, {demo} sample data, {keyring} the keyring of the operating system");
    let person = Person::new();
    assert_eq!(stdout(&person.run(&["--version"])), line);
    assert_eq!(stdout(&person.run(&["version"])), format!("{line}{built}\n"));
}

#[cfg(feature = "demo")]
#[test]
fn terminals() {
    let list: &[&str] = &["--demo", "candidates", "list", "--vacancy-id", "101"];
    let mut seen: Vec<String> =
        [40, 80, 100, 120, 200].map(|columns| Person::new().on_terminal(columns).see(list)).into();
    let person = Person::new().on_terminal(80);
    seen.push(person.see(&[list, &["--wide"]].concat()));
    seen.push(person.see(&[list, &["--columns", "ID,Name,PORTAL.NAME,type"]].concat()));
    seen.push(person.see(&[list, &["--status", "Shortlist"]].concat()));
    seen.push(person.see(&[list, &["--filter", "name=Nobody"]].concat()));
    seen.push(person.see(&["--demo", "vacancies", "list"]));
    seen.push(person.see(&["--demo", "credits", "get"]));
    seen.push(person.see(&[list, &["--wide", "-o", "json"]].concat()));
    insta::assert_snapshot!(seen.join("\n"));
}

#[test]
fn a_refused_argument_does_not_act_on_the_terminal() {
    let person = Person::new();
    for args in [
        &["credits", "get", "--timeout", "1\u{9b}2J\u{1b}[2J"][..],
        &["cre\u{9b}2J"],
        &["candidates", "list", "--filter", "na\u{9b}me", "--color", "always"],
    ] {
        let output = person.run(args);
        let plain = stderr(&output).replace("\u{1b}[", "");
        assert_eq!(code(&output), 2);
        assert!(plain.contains("\\u{9b}"), "{args:?}: {plain}");
        assert!(plain.chars().all(|one| one == '\n' || !one.is_control()), "{args:?}: {plain}");
    }
}
