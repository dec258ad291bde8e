//! `--cache`: stored responses, and when they are used.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use flate2::Compression;
use flate2::write::GzEncoder;
use gateway_server::{
    Clock, Config, DemoData, ImportMode, Server, SqliteStore, Store, StoreAdmin as _,
};
use gateway_testkit::raw_server::{Connection, Next, RawRequest, RawServer};

use crate::process::Process;
use crate::run::{Person, TOKEN, code, stderr, stdout};

const LIST: &str = r#"[{"id":"1","project":"Welder"}]"#;
const TAGGED: &str = "content-type: application/json\r\netag: \"1\"\r\nset-cookie: a=secret\r\n";

/// Starts a service that sends a body with these headers, or 304 if the request has the tag `"1"`.
fn service(headers: &'static str, body: &'static [u8]) -> RawServer {
    RawServer::start(move |request: &RawRequest, connection: &mut Connection| {
        if request.header("if-none-match") == [b"\"1\""] {
            connection.send(b"HTTP/1.1 304 Not Modified\r\netag: \"1\"\r\nx-new: yes\r\n");
            connection.send(b"connection: close\r\n\r\n");
        } else {
            connection.respond(&format!("{headers}connection: close\r\n"), body);
        }
        Next::Close
    })
    .unwrap()
}

impl Person {
    /// Returns the files with stored responses.
    fn stored(&self) -> Vec<PathBuf> {
        let folder = self.home.path().join("cache/gateway/responses");
        let entries = fs::read_dir(folder).into_iter().flatten();
        entries.map(|entry| entry.unwrap().path()).collect()
    }
}

/// Returns how many requests had a condition.
fn conditions(server: &RawServer) -> usize {
    let requests = server.progress().requests;
    requests.iter().filter(|request| !request.header("if-none-match").is_empty()).count()
}

#[test]
fn an_unchanged_response_is_read_from_the_cache() {
    let directory = tempfile::tempdir().unwrap();
    let store = Arc::new(SqliteStore::open(directory.path().join("cache.db")).unwrap());
    let now = Clock::system().now();
    let account = store.create_account("cache", now).unwrap();
    let fill = |seed| {
        let data = DemoData { candidates: 3000, seed };
        store.import(account, ImportMode::Commit, &mut |stage| data.fill(stage)).unwrap();
    };
    fill(1);
    let token = || store.create_token(account, "cache", now, None).unwrap().reveal().to_owned();
    let mut config = Config::default();
    config.listen = ([127, 0, 0, 1], 0).into();
    config.access_log = false;
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let shared: Arc<dyn Store> = Arc::<SqliteStore>::clone(&store);
    let server = runtime.block_on(Server::new(config, shared).start());
    let server = server.unwrap();
    let person = Person::of_service(&server.base_url()).with("GATEWAY_TOKEN", &token());

    let list = ["candidates", "list", "-o", "ndjson", "--cache", "-v"];
    let run = |status: &str| {
        let output = person.run(&list);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert!(stderr(&output).contains(&format!("< status {status} ")), "{}", stderr(&output));
        stdout(&output).to_owned()
    };
    let first = run("200");
    assert_eq!(first.lines().count(), 3000);
    assert_eq!(run("304"), first);
    // Other formats use the same response.
    let csv = person.run(&["candidates", "list", "-o", "csv", "--cache", "-v"]);
    assert!(stderr(&csv).contains("< status 304 ") && stdout(&csv).lines().count() > 3000);
    fill(2);
    let second = run("200");
    assert_ne!(second, first);
    assert_eq!(run("304"), second);
    assert_eq!(person.stored().len(), 1);
    // Another token may belong to another account.
    let person = person.with("GATEWAY_TOKEN", &token());
    let output = person.run(&list);
    assert!(stderr(&output).contains("< status 200 "), "{}", stderr(&output));
    assert_eq!(stdout(&output), second);
    assert_eq!(person.stored().len(), 2);
    runtime.block_on(server.stop());
}

