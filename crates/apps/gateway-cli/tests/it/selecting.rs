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
    check(&["--filter", "date!=2026-11"], "1 4", "");
    check(&["--filter", "date<=2026-10"], "1", "");
    check(&["--since", "2026-11"], "2 3", "");
}

#[test]
fn numbers_are_compared_as_decimals() {
    check(&["--any-field", "--filter", "score<10"], "1", "");
    check(&["--any-field", "--filter", "score<=10.0"], "1 2", "");
    check(&["--any-field", "--filter", "score>=10.5"], "3", "");
    check(&["--filter", "id!=2"], "1 3 4", "");
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
fn text_is_found_in_any_case() {
    for name in ["name~ilker", "name~İLKER", "name~IŞIK", "name~ışık"] {
        check(&["--filter", name], "1", "");
    }
    check(&["--filter", "name~STRASSE"], "2", "");
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

#[test]
fn records_are_counted_by_the_value_of_a_field() {
    let server = serve(CANDIDATES);
    let person = Person::of_service(&server.uri(""));
    let count = |args: &[&str]| {
        let output = person.run(&[&["candidates", "list", "--count-by"], args].concat());
        assert_eq!((code(&output), stderr(&output)), (0, ""), "{args:?}");
        stdout(&output).to_owned()
    };
    assert_eq!(
        count(&["portal.name", "-o", "table"]).lines().map(str::trim_end).collect::<Vec<_>>(),
        [
            "PORTAL NAME  COUNT  PERCENT",
            "Board        2      50.0",
            "Referral     1      25.0",
            "             1      25.0"
        ]
    );
    assert_eq!(
        count(&["Portal.Name", "-o", "csv"]),
        "portal.name,count,percent\r\nBoard,2,50.0\r\nReferral,1,25.0\r\n,1,25.0\r\n"
    );
    assert_eq!(
        count(&["portal.name", "--limit", "1", "--since", "2026-11-01"]),
        "[\n{\"portal.name\":\"Board\",\"count\":1,\"percent\":50.0}\n]\n"
    );
    assert_eq!(count(&["type", "-o", "ndjson"]), "{\"type\":null,\"count\":4,\"percent\":100.0}\n");
}

#[test]
fn selections_are_refused_where_they_have_no_effect() {
    let person =
        Person::new().with("GATEWAY_BASE_URL", "http://127.0.0.1:9").with("GATEWAY_TOKEN", "gwt_x");
    for (command, message) in [
        ("credits get --limit 1", "cannot use --limit: the output is one object"),
        ("credits get --since 2026-11-01", "cannot use --since: the output is one object"),
        ("vacancies list --since today", "cannot use --since: the records have no date"),
        ("vacancies list --limit 1 -o raw", "cannot use --limit: -o raw prints the unchanged"),
        ("vacancies list --count-by id --fields id", "cannot be used with"),
        ("vacancies list --count-by portal", "unknown field `portal`"),
        ("vacancies list --limit 0", "expected a whole number of 1 or more"),
        ("vacancies list --limit -5", "expected a whole number of 1 or more"),
        ("candidates list --since soon", "expected a date such as 2026-11-30"),
        ("candidates list --filter date>=soon", "expected a date such as 2026-11-30 or a number"),
    ] {
        let output = person.run_line(command);
        assert_eq!(code(&output), 2, "{command}: {}", stderr(&output));
        assert!(stderr(&output).contains(message), "{command}: {}", stderr(&output));
    }
}
