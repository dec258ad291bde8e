//! A raw client of HTTP/2, so that tests decide about every byte: an encoder of frames, header blocks without
//! compression, and a reader of what the server sends.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

pub(crate) const DATA: u8 = 0;
pub(crate) const HEADERS: u8 = 1;
pub(crate) const PRIORITY: u8 = 2;
pub(crate) const RST_STREAM: u8 = 3;
pub(crate) const SETTINGS: u8 = 4;
pub(crate) const PUSH_PROMISE: u8 = 5;
pub(crate) const PING: u8 = 6;
pub(crate) const GOAWAY: u8 = 7;
pub(crate) const WINDOW_UPDATE: u8 = 8;
pub(crate) const CONTINUATION: u8 = 9;

const ACK: u8 = 1;
pub(crate) const END_STREAM: u8 = 1;
pub(crate) const END_HEADERS: u8 = 4;
pub(crate) const PADDED: u8 = 8;

pub(crate) const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Encodes a frame.
pub(crate) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let mut bytes = length[1..].to_vec();
    bytes.extend([kind, flags]);
    bytes.extend(stream.to_be_bytes());
    bytes.extend(payload);
    bytes
}

/// Encodes a setting.
pub(crate) fn setting(id: u16, value: u32) -> Vec<u8> {
    [&id.to_be_bytes()[..], &value.to_be_bytes()].concat()
}

