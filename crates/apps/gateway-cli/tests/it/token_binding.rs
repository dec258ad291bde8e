//! A stored token is only sent to the service that it was stored for.

use std::fs;

use gateway_testkit::raw_server::RawServer;

use crate::run::{Person, TOKEN, code, serve, stderr};

/// A service that accepts every token.
fn service() -> RawServer {
    serve(r#"{"credits_number":"1","currency":"EUR"}"#)
}

/// Returns the number of requests that the service received.
fn requests(server: &RawServer) -> usize {
    server.progress().requests.len()
}

/// Runs a command that must fail with exit code 2. Returns the transcript.
#[track_caller]
fn refused(person: &Person, args: &[&str]) -> String {
    let output = person.run(args);
    assert_eq!(code(&output), 2, "{args:?}: {}", stderr(&output));
    person.show(args, &output)
}

#[test]
fn a_stored_token_is_not_sent_to_another_service() {
    let (own, other) = (service(), service());
    let (url, stranger) = (own.uri(""), other.uri(""));
    let person = Person::new();
    let login = ["auth", "login", "--token-stdin", "--base-url", &url];
    let replaced =
        "note: it replaced another token; if it belongs to another account, use --profile NAME\n";
    for (token, replaces) in [("gwt_ana", false), (TOKEN, true), (TOKEN, false)] {
        let output = person.run_with(token, &login);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert_eq!(stderr(&output).contains(replaced), replaces, "{}", stderr(&output));
    }
    assert_eq!(code(&person.run(&["credits", "get", "--base-url", &format!("{url}/path")])), 0);
    let mut shown = String::new();
    for command in [&["credits", "get"][..], &["auth", "status"], &["check"], &["api", "x"]] {
        shown += &refused(&person, &[command, &["--base-url", &stranger]].concat());
    }
    // Not even if the base URL of the profile changes.
    assert_eq!(code(&person.run(&["config", "set", "base-url", &stranger])), 0);
    shown += &refused(&person, &["credits", "get"]);
    assert_eq!(requests(&other), 0);
    // A token given for a single call may be sent anywhere.
    assert_eq!(code(&person.run_with(TOKEN, &["credits", "get", "--token-stdin"])), 0);
    // A login for the other service binds the profile to it.
    let login = person.run_with(TOKEN, &["auth", "login", "--token-stdin"]);
    assert_eq!(code(&login), 0);
    let replaced = format!("note: it replaced the token of {url}\n");
    assert!(stderr(&login).contains(&replaced), "{}", stderr(&login));
    assert_eq!(code(&person.run(&["credits", "get"])), 0);
    let before = requests(&own);
    shown += &refused(&person, &["credits", "get", "--base-url", &url]);
    assert_eq!(requests(&own), before);
    let shown = shown.replace(&url, "http://OWN").replace(&stranger, "http://OTHER");
    insta::assert_snapshot!(shown);
}

/// As stored by earlier builds.
#[test]
fn a_token_without_its_service_is_not_sent() {
    let own = service();
    let person = Person::new();
    let login = ["auth", "login", "--token-stdin", "--profile", "work", "--base-url", &own.uri("")];
    assert_eq!(code(&person.run_with(TOKEN, &login)), 0);
    let sent = requests(&own);
    let tokens = person.config().join("gateway/tokens.toml");
    fs::write(&tokens, "work = \"gwt_old\"\n").unwrap();
    let output = person.run(&["credits", "get", "--profile", "work"]);
    let text = "error: the stored token of profile work is incomplete\n  \
                hint: log in again with `gateway --profile work auth login`\n";
    assert_eq!((code(&output), stderr(&output)), (2, text));
    assert_eq!(requests(&own), sent);
    let output = person.run(&["auth", "logout", "--profile", "work"]);
    assert!(stderr(&output).contains("removed the token of profile work"), "{}", stderr(&output));
    assert_eq!(fs::read_to_string(&tokens).unwrap(), "");
    assert_eq!(code(&person.run_with(TOKEN, &login)), 0);
    assert_eq!(code(&person.run(&["credits", "get", "--profile", "work"])), 0);
}

#[test]
fn an_unchecked_token_belongs_to_the_service_of_its_login() {
    let (own, other) = (service(), service());
    let (url, stranger) = (own.uri(""), other.uri(""));
    let person = Person::new();
    let login = ["auth", "login", "--token-stdin", "--unchecked"];
    assert_eq!(code(&person.run_with(TOKEN, &login)), 2);
    assert_eq!(code(&person.run_with(TOKEN, &[&login[..], &["--base-url", &url]].concat())), 0);
    assert_eq!(code(&person.run(&["credits", "get"])), 0);
    refused(&person, &["credits", "get", "--base-url", &stranger]);
    assert_eq!(code(&person.run(&["config", "set", "base-url", &stranger])), 0);
    refused(&person, &["credits", "get"]);
    assert_eq!(code(&person.run(&["config", "unset", "base-url"])), 0);
    refused(&person, &["credits", "get", "--base-url", &stranger]);
    assert_eq!(requests(&other), 0);
    assert_eq!(code(&person.run(&["auth", "logout"])), 0);
    assert_eq!(fs::read_to_string(person.config().join("gateway/tokens.toml")).unwrap(), "");
}

#[cfg(unix)]
#[test]
fn token_sources_of_a_profile_belong_to_its_base_url() {
    let (own, other) = (service(), service());
    let (url, stranger) = (own.uri(""), other.uri(""));
    let person = Person::new();
    let marker = person.home.path().join("ran").display().to_string();
    let command = format!("sh -c 'touch {marker}; echo {TOKEN}'");
    assert_eq!(code(&person.run(&["config", "set", "token-command", &command])), 0);
    let mut shown = refused(&person, &["credits", "get", "--base-url", &stranger]);
    assert!(!fs::exists(&marker).unwrap(), "the token command ran");
    assert_eq!(code(&person.run(&["config", "set", "base-url", &url])), 0);
    assert_eq!(code(&person.run(&["credits", "get"])), 0);
    shown += &refused(&person, &["credits", "get", "--base-url", &stranger]);
    assert_eq!(code(&person.run(&["config", "unset", "token-command"])), 0);
    assert_eq!(code(&person.run(&["config", "set", "token-file", "mine"])), 0);
    fs::write(person.home.path().join("mine"), TOKEN).unwrap();
    refused(&person, &["credits", "get", "--base-url", &stranger]);
    assert_eq!(requests(&other), 0);
    let shown = shown.replace(&url, "http://OWN").replace(&stranger, "http://OTHER");
    insta::assert_snapshot!(shown);
}
