//! The runtime of generated gateway clients, async and blocking, over any transport.
//!
//! A gateway has one URL; a name in the request selects the operation. [`Client`] and [`blocking::Client`] call the
//! operations of one [`Service`](model::Service), with the same limits and retries. The client crate of a service
//! defines an alias for each of them and re-exports the types of this crate, so most programs need only that crate. Use
//! this crate directly in code that must work with clients of any service.
//!
//! # Examples
//!
//! ```no_run
//! use methodical_client::model::{RawQuery, Service};
//! use methodical_client::{AccessToken, Client};
//!
//! /// A service at `https://HOST/api/v1?method=…`.
//! struct Photos;
//!
//! impl Service for Photos {
//!     const PATH: &'static str = "/api/v1";
//!     const SELECTOR: &'static str = "method";
//!     const ACCEPT: &'static str = "application/json";
//! }
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let client = Client::<Photos>::builder("https://gateway.example.com")
//!     .token(AccessToken::new(std::env::var("GATEWAY_TOKEN")?)?)
//!     .build()?;
//! let photos = client.send(&RawQuery::new("photos/list").pair("album", "7")).await?;
//! println!("{}", photos.as_str());
//! # Ok(())
//! # }
//! ```
//!
//! # Limits and retries
//!
//! A call ends in bounded time and uses bounded memory, whatever the service does:
//!
//! | limit | default | set with |
//! |---|---|---|
//! | timeout for a call, including retries and waits | 60 s | [`ClientBuilder::call_timeout`] |
//! | timeout for one attempt | 30 s | [`ClientBuilder::attempt_timeout`] |
//! | timeout for a stream; until its head arrives, the two timeouts above also apply | 1 h | [`ClientBuilder::stream_timeout`] |
//! | attempts, including the first | 3 | [`RetryPolicy::max_attempts`] |
//! | minimum time left for another attempt | 10 ms | |
//! | maximum wait before the second attempt; it doubles before each further one | 200 ms | [`RetryPolicy::base_delay`] |
//! | upper limit of the doubled wait | 5 s | |
//! | longest `Retry-After` that the client honors | 30 s | |
//! | retries available at once, shared by a client and its clones | 10 | |
//! | answered calls needed to earn back one retry | 10 | |
//! | requests per second, shared by a client and its clones | none | [`ClientBuilder::requests_per_second`] |
//! | calls in flight, shared by a client and its clones | none | [`ClientBuilder::calls_in_flight`] |
//! | size of a successful response's body | 64 MiB | [`ClientBuilder::body_limit`] |
//! | size of one record in a stream | 1 MiB | [`Records::record_limit`] |
//! | part of the body kept with an error | 64 KiB | |
//! | pages per list | 10000 | [`Pages::max_pages`] |
//! | size of a token from a file or a command | 64 KiB | |
//!
//! [`CallOptions`] set a timeout and headers for individual calls.
//!
//! The wait before a retry is random, between zero and the maximum (full jitter), so that many clients do not retry in
//! lockstep. If the service sends a `Retry-After` of at most 30 s, the client waits at least that long; if it asks for
//! more, the client returns the error. With status 429 or 503, such a header also pauses all other requests of the
//! client and its clones. A call that would time out during the pause fails immediately, without sending another
//! request. For connection limits, such as the idle timeout, see the transport's [`Options`](transport::Options).
//!
//! The client retries an attempt that could not connect, timed out or was interrupted. It does not retry after a TLS or
//! protocol error. A POST that the spec does not mark as idempotent is retried only if it was not sent, or after status
//! 401. If a response arrived, its status decides what the client does; status 200 is success:
//!
//! | status | kind | the client |
//! |---|---|---|
//! | 301, 302, 303, 307, 308 | [`Redirected`](ErrorKind::Redirected) | returns the error |
//! | 401 | [`Unauthorized`](ErrorKind::Unauthorized) | asks the token source for another token once; retries if it gets one |
//! | 403 | [`Forbidden`](ErrorKind::Forbidden) | returns the error |
//! | 404 | [`NotFound`](ErrorKind::NotFound) | returns the error |
//! | 408 | [`Status`](ErrorKind::Status) | retries |
//! | 429 | [`RateLimited`](ErrorKind::RateLimited) | retries |
//! | 500, 502, 503, 504 | [`Server`](ErrorKind::Server) | retries |
//! | other 5xx | [`Server`](ErrorKind::Server) | returns the error |
//! | any other except 200 | [`Status`](ErrorKind::Status) | returns the error |
//!
//! A service may also report a failure in a body with status 200. The client treats the failure's class like a status:
//! [`Auth`](model::ErrorClass::Auth) like 401, [`RateLimit`](model::ErrorClass::RateLimit) like 429, and
//! [`Unavailable`](model::ErrorClass::Unavailable) like 503. [`Error::service`] returns the service's code and message.
//!
//! The client never follows a redirect, because that would send the token to another address.
//!
//! # Lists in pages
//!
//! A call requests one page of a list. If the contract declares how to request the next page, [`Client::pages`]
//! iterates over the pages, and [`Client::stream_all`] over the records of all pages. Both request a page only when it
//! is needed, in a separate call with its own retries. If a page violates the contract, both yield everything received
//! before it, and then an error of kind [`Paging`](ErrorKind::Paging).
//!
//! # Tracing
//!
//! Each call, and each of its attempts, is a `tracing` span whose fields follow [OpenTelemetry's conventions for HTTP
//! clients][conventions]. All spans have level `DEBUG` and target `gateway_client`, whichever crate defines the client.
//! If no subscriber is interested, a span costs one comparison. For metrics, set an [`Observer`].
//!
//! | span | field | value |
//! |---|---|---|
//! | `call`, until the response is decoded or the stream ends | `otel.name`, `gateway.operation` | such as `photos/list`; absent for a [`RawQuery`](model::RawQuery) |
//! | | `gateway.attempts` | number of attempts |
//! | | `gateway.records` | for a stream: number of records decoded |
//! | | `gateway.rejected` | number of rejected records, if any |
//! | | `error.type` | why the call failed: [`ErrorKind::as_str`] |
//! | | `otel.status_code` | `error` if the call failed |
//! | `attempt`, until the response is received or, for a stream, its head | `otel.name`, `http.request.method` | the method, such as `GET` |
//! | | `otel.kind` | `client` |
//! | | `gateway.operation` | as above |
//! | | `http.request.resend_count` | absent for the first attempt, then 1, 2, … |
//! | | `server.address`, `server.port` | from the base URL, or the default port of its scheme |
//! | | `url.full` | the URL; every query value is redacted, except the values of the selectors |
//! | | `http.response.status_code` | the status, if there was a response |
//! | | `error.type` | a status of 400 or above, or the [name of the transport error](transport::TransportErrorKind::as_str) |
//! | | `otel.status_code` | `error` if there is an `error.type` |
//!
//! The span of an attempt has the event `attempt finished` with `gateway.elapsed_ms`. The span of a call has the event
//! `retrying` with `gateway.delay_ms`. If records were rejected, the span of the call also has the event
//! `records were rejected` of level `WARN`, with `gateway.rejected` and the `gateway.paths` of the first 10 rejected
//! records. The HTTP version is not recorded, because a transport need not report it.
//!
//! Spans, events and the text of an [`Error`] never contain the token, a header, a parameter value or a record, because
//! these may be secret or personal data. [`Error::headers`] and [`Error::body`] return what the service sent.
//!
//! [conventions]: https://opentelemetry.io/docs/specs/semconv/http/http-spans/#http-client-span
//!
//! # Modules
//!
//! | module | contents |
//! |---|---|
//! | `client`, `blocking`, `builder` | the two clients and their builder |
//! | `call`, `engine` | a call as a state machine without I/O, and its driver |
//! | `request`, `head`, `response`, `streaming_response` | how a call builds its requests and reads the response |
//! | `policy`, `retry`, `pace`, `call_options` | limits, delays between attempts, the combined pace of all calls, options for individual calls |
//! | `records`, `pager` | the records of a list and its pages: steps without I/O, and two drivers |
//! | `access_token`, `token`, `base_url` | tokens, their sources, and where they may be sent |
//! | `error`, `observer`, `trace`, `time` | errors, metrics, spans, the clock and waiting |
//!
//! # Features
//!
//! | feature | default | adds |
//! |---|---|---|
//! | `reqwest` | yes | reqwest, the default transport of [`Client`] |
//! | `reqwest-blocking` | | reqwest on a thread, the default transport of [`blocking::Client`] |
//! | `ureq` | | ureq, the default transport of [`blocking::Client`] without `reqwest-blocking` |
//! | `rustls` | yes | `https` for these transports, with the default cryptography, ring |
//! | `rustls-ring`, `rustls-aws-lc` | | `https` with ring or with aws-lc, which takes precedence |
//! | `bridge`, `cassette`, `gzip` | | the module of that name in [`transport`] |
//! | `tower-service` | | the module `tower` in [`transport`] |
//! | `simd` | | decoding of lists with SIMD instructions |