/// Encodes fields one by one, without Huffman codes and without the table (RFC 7541 section 6.2.2).
pub(crate) fn block<N: AsRef<[u8]>, V: AsRef<[u8]>>(fields: &[(N, V)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (name, value) in fields {
        bytes.push(0);
        text(&mut bytes, name.as_ref());
        text(&mut bytes, value.as_ref());
    }
    bytes
}

/// Encodes a text with its length (RFC 7541 section 5.2).
pub(crate) fn text(bytes: &mut Vec<u8>, text: &[u8]) {
    match text.len() {
        short @ ..127 => bytes.push(u8::try_from(short).unwrap()),
        long => {
            bytes.push(127);
            let mut rest = long - 127;
            while rest >= 128 {
                bytes.push(u8::try_from(rest % 128).unwrap() | 128);
                rest /= 128;
            }
            bytes.push(u8::try_from(rest).unwrap());
        }
    }
    bytes.extend(text);
}

/// One event of a connection, as tests compare it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// The status of a response.
    Status(u32, u16),
    Data(u32, Vec<u8>),
    /// The response has ended.
    End(u32),
    /// The stream was reset, for this reason.
    Reset(u32, &'static str),
    Pong,
    /// The server sent a ping, which was answered.
    Pinged,
    GoAway(&'static str),
}

/// A connection.
pub(crate) struct Raw {
    pub(crate) socket: TcpStream,
    buffer: Vec<u8>,
}

impl Raw {
    /// Connects and sends nothing.
    pub(crate) fn silent(address: &str) -> Self {
        let socket = TcpStream::connect(address).unwrap();
        socket.set_read_timeout(Some(LIMIT)).unwrap();
        socket.set_write_timeout(Some(LIMIT)).unwrap();
        Self { socket, buffer: Vec::new() }
    }

    /// Connects, and sends the preface and these settings.
    pub(crate) fn connect(address: &str, settings: &[u8]) -> Self {
        let mut raw = Self::silent(address);
        raw.send(&[PREFACE, &frame(SETTINGS, 0, 0, settings)].concat());
        raw
    }

    /// Sends bytes. Returns false if the server has closed the connection, or does not read.
    pub(crate) fn send(&mut self, bytes: &[u8]) -> bool {
        self.socket.write_all(bytes).is_ok()
    }

    /// Returns the next event, or `None` at the end of the connection. Panics if nothing arrives in time.
    pub(crate) fn next(&mut self) -> Option<Event> {
        loop {
            let (kind, flags, stream, payload) = self.frame()?;
            let code =
                |at: usize| reason(u32::from_be_bytes(payload[at..at + 4].try_into().unwrap()));
            match kind {
                HEADERS => {
                    let event = Event::Status(stream, status(&payload));
                    if flags & END_STREAM != 0 {
                        self.buffer.splice(0..0, frame(DATA, END_STREAM, stream, b""));
                    }
                    return Some(event);
                }
                DATA if !payload.is_empty() => {
                    if flags & END_STREAM != 0 {
                        self.buffer.splice(0..0, frame(DATA, END_STREAM, stream, b""));
                    }
                    return Some(Event::Data(stream, payload));
                }
                DATA if flags & END_STREAM != 0 => return Some(Event::End(stream)),
                RST_STREAM => return Some(Event::Reset(stream, code(0))),
                GOAWAY => return Some(Event::GoAway(code(4))),
                PING if flags & ACK != 0 => return Some(Event::Pong),
                PING => {
                    self.send(&frame(PING, ACK, 0, &payload));
                    return Some(Event::Pinged);
                }
                SETTINGS if flags & ACK == 0 => drop(self.send(&frame(SETTINGS, ACK, 0, b""))),
                _ => {}
            }
        }
    }

    fn frame(&mut self) -> Option<(u8, u8, u32, Vec<u8>)> {
        self.fill(9)?;
        let length = usize::from(self.buffer[0]) << 16
            | usize::from(self.buffer[1]) << 8
            | usize::from(self.buffer[2]);
        self.fill(9 + length)?;
        let frame: Vec<u8> = self.buffer.drain(..9 + length).collect();
        let stream = u32::from_be_bytes(frame[5..9].try_into().unwrap());
        Some((frame[3], frame[4], stream, frame[9..].to_vec()))
    }

    fn fill(&mut self, length: usize) -> Option<()> {
        let mut piece = [0; 16 * 1024];
        while self.buffer.len() < length {
            match self.socket.read(&mut piece) {
                Ok(0) => return None,
                Ok(count) => self.buffer.extend(&piece[..count]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    panic!("the server sends nothing for {LIMIT:?}")
                }
                // A read with a time limit is not restarted after the process was suspended.
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_reset) => return None,
            }
        }
        Some(())
    }
}

/// Returns the status that a header block begins with, or 0 if it is an entry of the dynamic table.
fn status(block: &[u8]) -> u16 {
    match block {
        // A new size of the table, in one byte or more.
        [0x20..=0x3e, rest @ ..] => status(rest),
        [0x3f, rest @ ..] => {
            let end = rest.iter().position(|byte| byte & 0x80 == 0).unwrap();
            status(&rest[end + 1..])
        }
        [0xbe..=0xff, ..] => 0,
        [indexed @ 0x88..=0x8e, ..] => {
            [200, 204, 206, 304, 400, 404, 500][usize::from(indexed - 0x88)]
        }
        // A literal with the name `:status` and a value in Huffman codes.
        [0x08 | 0x48, length, code @ ..] if length & 0x80 != 0 => {
            let third = code.get(2).unwrap_or(&0);
            let bits = format!("{:08b}{:08b}{third:08b}", code[0], code[1]);
            let mut bits = bits.as_str();
            let mut status = 0;
            for _ in 0..3 {
                let (width, first) = if bits.starts_with("000") { (5, 0) } else { (6, 22) };
                let (digit, rest) = bits.split_at(width);
                status = status * 10 + u16::from_str_radix(digit, 2).unwrap() - first;
                bits = rest;
            }
            status
        }
        _ => panic!("not a status: {block:x?}"),
    }
}

/// Returns the name of an error code (RFC 9113 section 7).
fn reason(code: u32) -> &'static str {
    let names = [
        "NO_ERROR",
        "PROTOCOL_ERROR",
        "INTERNAL_ERROR",
        "FLOW_CONTROL_ERROR",
        "SETTINGS_TIMEOUT",
        "STREAM_CLOSED",
        "FRAME_SIZE_ERROR",
        "REFUSED_STREAM",
        "CANCEL",
        "COMPRESSION_ERROR",
        "CONNECT_ERROR",
        "ENHANCE_YOUR_CALM",
    ];
    names[usize::try_from(code).unwrap()]
}

/// Maximum time of any step, on the slowest machine.
const LIMIT: Duration = Duration::from_secs(30);
