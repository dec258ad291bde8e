//! The client for the recruitment gateway, async and blocking, over any transport. It combines the client of the crate
//! [`methodical_client`], which works for any method-dispatched API, with the queries in [`model`], which `cargo xtask`
//! generates from `spec/gateway.toml`.
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
//! let listing = client.send(&ListCandidates::new().vacancy_status(7, "New")).await?;
//! println!("{} candidates, {} rejected", listing.items.len(), listing.rejected.len());
//! # Ok(())
//! # }
//! ```
//!
//! Use [`Client`] in async code, and [`blocking::Client`] in other code. Both have the same methods, [limits and
//! retries](methodical_client#limits-and-retries), and [spans and events](methodical_client#tracing).
//!
//! # Without `async`
//!
//! With these features, the dependency tree contains ureq, but neither tokio nor reqwest:
//!
//! ```toml
//! gateway-client = { version = "0.1", default-features = false, features = ["ureq", "rustls"] }
//! ```
//!
#![cfg_attr(feature = "ureq", doc = "```no_run")]
#![cfg_attr(not(feature = "ureq"), doc = "```ignore")]
//! use gateway_client::model::ListVacancies;
//! use gateway_client::{EnvironmentToken, blocking};
//!
//! let client = blocking::Client::builder("https://gateway.example.com")
//!     .token(EnvironmentToken::new("GATEWAY_TOKEN"))
//!     .build()?;
//! let vacancies = client.send(&ListVacancies::new())?.items;
//! # Ok::<(), gateway_client::Error>(())
//! ```
//!
//! The feature `reqwest-blocking` is for programs that also use the async client: both then share one HTTP library.
//!
//! # In a browser
//!
//! With the default features, [`Client`] builds for `wasm32-unknown-unknown`. It sends its requests with `fetch`, which
//! follows redirects and hides why a call failed; `docs/transports.md` in the repository lists all limits. The blocking
//! client, tokens from files and tokens from commands do not work in a browser.
//!
//! # Where the code is
//!
//! | items | place |
//! |---|---|
//! | [`model`]: records, queries and ids | the crate `gateway-model` |
//! | [`transport`]: traits, adapters and errors for transports | the crate `gateway-transport` |
//! | builders, tokens, retries, limits, errors, streams, tracing | the crate [`methodical_client`] |
//!
//! The examples of the crate in the last row work with any service. For this service, write `gateway_client` instead of
//! `methodical_client`, and `Client` instead of `Client::<Photos>`.
//!
//! # Operations
//!
//! Each operation is a query in [`model`]: [`send`](Client::send) calls it and decodes the response,
//! [`stream`](Client::stream) yields the records of a list as they arrive, and [`stream_raw`](Client::stream_raw)
//! returns the response undecoded. If a record cannot be decoded, [`Listing::rejected`](model::Listing::rejected)
//! contains it, and the other records are returned.
//!
//! Run a longer example with `cargo run -p gateway-client --example NAME`:
//!
//! | example | shows |
//! |---|---|
//! | `first_call` | the new candidates of each vacancy, and how many records were rejected |
//! | `blocking` | the client without an async runtime: a list, and a stream of records |
//! | `errors` | each kind of failure, and how a program can respond |
//! | `stream` | a list of any length in little memory |
//! | `csv_and_sqlite` | candidates as CSV, and as rows of a database |
//! | `tracing` | the spans and events of a call |
//! | `own_token_source` | a custom token source |
//! | `own_transport` | a custom transport that wraps another one |
//! | `in_process` | a server in the same process, without a socket (feature `tower-service`) |
//!
//! `gateway-model` has examples that use only the types, and `gateway-testkit` has one with mocks.
//!
//! # Features
//!
//! | feature | default | adds |
//! |---|---|---|
//! | `reqwest` | yes | reqwest, the default transport of [`Client`] |
//! | `reqwest-blocking` | | reqwest on a thread, the default transport of [`blocking::Client`] |
//! | `ureq` | | ureq, the default transport of [`blocking::Client`] without `reqwest-blocking` |
//! | `rustls` | yes | `https` for these transports, with the default cryptography, ring |
//! | `rustls-ring`, `rustls-aws-lc` | | `https` with ring, or with aws-lc; aws-lc is used if both are on |
//! | `bridge`, `cassette`, `gzip` | | the module of that name in [`transport`] |
//! | `tower-service` | | the module `tower` in [`transport`] |
//! | `simd` | | lists are decoded with SIMD instructions |

#![cfg_attr(docsrs, feature(doc_cfg))]
#![warn(clippy::exhaustive_enums, clippy::exhaustive_structs)]

pub mod blocking;

#[doc(no_inline)]
pub use gateway_model as model;
#[doc(no_inline)]
pub use methodical_client::transport;
#[doc(no_inline)]
pub use methodical_client::{
    AccessToken, Attempt, CallOptions, CommandToken, Entry, EnvironmentToken, Error, ErrorKind,
    FileToken, Observer, Problem, Records, RetryPolicy, StreamingResponse, TokenSource, token_fn,
};

/// An async client for one account of the service. In code without `async`, use [`blocking::Client`].
///
/// ```
/// use gateway_client::model::ListCandidates;
/// use gateway_client::{Client, Error};
///
/// async fn new_candidates(client: &Client, query: &ListCandidates) -> Result<usize, Error> {
///     Ok(client.send(query).await?.items.len())
/// }
/// ```
pub type Client = methodical_client::Client<model::service::RecruitmentGateway>;

/// Builds a [`Client`]; [`methodical_client::ClientBuilder`] describes the settings.
pub type ClientBuilder = methodical_client::ClientBuilder<model::service::RecruitmentGateway>;

/// Compiles the examples of the README with the tests of this crate.
#[cfg(all(doctest, feature = "reqwest"))]
#[doc = include_str!("../README.md")]
struct Readme;
