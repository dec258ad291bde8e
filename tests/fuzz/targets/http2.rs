//! Any frames on an HTTP/2 connection of the real server: valid frames, data only to a request with the token, and then a
//! response to one more request, or the end of the connection.
//!
//! Both directions are read by another implementation of header compression than the one of the server.

#![no_main]

#[path = "../support/exchange.rs"]
mod exchange;
#[path = "../support/frames.rs"]
mod frames;
#[path = "../../../crates/apps/gateway-server/tests/it/http2_raw.rs"]
#[expect(dead_code, reason = "the tests of the server use more of it")]
mod http2_raw;

use std::collections::BTreeMap;

use libfuzzer_sys::fuzz_target;

use crate::exchange::{TOKEN, exchange_until};
use crate::frames::{Blocks, Fields, frames};
use crate::http2_raw::{
    ACK, CONTINUATION, DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS, PING, PREFACE, PUSH_PROMISE,
    RST_STREAM, SETTINGS, WINDOW_UPDATE, block, frame,
};

fuzz_target!(|input: &[u8]| {
    let mut sent = frame(SETTINGS, 0, 0, b"");
    sent.extend(written(input));
    // Ends the last frame, unless the server refuses its length.
    for _part in ["head", "payload"] {
        let missing = frames(&sent).missing.min(1 << 14);
        sent.resize(sent.len() + missing, 0);
    }
    sent.extend(request(LAST_STREAM, true, 0, END_STREAM | END_HEADERS, &[]));
    sent.extend(frame(PING, 0, 0, LAST_PING));

    let asked = Asked::new(&sent);
    let pieces = [PREFACE, &sent].concat();
    let received = exchange_until(&[&pieces], |received| asked.is_answered(received));
    asked.check(&received);
});

/// Reads frames from the input: kind, flags, stream and length of the payload in a byte each, and the payload. The length
/// in a frame is that of its payload, so that a changed byte does not change the limits of all frames.
fn written(mut input: &[u8]) -> Vec<u8> {
    let (mut out, mut next) = (Vec::new(), 1);
    while let [op, flags, stream, length, rest @ ..] = input {
        let (payload, rest) = rest.split_at(rest.len().min(usize::from(*length)));
        input = rest;
        let stream = match stream {
            0xff => u32::MAX,
            // The next stream that may be opened.
            0xfe => next,
            _ => u32::from(*stream),
        };
        match op % 16 {
            kind @ 0..=9 => out.extend(frame(kind, *flags, stream, payload)),
            10 => out.extend(frame(200, *flags, stream, payload)),
            11 => out.extend(payload),
            op => {
                let stream = if stream == 0 { next } else { stream };
                let has_token = op != 13;
                // Most requests are whole.
                let ends = if *flags & 0x80 == 0 { END_STREAM | END_HEADERS } else { *flags };
                let extra = if op == 15 { payload } else { &[] };
                out.extend(request(stream, has_token, flags >> 4 & 7, ends, extra));
                if op == 14 {
                    out.extend(frame(DATA, *flags & END_STREAM, stream, payload));
                }
                next = next.max(stream.saturating_add(2) | 1);
            }
        }
    }
    out
}

/// A request, with more bytes at the end of its header block.
fn request(stream: u32, has_token: bool, form: u8, flags: u8, extra: &[u8]) -> Vec<u8> {
    let path = match form % 4 {
        0 => "/c/oauth/v1?method=credits/get",
        1 => "/c/oauth/v1?method=candidates/list",
        2 => "/c/oauth/v1?method=vacancies/list",
        _ => "/readyz",
    };
    let token = format!("Bearer {TOKEN}");
    let mut fields = vec![
        (":method", if form < 4 { "GET" } else { "HEAD" }),
        (":scheme", "http"),
        (":authority", "a"),
        (":path", path),
    ];
    fields.extend(has_token.then_some(("authorization", token.as_str())));
    frame(HEADERS, flags, stream, &[&block(&fields), extra].concat())
}

/// The frames of the client, as an independent reader understands them.
struct Asked {
    /// The fields of the first complete head of each stream.
    heads: BTreeMap<u32, Fields>,
    /// The streams that any frame named.
    streams: Vec<u32>,
    /// Bytes that the client accepts on the connection, and at most on any stream.
    window: u64,
    stream_window: u64,
    largest_frame: usize,
    says_goodbye: bool,
    /// Whether the independent reader could not decode a head, such as one that only changes the size of the table.
    is_lost: bool,
}

