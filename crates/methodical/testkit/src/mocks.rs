//! The calls of a service as `wiremock` mocks, for tests of code that uses a client.
//!
//! A generated crate has one type for each operation, with methods for its parameters and its records. A [`Call`] is
//! what all of them consist of; use it for an operation that the spec does not have.
//!
//! A call that no mock matches gets status 404. If a mock expects calls that did not come, `wiremock` lists the requests
//! that it received.
//!
//! A mock always sends well-formed HTTP. For broken connections, put a [`FaultyServer`](crate::faults::FaultyServer) in
//! front of the mocks.

mod call;
mod matcher;
mod pages;
#[cfg(test)]
mod tests;

#[doc(no_inline)]
pub use methodical_model::{BodyFormat, ListStyle};
/// A call with its response. It answers calls of a server on which it is mounted.
pub use wiremock::Mock as MockedCall;

pub use crate::mocks::call::Call;
pub use crate::mocks::pages::MockedPages;
