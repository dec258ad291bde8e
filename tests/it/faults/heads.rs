//! Heads that are not valid HTTP, or too large.

use super::case::{End, Group, LIST, Script, answer, fault, head, plays};

pub(super) fn heads() -> Group {
    let mut cases = Vec::new();
    for (name, bytes) in [
        ("SSH banner", "SSH-2.0-OpenSSH_9.6\r\n".to_owned()),
        ("HTTP/0.9", LIST.to_owned()),
        ("HTTP/3.0 in the status line", "HTTP/3.0 200 OK\r\n\r\n".to_owned()),
        ("status that is not a number", "HTTP/1.1 two OK\r\n\r\n".to_owned()),
        ("status 99", "HTTP/1.1 99 Low\r\ncontent-length: 0\r\n\r\n".to_owned()),
        ("header without a colon", success("nonsense\r\n")),
        ("header value with NUL", success("x: a\0b\r\n")),
        ("header name with a space", success("x y: z\r\n")),
        ("folded header", success("x: a\r\n b\r\n")),
        ("header of 1 MiB", success(&format!("x: {}\r\n", "a".repeat(1 << 20)))),
        ("90 headers", success(&"x: y\r\n".repeat(90 - 3))),
        // hyper accepts 100, ureq 128.
        ("101 headers", success(&"x: y\r\n".repeat(101 - 3))),
        ("2,000 headers", success(&"x: y\r\n".repeat(2_000))),
    ] {
        cases.push(fault(name, plays(bytes)));
    }
    let list = String::from_utf8_lossy(&answer(LIST)).into_owned();
    cases.extend([
        fault(
            "103 Early Hints",
            plays(format!("HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n{list}")),
        ),
        fault("5 × 100 Continue", plays(CONTINUE.repeat(5) + &list)),
        fault("100 Continue without end", Script::Drips(Vec::new(), CONTINUE)).waits(),
        // ureq counts them all towards the size of the head.
        fault("200,000 × 100 Continue, then FIN", {
            Script::Floods {
                first: Vec::new(),
                block: CONTINUE.repeat(1_000).into_bytes(),
                times: 200,
                last: Vec::new(),
                end: End::Fin,
            }
        })
        .large(),
    ]);
    Group { name: "head", cases }
}

/// Returns a success with these header lines and three others.
fn success(lines: &str) -> String {
    let length = LIST.len();
    head(&format!("{lines}content-length: {length}\r\n")) + LIST
}

const CONTINUE: &str = "HTTP/1.1 100 Continue\r\n\r\n";
