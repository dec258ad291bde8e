//! The connection fails, before or around an answer.

use std::io::Write as _;

use super::case::{Ask, End, Group, LIST, Peer, Script, answer, document, fault, head};
use super::peer::drain;

pub(super) fn connection() -> Group {
    let mut cases = vec![
        fault("refused", Peer::Nobody),
        fault("a name without an address", Peer::Unknown),
        fault("a black hole instead of a host", Peer::BlackHole).waits(),
        fault("by name, of which IPv6 may be dead", Peer::Named(document(LIST))),
        fault("FIN at once", Peer::InPlaceOfHttp(drop)),
        fault(
            "an answer before the request",
            Peer::InPlaceOfHttp(|mut stream| {
                // Whoever closes on it does so while this is written.
                let _written = stream.write_all(&answer(LIST));
                drain(stream);
            }),
        )
        .one_of(&["1 1 0  ok, 2 records", "1 1 0  Transport"]),
    ];

    let whole = answer(LIST);
    let cut = |at: usize| whole.split_at(at).0.to_vec();
    let chunk = head("transfer-encoding: chunked\r\n") + "40\r\n{\"status\"";
    for (end, name) in [(End::Fin, "FIN"), (End::Rst, "RST"), (End::Hang, "hang")] {
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
        fault("a drip of the head", Script::Drips(head("x: ").into_bytes(), "v")).waits(),
        fault("a drip of the body", {
            Script::Drips(head("content-length: 10000\r\n").into_bytes(), " ")
        })
        .waits(),
        fault("closed after two answers, without a word", {
            Script::Turns(vec![answer(LIST), answer(LIST)])
        })
        .asking(Ask::ListAgain(5))
        // Whoever does not see in time that a connection is closed sends twice, and whoever has not put it back makes
        // another one.
        .one_of(&["5..7 3..5 5  5 × ok: 1 2"]),
        fault("two answers to one request", {
            let other = LIST.replace("\"1\"", "\"the other one\"");
            let both = [answer(LIST), answer(other)].concat();
            Script::Turns(vec![both.clone(), both.clone(), both])
        })
        .asking(Ask::ListAgain(3)),
    ]);
    Group { name: "connection", cases }
}
