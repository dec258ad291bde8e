//! The messages of the mirror commands, and their exit codes.

use std::sync::atomic::{AtomicUsize, Ordering};

use gateway_testkit::raw_server::{Connection, Next, RawRequest, RawServer};

use crate::mirror::service;
use crate::run::{ClosedPort, Person, code, stderr, stdout};

#[test]
fn no_output_has_the_password_of_the_mirror() {
    let closed = ClosedPort::new();
    let host = closed.url().replace("http://", "");
    let url = format!("postgres://anna:geheim@{host}/team");
    let person = Person::new().with("GATEWAY_MIRROR", &url);
    for args in [
        &["config", "list"][..],
        &["config", "get", "mirror"],
        &["mirror", "status"],
        &["board", "-v"],
        &["config", "set", "mirror", &url],
    ] {
        let output = person.run(args);
        let text = [stdout(&output), stderr(&output)].concat();
        assert!(!text.contains("geheim"), "{args:?}: {text}");
    }
    for args in [
        &["board", "--from", "postgresql+psycopg://u:geheim@host/db"][..],
        &["mirror", "status", "--from", "mysql://u:geheim@host/db"],
    ] {
        let output = person.run(args);
        assert_eq!(code(&output), 2);
        let said = "error: cannot use a URL as the mirror: a mirror is a file\n";
        assert!(stderr(&output).starts_with(said), "{}", stderr(&output));
        assert!(!stderr(&output).contains("geheim"), "{}", stderr(&output));
    }
    let get = person.run(&["config", "get", "mirror"]);
    assert_eq!(stdout(&get), format!("postgres://anna:***@{host}/team\n"));
}

