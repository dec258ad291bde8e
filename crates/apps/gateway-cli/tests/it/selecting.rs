//! Selections of records: `--limit`, comparisons, `--since` and `--count-by`.

use std::time::Duration;

use gateway_testkit::raw_server::{Connection, Next, RawServer};

use crate::run::{LIST_HEAD, Person, code, serve, stderr, stdout};

const CANDIDATES: &str = r#"{"status":"success","result":[
    {"id":"1","name":"İlker Işık","date":"2026-10-31 23:59:59","portal":{"id":"1","name":"Board"},"score":9.50},
    {"id":"2","name":"Ada Straße","date":"2026-11-01 00:00:00","portal":{"id":"2","name":"Referral"},"score":10},
    {"id":"3","name":"Eve","date":"2026-11-02 08:30:00","portal":{"id":"1","name":"Board"},"score":10.50},
    {"id":"4","name":"Zoe","date":"0000-00-00 00:00:00","portal":null,"score":null}]}"#;

/// Checks the ids of the candidates that a command prints, and its messages.
#[track_caller]
fn check(flags: &[&str], ids: &str, messages: &str) {
    let server = serve(CANDIDATES);
    let person = Person::of_service(&server.uri(""));
    let list = ["candidates", "list", "-o", "csv", "--fields", "id"];
    let output = person.run(&[&list, flags].concat());
    assert_eq!((code(&output), stderr(&output)), (0, messages), "{flags:?}");
    let printed: Vec<_> = stdout(&output).lines().skip(1).collect();
    assert_eq!(printed.join(" "), ids, "{flags:?}");
}

#[test]
fn dates_are_compared_as_civil_dates() {
    check(&["--filter", "date>=2026-11-01"], "2 3", "");
    check(&["--filter", "DATE<=2026-11-01"], "1 2", "");
    check(&["--filter", "date>2026-11-01"], "3", "");
    check(&["--filter", "date<2026-11-02 08:30"], "1 2", "");
    check(&["--filter", "date!=2026-11-01 00:00:00", "--filter", "date>=2026-11-01"], "3", "");
    check(&["--since", "2026-11-02"], "3", "");
    check(&["--since", "yesterday"], "", "");
    check(&["--since", "last-week"], "", "");
    check(&["--since", "7d"], "", "");
    check(&["--since", "99999d"], "1 2 3", "");
    check(&["--filter", "date=2026-11"], "2 3", "");
    check(&["--filter", "name~ışık", "--filter", "id<10"], "1", "");
    check(&["--since", "2026-11"], "2 3", "");
}

#[test]
fn a_comparison_that_fits_no_value_is_reported() {
    check(&["--filter", "date>=2026"], "", "warning: no value of the field `date` is a number\n");
    check(
        &["--filter", "name<2026-11-01"],
        "",
        "warning: no value of the field `name` is a date\n",
    );
}

#[test]
fn a_limit_counts_the_records_that_are_printed() {
    check(&["--limit", "2"], "1 2", "");
    check(&["--limit", "9"], "1 2 3 4", "");
    check(&["--limit", "1", "--filter", "name~e", "--filter", "id!=1"], "2", "");
    check(&["--limit", "2", "--sort", "-name"], "4 1", "");
}

#[test]
fn a_limit_closes_the_connection_before_the_end_of_the_list() {
    let server = RawServer::start(|_, connection: &mut Connection| {
        connection.send(LIST_HEAD);
        connection.send(b"[");
        connection.flood(&b"{\"id\":\"1\",\"project\":\"Welder\"},".repeat(1000), 1 << 30);
        Next::Close
    })
    .unwrap();
    let person = Person::of_service(&server.uri(""));
    for format in ["ndjson", "json", "csv", "table"] {
        let output = person.run(&["vacancies", "list", "-o", format, "--limit", "3"]);
        assert_eq!((code(&output), stderr(&output)), (0, ""), "{format}");
        assert_eq!(stdout(&output).matches("Welder").count(), 3, "{format}");
    }
    assert!(server.wait_until(Duration::from_secs(20), |progress| progress.closed_by_peer == 4));
    assert!(server.progress().written < 1 << 28, "{}", server.progress().written);
}
