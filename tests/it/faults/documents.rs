//! Bodies that are not JSON, or not the list that was requested.

use super::case::{Group, document, fault};

pub(super) fn documents() -> Group {
    let deep = |depth: usize, close: usize| {
        let (open, close) = ("[".repeat(depth), "]".repeat(close));
        format!("{{\"status\":\"success\",\"result\":[],\"x\":{open}{close}")
    };
    let utf16: Vec<u8> = LIST.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let mut cases = Vec::new();
    for (name, body) in [
        ("empty body", ""),
        ("only whitespace", " \n "),
        ("invalid JSON", "{\"status\":\"success\",\"result\":[}"),
        ("not JSON", "oops CANARY"),
        ("JSON, truncated", "{\"status\":\"success\",\"result\":[{\"id\":\"1\"}"),
        ("garbage after the document", &format!("{LIST} CANARY")),
        ("two documents", &LIST.repeat(2)),
        ("trailing comma", "{\"status\":\"success\",\"result\":[],}"),
        ("byte order mark", &format!("\u{feff}{LIST}")),
        ("100,000 levels in an unknown field", &deep(100_000, 0)),
        ("120 levels in an unknown field", &(deep(120, 120) + "}")),
        ("100,000 levels in the list", &LIST.replace("{\"id\"", &"[".repeat(100_000))),
        ("failure with status 200", "{\"status\":\"error\",\"message\":\"CANARY\"}"),
        ("failure with a list", "{\"status\":\"CANARY\",\"result\":[{\"id\":\"1\"}]}"),
        ("no `status`", "{\"result\":[]}"),
        ("`status` of another type", "{\"status\":true,\"result\":[]}"),
        ("`status` is null", "{\"status\":null,\"result\":[]}"),
        ("`status` after the list", "{\"result\":[{\"id\":\"1\"}],\"status\":\"success\"}"),
        ("failure after the list", "{\"result\":[{\"id\":\"1\"}],\"status\":\"error\"}"),
        ("duplicate `status`", "{\"status\":\"success\",\"status\":\"success\",\"result\":[]}"),
        ("duplicate list", "{\"status\":\"success\",\"result\":[],\"result\":[]}"),
        ("no list", "{\"status\":\"success\"}"),
        ("list is null", "{\"status\":\"success\",\"result\":null}"),
        ("list is an empty object", "{\"status\":\"success\",\"result\":{}}"),
        ("array without an envelope", "[]"),
        ("envelope is an array", "[\"success\",[]]"),
        ("unknown fields", "{\"page\":1,\"status\":\"success\",\"result\":[],\"next\":null}"),
        ("duplicate unknown field", "{\"x\":1,\"x\":2,\"status\":\"success\",\"result\":[]}"),
        ("1e400 in an unknown field", "{\"x\":1e400,\"status\":\"success\",\"result\":[]}"),
    ] {
        cases.push(fault(name, document(body)));
    }
    cases.push(fault("UTF-16", document(utf16)));
    let invalid: [&[u8]; 3] = [
        b"{\"status\":\"success\",\"result\":[{\"id\":\"1\",\"name\":\"",
        b"\xff\xfe",
        b"CANARY\"}]}",
    ];
    cases.push(fault("invalid UTF-8", document(invalid.concat())));
    Group { name: "documents", cases }
}

const LIST: &str = super::case::LIST;
