//! Notices of the service, the response header `Gateway-Notice`.

use gateway_testkit::raw_server::{Connection, Next, RawServer};

use crate::run::{Person, code, serve_with, stderr, stdout};

#[test]
fn notices_are_shown_once_as_warnings() {
    let headers = b"content-type: application/json\r\ngateway-notice: one\r\n\
        Gateway-Notice: a\xe2\x80\xaeb\xc2\x9b\xff\r\ngateway-notice: one\r\n";
    let server = serve_with("200 OK", headers, "[]");
    let person = Person::of_service(&server.uri(""));
    for args in [&["vacancies", "list"][..], &["vacancies", "list", "-o", "raw"], &["api", "any"]] {
        let output = person.run(args);
        assert_eq!(code(&output), 0);
        assert_eq!(
            stderr(&output),
            "warning: the service reports: one\n\
             warning: the service reports: a\\u{202e}b\\u{9b}\u{fffd}\n",
            "{args:?}"
        );
        let quiet: Vec<&str> = args.iter().copied().chain(["-q"]).collect();
        assert_eq!(stderr(&person.run(&quiet)), "", "{args:?}");
    }
}

#[test]
fn a_retried_call_repeats_no_notice() {
    let server = serve_with("503 Busy", "gateway-notice: maintenance until noon\r\n", "[]");
    let person = Person::of_service(&server.uri(""));
    let output = person.run(&["credits", "get", "--timeout", "5"]);
    assert_eq!(code(&output), 4);
    assert!(server.progress().requests.len() > 1);
    assert_eq!(stderr(&output).matches("maintenance until noon").count(), 1, "{}", stderr(&output));
}

#[test]
fn a_long_list_of_notices_is_shortened() {
    let server = RawServer::start(|_, connection: &mut Connection| {
        let long = "x".repeat(1000);
        let lines: Vec<_> = (0..30).map(|n| format!("gateway-notice: {n} {long}\r\n")).collect();
        let lines = lines.concat();
        connection.respond(&format!("content-type: application/json\r\n{lines}"), b"[]");
        Next::Close
    })
    .unwrap();
    let output = Person::of_service(&server.uri("")).run(&["vacancies", "list"]);
    assert_eq!((code(&output), stdout(&output)), (0, "[]\n"));
    assert_eq!(stderr(&output).lines().count(), 10);
    assert!(stderr(&output).lines().all(|line| line.chars().count() < 350 && line.ends_with('…')));
}
