//! Tests for those who build on the recruitment gateway: for a transport, for a service, for code that uses a client.
//!
//! Nothing is on by default; each feature adds a module and its dependencies.
//!
//! | feature | adds |
//! |---|---|
//! | `raw-server` | module `raw_server`: a server that plays bytes, well-formed or not |
//! | `tls` | module `certificates`, and the raw server within TLS |
#![forbid(unsafe_code)]

#[cfg(feature = "tls")]
pub mod certificates;
#[cfg(feature = "raw-server")]
pub mod raw_server;