impl Asked {
    fn new(sent: &[u8]) -> Self {
        let mut blocks = Blocks::new();
        let mut asked = Self {
            heads: BTreeMap::new(),
            streams: Vec::new(),
            window: 65_535,
            stream_window: 65_535,
            largest_frame: 1 << 14,
            says_goodbye: false,
            is_lost: false,
        };
        let mut increments = 0;
        for frame in frames(sent).complete {
            asked.streams.push(frame.stream);
            if let Some((stream, fields)) = blocks.next(&frame) {
                asked.heads.entry(stream).or_insert(fields);
            }
            match frame.kind {
                GOAWAY => asked.says_goodbye = true,
                WINDOW_UPDATE => {
                    let increment = u64::from(frame.number(0) & 0x7fff_ffff);
                    let sum = if frame.stream == 0 { &mut asked.window } else { &mut increments };
                    *sum += increment;
                }
                SETTINGS => {
                    for (id, value) in frame.settings() {
                        match id {
                            4 => asked.stream_window = asked.stream_window.max(value.into()),
                            5 => {
                                asked.largest_frame = asked.largest_frame.max(value as usize);
                            }
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
        }
        asked.stream_window += increments;
        asked.is_lost = blocks.is_lost;
        asked
    }

    /// Whether nothing more needs to arrive. The end of the connection always suffices.
    fn is_answered(&self, received: &[u8]) -> bool {
        frames(received).complete.iter().any(|frame| match frame.kind {
            HEADERS | RST_STREAM => frame.stream == LAST_STREAM,
            // The server finishes what it began, which may wait for a window.
            PING => self.says_goodbye && frame.flags & ACK != 0,
            _ => false,
        })
    }

    fn check(&self, received: &[u8]) {
        let read = frames(received);
        let first = read.complete.first().expect("a frame");
        assert_eq!((first.kind, first.flags & ACK), (SETTINGS, 0), "the first frame");
        let (mut blocks, mut responses) = (Blocks::new(), BTreeMap::<u32, Response>::new());
        let (mut total, mut is_over) = (0, false);
        for frame in &read.complete {
            assert!(frame.payload.len() <= self.largest_frame, "{frame:?}");
            match frame.kind {
                HEADERS | DATA | RST_STREAM | CONTINUATION => {
                    assert!(self.streams.contains(&frame.stream), "unknown stream: {frame:?}");
                }
                PUSH_PROMISE => panic!("{frame:?}"),
                GOAWAY => {
                    assert!(frame.number(4) <= 13, "{frame:?}");
                    is_over = true;
                }
                _ => {}
            }
            let head = blocks.next(frame);
            assert!(!blocks.is_lost, "the head of a response cannot be decoded");
            if let Some((stream, fields)) = head {
                let response = responses.entry(stream).or_default();
                assert!(response.fields.is_none(), "two responses on {stream}");
                self.check_head(stream, &fields);
                response.fields = Some(fields);
            }
            if frame.kind == DATA {
                let response = responses.get_mut(&frame.stream).expect("data after a head");
                assert!(!response.is_ended, "data after the end of {}", frame.stream);
                response.body.extend(&frame.payload);
                total += frame.payload.len() as u64;
                assert!(response.body.len() as u64 <= self.stream_window, "above the window");
                assert!(total <= self.window, "above the window of the connection");
            }
            if matches!(frame.kind, DATA | HEADERS) && frame.flags & END_STREAM != 0 {
                let response = responses.entry(frame.stream).or_default();
                response.is_ended = true;
                let is_head = self.heads.get(&frame.stream).is_some_and(|head| {
                    head.iter().any(|(name, value)| name == ":method" && value == "HEAD")
                });
                response.check_body(is_head);
            }
        }
        let is_answered = is_over || self.is_answered(received);
        // After its own farewell, the client may see only the end.
        assert!(is_answered || self.says_goodbye, "closed without a reason");
    }

    fn check_head(&self, stream: u32, fields: &Fields) {
        assert_eq!(fields.first().map(|(name, _)| &**name), Some(":status"), "{fields:?}");
        for (index, (name, value)) in fields.iter().enumerate() {
            assert!(index == 0 || !name.starts_with(':'), "{fields:?}");
            assert!(!name.bytes().any(|byte| byte.is_ascii_uppercase()), "{name}");
            assert!(!["connection", "transfer-encoding", "keep-alive"].contains(&&**name));
            assert!(value.bytes().all(|byte| byte == b'\t' || !byte.is_ascii_control()));
        }
        let status: u16 = fields[0].1.parse().unwrap();
        assert!((200..500).contains(&status), "{fields:?}");
        let is_data = status == 200 || status == 304;
        if is_data && !self.is_lost {
            let asked = self.heads.get(&stream);
            let asked = asked.unwrap_or_else(|| panic!("data to {stream}, whose head is invalid"));
            let tokens: Vec<_> = asked.iter().filter(|(name, _)| name == "authorization").collect();
            assert_eq!(tokens.len(), 1, "{asked:?}");
            assert!(tokens[0].1.trim_ascii().ends_with(TOKEN), "data without the token: {asked:?}");
        }
    }
}

#[derive(Default)]
struct Response {
    fields: Option<Fields>,
    body: Vec<u8>,
    is_ended: bool,
}

impl Response {
    /// A complete body has the length that was declared, and is JSON.
    fn check_body(&self, is_head: bool) {
        let fields = self.fields.as_deref().expect("an end after a head");
        let field = |name: &str| fields.iter().find(|(own, _)| own == name).map(|(_, value)| value);
        if is_head {
            return assert!(self.body.is_empty());
        }
        if let Some(length) = field("content-length") {
            assert_eq!(length.parse(), Ok(self.body.len()));
        }
        let is_json = field("content-type").is_some_and(|value| value.contains("json"));
        if is_json && field("content-encoding").is_none() {
            serde_json::from_slice::<serde_json::Value>(&self.body).expect("JSON");
        }
    }
}

/// The highest stream of a client.
const LAST_STREAM: u32 = 0x7fff_ffff;

const LAST_PING: &[u8; 8] = b"the-last";
