//! Services: one that answers, and the faults.

use gateway_testkit::raw_server::{Connection, Next, RawRequest, RawServer};

use crate::canary::{EMAIL, NAME, PHONE, TOKEN};

/// Starts a service whose candidates include the person.
pub(crate) fn fine() -> RawServer {
    RawServer::start(|request: &RawRequest, connection: &mut Connection| {
        let target = request.target();
        let body = if target.contains("method=vacancies/list") {
            r#"[{"id":"52","project":"Welder"}]"#.to_owned()
        } else if target.contains("method=credits/get") {
            r#"{"credits_number":"12.50","currency":"EUR"}"#.to_owned()
        } else if target.contains("status=") && !target.contains("status=New") {
            r#"{"status":"success","result":[]}"#.to_owned()
        } else {
            format!(r#"{{"status":"success","result":[{}]}}"#, candidate())
        };
        let seen = request.header("authorization").concat();
        let seen = String::from_utf8(seen).unwrap();
        let echo = format!("{JSON}etag: \"1\"\r\nx-seen: {seen}\r\n");
        connection.respond(&echo, body.as_bytes());
        Next::Close
    })
    .unwrap()
}

fn candidate() -> String {
    format!(
        r#"{{"id":"7","name":"{NAME}","email":"{EMAIL}","phone":"{PHONE}","date":"2026-01-02 03:04:05","type":"person"}}"#
    )
}

/// The response of a fault.
pub(crate) type Response = fn(&mut Connection);

/// Starts a service with a fault.
pub(crate) fn faulty(response: Response) -> RawServer {
    RawServer::start(move |request: &RawRequest, connection: &mut Connection| {
        // A service cannot repeat a token that it has not received, as in some requests of `check`.
        if request.header("authorization").concat().ends_with(TOKEN.as_bytes()) {
            response(connection);
        } else {
            connection.send(REFUSED);
        }
        Next::Close
    })
    .unwrap()
}

fn status(connection: &mut Connection, status: &str, headers: &str, body: &str) {
    let head = format!("HTTP/1.1 {status}\r\n{headers}x-seen: Bearer {TOKEN}\r\n");
    let length = format!("connection: close\r\ncontent-length: {}\r\n\r\n", body.len());
    connection.send(format!("{head}{length}{body}").as_bytes());
}

fn list(records: &str) -> String {
    format!(r#"{{"status":"success","result":[{records}"#)
}

/// The faults. Their bodies repeat the token and the person's data, as a debug mode would.
pub(crate) const FAULTS: &[(&str, Response)] = &[
    ("a page", |connection| {
        let page = format!("<html>{TOKEN} {NAME} {EMAIL}</html>");
        status(connection, "200 OK", "content-type: text/html\r\n", &page);
    }),
    ("401", |connection| {
        let challenge = format!(
            "www-authenticate: Bearer error=\"invalid_token\", error_description=\"{TOKEN}\"\r\n"
        );
        status(connection, "401 Unauthorized", &challenge, &format!("{TOKEN} {EMAIL}"));
    }),
    ("403", |connection| status(connection, "403 Forbidden", "", &format!("{TOKEN} {NAME}"))),
    ("500", |connection| {
        let trace = format!("at line 1\nAuthorization: Bearer {TOKEN}\n{NAME} {EMAIL} {PHONE}");
        status(connection, "500 Error", "content-type: text/plain\r\n", &trace);
    }),
    ("a redirect", |connection| {
        let location = format!(
            "location: https://{TOKEN}@elsewhere.example/?access_token={TOKEN}&e={EMAIL}\r\n"
        );
        status(connection, "302 Found", &location, "");
    }),
    ("a body that is cut", |connection| {
        let head = format!("HTTP/1.1 200 OK\r\n{JSON}content-length: 9999\r\n\r\n");
        connection.send(format!("{head}{}", list(&candidate())).as_bytes());
    }),
    ("malformed JSON", |connection| {
        status(
            connection,
            "200 OK",
            JSON,
            &list(&format!(r#"{{"id":"7","name":"{NAME}" "{TOKEN}""#)),
        );
    }),
    ("values of other types", |connection| {
        let records =
            format!(r#"{{"id":["{TOKEN}"],"name":{{"{NAME}":1}},"email":["{EMAIL}"]}}]}}"#);
        status(connection, "200 OK", JSON, &list(&records));
    }),
    ("text that is not UTF-8", |connection| {
        let body = list(&format!(r#"{{"id":"7","name":"{NAME} "#));
        let head = format!("HTTP/1.1 200 OK\r\n{JSON}content-length: {}\r\n\r\n", body.len() + 1);
        connection.send(head.as_bytes());
        connection.send(&[body.as_bytes(), b"\xff"].concat());
    }),
    ("a failure with status 200", |connection| {
        let body = format!(r#"{{"status":"{TOKEN}","result":"{EMAIL}"}}"#);
        status(connection, "200 OK", JSON, &body);
    }),
    ("a malformed head", |connection| {
        connection.send(format!("HTTP/1.1 200 OK\r\n{TOKEN} {EMAIL}\r\n\r\n").as_bytes());
    }),
    ("nothing", |_connection| {}),
];

const JSON: &str = "content-type: application/json\r\n";

const REFUSED: &[u8] =
    b"HTTP/1.1 401 Unauthorized\r\nwww-authenticate: Bearer\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
