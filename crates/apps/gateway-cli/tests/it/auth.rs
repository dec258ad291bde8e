//! Tokens: storage, removal and sources, without ever showing a token.

use std::{fs, thread};

use gateway_testkit::raw_server::{Connection, Next, RawServer};

use crate::run::{Person, TOKEN, code, stderr, stdout};

/// A service that accepts one token.
fn service() -> RawServer {
    RawServer::start(|request, connection: &mut Connection| {
        if request.header("authorization") == [format!("Bearer {TOKEN}").into_bytes()] {
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

/// Returns the output of these commands, each with its input.
fn see(person: &Person, url: &str, commands: &[(&str, &[&str])]) -> String {
    let one = |&(typed, args): &(&str, &[&str])| person.show(args, &person.run_with(typed, args));
    let shown: Vec<String> = commands.iter().map(one).collect();
    shown.join("\n").replace(url, "http://127.0.0.1:00000")
}

#[test]
fn parallel_logins_lose_no_token_and_no_setting() {
    let server = service();
    let (url, person) = (server.uri(""), Person::new());
    let (url, person) = (&*url, &person);
    let names: Vec<String> = (0..20).map(|number| format!("p{number}")).collect();
    thread::scope(|scope| {
        for name in &names {
            scope.spawn(move || {
                let login = ["--profile", name, "auth", "login", "--base-url", url];
                let output = person.run_with(TOKEN, &[&login[..], &["--token-stdin"]].concat());
                assert_eq!(code(&output), 0, "{}", stderr(&output));
            });
        }
    });
    let shown = person.run(&["profile", "list", "-o", "csv", "--fields", "base_url,token"]);
    assert_eq!(
        stdout(&shown),
        format!("base_url,token\r\n{}", format!("{url},stored\r\n").repeat(20))
    );
}

#[cfg(feature = "demo")]
#[test]
fn logins_that_store_nothing() {
    let server = service();
    let url = server.uri("");
    let nobody = crate::run::ClosedPort::new();
    let gone = nobody.url();
    let person = Person::new();
    let shown = see(
        &person,
        &url,
        &[
            ("", &["auth", "login"]),
            ("", &["auth", "login", "--base-url", &url]),
            ("\n", &["auth", "login", "--base-url", &url, "--token-stdin"]),
            ("two words", &["auth", "login", "--base-url", &url, "--token-stdin"]),
            ("", &["auth", "login", "--base-url", &url, "--token-file", "nothing"]),
            ("x", &["auth", "login", "--base-url", "http://gateway.example.com", "--token-stdin"]),
            ("x", &["auth", "login", "--base-url", &gone, "--token-stdin"]),
            ("", &["auth", "login", "--token", "x"]),
        ],
    );
    insta::assert_snapshot!(shown.replace(&gone, "http://127.0.0.1:99999"));
    assert!(!person.config().exists());
}

#[test]
fn a_login_warns_if_another_token_source_takes_precedence() {
    let server = service();
    let url = server.uri("");
    let person = Person::new().with("GATEWAY_BASE_URL", &url);
    let mut shown = see(
        &person,
        &url,
        &[
            ("gwt_new", &["auth", "login", "--token-stdin", "--unchecked"]),
            ("", &["config", "set", "token-command", "pass show gateway"]),
            ("gwt_new", &["auth", "login", "--token-stdin", "--unchecked"]),
        ],
    );
    let person = person.with("GATEWAY_TOKEN", TOKEN);
    shown += "\n";
    shown += &see(
        &person,
        &url,
        &[("", &["auth", "login"]), ("", &["auth", "status"]), ("", &["auth", "logout"])],
    );
    insta::assert_snapshot!(shown);
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
    shown += &person.see(&["credits", "get", "--token-file", "config"]);
    person.run(&["config", "set", "base-url", &url]);
    person.run(&["config", "set", "token-command", "false"]);
    shown += &person.see(&["credits", "get"]);
    insta::assert_snapshot!(shown);
}
