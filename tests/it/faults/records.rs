//! A record that is strange, or that cannot be read, between two that can.

use super::case::{Group, document, fault};

pub(super) fn records() -> Group {
    let deep = format!("\"id\":\"2\",\"x\":{}{}", "[".repeat(300), "]".repeat(300));
    let long = format!("\"id\":\"2\",\"name\":\"CANARY{}\"", "x".repeat(10 << 20));
    let wide = format!("\"id\":\"2\",\"portal\":{{{}\"id\":\"3\"}}", "\"x\":0,".repeat(100_000));
    let mut cases = Vec::new();
    for (name, members) in [
        ("no identifier", "\"name\":\"CANARY\""),
        ("a number for the identifier", "\"id\":2"),
        ("null for the identifier", "\"id\":null"),
        ("the identifier twice", "\"id\":\"2\",\"id\":\"CANARY\""),
        ("an unlisted member twice", "\"id\":\"2\",\"x\":\"CANARY\",\"x\":\"CANARY\""),
        ("an unlisted member", "\"id\":\"2\",\"new\":{\"a\":[\"CANARY\"]}"),
        ("1e400 in an unlisted member", "\"id\":\"2\",\"x\":1e400"),
        ("null for the name", "\"id\":\"2\",\"name\":null"),
        ("a number for the name", "\"id\":\"2\",\"name\":5"),
        ("no e-mail address", "\"id\":\"2\",\"name\":\"CANARY\",\"phone\":\"CANARY\""),
        ("an empty list for the portal", "\"id\":\"2\",\"portal\":[]"),
        ("a portal without identifier", "\"id\":\"2\",\"portal\":{\"name\":\"CANARY\"}"),
        ("null for all but the identifier", "\"id\":\"2\",\"portal\":null,\"type\":null"),
        ("another kind", "\"id\":\"2\",\"type\":\"robot\""),
        ("300 deep in an unlisted member", &deep),
        ("an escaped NUL and an escape sequence", "\"id\":\"2\",\"name\":\"\\u0000\\u001b[2J\""),
        ("half a surrogate pair", "\"id\":\"2\",\"name\":\"CANARY \\ud800\""),
        ("a raw control character", "\"id\":\"2\",\"name\":\"CANARY \u{1b}[2J\""),
    ] {
        cases.push(fault(name, document(between(&format!("{{{members}}}")))));
    }
    for (name, record) in [
        ("text for the record", "\"CANARY\""),
        ("null for the record", "null"),
        ("a list for the record", "[\"2\",\"CANARY\"]"),
    ] {
        cases.push(fault(name, document(between(record))));
    }
    for (name, members) in [("a name of 10 MiB", long), ("a portal with 100,000 members", wide)] {
        cases.push(fault(name, document(between(&format!("{{{members}}}")))).large());
    }
    for date in [
        "2026-11-20 10:00:00",
        "0000-00-00 00:00:00",
        "2024-02-30 10:00:00",
        "2024-13-01 10:00:00",
        "2024-01-01 24:00:00",
        "2016-12-31 23:59:60",
        "2024-01-01T10:00:00",
        "2024-01-01 10:00:00+01:00",
        "0000-01-01 00:00:00",
        "10000-01-01 00:00:00",
        "٢٠٢٤-٠١-٠١ ١٠:٠٠:٠٠",
        "",
    ] {
        let record = format!("{{\"id\":\"2\",\"date\":\"{date}\"}}");
        cases.push(fault(format!("date {date:?}"), document(between(&record))));
    }
    Group { name: "records", cases }
}

fn between(record: &str) -> String {
    format!("{{\"status\":\"success\",\"result\":[{{\"id\":\"1\"}},{record},{{\"id\":\"3\"}}]}}")
}
