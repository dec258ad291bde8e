//! The commands of a mirror.

use std::sync::atomic::{AtomicUsize, Ordering};

use gateway_testkit::raw_server::{Connection, Next, RawRequest, RawServer};

use crate::run::{Person, code, stderr, stdout};

#[cfg(feature = "demo")]
#[test]
fn the_sample_service_is_mirrored() {
    let person = Person::new().on_terminal(100);
    let sync: &[&str] = &["--demo", "mirror", "sync", "--to", "demo.db"];
    insta::assert_snapshot!([person.see(sync), person.see(sync)].join("\n"));

    // The address of the sample service is another one in each run.
    let status = person.run(&["mirror", "status", "--from", "demo.db", "-o", "ndjson"]);
    assert_eq!(code(&status), 0);
    assert!(stdout(&status).contains(r#""table":"candidate","#), "{}", stdout(&status));
    let old = person.run(&["mirror", "status", "--from", "demo.db", "--max-age", "1h"]);
    assert_eq!(code(&old), 0);
}

/// A service whose list of vacancies depends on the number of the request.
fn service(lists: &'static [&'static str]) -> RawServer {
    let asked = AtomicUsize::new(0);
    RawServer::start(move |request: &RawRequest, connection: &mut Connection| {
        let body = if request.target().contains("method=vacancies/list") {
            lists.get(asked.fetch_add(1, Ordering::Relaxed)).copied().unwrap()
        } else {
            r#"{"status":"success","result":[]}"#
        };
        connection.respond("content-type: application/json\r\n", body.as_bytes());
        Next::Close
    })
    .unwrap()
}

#[test]
fn changes_are_printed_with_cursors() {
    let service = service(&[
        r#"[{"id":"1","project":"Welder"},{"id":"2","project":"Nurse"}]"#,
        r#"[{"id":"1","project":"Senior welder"},{"id":"3","project":"Cook"}]"#,
    ]);
    let person = Person::of_service(&service.uri("")).with("GATEWAY_MIRROR", "mirror.db");
    for _ in 0..2 {
        assert_eq!(code(&person.run(&["mirror", "sync", "-q"])), 0);
    }
    let fields = "number,table,record_id,kind,fields,record";
    let changes = person.run(&["mirror", "changes", "--fields", fields, "-o", "ndjson"]);
    let expected = [
        r#"{"number":1,"table":"vacancy","record_id":"1","kind":"changed","fields":["project"],"record":{"id":"1","project":"Senior welder"}}"#,
        r#"{"number":2,"table":"vacancy","record_id":"3","kind":"added","fields":[],"record":{"id":"3","project":"Cook"}}"#,
        r#"{"number":3,"table":"vacancy","record_id":"2","kind":"missing","fields":[],"record":{"id":"2","project":"Nurse"}}"#,
    ];
    assert_eq!(stdout(&changes).lines().collect::<Vec<_>>(), expected);

    let first = person.run(&["mirror", "changes", "--limit", "1", "--jq", ".[].cursor"]);
    let after = ["mirror", "changes", "--after", stdout(&first).trim(), "--jq", "map(.number)"];
    assert_eq!(stdout(&person.run(&after)).split_whitespace().collect::<String>(), "[2,3]");
    let last = person.run(&["mirror", "changes", "--cursor"]);
    let after = ["mirror", "changes", "--after", stdout(&last).trim(), "-o", "ndjson"];
    assert_eq!(stdout(&person.run(&after)), "");
    let foreign = person.run(&["mirror", "changes", "--after", "m1.00.1.00"]);
    assert_eq!(code(&foreign), 2);
}

#[test]
fn the_brake_refuses_and_its_number_is_accepted() {
    let service = service(&[r#"[{"id":"1"},{"id":"2"},{"id":"3"}]"#, "[]", "[]", "[]"]);
    let person = Person::of_service(&service.uri(""));
    let sync: &[&str] = &["mirror", "sync", "-o", "table"];
    let shown = [
        person.see(sync),
        person.see(sync),
        person.see(&[sync, &["--accept-missing", "2"]].concat()),
        person.see(&[sync, &["--accept-missing", "3"]].concat()),
    ];
    insta::assert_snapshot!(shown.join("\n"));
}

#[test]
fn a_mirror_is_bound_to_its_source() {
    let service = service(&["[]", "[]"]);
    let person = Person::of_service(&service.uri(""));
    assert_eq!(code(&person.run(&["mirror", "sync", "--to", "m.db"])), 0);
    let as_other = ["mirror", "sync", "--to", "m.db", "--account", "other"];
    insta::assert_snapshot!(
        [person.see(&as_other), person.see(&["mirror", "status", "--from", "absent.db"]),]
            .join("\n")
    );
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
fn a_mirror_answers_only_lists() {
    let person = Person::new();
    let refused = |args: &[&str]| {
        let output = person.run(args);
        assert_eq!(code(&output), 2, "{args:?}");
        stderr(&output).to_owned()
    };
    for args in [&["credits", "get"][..], &["api", "vacancies/list"], &["check"]] {
        let text = refused(&[args, &["--from", "m.db"]].concat());
        assert!(text.contains("cannot use --from: this command calls the service"), "{text}");
    }
    let text = refused(&["mirror", "sync", "--from", "m.db"]);
    assert!(text.contains("cannot use --from: --to names the mirror"), "{text}");
    assert!(refused(&["vacancies", "list", "--new-since", "today"]).contains("--from <MIRROR>"));
}

#[test]
fn a_search_finds_records_of_all_tables() {
    let service = service(&[r#"[{"id":"1","project":"Welder"},{"id":"2","project":"Straße"}]"#]);
    let person = Person::of_service(&service.uri(""));
    assert_eq!(code(&person.run(&["mirror", "sync"])), 0);
    let found = person.run(&[
        "mirror",
        "search",
        "STRASSE",
        "-o",
        "csv",
        "--fields",
        "table,id,state,record",
    ]);
    let expected = "table,id,state,record\r\nvacancy,2,present,\"{\"\"id\"\":\"\"2\"\",\"\"project\"\":\"\"Straße\"\"}\"\r\n";
    assert_eq!(stdout(&found), expected);
}
