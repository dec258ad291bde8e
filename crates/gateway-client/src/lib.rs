//! Client of the recruitment gateway over any transport, async and blocking.
//!
//! # Examples
//!
//! ```no_run
//! use gateway_client::model::ListCandidates;
//! use gateway_client::{AccessToken, Client};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let client = Client::builder("https://gateway.example.com")
//!     .token(AccessToken::new(std::env::var("GATEWAY_TOKEN")?)?)
//!     .build()?;
//! let listing = client.list_candidates(&ListCandidates::new().vacancy_id(7).status("New")).await?;
//! println!("{} candidates, {} not readable", listing.items.len(), listing.rejected.len());
//! # Ok(())
//! # }
//! ```
//!
//! [`blocking::Client`] has the same methods without `async`; both run the same policy.
//!
//! More of them, each a small program, with `cargo run -p gateway-client --example …`:
//!
//! | example | what it shows |
//! |---|---|
//! | `first_call` | who applied, and who could not be read |
//! | `blocking` | the same client without a runtime, and what to do with each kind of failure |
//! | `stream` | a list of any length in little memory |
//! | `own_token_source` | tokens from a place of one's own |
//! | `own_transport` | a transport of one's own, around another |
//! | `in_process` | a server in the same process, without a socket (feature `tower` of [`transport`]) |
//!
//! # The policy of a call
//!
//! | what | default | set with |
//! |---|---|---|
//! | the whole call, with retries and waiting | 60 s | [`Builder::call_timeout`] |
//! | one attempt | 30 s | [`Builder::attempt_timeout`] |
//! | a stream, from the first attempt to its end; until its head, the limits above hold | 1 h | [`Builder::stream_timeout`] |
//! | attempts, the first one included | 3 | [`RetryPolicy::max_attempts`] |
//! | what must be left of the call for another attempt | 10 ms | |
//! | longest wait before the second attempt, doubled before each further one | 200 ms | [`RetryPolicy::base_delay`] |
//! | where the doubling ends | 5 s | [`RetryPolicy::max_delay`] |
//! | longest `Retry-After` that is waited for | 30 s | [`RetryPolicy::max_retry_after`] |
//! | retries at once, of a client and its clones | 10 | [`RetryBudget::at_once`] |
//! | answered calls that earn another retry | 10 | [`RetryBudget::calls_per_retry`] |
//! | body of a successful answer | 64 MiB | [`Builder::body_limit`] |
//! | record of a stream | 1 MiB | [`Records::record_limit`] |
//! | body kept with an error | 64 KiB | |
//! | token of a file or a program | 64 KiB | |
//!
//! A wait is drawn between nothing and the longest (full jitter), so that many clients do not return in step; what
//! `Retry-After` asks for is waited for at least. Limits of a connection, such as how long it may be silent, belong to the
//! transport: see its [`Options`](transport::Options).
//!
//! Only what may help is sent again: failures on the way (not TLS, not protocol) and the statuses 408, 429, 500, 502,
//! 503 and 504. Redirects are never followed, because they would carry the token elsewhere. After a 401 the
//! [`TokenSource`] is asked once for another token.
//!
//! # What can be seen of a call
//!
//! With the feature `tracing`, each call is a span, and within it each attempt is one, in the terms of
//! [OpenTelemetry's conventions for HTTP clients][conventions]. All are at level `DEBUG` and of the target
//! `gateway_client`; where nobody listens, they cost a comparison each. For metrics there is an [`Observer`].
//!
//! | span | field | value |
//! |---|---|---|
//! | `call`, until the answer is read or the stream is over | `otel.name`, `gateway.operation` | such as `candidates/list`; absent for a [`RawQuery`](model::RawQuery) |
//! | | `gateway.attempts` | how often the request was sent |
//! | | `gateway.records` | of a stream: how many records were read |
//! | | `error.type` | why it failed: [`ErrorKind::as_str`] |
//! | | `otel.status_code` | `error` if it failed |
//! | `attempt`, until the answer is there or, for a stream, its head | `otel.name`, `http.request.method` | `GET` |
//! | | `otel.kind` | `client` |
//! | | `gateway.operation` | as above |
//! | | `http.request.resend_count` | absent for the first attempt, then 1, 2, … |
//! | | `server.address`, `server.port` | of the base URL; the port of the scheme if it has none |
//! | | `url.full` | the URL; of its query only the names, and the value of `method` |
//! | | `http.response.status_code` | the status, if an answer came |
//! | | `error.type` | the status from 400 on, or what the transport reports: [`Attempt::error_type`] |
//! | | `otel.status_code` | `error` if there is an `error.type` |
//!
//! Events are `the attempt is over` with `gateway.elapsed_ms`, in the span of the attempt, and `another attempt follows`
//! with `gateway.delay_ms`, in the span of the call. The version of HTTP is not among the fields, because a transport of
//! one's own need not say it.
//!
//! No span, no event and no text of an [`Error`] has the token, a header, the value of a parameter or a record in it:
//! what is asked about people is personal, and so is what comes back. What came back is behind [`Error::headers`] and
//! [`Error::body`], for whoever asks for it.
//!
//! [conventions]: https://opentelemetry.io/docs/specs/semconv/http/http-spans/#http-client-span
//!
//! # Features
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `reqwest` | yes | a default transport for [`Client`] |
//! | `reqwest-blocking` | | a default transport for [`blocking::Client`] |
//! | `rustls` | yes | `https` for them |
//! | `oauth2` | | `ClientCredentials`: tokens from an OAuth 2.0 authorisation server |
//! | `simd` | | lists are read with wide instructions (SIMD) |
//! | `tracing` | yes | [spans](#what-can-be-seen-of-a-call) of every call and attempt |

#![warn(clippy::exhaustive_enums, clippy::exhaustive_structs)]

mod access_token;
mod answer;
mod base_url;
mod builder;
mod call;
mod client;
mod core;
mod error;
mod generated;
#[cfg(test)]
mod limits;
mod observer;
mod problem;
mod records;
mod request;
mod retry;
mod sleep;
mod streamed_answer;
mod token;
#[cfg_attr(not(feature = "tracing"), path = "untraced.rs")]
mod trace;

pub mod blocking;

#[doc(no_inline)]
pub use gateway_model as model;
#[doc(no_inline)]
pub use gateway_transport as transport;

pub use crate::access_token::AccessToken;
pub use crate::answer::Answer;
pub use crate::builder::Builder;
pub use crate::client::Client;
pub use crate::error::{Error, ErrorKind};
pub use crate::observer::{Attempt, Observer};
pub use crate::problem::Problem;
pub use crate::records::{Entry, Records};
pub use crate::retry::{RetryBudget, RetryPolicy};
pub use crate::streamed_answer::StreamedAnswer;
#[cfg(feature = "oauth2")]
pub use crate::token::ClientCredentials;
pub use crate::token::{CommandToken, EnvironmentToken, FileToken, TokenSource};

/// The README's examples are compiled with this crate's tests.
#[cfg(all(doctest, feature = "reqwest"))]
#[doc = include_str!("../../../README.md")]
struct Readme;
