//! Dry runs: they show what would happen, and change nothing.

use std::fs;
use std::path::{Path, PathBuf};

use crate::run::{Person, TOKEN, code, serve, stderr, stdout};

/// Returns all files below a folder with their contents.
fn everything(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(everything(&path));
        } else {
            found.push((path.clone(), fs::read(path).unwrap()));
        }
    }
    found.sort();
    found
}

#[test]
fn a_dry_run_changes_nothing() {
    let person = Person::new();
    for (typed, args) in [
        ("", &["config", "set", "base-url", "https://gateway.example.com"][..]),
        ("", &["config", "set", "timeout", "7"]),
        (TOKEN, &["auth", "login", "--unchecked", "--token-stdin"]),
        ("", &["--profile", "other", "config", "set", "timeout", "7"]),
    ] {
        assert_eq!(code(&person.run_with(typed, args)), 0);
    }
    fs::write(person.home.path().join("keep.csv"), "old").unwrap();
    let before = everything(person.home.path());
    let shown = [
        &["--dry-run", "auth", "logout"][..],
        &["--dry-run", "auth", "logout", "--profile", "other"],
        &["--dry-run", "config", "set", "timeout", "5"],
        &["--dry-run", "config", "set", "timeout", "soon"],
        &["--dry-run", "config", "unset", "timeout"],
        &["--dry-run", "config", "unset", "token-file"],
        &["--dry-run", "auth", "login", "--token-stdin"],
        &["vacancies", "list", "--output-file", "keep.csv", "--dry-run"],
        &["vacancies", "list", "--output-file", "new.csv", "--dry-run"],
    ]
    .map(|args| person.see(args));
    insta::assert_snapshot!(shown.join("\n"));
    assert_eq!(everything(person.home.path()), before);
}

/// The printed command sends the same request as the program; only the token is a variable.
#[test]
fn a_dry_run_shows_every_header_that_is_sent() {
    let server = serve(r#"{"credits_number":"1"}"#);
    let person = Person::of_service(&server.uri("/it's"));
    let get = ["api", "credits/get", "-f", "note=it's"];
    assert_eq!(code(&person.run(&get)), 0);
    let sent = server.progress().requests.into_iter().next().unwrap();
    let mut headers = sent.headers();
    // Every HTTP client adds this header.
    headers.retain(|(name, _)| name != "host");

    let shown = person.run(&[&get[..], &["--dry-run"]].concat());
    let shown = stdout(&shown).replace("$GATEWAY_TOKEN", TOKEN);
    let mut words = shlex::split(&shown).unwrap().into_iter();
    let mut shown_headers = Vec::new();
    let mut url = String::new();
    while let Some(word) = words.next() {
        match word.as_str() {
            "curl" | "-sS" => {}
            "-H" => {
                let header = words.next().unwrap();
                let (name, value) = header.split_once(": ").unwrap();
                shown_headers.push((name.to_owned(), value.as_bytes().to_vec()));
            }
            _ => url = word,
        }
    }
    headers.sort();
    shown_headers.sort();
    assert_eq!(shown_headers, headers);
    assert_eq!(url, server.uri(&sent.target()));
}

/// The output file is not opened, so it does not matter that it cannot be written.
#[test]
fn the_request_is_printed_to_standard_output() {
    let person = Person::of_service("https://gateway.example.com");
    let output = person.run(&["credits", "get", "--dry-run", "--output-file", "none/c.json"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stdout(&output).starts_with("curl "));
}
