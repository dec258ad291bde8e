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
//! # The policy of a call
//!
//! | what | default | set with |
//! |---|---|---|
//! | the whole call, with retries and waiting | 60 s | [`Builder::call_timeout`] |
//! | one attempt | 30 s | [`Builder::attempt_timeout`] |
//! | a stream, from the first attempt to the last record | 1 h | [`Builder::stream_timeout`] |
//! | attempts | 3 | [`RetryPolicy::max_attempts`] |
//! | wait before an attempt | up to 200 ms, doubled each time, at most 5 s, full jitter | [`RetryPolicy`] |
//! | longest `Retry-After` that is waited for | 30 s | [`RetryPolicy::max_retry_after`] |
//! | retry budget, shared by clones | 10 retries at once, then one for every 10 answered calls | [`Builder::retry_budget`] |
//! | largest body of a successful answer | 64 MiB | [`Builder::body_limit`] |
//! | largest record of a stream | 1 MiB | [`Records::record_limit`] |
//! | body kept with an error | the first 64 KiB | |
//!
//! Only what may help is sent again: failures on the way (not TLS, not protocol) and the statuses 408, 429, 500, 502,
//! 503 and 504. Redirects are never followed, because they would carry the token elsewhere. After a 401 the
//! [`TokenSource`] is asked once for another token.
//!
//! # Features
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `reqwest` | yes | a default transport for [`Client`] |
//! | `reqwest-blocking` | | a default transport for [`blocking::Client`] |
//! | `rustls` | yes | `https` for them |
//! | `oauth2` | | [`ClientCredentials`]: tokens from an OAuth 2.0 authorisation server |
//! | `tracing` | yes | an event for every attempt, in the terms of OpenTelemetry's HTTP client conventions |

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
mod observer;
mod problem;
mod records;
mod request;
mod retry;
mod sleep;
mod token;

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
#[cfg(feature = "oauth2")]
pub use crate::token::ClientCredentials;
pub use crate::token::{CommandToken, EnvironmentToken, FileToken, TokenSource};

/// The README's examples are compiled with this crate's tests.
#[cfg(all(doctest, feature = "reqwest"))]
#[doc = include_str!("../../../README.md")]
struct Readme;
