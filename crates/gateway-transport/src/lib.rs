//! Carries one HTTP request and its streaming response: pluggable, async and blocking.
//!
//! A transport is anything that takes a [`Request`] and gives back a [`Response`]. This crate has the two traits,
//! [`Transport`] (async) and [`BlockingTransport`], one typed [`TransportError`] for all of them, and adapters behind
//! features. It knows nothing of any particular service: no base address, no credentials, no retries.
//!
//! # The contract of a transport
//!
//! Every implementation, ours or yours, promises the same, and our tests check it:
//!
//! 1. Method, target and header bytes are sent as given; nothing is added but what HTTP/1.1 framing needs.
//!    What cannot be sent unchanged is refused with [`ErrorKind::InvalidRequest`].
//! 2. Every status is `Ok`. No redirect is followed, nothing is retried, nothing is decompressed.
//! 3. The response streams: the head is handed over before the body, and a slow reader slows the peer down.
//! 4. The [`Deadline`] in the request's extensions is honoured: its [`head`](Deadline::head) until the head is there, the
//!    rest up to the last byte of the body.
//! 5. A body that ends early is an error, never a short success.
//! 6. Dropping the future or the body ends the exchange and closes the connection.
//! 7. An error says what failed ([`TransportError::kind`]), when ([`TransportError::phase`]) and whether the request
//!    may have reached the peer ([`TransportError::sent`]); its text never has a query, a header or a body in it.
//!
//! # Examples
//!
//! Without a network, from a script of answers:
//!
//! ```
//! use gateway_transport::{BlockingTransport, MemoryTransport, Request};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let transport = MemoryTransport::new([Ok(http::Response::new("[]".into()))]);
//! let request: Request = http::Request::get("http://localhost/list").body("".into())?;
//!
//! let response = BlockingTransport::send(&transport, request)?;
//! assert_eq!(response.into_body().collect(1024)?, "[]");
//! # Ok(())
//! # }
//! ```
//!
//! # Features
//!
//! None is on by default, and each one adds a module and changes nothing else.
//!
//! | feature | adds |
//! |---|---|
//! | `reqwest` | module `reqwest`: async, on tokio |
//! | `reqwest-blocking` | module `reqwest_blocking`: the same client without `async`, on a thread of its own |
//! | `ureq` | module `ureq`: blocking, without any runtime |
//! | `bridge` | module `bridge`: from one of the two traits to the other |
//! | `tower` | module `tower`: transports as tower services, and services (an axum router) as transports |
//! | `gzip` | module `gzip`: asks for gzip and decodes it, on top of any transport |
//! | `cassette` | module `cassette`: records exchanges to JSON lines and replays them |
//! | `rustls` | `https` for the adapters, with the aws-lc cryptography |
//! | `rustls-ring` | the same with the ring cryptography; with both on, aws-lc is used |
#![forbid(unsafe_code)]
#![warn(clippy::exhaustive_enums, clippy::exhaustive_structs)]

mod blocking_body;
mod body;
mod deadline;
mod error;
mod function;
mod maybe_send;
mod memory;
mod mutex;
mod options;
mod sensitive;
mod shared;
mod transport;

#[cfg(any(feature = "bridge", feature = "reqwest", feature = "tower"))]
mod runtime;
#[cfg(any(feature = "reqwest", feature = "ureq"))]
mod target;
#[cfg(all(feature = "__tls", any(feature = "reqwest", feature = "ureq")))]
mod tls;

#[cfg(feature = "bridge")]
pub mod bridge;
#[cfg(feature = "cassette")]
pub mod cassette;
#[cfg(feature = "gzip")]
pub mod gzip;
#[cfg(feature = "reqwest")]
pub mod reqwest;
#[cfg(feature = "reqwest-blocking")]
pub mod reqwest_blocking;
#[cfg(feature = "tower")]
pub mod tower;
#[cfg(feature = "ureq")]
pub mod ureq;

#[doc(no_inline)]
pub use {bytes, http};

pub use crate::blocking_body::BlockingBody;
pub use crate::body::Body;
pub use crate::deadline::Deadline;
pub use crate::error::{BoxError, ErrorKind, Phase, Sent, TransportError};
pub use crate::function::{blocking_transport_fn, transport_fn};
pub use crate::maybe_send::{BoxFuture, MaybeSend};
pub use crate::memory::MemoryTransport;
pub use crate::options::{Options, Proxy};
pub use crate::sensitive::mark_sensitive;
pub use crate::shared::SharedTransport;
pub use crate::transport::{BlockingResponse, BlockingTransport, Request, Response, Transport};