#[test]
fn a_database_that_does_not_answer_is_a_network_error() {
    let closed = ClosedPort::new();
    let url = closed.url().replace("http://", "postgres://anna:geheim@") + "/team";
    let service = service(&[r#"[{"id":"1"}]"#]);
    let person = Person::of_service(&service.uri(""));
    assert_eq!(code(&person.run(&["mirror", "sync", "-q"])), 0);
    let copy = person.run(&["mirror", "copy", "--to", &url]);
    assert_eq!(code(&copy), 4, "{}", stderr(&copy));
    assert!(!stderr(&copy).contains("geheim"), "{}", stderr(&copy));
    let sync = person.run(&["mirror", "sync", "--to", &url]);
    assert_eq!(code(&sync), 2);
    assert!(stderr(&sync).contains("gateway mirror copy --to postgres://"), "{}", stderr(&sync));
    assert!(!stderr(&sync).contains("geheim"), "{}", stderr(&sync));
}

#[cfg(feature = "demo")]
#[test]
fn a_name_that_nobody_knows_is_noted() {
    let person = Person::new();
    let note = |args: &str| {
        let line = ["--demo", "candidates", "list", "--vacancy-id"];
        let args: Vec<&str> = args.split(' ').collect();
        let output = person.run(&[&line, &*args].concat());
        assert_eq!((code(&output), stdout(&output)), (0, "[]\n"), "{args:?}");
        stderr(&output).to_owned()
    };
    let typo = "warning: unknown status `Shortlst`; did you mean `Shortlist`?\n";
    assert_eq!(note("101 --status Shortlst"), typo);
    let near = "note: vacancy 1011 does not exist; did you mean `101`?\n";
    assert_eq!(note("1011"), near);
    let nobody = "note: vacancy 99999 does not exist\n";
    assert_eq!(note("99999"), nobody);
    assert_eq!(note("99999 --status New"), nobody);
    assert_eq!(note("99999 --status Shortlst"), [nobody, typo].concat());
    assert_eq!(note("99999 --status Shortlst -q"), typo);
    // With the vacancies and statuses of the mirror.
    let sync = |values: &str| {
        let output = person.run(&["--demo", "mirror", "sync", "--values", values]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        stderr(&output).to_owned()
    };
    let invited = sync("Invited – 2nd round");
    assert!(!invited.contains("no candidate has"), "{invited}");
    let typo = "note: no candidate has the status `Invited`; did you mean `Invited – 2nd round`?\n";
    let missing = sync("Invited");
    assert!(missing.ends_with(typo), "{missing}");
    assert!(!sync("New").contains("no candidate has"));
    let typo = "warning: unknown status `Invited`; did you mean `Invited – 2nd round`?\n";
    assert_eq!(note("101 --status Invited"), typo);
    let stored = note("101 --status Invited --from mirror");
    assert!(stored.contains(typo), "{stored}");
}

#[cfg(feature = "demo")]
#[test]
fn an_unknown_status_is_never_silent() {
    let person = Person::new();
    assert_eq!(code(&person.run_line("--demo mirror sync -q")), 0);
    for (line, typo, known) in [
        ("candidates list --vacancy-id 101 --status new", "new", "New"),
        (
            "candidates list --vacancy-id 101 --status New --status shortlist",
            "shortlist",
            "Shortlist",
        ),
        ("candidates list --vacancy-id 101 --status new --from mirror", "new", "New"),
        ("placements list --status New --status SHORTLIST", "SHORTLIST", "Shortlist"),
    ] {
        let output = person.run_line(&format!("--demo -q {line} --output-file new.csv"));
        let warning = format!("warning: unknown status `{typo}`; did you mean `{known}`?\n");
        assert_eq!((code(&output), stderr(&output)), (0, &*warning), "{line}");
    }
}

/// A program, such as a dashboard, that reads an older state of the mirror.
#[cfg(feature = "demo")]
#[test]
fn an_erasure_that_a_reader_prevents_has_its_exit_code() {
    let person = Person::new().with("GATEWAY_MIRROR", "demo.db");
    assert_eq!(code(&person.run(&["--demo", "mirror", "sync", "--to", "demo.db", "-q"])), 0);
    let reader = rusqlite::Connection::open(person.home.path().join("demo.db")).unwrap();
    let read = "BEGIN; CREATE TEMP TABLE seen AS SELECT count(*) FROM candidate";
    reader.execute_batch(read).unwrap();
    let forget = ["mirror", "forget", "48008", "--yes", "-q"];
    insta::assert_snapshot!(person.see(&forget));
    let has_bytes = || {
        let files = ["demo.db", "demo.db-wal"].map(|name| person.home.path().join(name));
        let bytes = files.map(|file| std::fs::read(file).unwrap_or_default()).concat();
        bytes.windows(7).any(|window| window == b"gross1@")
    };
    assert!(has_bytes());
    reader.execute_batch("COMMIT").unwrap();
    // The reader still has the file open, so that it does not clean up.
    assert!(has_bytes());
    assert_eq!(code(&person.run(&forget)), 0);
    assert!(!has_bytes());
}

/// A service with two vacancies and three candidates, all of which are missing in later syncs.
fn emptied() -> RawServer {
    let syncs = AtomicUsize::new(0);
    let server = RawServer::start(move |request: &RawRequest, connection: &mut Connection| {
        let target = request.target();
        let is_candidates = target.contains("method=candidates/list");
        let is_whole = is_candidates && !target.contains("vacancy_id=");
        let is_first =
            syncs.fetch_add(usize::from(is_whole), Ordering::Relaxed) == usize::from(!is_whole);
        let body = if target.contains("method=credits/get") {
            r#"{"credits_number":"12.50","currency":"EUR"}"#
        } else if !is_candidates {
            if is_first { r#"[{"id":"1"},{"id":"2"}]"# } else { "[]" }
        } else if is_first && !target.contains("status=") && !target.contains("vacancy_id=2") {
            r#"{"status":"success","result":[{"id":"7"},{"id":"8"},{"id":"9"}]}"#
        } else {
            r#"{"status":"success","result":[]}"#
        };
        connection.respond("content-type: application/json\r\n", body.as_bytes());
        Next::Close
    });
    server.unwrap()
}

#[test]
fn the_numbers_of_all_refused_lists_are_named_together() {
    let service = emptied();
    let person = Person::of_service(&service.uri(""));
    let sync = |more: &[&str]| person.run(&[&["mirror", "sync", "-q"], more].concat());
    assert_eq!(code(&sync(&[])), 0);
    let refused = sync(&["--no-recover"]);
    assert_eq!(code(&refused), 7, "{}", stderr(&refused));
    let hint = stderr(&refused).lines().last().unwrap();
    assert!(hint.contains("--accept-missing"), "{hint}");
    let flags = hint.split('`').nth(1).unwrap().split(' ').skip(3).collect::<Vec<_>>();
    let accepted = sync(&flags);
    assert_eq!(code(&accepted), 0, "{hint}\n{}", stderr(&accepted));
}

#[test]
fn a_board_without_a_complete_sync_says_so() {
    let service = service(&["<html>"]);
    let person = Person::of_service(&service.uri(""));
    let sync = person.run(&["mirror", "sync"]);
    assert_eq!(code(&sync), 5);
    let board = person.run(&["board"]);
    assert_eq!(code(&board), 2);
    let said = "the first sync has not finished\n  hint: run `gateway mirror sync`\n";
    assert!(stderr(&board).ends_with(said), "{}", stderr(&board));
}
