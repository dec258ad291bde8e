//! The messages between the conformance kit, in the program `wasm-tests`, and the adapter, in Node.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A command for Node.
#[derive(Debug, Serialize, Deserialize)]
pub struct Command {
    /// The number of the exchange.
    pub id: u64,
    /// The work.
    pub action: Action,
}

/// The work of a command.
#[derive(Debug, Serialize, Deserialize)]
pub enum Action {
    /// Sends a request, and answers with its head or an error.
    Send(Request),
    /// Reads a chunk of the body, and answers with it, its end or an error.
    Chunk,
    /// Drops the future or the body, without an answer.
    Drop,
}

/// A request.
#[derive(Debug, Serialize, Deserialize)]
pub struct Request {
    /// The method.
    pub method: String,
    /// The target.
    pub uri: String,
    /// Names and values.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The body.
    pub body: Payload,
    /// The idle timeout of the transport.
    pub idle_timeout: Duration,
    /// The time left for the exchange and for its head, if there is a deadline.
    pub time_left: Option<(Duration, Duration)>,
}

/// The body of a request.
#[derive(Debug, Serialize, Deserialize)]
pub enum Payload {
    /// One byte, repeated, so that a large body need not be sent to Node.
    Repeated(u8, usize),
    /// Any bytes, which Node fetches.
    Bytes,
}

/// An answer of Node, except a chunk.
#[derive(Debug, Serialize, Deserialize)]
pub enum Reply {
    /// The head of the response: status, names and values of the headers.
    Head(u16, Vec<(String, Vec<u8>)>),
    /// The end of the body.
    End,
    /// A failure.
    Error {
        /// The kind, as `Debug` prints it.
        kind: String,
        /// The phase, as `Debug` prints it.
        phase: String,
        /// Whether a byte was sent, as `Debug` prints it.
        sent: String,
        /// The text.
        text: String,
    },
}
