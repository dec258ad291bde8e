//! Connections that fail before, during or after a response.

use std::io::Write as _;

use super::case::{Ask, End, Group, LIST, Peer, Script, answer, document, fault, head};
use super::peer::drain;

pub(super) fn connection() -> Group {
    let mut cases = vec![
        fault("connection refused", Peer::Nobody),
        fault("host name that does not resolve", Peer::Unknown),
        fault("connection attempt without an answer", Peer::BlackHole).waits(),
        fault("host name whose IPv6 address may not answer", Peer::Named(document(LIST))),
        fault("FIN before the request", Peer::InPlaceOfHttp(drop)),
        fault(
            "response before the request",
            Peer::InPlaceOfHttp(|mut stream| {
                // A client that rejects an early response closes the connection while it is being written.
                let _written = stream.write_all(&answer(LIST));
                drain(stream);
            }),
        )
        .one_of(&["1..2 1..2 0  ok, 2 records", "1 1 0  Transport"]),
    ];

    let whole = answer(LIST);
    let cut = |at: usize| whole.split_at(at).0.to_vec();
    let chunk = head("transfer-encoding: chunked\r\n") + "40\r\n{\"status\"";
    for (end, name) in [(End::Fin, "FIN"), (End::Rst, "RST"), (End::Hang, "silence")] {
        for (place, bytes) in [
            ("before the head", Vec::new()),
            ("in the status line", b"HTTP/1.1 2".to_vec()),
            ("in the head", cut(20)),
            ("after the head", cut(whole.len() - LIST.len())),
            ("in the body", cut(whole.len() - 30)),
            ("in a chunk", chunk.clone().into_bytes()),
        ] {
            let case = fault(format!("{name} {place}"), Script::Plays(bytes, end));
            cases.push(if end == End::Hang { case.waits() } else { case });
        }
    }

    cases.extend([
        fault("head sent byte by byte without end", Script::Drips(head("x: ").into_bytes(), "v"))
            .waits(),
        fault("body sent byte by byte", {
            Script::Drips(head("content-length: 10000\r\n").into_bytes(), " ")
        })
        .waits(),
        fault("connection closed after two keep-alive responses", {
            Script::Turns(vec![answer(LIST), answer(LIST)])
        })
        .asking(Ask::ListAgain(5))
        // A client that notices the close too late sends the request again, and one that has not yet returned the
        // connection to its pool opens another.
        .one_of(&["5..7 3..5 5  5 × ok: 1 2"]),
        fault("two responses to one request", {
            let other = LIST.replace("\"1\"", "\"the other one\"");
            let both = [answer(LIST), answer(other)].concat();
            Script::Turns(vec![both.clone(), both.clone(), both])
        })
        .asking(Ask::ListAgain(3)),
    ]);
    Group { name: "connection", cases }
}
