//! Settings and tokens: which one wins, and what is refused.

use std::fs;

use gateway_testkit::raw_server::{Connection, Next, RawServer};

use crate::run::{Person, TOKEN, code, stderr, stdout};

/// A service that accepts one token.
fn service() -> RawServer {
    RawServer::start(|request, connection: &mut Connection| {
        let bearer = format!("Bearer {TOKEN}").into_bytes();
        if request.header("authorization") == [bearer] {
            connection.respond(
                "content-type: application/json\r\n",
                br#"{"credits_number":"1","currency":"EUR"}"#,
            );
        } else {
            connection.send(b"HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n");
        }
        Next::Close
    })
    .unwrap()
}

#[test]
fn a_flag_wins_over_the_environment_and_that_over_the_profile() {
    let person = Person::new();
    assert_eq!(code(&person.run(&["config", "set", "base-url", "https://profile.example"])), 0);
    assert_eq!(code(&person.run(&["config", "set", "timeout", "7"])), 0);
    let work = &["--profile", "work", "config", "set", "token-command", "pass show gateway"];
    assert_eq!(code(&person.run(work)), 0);
    let list: &[&str] = &["config", "list", "--origin", "-o", "table"];
    let mut shown = person.see(list);
    let person = person.with("GATEWAY_BASE_URL", "https://environment.example");
    shown += &person.see(list);
    shown += &person.see(&["config", "get", "base-url", "--base-url", "https://flag.example"]);
    let person = person.with("GATEWAY_PROFILE", "work").with("GATEWAY_TOKEN", TOKEN);
    shown += &person.see(list);
    shown += &person.see(&["config", "path"]);
    insta::assert_snapshot!(shown);
    let file = fs::read_to_string(person.config().join("gateway/config.toml")).unwrap();
    insta::assert_snapshot!(file);
}

#[test]
fn a_comment_stays_and_a_mistyped_setting_is_refused() {
    let person = Person::new();
    let path = person.config().join("gateway/config.toml");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, "# mine\n[profile.default]\ntimeout = 5 # seconds\n").unwrap();
    person.run(&["config", "set", "base-url", "https://h.example"]);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.starts_with("# mine\n[profile.default]\ntimeout = 5 # seconds\n"), "{text}");
    let mut shown = String::new();
    for wrong in [
        "[profile.default]\nbase-ulr = \"x\"\n",
        "base-url = \"x\"\n",
        "[profile.default]\ntimeout = \"x\"\n",
        "[",
        "[profile.\"../x\"]\n",
    ] {
        fs::write(&path, wrong).unwrap();
        shown += &person.see(&["config", "list"]);
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn a_token_is_stored_only_if_it_is_accepted() {
    let server = service();
    let url = server.uri("");
    let person = Person::new();
    let login: &[&str] = &["auth", "login", "--token-stdin", "--base-url", &url];
    let refused = person.run_with("gwt_other\n", login);
    assert_eq!(code(&refused), 3, "{}", stderr(&refused));
    assert_eq!(code(&person.run(&["auth", "login"])), 2);

    let output = person.run_with(&format!("{TOKEN}\n"), login);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    // The base URL went into the profile with it.
    let status = person.run(&["auth", "status"]);
    assert_eq!(code(&status), 0, "{}", stderr(&status));
    assert!(stdout(&status).contains("gateway auth login"));
    assert!(!stdout(&status).contains(TOKEN));
    assert_eq!(code(&person.run(&["credits", "get"])), 0);
    assert_eq!(code(&person.run(&["auth", "logout"])), 0);
    assert_eq!(code(&person.run(&["credits", "get"])), 2);
}

#[cfg(unix)]
#[test]
fn token_files_are_private() {
    use std::os::unix::fs::PermissionsExt as _;

    let server = service();
    let url = server.uri("");
    let person = Person::new().with("GATEWAY_BASE_URL", &url);
    person.run_with(TOKEN, &["auth", "login", "--token-stdin"]);
    let stored = person.config().join("gateway/tokens.toml");
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&stored), 0o600);
    assert_eq!(mode(stored.parent().unwrap()), 0o700);
    assert_eq!(code(&person.run(&["credits", "get"])), 0);
    fs::set_permissions(&stored, fs::Permissions::from_mode(0o640)).unwrap();
    let mut shown = person.see(&["credits", "get"]);

    let mine = person.home.path().join("token");
    fs::write(&mine, TOKEN).unwrap();
    fs::set_permissions(&stored, fs::Permissions::from_mode(0o600)).unwrap();
    fs::set_permissions(&mine, fs::Permissions::from_mode(0o644)).unwrap();
    shown += &person.see(&["credits", "get", "--token-file", "token"]);
    fs::set_permissions(&mine, fs::Permissions::from_mode(0o400)).unwrap();
    shown += &person.see(&["credits", "get", "--token-file", "token"]);
    shown += &person.see(&["credits", "get", "--token-file", "nothing"]);
    insta::assert_snapshot!(shown);
}

#[cfg(unix)]
#[test]
fn every_source_of_a_token_works() {
    let server = service();
    let url = server.uri("");
    let person = Person::new().with("GATEWAY_BASE_URL", &url);
    assert_eq!(code(&person.run_with(TOKEN, &["credits", "get", "--token-stdin"])), 0);
    assert_eq!(code(&person.run_with(TOKEN, &["credits", "get", "--token-file", "-"])), 0);
    assert_eq!(code(&person.run(&["config", "set", "token-command", &format!("echo {TOKEN}")])), 0);
    assert_eq!(code(&person.run(&["credits", "get"])), 0);
    // The environment goes before the profile, and the message names it.
    let person = person.with("GATEWAY_TOKEN", "gwt_wrong");
    let output = person.run(&["credits", "get"]);
    assert_eq!(code(&output), 3);
    assert!(stderr(&output).contains("the token came from the variable GATEWAY_TOKEN"));
    assert!(!stderr(&output).contains("gwt_wrong"));
}
