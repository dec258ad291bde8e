//! JSON that is none, or not the list that was asked for.

use super::case::{Group, document, fault};

pub(super) fn documents() -> Group {
    let deep = |depth: usize, close: usize| {
        let (open, close) = ("[".repeat(depth), "]".repeat(close));
        format!("{{\"status\":\"success\",\"result\":[],\"x\":{open}{close}")
    };
    let utf16: Vec<u8> = LIST.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let mut cases = Vec::new();
    for (name, body) in [
        ("an empty body", ""),
        ("nothing but blanks", " \n "),
        ("invalid JSON", "{\"status\":\"success\",\"result\":[}"),
        ("no JSON", "oops CANARY"),
        ("JSON that is cut", "{\"status\":\"success\",\"result\":[{\"id\":\"1\"}"),
        ("garbage behind the document", &format!("{LIST} CANARY")),
        ("two documents", &LIST.repeat(2)),
        ("a trailing comma", "{\"status\":\"success\",\"result\":[],}"),
        ("a byte order mark", &format!("\u{feff}{LIST}")),
        ("100,000 deep in an unlisted member", &deep(100_000, 0)),
        ("120 deep in an unlisted member", &(deep(120, 120) + "}")),
        ("100,000 deep in the list", &LIST.replace("{\"id\"", &"[".repeat(100_000))),
        ("a failure as 200", "{\"status\":\"error\",\"message\":\"CANARY\"}"),
        ("a failure with a list", "{\"status\":\"CANARY\",\"result\":[{\"id\":\"1\"}]}"),
        ("no success marker", "{\"result\":[]}"),
        ("a marker of another type", "{\"status\":true,\"result\":[]}"),
        ("a marker of null", "{\"status\":null,\"result\":[]}"),
        ("the marker behind the list", "{\"result\":[{\"id\":\"1\"}],\"status\":\"success\"}"),
        ("a failure behind the list", "{\"result\":[{\"id\":\"1\"}],\"status\":\"error\"}"),
        ("two markers", "{\"status\":\"success\",\"status\":\"success\",\"result\":[]}"),
        ("two lists", "{\"status\":\"success\",\"result\":[],\"result\":[]}"),
        ("no list", "{\"status\":\"success\"}"),
        ("null for the list", "{\"status\":\"success\",\"result\":null}"),
        ("an empty object for the list", "{\"status\":\"success\",\"result\":{}}"),
        ("a bare array", "[]"),
        ("an array for the envelope", "[\"success\",[]]"),
        ("unlisted members", "{\"page\":1,\"status\":\"success\",\"result\":[],\"next\":null}"),
        ("an unlisted member twice", "{\"x\":1,\"x\":2,\"status\":\"success\",\"result\":[]}"),
        ("1e400 in an unlisted member", "{\"x\":1e400,\"status\":\"success\",\"result\":[]}"),
    ] {
        cases.push(fault(name, document(body)));
    }
    cases.push(fault("UTF-16", document(utf16)));
    let invalid: [&[u8]; 3] = [
        b"{\"status\":\"success\",\"result\":[{\"id\":\"1\",\"name\":\"",
        b"\xff\xfe",
        b"CANARY\"}]}",
    ];
    cases.push(fault("bytes that are no UTF-8", document(invalid.concat())));
    Group { name: "documents", cases }
}

const LIST: &str = super::case::LIST;
