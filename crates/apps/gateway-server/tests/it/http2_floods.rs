//! Attacks on HTTP/2 that cost the client little. After each, the server answers others, and its memory is bounded.

use std::io::Read as _;
use std::time::Duration;

use crate::http2_raw::{
    CONTINUATION, END_HEADERS, END_STREAM, Event, HEADERS, PING, PRIORITY, RST_STREAM, SETTINGS,
    WINDOW_UPDATE, block, frame, setting,
};
use crate::http2_target::{GROWTH, Target};

/// Every client sends all of its frames before it reads.
#[test]
fn floods_do_not_harm_others() {
    let target = Target::start(&[]);
    let before = target.memory();
    let streams = || (0..10_000_u32).map(|number| 2 * number + 1);
    let times = |frame: Vec<u8>| frame.repeat(100_000);
    let small = |stream| target.request(stream, "credits/get");
    let list = |stream| target.request(stream, "candidates/list");
    let reset = |stream| frame(RST_STREAM, 0, stream, &8_u32.to_be_bytes());
    let open = |stream| {
        let head = target.request(stream, "credits/get");
        frame(HEADERS, END_HEADERS, stream, &head[9..])
    };
    let cases: [(&str, Vec<u8>); 12] = [
        ("rapid reset", streams().flat_map(|id| [small(id), reset(id)].concat()).collect()),
        ("rapid reset of lists", streams().flat_map(|id| [list(id), reset(id)].concat()).collect()),
        // Streams that the server has to reset.
        (
            "overflowing windows",
            streams()
                .flat_map(|id| {
                    [open(id), frame(WINDOW_UPDATE, 0, id, &0x7fff_ffff_u32.to_be_bytes())].concat()
                })
                .collect(),
        ),
        (
            "streams that depend on themselves",
            streams()
                .flat_map(|id| {
                    let payload = [&id.to_be_bytes()[..], &[1]].concat();
                    [open(id), frame(PRIORITY, 0, id, &payload)].concat()
                })
                .collect(),
        ),
        ("malformed requests", streams().flat_map(|id| frame(HEADERS, 5, id, b"")).collect()),
        ("more streams than allowed", streams().flat_map(list).collect()),
        (
            "empty continuations",
            [frame(HEADERS, END_STREAM, 1, b""), times(frame(CONTINUATION, 0, 1, b""))].concat(),
        ),
        (
            "long continuations",
            [
                frame(HEADERS, END_STREAM, 1, b""),
                frame(CONTINUATION, 0, 1, &block(&[("a", [b'b'; 16_000])])).repeat(500),
            ]
            .concat(),
        ),
        ("pings", times(frame(PING, 0, 0, &[0; 8]))),
        ("settings", times(frame(SETTINGS, 0, 0, &setting(1, 0)))),
        ("priorities", times(frame(PRIORITY, 0, 3, &[0, 0, 0, 0, 1]))),
        ("frames of an unknown type", times(frame(200, 0, 0, b""))),
    ];
    for (name, bytes) in cases {
        let mut raw = target.connect(b"");
        // Fails as soon as the server has closed the connection.
        let _was_read = raw.send(&bytes);
        drop(raw);
        target.assert_healthy(name, before);
    }
}

/// Each stream holds a piece of a list, which is why there are at most 32.
#[test]
fn streams_that_are_not_read_are_limited_and_cut() {
    let target = Target::start(&["--response-timeout", "1"]);
    let before = target.memory();
    let mut raw = target.connect(&setting(4, 0));
    for id in (0..100_u32).map(|number| 2 * number + 1) {
        raw.send(&target.request(id, "candidates/list"));
    }
    let (mut refused, mut cut) = (0, 0);
    while refused + cut < 100 {
        let Some(event) = raw.next() else {
            panic!("the connection was closed after {refused} refusals and {cut} cuts")
        };
        match event {
            // On a busy machine, a response is cut before it begins.
            Event::Status(..) | Event::Pinged => {}
            Event::Reset(_, "REFUSED_STREAM") => refused += 1,
            // The second one if the list itself noticed that it is late.
            Event::Reset(_, "CANCEL" | "INTERNAL_ERROR") => cut += 1,
            event => panic!("{event:?}"),
        }
    }
    assert!(cut <= 40, "{cut} cut, {refused} refused");
    assert!(target.memory() < before + GROWTH);
    target.ops.wait_for("gateway_requests_in_flight 0");
    let metrics = target.ops.metrics();
    let ended = format!("gateway_response_ends_total{{end=\"response_timeout\"}} {cut}");
    assert!(metrics.lines().any(|line| line == ended), "{metrics}");
    // The connection can still be used.
    raw.send(&frame(SETTINGS, 0, 0, &setting(4, 65_535)));
    raw.send(&target.request(1_001, "credits/get"));
    assert_eq!(raw.next(), Some(Event::Status(1_001, 200)));
    drop(raw);
    target.assert_healthy("unread streams", before);
}

/// The window is open, but the client reads nothing from its socket.
#[test]
fn a_connection_that_is_not_read_is_cut() {
    let target = Target::start_here(|config| config.stall_timeout = Duration::from_secs(1));
    let before = target.memory();
    let mut raw = target.connect(&setting(4, 0x7fff_ffff));
    raw.send(&frame(WINDOW_UPDATE, 0, 0, &0x7ffe_ffff_u32.to_be_bytes()));
    for id in (0..8_u32).map(|number| 2 * number + 1) {
        raw.send(&target.request(id, "candidates/list"));
    }
    target.ops.wait_for("gateway_requests_in_flight 8");
    target.ops.wait_for("gateway_requests_in_flight 0");
    assert!(target.ops.ends().iter().all(|end| end != "complete"), "{:?}", target.ops.ends());
    let mut rest = Vec::new();
    drop(raw.socket.read_to_end(&mut rest));
    drop(raw);
    target.assert_healthy("unread connection", before);
}
