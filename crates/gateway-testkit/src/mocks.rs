//! The operations of the gateway as `wiremock` mocks, for tests of code that uses a client.
//!
//! A [`Mock`] of a model query matches the calls with its parameters and responds with the model's records. A parameter
//! that the query does not have may have any value, unless the mock matches [only](Mock::only) this query. Each example
//! of the spec is also a mock.
//!
//! ```
//! use gateway_model::{Candidate, ListCandidates};
//! use gateway_testkit::mocks::{self, Mock};
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! let gateway = wiremock::MockServer::start().await;
//! let ada = Candidate::new("4711");
//! Mock::of(&ListCandidates::new().vacancy_id(52)).answers(&[ada]).mount(&gateway).await;
//! mocks::like_credits().mount(&gateway).await;
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
pub use methodical_testkit::mocks::{Mock, MockedCall};

pub use crate::generated::mocks::*;
