//! The operations of the gateway as `wiremock` mocks, for tests of code that uses a client.
//!
//! Each operation has one type, generated from the spec. A mock describes the calls that it matches, with the types of
//! the model, and the response. A parameter that the mock does not mention may have any value.
//!
//! ```
//! use gateway_model::{Candidate, ListCandidates, Operation as _};
//! use gateway_testkit::mocks::MockListCandidates;
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! let gateway = wiremock::MockServer::start().await;
//! let ada = Candidate::new("4711");
//! MockListCandidates::new().vacancy_id(52).answers(&[ada]).mount(&gateway).await;
//! // … let the code under test call `gateway.uri()`.
//! # });
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! A mock can also respond with a truncated list, a list with a bad record, or a failure with `Retry-After`, each with
//! or without a delay. For broken connections, use a `RawServer` (feature `raw-server`).
//!
//! A call that no mock matches gets status 404. If expected calls did not arrive, `wiremock` lists the requests that it
//! received.

#[doc(inline)]
pub use methodical_testkit::mocks::{Call, MockedCall};

pub use crate::generated::mocks::*;
