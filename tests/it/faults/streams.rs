//! Lists that are read record by record.

use super::answers::refusal;
use super::case::{Ask, Case, End, Group, LIST, Script, document, fault, head};

pub(super) fn streams() -> Group {
    let stream = |name: &str, script: Script| fault(name, script).asking(Ask::Stream);
    let cases = vec![
        stream("complete stream", document(LIST)),
        stream("stream refused with 503", refusal(503, "")),
        stream("stream refused with 403, byte by byte", {
            let head = "HTTP/1.1 403 CANARY\r\ncontent-length: 10000\r\n\r\n";
            Script::Drips(head.into(), "x")
        })
        .waits(),
        stream("stream truncated in the head", Script::Plays(b"HTTP/1".to_vec(), End::Fin)),
        stream("1,000 records, then silence", rows(1, LENGTH, "", End::Hang)).waits(),
        many("100,000 records, then FIN", LENGTH, "", End::Fin),
        many("100,000 records, then RST", LENGTH, "", End::Rst).asking(Ask::StreamUntilReset),
        many("100,000 records, then garbage", LENGTH, "CANARY, CANARY", End::Fin),
        many("100,000 records, close-delimited, truncated", CLOSE, "", End::Fin),
        many("100,001 records, close-delimited", CLOSE, "{\"id\":\"0\"}]}", End::Fin),
        stream("failure after the list", {
            document("{\"result\":[{\"id\":\"1\"},{\"id\":\"2\"}],\"status\":\"error\"}")
        }),
        stream("record that is rejected", {
            document("{\"status\":\"success\",\"result\":[{\"id\":5},{\"id\":\"2\"}]}")
        }),
        stream("record of 10 MiB, streamed", big(10 << 20)).large(),
        stream("record of 64 MiB, streamed", big(64 << 20)).large(),
        fault("record of 64 MiB, not streamed", big(64 << 20)).large(),
    ];
    Group { name: "streams", cases }
}

fn many(name: &str, framing: &str, last: &str, end: End) -> Case {
    fault(name, rows(100, framing, last, end)).asking(Ask::Stream).large()
}

/// Sends a list of `thousands` × 1,000 records, and then the last bytes.
fn rows(thousands: usize, framing: &str, last: &str, end: End) -> Script {
    Script::Floods {
        first: (head(framing) + "{\"status\":\"success\",\"result\":[").into(),
        block: "{\"id\":\"1\",\"name\":\"CANARY\"},".repeat(1_000).into_bytes(),
        times: thousands,
        last: last.into(),
        end,
    }
}

/// Sends a close-delimited list of one record whose name has this many bytes.
fn big(length: usize) -> Script {
    let first = "{\"status\":\"success\",\"result\":[{\"id\":\"1\",\"name\":\"CANARY";
    Script::Floods {
        first: (head(CLOSE) + first).into(),
        block: vec![b'x'; 64 << 10],
        times: length / (64 << 10),
        last: b"\"}]}".to_vec(),
        end: End::Fin,
    }
}

const CLOSE: &str = "connection: close\r\n";
const LENGTH: &str = "content-length: 1000000000\r\n";
