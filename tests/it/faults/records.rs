//! An unusual or invalid record between two valid ones.

use super::case::{Group, document, fault};

pub(super) fn records() -> Group {
    let deep = format!("\"id\":\"2\",\"x\":{}{}", "[".repeat(300), "]".repeat(300));
    let long = format!("\"id\":\"2\",\"name\":\"CANARY{}\"", "x".repeat(10 << 20));
    let wide = format!("\"id\":\"2\",\"portal\":{{{}\"id\":\"3\"}}", "\"x\":0,".repeat(100_000));
    let mut cases = Vec::new();
    for (name, fields) in [
        ("no `id`", "\"name\":\"CANARY\""),
        ("`id` is a number", "\"id\":2"),
        ("`id` is null", "\"id\":null"),
        ("duplicate `id`", "\"id\":\"2\",\"id\":\"CANARY\""),
        ("duplicate unknown field", "\"id\":\"2\",\"x\":\"CANARY\",\"x\":\"CANARY\""),
        ("unknown field", "\"id\":\"2\",\"new\":{\"a\":[\"CANARY\"]}"),
        ("1e400 in an unknown field", "\"id\":\"2\",\"x\":1e400"),
        ("`name` is null", "\"id\":\"2\",\"name\":null"),
        ("`name` is a number", "\"id\":\"2\",\"name\":5"),
        ("no `email`", "\"id\":\"2\",\"name\":\"CANARY\",\"phone\":\"CANARY\""),
        ("`portal` is an empty array", "\"id\":\"2\",\"portal\":[]"),
        ("`portal` without `id`", "\"id\":\"2\",\"portal\":{\"name\":\"CANARY\"}"),
        ("`portal` and `type` are null", "\"id\":\"2\",\"portal\":null,\"type\":null"),
        ("unknown value of `type`", "\"id\":\"2\",\"type\":\"robot\""),
        ("300 levels in an unknown field", &deep),
        ("escaped NUL and terminal escape sequence", "\"id\":\"2\",\"name\":\"\\u0000\\u001b[2J\""),
        ("unpaired surrogate", "\"id\":\"2\",\"name\":\"CANARY \\ud800\""),
        ("unescaped control character", "\"id\":\"2\",\"name\":\"CANARY \u{1b}[2J\""),
    ] {
        cases.push(fault(name, document(between(&format!("{{{fields}}}")))));
    }
    for (name, record) in [
        ("record is text", "\"CANARY\""),
        ("record is null", "null"),
        ("record is an array", "[\"2\",\"CANARY\"]"),
    ] {
        cases.push(fault(name, document(between(record))));
    }
    for (name, fields) in [("`name` of 10 MiB", long), ("`portal` with 100,000 fields", wide)] {
        cases.push(fault(name, document(between(&format!("{{{fields}}}")))).large());
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
