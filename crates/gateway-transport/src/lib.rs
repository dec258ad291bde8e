//! Sends one HTTP request and streams its response, over any HTTP client, async or blocking.
//!
//! A transport takes a [`Request`] and returns a [`Response`]. This crate has two traits, [`Transport`] (async) and
//! [`BlockingTransport`], one [`TransportError`] for both, and adapters behind features. To use another HTTP client,
//! implement one of the traits. The crate is independent of any service: it has no base URL, credentials or retries.
//!
//! # Seven promises
//!
//! Every adapter over an HTTP client, ours or yours, makes the same seven promises, and our conformance tests check
//! them. `reqwest` in a browser cannot keep all of them (see `docs/transports.md`). The wrappers in `gzip` and
//! `cassette` break some on purpose: one decodes bodies, the other buffers them.
//!
//! 1. The method, target, header bytes and body of any request are sent unchanged. Nothing is added except what
//!    HTTP/1.1 needs (`Host`, `Connection`, the framing of a body) and a `User-Agent`. A request that cannot be sent
//!    unchanged is refused with [`TransportErrorKind::InvalidRequest`].
//! 2. Every HTTP status, including 4xx and 5xx, is returned as `Ok`. Redirects are not followed, requests are not
//!    retried, and bodies are not decompressed. Header values are returned unchanged, including their case, and headers
//!    are not removed. Trailers are discarded without an error, and never become headers or a part of the body.
//! 3. The response streams: the head is returned before the body is complete, and a slow reader slows the peer down.
//! 4. The [`Deadline`] in the request's extensions is honored: the exchange fails if the head has not arrived by
//!    [`Deadline::head`], or the last byte of the body by [`Deadline::instant`].
//! 5. A body that ends early is an error, never a truncated success. After an error, each further read of [`Body`] or
//!    [`BlockingBody`] returns the same error again, without its source.
//! 6. Dropping the future, or a body that has not been read to its end, ends the exchange and closes the connection.
//! 7. An error says what failed ([`TransportError::kind`]), when ([`TransportError::phase`]), and whether the request
//!    may have reached the peer ([`TransportError::sent`]). Its text never contains a query, a header or a body.
//!
//! # Examples
//!
//! Scripted responses, without a network:
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
//! No feature is enabled by default. Features are additive, except that `rustls-aws-lc` replaces ring. In
//! a browser, `reqwest-blocking`, `ureq`, `bridge` and the `rustls` features add nothing, because a browser has neither
//! threads nor sockets, and has its own TLS.
//!
//! | feature | adds |
//! |---|---|
//! | `reqwest` | module `reqwest`: async, on tokio or, in a browser (`wasm32-unknown-unknown`), on `fetch` |
//! | `reqwest-blocking` | module `reqwest_blocking`: the same client without `async`, on a dedicated thread |
//! | `ureq` | module `ureq`: blocking, without a runtime |
//! | `bridge` | module `bridge`: any async transport for blocking callers |
//! | `tower-service` | module `tower`: transports as services of `tower-service` 0.3, and services, such as an axum router, as transports |
//! | `gzip` | module `gzip`: requests and decodes gzip, on top of any transport |
//! | `cassette` | module `cassette`: records exchanges as JSON lines and replays them |
//! | `rustls` | `https` for the adapters, with the default cryptography provider, ring |
//! | `rustls-ring` | `https` for the adapters, with ring |
//! | `rustls-aws-lc` | `https` for the adapters, with aws-lc, which takes precedence over ring |
//!
//! ring is the default because it builds in about a third of the time that aws-lc needs. aws-lc prefers the key
//! exchange `X25519MLKEM768`, which protects recorded traffic against a future quantum computer.
#![forbid(unsafe_code)]
#![warn(clippy::exhaustive_enums, clippy::exhaustive_structs)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod blocking_body;
mod body;
mod deadline;
mod error;
mod memory;
mod options;
mod platform;
mod redacted;
#[cfg(feature = "test-util")]
#[doc(hidden)]
pub mod simulated;
mod transport;

#[cfg(any(feature = "reqwest", feature = "ureq"))]
mod target;
#[cfg(all(
    feature = "__tls",
    any(feature = "reqwest", feature = "ureq"),
    not(all(target_family = "wasm", target_os = "unknown"))
))]
mod tls;

#[cfg(all(feature = "bridge", not(all(target_family = "wasm", target_os = "unknown"))))]
pub mod bridge;
#[cfg(feature = "cassette")]
pub mod cassette;
#[cfg(feature = "gzip")]
pub mod gzip;
#[cfg(feature = "reqwest")]
pub mod reqwest;
#[cfg(all(feature = "reqwest-blocking", not(all(target_family = "wasm", target_os = "unknown"))))]
pub mod reqwest_blocking;
#[cfg(feature = "tower-service")]
pub mod tower;
#[cfg(all(feature = "ureq", not(all(target_family = "wasm", target_os = "unknown"))))]
pub mod ureq;

#[doc(no_inline)]
pub use {bytes, http};

pub use crate::blocking_body::BlockingBody;
pub use crate::body::Body;
pub use crate::deadline::Deadline;
pub use crate::error::{BoxError, Phase, Sent, TransportError, TransportErrorKind};
pub use crate::memory::MemoryTransport;
pub use crate::options::{ClientCertificate, Options, Proxy, ProxyServer};
#[doc(hidden)]
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub use crate::platform::sleep_until;
pub use crate::platform::{BoxFuture, Instant, MaybeSend};
#[doc(hidden)]
pub use crate::platform::{now, ready_before};
pub use crate::redacted::{Redacted, mark_sensitive};
pub use crate::transport::{
    BlockingResponse, BlockingTransport, MapRequest, Request, Response, SharedTransport, Transport,
    blocking_transport_fn, transport_fn,
};

/// Whether the adapters in this build can use `https`. A browser always can.
#[doc(hidden)]
pub const HAS_TLS: bool =
    cfg!(any(feature = "__tls", all(target_family = "wasm", target_os = "unknown")));

/// Runs the README's examples with this crate's doctests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
