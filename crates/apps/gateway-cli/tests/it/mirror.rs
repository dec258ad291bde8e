//! The commands of a mirror.

#[cfg(unix)]
use std::io::{BufRead as _, BufReader};

use gateway_testkit::raw_server::RawServer;

use crate::run::{BALANCE, ClosedPort, Person, TOKEN, code, serve_account, stderr, stdout};

/// A service with these lists of vacancies.
pub(crate) fn service(lists: &'static [&'static str]) -> RawServer {
    serve_account(lists, &[BALANCE])
}

#[test]
fn the_brake_refuses_and_its_number_is_accepted() {
    let service = service(&[r#"[{"id":"1"},{"id":"2"},{"id":"3"}]"#, "[]", "[]", "[]"]);
    let person = Person::of_service(&service.uri(""));
    let sync: &[&str] = &["mirror", "sync"];
    let shown = [
        person.see(sync),
        person.see(sync),
        person.see(&[sync, &["--accept-missing", "vacancy=2"]].concat()),
        person.see(&[sync, &["--accept-missing", "vacancy=3"]].concat()),
    ];
    insta::assert_snapshot!(shown.join("\n"));
}

/// Creates a person with the profiles `default` and `work` of a service, whose tokens are in the environment.
fn with_two_profiles(url: &str) -> Person {
    let person = Person::new().with("GATEWAY_TOKEN", TOKEN);
    for profile in ["default", "work"] {
        let set = ["--profile", profile, "config", "set", "base-url", url];
        assert_eq!(code(&person.run(&set)), 0);
    }
    person
}

#[test]
fn printed_commands_repeat_the_flags_that_chose_the_account() {
    let person = with_two_profiles("http://127.0.0.1:9").with("GATEWAY_TOKEN", "");
    let mut shown = String::new();
    for flags in [
        &["--profile", "work"][..],
        &["--base-url", "http://127.0.0.1:8", "--token-file", "a b", "--allow-insecure-http"],
        #[cfg(feature = "demo")]
        &["--demo"],
    ] {
        shown += &person.see(&[flags, &["board"]].concat());
    }
    shown += &person.see(&["--profile", "work", "mirror", "sync"]);
    shown += &person.see(&["--profile", "work", "mirror", "status", "--from", "a b.db"]);
    insta::assert_snapshot!(shown);
}

#[test]
fn a_reader_refuses_the_mirror_of_another_profile_or_service() {
    let service = service(&[r#"[{"id":"1"}]"#, r#"[{"id":"1"}]"#]);
    let (url, closed) = (service.uri(""), ClosedPort::new());
    let person = with_two_profiles(&url);
    let sync = |args: &[&str]| {
        let output = person.run(&[&["mirror", "sync", "-q"], args].concat());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
    };
    let work = "data/gateway/mirrors/work.db";
    // As an earlier hint said, without the profile.
    sync(&["--to", work]);
    sync(&["--to", "data/gateway/demo.db"]);
    let status: &[&str] = &["mirror", "status", "-o", "csv", "--fields", "table"];
    let mut shown = String::new();
    for args in [
        &["--profile", "work"][..],
        &["--profile", "work", "--from", "mirror"],
        &["--profile", "work", "--from", work],
        #[cfg(feature = "demo")]
        &["--demo"],
    ] {
        shown += &person.see(&[status, args].concat());
    }
    for args in [&["board"][..], &["mirror", "search", "x"], &["mirror", "backup", "b.db"]] {
        let output = person.run(&[args, &["--profile", "work"]].concat());
        assert_eq!(code(&output), 2, "{args:?}: {}", stderr(&output));
    }
    // A file that is named without a profile may be of any account.
    assert_eq!(code(&person.run(&[status, &["--from", work]].concat())), 0);
    std::fs::rename(
        person.home.path().join(work),
        person.home.path().join("data/gateway/mirrors/default.db"),
    )
    .unwrap();
    assert_eq!(code(&person.run(status)), 0);
    shown += &person.see(&[status, &["--base-url", &closed.url()]].concat());
    // Without a base URL, nothing shows that the mirror belongs to another service.
    assert_eq!(code(&person.run(&["config", "unset", "base-url"])), 0);
    assert_eq!(code(&person.run(status)), 0);
    insta::assert_snapshot!(
        shown.replace(&url, "http://OWN").replace(&closed.url(), "http://OTHER")
    );
}

#[test]
fn a_profile_without_a_base_url_refuses_the_mirror_of_another_one() {
    let service = service(&["[]", "[]"]);
    let url = service.uri("");
    let person = Person::of_service(&url);
    assert_eq!(code(&person.run(&["config", "set", "base-url", &url])), 0);
    assert_eq!(code(&person.run(&["mirror", "sync"])), 0);
    assert_eq!(code(&person.run(&["--profile", "work", "config", "set", "timeout", "30"])), 0);
    let mirrors = person.home.path().join("data/gateway/mirrors");
    std::fs::copy(mirrors.join("default.db"), mirrors.join("work.db")).unwrap();
    let person = person.with("GATEWAY_BASE_URL", "");
    let said = format!("belongs to profile default at {url}, not to profile work\n");
    let refused = |person: &Person, args: &[&str]| {
        let output = person.run(&[&["--profile", "work"], args].concat());
        assert_eq!((code(&output), stdout(&output)), (2, ""));
        assert!(stderr(&output).contains(&said), "{}", stderr(&output));
    };
    refused(&person, &["board"]);
    let person = person.with("GATEWAY_MIRROR", "data/gateway/mirrors/default.db");
    refused(&person, &["candidates", "list", "--from", "mirror"]);
    let person = person.with("GATEWAY_MIRROR", "");
    // A file that is named without a profile, and a reader without settings.
    let person = person.with("GATEWAY_PROFILE", "work");
    let status = ["mirror", "status", "--from", "data/gateway/mirrors/work.db"];
    assert_eq!(code(&person.run(&status)), 0);
    let person = person.with("GATEWAY_PROFILE", "");
    assert_eq!(code(&person.run(&["config", "unset", "base-url"])), 0);
    assert_eq!(code(&person.run(&["mirror", "status"])), 0);
}

#[test]
fn a_new_token_of_a_profile_is_accepted_with_a_note() {
    let service = service(&["[]", "[]"]);
    let person = Person::of_service(&service.uri(""));
    let note = "note: the last sync used another access token of profile default; if it was for another account, use a separate profile\n";
    let runs = |person: &Person, args: &[&str], has_note: bool| {
        let output = person.run(args);
        assert_eq!((code(&output), stderr(&output).contains(note)), (0, has_note), "{args:?}");
    };
    runs(&person, &["mirror", "sync"], false);
    runs(&person, &["mirror", "status"], false);
    let person = person.with("GATEWAY_TOKEN", "gwt_new");
    runs(&person, &["mirror", "status"], true);
    runs(&person, &["mirror", "sync"], true);
    runs(&person, &["mirror", "status"], false);
    runs(&person.with("GATEWAY_TOKEN", ""), &["mirror", "status"], false);
}

#[test]
fn an_old_mirror_has_its_exit_code() {
    let service = service(&["[]"]);
    let person = Person::of_service(&service.uri(""));
    let status: &[&str] = &["mirror", "status", "--max-age", "1h"];
    assert_eq!(code(&person.run(status)), 2);
    assert_eq!(code(&person.run(&["mirror", "sync"])), 0);
    assert_eq!(code(&person.run(status)), 0);
    let file = person.home.path().join("data/gateway/mirrors/default.db");
    let change = "UPDATE mirror_scope SET completed_at = '2001-09-09T01:46:40Z' WHERE table_name = 'vacancy'";
    rusqlite::Connection::open(file).unwrap().execute_batch(change).unwrap();
    assert_eq!(code(&person.run(status)), 8);
}

#[cfg(feature = "demo")]
#[test]
fn a_list_of_the_mirror_is_printed_as_that_of_the_service() {
    let person = Person::new();
    let sync = person.run(&["--demo", "mirror", "sync", "--to", "demo.db"]);
    assert_eq!(code(&sync), 0, "{}", stderr(&sync));
    for list in ["candidates", "vacancies"] {
        for format in ["json", "ndjson", "csv", "table"] {
            let options: &[&str] =
                &[list, "list", "-o", format, "--sort", "-id", "--filter", "id!=103"];
            let live = person.run(&[options, &["--demo"]].concat());
            let mirrored = person.run(&[options, &["--from", "demo.db"]].concat());
            assert_eq!(stdout(&mirrored), stdout(&live), "{list} {format}");
            assert!(
                stderr(&mirrored).starts_with("note: from the mirror, "),
                "{}",
                stderr(&mirrored)
            );
        }
    }
    let count = |since: &str| {
        let args =
            ["candidates", "list", "--from", "demo.db", "--new-since", since, "--jq", "length"];
        stdout(&person.run(&args)).trim().to_owned()
    };
    assert_eq!((count("yesterday"), count("2999-01-01")), ("24".to_owned(), "0".to_owned()));
}

#[test]
fn damage_is_found_and_rebuilt() {
    let service = service(&[r#"[{"id":"1","project":"Welder"}]"#]);
    let person = Person::of_service(&service.uri(""));
    assert_eq!(code(&person.run(&["mirror", "sync", "-q"])), 0);
    let file = person.home.path().join("data/gateway/mirrors/default.db");
    let change = "UPDATE mirror_scope SET present = 7 WHERE table_name = 'vacancy'";
    rusqlite::Connection::open(&file).unwrap().execute_batch(change).unwrap();
    let damaged = person.run(&["mirror", "check", "-o", "csv", "--fields", "kind,table"]);
    assert_eq!((code(&damaged), stdout(&damaged)), (5, "kind,table\r\ncounts,vacancy\r\n"));
    let hint = "hint: run `gateway mirror rebuild`";
    assert!(stderr(&damaged).contains(hint), "{}", stderr(&damaged));
    let repaired = person.run(&["mirror", "rebuild", "-o", "csv", "--fields", "kind,next_step"]);
    let expected = "kind,next_step\r\ncounts,the next sync writes changed rows again\r\n";
    assert_eq!((code(&repaired), stdout(&repaired)), (0, expected));
    assert!(stderr(&repaired).contains("corrected 1 finding\n"), "{}", stderr(&repaired));
    assert_eq!(code(&person.run(&["mirror", "check", "-q"])), 0);
    // Not text, so that the row cannot be read.
    let change = "UPDATE vacancy SET project = CAST(x'ff' AS TEXT)";
    rusqlite::Connection::open(file).unwrap().execute_batch(change).unwrap();
    for args in [&["mirror", "sync", "--all"][..], &["mirror", "check"], &["mirror", "rebuild"]] {
        let unreadable = person.run(args);
        let hint =
            "hint: run `gateway mirror restore BACKUP`, or `gateway mirror sync --to NEW_FILE`\n";
        assert_eq!(code(&unreadable), 2, "{args:?}");
        assert!(stderr(&unreadable).ends_with(hint), "{}", stderr(&unreadable));
    }
}

#[cfg(unix)]
#[test]
fn a_repeated_sync_ends_with_success_on_a_signal() {
    let service = service(&[r#"[{"id":"1"}]"#; 8]);
    let person = Person::of_service(&service.uri(""));
    let process = person.start(&["mirror", "sync", "--every", "1h"]);
    let mut lines = BufReader::new(process.child().take_stderr().unwrap()).lines();
    let first = lines.next().unwrap().unwrap();
    assert!(first.contains("vacancy: 1 record, 1 added"), "{first}");
    process.signal(rustix::process::Signal::TERM);
    assert_eq!(process.wait().code(), Some(0));
}

#[test]
fn the_samples_of_the_mirror_answer_checks_and_forecasts() {
    let balances = &[
        r#"{"credits_number":"120.00","currency":"EUR"}"#,
        r#"{"credits_number":"99.99","currency":"EUR"}"#,
    ];
    let service = serve_account(&["[]"], balances);
    let person = Person::of_service(&service.uri("")).with("GATEWAY_MIRROR", "mirror.db");
    let sync = || assert_eq!(code(&person.run(&["mirror", "sync", "-q"])), 0);
    sync();
    let check = |flags: &str| {
        let flags: Vec<&str> = flags.split(' ').collect();
        person.run(&[&["credits", "check", "-o", "ndjson"], &*flags].concat())
    };
    sync();
    // Two samples within a day are not enough for a pace.
    let unjudged = check("--days 7 --from mirror");
    assert_eq!(code(&unjudged), 10, "{}", stderr(&unjudged));
    assert!(stdout(&unjudged).starts_with(r#"{"gauge":"credits","value":"99.99","unit":"EUR","#));
    let message =
        "error: cannot forecast credits: the samples of the last two weeks span only 0 hours";
    assert!(stderr(&unjudged).contains(message), "{}", stderr(&unjudged));
    assert_eq!(code(&check("--below 100 --days 7")), 2);
    assert_eq!(code(&check("--below 100 --from mirror")), 2);
    let forecast = person.run(&["credits", "forecast", "--from", "mirror", "-o", "ndjson"]);
    let expected = r#"{"gauge":"credits","value":"99.99","unit":"EUR","days_left":null,"per_day":null,"used":"20.01","#;
    assert!(stdout(&forecast).starts_with(expected), "{}", stdout(&forecast));
    assert_eq!(code(&person.run(&["credits", "forecast", "--from", "other.db"])), 2);
}