#![cfg_attr(docsrs, feature(doc_cfg))]
#![warn(clippy::exhaustive_enums, clippy::exhaustive_structs)]

#[cfg(test)]
#[macro_use]
mod tests;

mod access_token;
mod base_url;
mod builder;
mod call;
mod call_options;
mod client;
mod engine;
mod error;
mod head;
mod observer;
mod pace;
mod pager;
mod policy;
mod records;
mod request;
mod response;
mod retry;
mod streaming_response;
mod time;
mod token;
mod trace;

use std::sync::{LockResult, PoisonError};

pub mod blocking;

#[doc(no_inline)]
pub use gateway_transport as transport;
#[doc(no_inline)]
pub use methodical_model as model;

pub use crate::access_token::AccessToken;
pub use crate::builder::ClientBuilder;
pub use crate::call_options::CallOptions;
pub use crate::client::Client;
pub use crate::error::{Error, ErrorKind};
pub use crate::head::retry_after;
pub use crate::observer::{Attempt, Observer};
pub use crate::pager::Pages;
pub use crate::records::{Entry, Records};
pub use crate::response::Problem;
pub use crate::retry::RetryPolicy;
pub use crate::streaming_response::StreamingResponse;
#[doc(hidden)]
pub use crate::time::{sleep, sleep_blocking};
pub use crate::token::{CommandToken, EnvironmentToken, FileToken, TokenSource, token_fn};

/// Returns a lock's guard, even if a thread has panicked while it held the lock.
///
/// This is safe, because this crate's code cannot panic halfway through a change to a locked value.
pub(crate) fn unpoisoned<Guard>(locked: LockResult<Guard>) -> Guard {
    locked.unwrap_or_else(PoisonError::into_inner)
}
