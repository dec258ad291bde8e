//! Follows the frames that arrive, without their contents: finds heads that do not end, and floods of frames.

use h2::Reason;
use tokio::time::Instant;

use crate::listen::http2::limits::{
    BYTES_FOR_CONTROL_FRAME, CONTROL_FRAMES, CONTROL_FRAMES_FOR_REQUEST,
};
use crate::listen::preface::PREFACE;

/// The frames of a connection so far.
#[derive(Debug)]
pub(super) struct Frames {
    /// Bytes that arrive before the next frame header.
    skip: usize,
    header: [u8; HEADER],
    /// Bytes of `header` that have arrived.
    filled: usize,
    /// Whether a header block has begun and not ended.
    in_block: bool,
    /// Type of the first frame.
    first: Option<u8>,
    /// Arrival of the first byte of a frame or header block that is not complete.
    began: Option<Instant>,
    requests: u64,
    /// Frames apart from requests.
    others: u64,
}

impl Frames {
    /// Expects the connection preface first.
    pub(super) fn new() -> Self {
        Self {
            skip: PREFACE.len(),
            header: [0; HEADER],
            filled: 0,
            in_block: false,
            first: None,
            began: None,
            requests: 0,
            others: 0,
        }
    }

    /// Follows the next bytes.
    pub(super) fn read(&mut self, mut bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let now = Instant::now();
        self.began.get_or_insert(now);
        loop {
            let skipped = self.skip.min(bytes.len());
            self.skip -= skipped;
            bytes = bytes.get(skipped..).unwrap_or_default();
            if self.skip > 0 {
                break;
            }
            if self.filled == HEADER {
                self.filled = 0;
            }
            if !self.in_block && self.filled == 0 {
                self.began = None;
            }
            if bytes.is_empty() {
                break;
            }
            self.began.get_or_insert(now);
            for slot in self.header.iter_mut().skip(self.filled) {
                let Some((first, rest)) = bytes.split_first() else { break };
                *slot = *first;
                bytes = rest;
                self.filled += 1;
            }
            if self.filled == HEADER {
                self.frame();
            }
        }
    }

    /// Follows a frame whose header has arrived.
    fn frame(&mut self) {
        let [high, middle, low, kind, flags, ..] = self.header;
        self.first.get_or_insert(kind);
        self.skip = usize::from(high) << 16 | usize::from(middle) << 8 | usize::from(low);
        match kind {
            HEADERS | CONTINUATION => {
                self.in_block = flags & END_HEADERS == 0;
                self.requests += u64::from(kind == HEADERS);
            }
            _ => self.others += 1,
        }
    }

    /// Returns the arrival of the first byte of a frame or header block that is not complete.
    pub(super) fn began(&self) -> Option<Instant> {
        self.began
    }

    /// Returns why the client must be disconnected, if it must. `sent` is the number of bytes that were sent to it.
    pub(super) fn violation(&self, sent: u64) -> Option<Reason> {
        // The library accepts any first frame (RFC 9113 section 3.4).
        if self.first.is_some_and(|kind| kind != SETTINGS) {
            return Some(Reason::PROTOCOL_ERROR);
        }
        let explained = CONTROL_FRAMES
            .saturating_add(self.requests.saturating_mul(CONTROL_FRAMES_FOR_REQUEST))
            .saturating_add(sent / BYTES_FOR_CONTROL_FRAME);
        (self.others > explained).then_some(Reason::ENHANCE_YOUR_CALM)
    }
}

/// Length of a frame header, in bytes (RFC 9113 section 4.1).
const HEADER: usize = 9;

/// Types of frames (RFC 9113 section 6).
const HEADERS: u8 = 1;
const SETTINGS: u8 = 4;
const CONTINUATION: u8 = 9;

/// The flag of the last frame of a header block.
const END_HEADERS: u8 = 4;
