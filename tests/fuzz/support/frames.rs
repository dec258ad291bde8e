//! Reads the frames of HTTP/2, and the header blocks in them with `loona-hpack`.

use std::fmt;

use loona_hpack::Decoder;

use crate::http2_raw::{CONTINUATION, END_HEADERS, HAS_PRIORITY, HEADERS, PADDED};

/// The fields of a head, in order.
pub type Fields = Vec<(String, String)>;

#[derive(Debug)]
pub struct Frame {
    pub kind: u8,
    pub flags: u8,
    pub stream: u32,
    pub payload: Vec<u8>,
}

impl Frame {
    /// The number in four bytes of the payload, or 0.
    pub fn number(&self, at: usize) -> u32 {
        self.payload.get(at..at + 4).map_or(0, |four| u32::from_be_bytes(four.try_into().unwrap()))
    }

    /// The settings in the payload.
    pub fn settings(&self) -> impl Iterator<Item = (u16, u32)> {
        self.payload.chunks_exact(6).map(|six| {
            let id = u16::from_be_bytes([six[0], six[1]]);
            (id, u32::from_be_bytes(six[2..].try_into().unwrap()))
        })
    }
}

/// The frames in bytes.
pub struct Read {
    pub complete: Vec<Frame>,
    /// Bytes that the last frame lacks.
    pub missing: usize,
}

pub fn frames(mut bytes: &[u8]) -> Read {
    let mut complete = Vec::new();
    while let [a, b, c, kind, flags, rest @ ..] = bytes
        && let Some((stream, rest)) = rest.split_first_chunk()
    {
        let length = usize::from(*a) << 16 | usize::from(*b) << 8 | usize::from(*c);
        let Some((payload, rest)) = rest.split_at_checked(length) else {
            return Read { complete, missing: length - rest.len() };
        };
        let stream = u32::from_be_bytes(*stream) & 0x7fff_ffff;
        let (kind, flags, payload) = (*kind, *flags, payload.to_vec());
        complete.push(Frame { kind, flags, stream, payload });
        bytes = rest;
    }
    let missing = if bytes.is_empty() { 0 } else { 9 - bytes.len() };
    Read { complete, missing }
}

/// Puts header blocks together, and decodes them.
pub struct Blocks {
    decoder: Decoder<'static>,
    /// The bytes so far; unset if they can no longer be understood.
    block: Option<Vec<u8>>,
    /// Whether a block could not be decoded, so that indexed fields after it may be wrong.
    pub is_lost: bool,
}

impl fmt::Debug for Blocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Blocks")
    }
}

impl Blocks {
    pub fn new() -> Self {
        let mut decoder = Decoder::new();
        decoder.set_max_allowed_table_size(usize::MAX);
        Self { decoder, block: Some(Vec::new()), is_lost: false }
    }

    /// Returns the fields of a head that is complete with this frame, and its stream.
    pub fn next(&mut self, frame: &Frame) -> Option<(u32, Fields)> {
        let part = match frame.kind {
            HEADERS => fragment(frame),
            CONTINUATION => Some(&*frame.payload),
            _ => return None,
        };
        if frame.kind == HEADERS && depends_on_itself(frame) {
            // `h2` resets the stream without reading its head.
            self.is_lost = true;
            return None;
        }
        // The other side refuses an invalid frame too, so nothing after it counts.
        let Some((block, part)) = self.block.as_mut().zip(part) else {
            self.block = None;
            return None;
        };
        if frame.kind == HEADERS && !block.is_empty() {
            // `h2` resets a stream whose unfinished head is malformed, and accepts another head after it.
            self.is_lost = true;
            block.clear();
        }
        block.extend_from_slice(part);
        if frame.flags & END_HEADERS == 0 {
            return None;
        }
        let block = std::mem::take(block);
        let Ok(fields) = self.decoder.decode(&block) else {
            self.is_lost = true;
            return None;
        };
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let fields = fields.iter().map(|(name, value)| (text(name), text(value))).collect();
        Some((frame.stream, fields))
    }
}

fn depends_on_itself(frame: &Frame) -> bool {
    let priority = frame.payload.get(usize::from(frame.flags & PADDED != 0)..);
    let dependency = priority.and_then(|priority| priority.first_chunk());
    frame.flags & HAS_PRIORITY != 0
        && dependency.is_some_and(|id| u32::from_be_bytes(*id) & 0x7fff_ffff == frame.stream)
}

/// The part of a header block in a frame.
fn fragment(frame: &Frame) -> Option<&[u8]> {
    let mut payload = &*frame.payload;
    if frame.flags & PADDED != 0 {
        let (length, rest) = payload.split_first()?;
        payload = rest.get(..rest.len().checked_sub(usize::from(*length))?)?;
    }
    if frame.flags & HAS_PRIORITY != 0 { payload.get(5..) } else { Some(payload) }
}
