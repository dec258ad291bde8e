//! Dry runs: they show what would happen, and change nothing.

use crate::run::{Person, TOKEN, code, serve, stderr, stdout};

#[test]
fn a_dry_run_changes_nothing() {
    let person = Person::new();
    let set = ["config", "set", "base-url", "https://gateway.example.com"];
    assert_eq!(code(&person.run(&set)), 0);
    for line in [
        "auth login",
        "auth logout",
        "config set timeout 5",
        "config unset base-url",
        "profile use work",
        "profile remove work",
        "man --all pages",
        "dashboard",
        #[cfg(feature = "demo")]
        "--demo dashboard",
        "mirror backup copy.db",
        "mirror rebuild",
    ] {
        let output = person.run_line(&format!("--dry-run {line}"));
        assert_eq!(code(&output), 2, "{line}");
        assert!(stderr(&output).starts_with("error: cannot use --dry-run: "), "{line}");
    }
    // The output file is not opened, so it does not matter that it cannot be written.
    let list = ["vacancies", "list", "--output-file", "none/new.csv", "--dry-run"];
    let with_token = person.with("GATEWAY_TOKEN", TOKEN);
    assert!(stdout(&with_token.run(&list)).starts_with("curl "));
    assert_eq!(crate::files::names(&with_token), ["config"]);
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