#[test]
fn nothing_is_stored_or_reused_without_the_flag() {
    let server = service(TAGGED, LIST.as_bytes());
    let person = Person::of_service(&server.uri(""));
    let plain = ["vacancies", "list", "-o", "raw"];
    let cached = ["vacancies", "list", "-o", "raw", "--cache"];
    assert_eq!(stdout(&person.run(&plain)), LIST);
    assert_eq!(person.stored().len(), 0);
    for _ in 0..2 {
        assert_eq!(stdout(&person.run(&cached)), LIST);
    }
    assert_eq!(conditions(&server), 1);
    assert_eq!(stdout(&person.run(&plain)), LIST);
    assert_eq!(conditions(&server), 1);
}

#[test]
fn stored_responses_contain_no_credentials_and_are_private() {
    let server = service(TAGGED, LIST.as_bytes());
    let person = Person::of_service(&server.uri(""));
    assert_eq!(code(&person.run(&["vacancies", "list", "--cache"])), 0);
    let stored = person.stored();
    assert_eq!(stored.len(), 1);
    let text = fs::read_to_string(&stored[0]).unwrap();
    assert!(text.ends_with(LIST) && !text.contains(TOKEN) && !text.contains("secret"), "{text}");
    assert!(!stored[0].to_str().unwrap().contains(TOKEN));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;

        let mode =
            |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let folder = stored[0].parent().unwrap();
        assert_eq!((mode(&stored[0]), mode(folder)), (0o600, 0o700));
        // The mode of an existing folder is corrected.
        fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(code(&person.run(&["vacancies", "list", "--cache"])), 0);
        assert_eq!(mode(folder), 0o700);
    }
    // The stored response has the newer headers of the 304.
    let output = person.run(&["api", "vacancies/list", "--include", "--cache"]);
    assert!(stdout(&output).starts_with("HTTP 200 OK\n"), "{}", stdout(&output));
    assert!(stdout(&output).contains("x-new: yes\n"), "{}", stdout(&output));
    assert!(stdout(&output).ends_with(&format!("{LIST}\n")), "{}", stdout(&output));
}

#[test]
fn only_complete_successful_responses_are_stored() {
    let json = "content-type: application/json\r\n";
    let cut = RawServer::start(|_, connection: &mut Connection| {
        connection.send(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\netag: \"1\"\r\n");
        connection.send(b"content-length: 99\r\n\r\n[{\"id\":\"1\"},");
        Next::Close
    })
    .unwrap();
    // Without a length, the end of the connection is the end of the body.
    let unframed = RawServer::start(|_, connection: &mut Connection| {
        connection.send(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\netag: \"1\"\r\n");
        connection.send(b"connection: close\r\n\r\n[{\"id\":\"1\"},");
        Next::Close
    })
    .unwrap();
    let no_store = "content-type: application/json\r\netag: \"1\"\r\ncache-control: no-store\r\n";
    for (server, expected) in [
        (cut, 4),
        (unframed, 5),
        (service(json, LIST.as_bytes()), 0),
        (service(no_store, LIST.as_bytes()), 0),
        (service("content-type: text/html\r\netag: \"1\"\r\n", b"<html>"), 5),
    ] {
        let person = Person::of_service(&server.uri(""));
        for _ in 0..2 {
            let output = person.run(&["vacancies", "list", "--cache"]);
            assert_eq!(code(&output), expected, "{}", stderr(&output));
            assert_eq!(person.stored().len(), 0);
        }
        assert_eq!(conditions(&server), 0);
    }
    // A list with skipped records is complete.
    let server = service(TAGGED, br#"[{"id":"1"},null]"#);
    let person = Person::of_service(&server.uri(""));
    for conditions_now in [0, 1] {
        assert_eq!(code(&person.run(&["vacancies", "list", "--cache"])), 6);
        assert_eq!((person.stored().len(), conditions(&server)), (1, conditions_now));
    }
}

#[test]
fn a_compressed_response_is_stored_decoded() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(LIST.as_bytes()).unwrap();
    let body: &'static [u8] = encoder.finish().unwrap().leak();
    let tagged = "content-type: application/json\r\ncontent-encoding: gzip\r\netag: \"1\"\r\n";
    let server = service(tagged, body);
    // Compression is requested only from other machines.
    let person = Person::of_service("http://gateway.test").with("HTTP_PROXY", &server.uri(""));
    let list = ["vacancies", "list", "-o", "raw", "--cache", "--allow-insecure-http"];
    for conditions_now in [0, 1] {
        let output = person.run(&list);
        assert_eq!((code(&output), stdout(&output)), (0, LIST), "{}", stderr(&output));
        assert_eq!(conditions(&server), conditions_now);
    }
    // Without compression, it is the same response.
    let plain: Vec<&str> = list.into_iter().chain(["--no-compression"]).collect();
    assert_eq!(stdout(&person.run(&plain)), LIST);
    assert_eq!((conditions(&server), person.stored().len()), (2, 1));
}

