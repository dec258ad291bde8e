//! Notices of the service, the response header `Gateway-Notice`.

use crate::run::{Person, code, serve_with, stderr};

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
