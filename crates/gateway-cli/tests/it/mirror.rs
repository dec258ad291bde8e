//! The commands of a mirror.

use std::sync::atomic::{AtomicUsize, Ordering};

use gateway_testkit::raw_server::{Connection, Next, RawRequest, RawServer};

use crate::run::{Person, code, stdout};

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
            lists[asked.fetch_add(1, Ordering::Relaxed)]
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
    let fields = "number,kind,table,id,fields";
    let changes = person.run(&["mirror", "changes", "--fields", fields, "-o", "ndjson"]);
    let expected = [
        r#"{"number":1,"kind":"changed","table":"vacancy","id":"1","fields":["project"]}"#,
        r#"{"number":2,"kind":"added","table":"vacancy","id":"3","fields":[]}"#,
        r#"{"number":3,"kind":"missing","table":"vacancy","id":"2","fields":[]}"#,
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
        [
            person.see(&as_other),
            person.see(&["mirror", "status", "--from", "absent.db"]),
            person.see(&["vacancies", "list", "--from", "m.db", "--dry-run"]),
        ]
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