#[test]
fn a_damaged_file_is_not_used() {
    let server = service(TAGGED, LIST.as_bytes());
    let person = Person::of_service(&server.uri(""));
    let list = ["vacancies", "list", "-o", "raw", "--cache"];
    assert_eq!(code(&person.run(&list)), 0);
    let stored = person.stored().remove(0);
    for damaged in ["", "\n", "{\"etag\":\"\\\"1\\\"\"", "{\"etag\":\"a\\nb\",\"headers\":[]}\n[]"]
    {
        fs::write(&stored, damaged).unwrap();
        assert_eq!(stdout(&person.run(&list)), LIST, "{damaged:?}");
    }
    assert_eq!(conditions(&server), 0);
}

#[test]
fn the_size_of_the_cache_is_limited() {
    let server = RawServer::start(|request: &RawRequest, connection: &mut Connection| {
        let length = if request.target().contains("long") { 1_100_000 } else { 400_000 };
        let body = format!("[\"{}\"]", "x".repeat(length));
        connection.respond("content-type: application/json\r\netag: \"1\"\r\n", body.as_bytes());
        Next::Close
    })
    .unwrap();
    let person = Person::of_service(&server.uri(""));
    assert_eq!(code(&person.run(&["config", "set", "cache-size", "1"])), 0);
    for (method, files) in [("one", 1), ("two", 2), ("three", 2), ("four", 2)] {
        assert_eq!(code(&person.run(&["api", method, "--cache"])), 0);
        assert_eq!(person.stored().len(), files, "{method}");
    }
    let output = person.run(&["api", "long", "--cache"]);
    assert_eq!(code(&output), 0);
    let note =
        "note: a response was not stored: this command received more than cache-size (1 MB)\n";
    assert_eq!(stderr(&output), note);
    assert_eq!((stdout(&output).len(), person.stored().len()), (1_100_005, 2));
}

#[test]
fn stored_responses_can_be_removed() {
    let server = service(TAGGED, LIST.as_bytes());
    let person = Person::of_service(&server.uri(""));
    let clear = ["cache", "clear"];
    assert!(stderr(&person.run(&clear)).starts_with("note: removed 0 responses (0 B) in "));
    person.run(&["vacancies", "list", "--cache"]);
    let dry_run = person.run(&["cache", "clear", "--dry-run"]);
    assert!(stderr(&dry_run).starts_with("note: would remove 1 response ("));
    assert_eq!(person.stored().len(), 1);
    let output = person.run(&clear);
    assert_eq!(code(&output), 0);
    assert!(stderr(&output).starts_with("note: removed 1 response ("), "{}", stderr(&output));
    assert_eq!(person.stored().len(), 0);
}

#[test]
fn a_cache_that_cannot_be_used_is_refused() {
    let server = service(TAGGED, LIST.as_bytes());
    let list = ["vacancies", "list", "--cache"];
    let person = Person::of_service(&server.uri(""));
    let mut command = person.command(&list);
    command.env_remove("XDG_CACHE_HOME").env_remove("LOCALAPPDATA");
    let output = Process::start_piped(command).end();
    assert_eq!(code(&output), 2);
    let hint = if cfg!(windows) { "LOCALAPPDATA" } else { "HOME or XDG_CACHE_HOME" };
    assert!(stderr(&output).contains(hint), "{}", stderr(&output));
    fs::write(person.home.path().join("cache"), "a file").unwrap();
    let output = person.run(&list);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).starts_with("error: cannot use "), "{}", stderr(&output));
    let output = person.run(&["check", "--cache"]);
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    assert_eq!(server.progress().requests.len(), 0);
}

#[cfg(feature = "demo")]
#[test]
fn the_sample_service_has_no_cache() {
    let output = Person::new().run(&["--demo", "vacancies", "list", "--cache"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).starts_with("error: cannot use --cache with --demo"));
}
