//! The operations of the gateway as `wiremock` mocks, for tests of code that uses a client.
//!
//! Each operation has one type, generated from the spec. A mock describes the calls that it matches, in the types of
//! the model, and the response. It matches a call with any value of a parameter that the mock does not mention.
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
//! Other responses are a truncated list, one with a bad record, a failure with `Retry-After`, and any of them after a
//! delay. For broken connections, use a `RawServer` of the feature `raw-server`.
//!
//! A call that no mock matches gets status 404. If expected calls did not arrive, `wiremock` lists the requests that it
//! received.

#[doc(inline)]
pub use methodical_testkit::mocks::{Call, MockedCall};

pub use crate::generated::mocks::*;
