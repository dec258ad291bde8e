//! The calls of a service as `wiremock` mocks, for tests of code that uses a client.
//!
//! A generated crate has one type for each operation, with methods for its parameters and its records. A [`Call`] is
//! what all of them consist of; use it for an operation that the spec does not have.
//!
//! A call that no mock matches gets status 404. Its problem document, and the output of the test that mounted the mocks,
//! say what was called and how each mock differs:
//!
//! ```text
//! no mock matches this call: GET /api/v2?action=photos/list&album_id=…
//! mocked: photos/list with album_id: `album_id` differs
//! mocked: photos/get: another operation
//! ```
//!
//! The text has no token, and no value of a parameter.
//!
//! A mock always sends well-formed HTTP. For broken connections, put a [`FaultyServer`](crate::faults::FaultyServer) in
//! front of the mocks.

mod call;
mod matcher;
mod mocked_call;
mod pages;
#[cfg(test)]
mod tests;
mod unmatched;

#[doc(no_inline)]
pub use methodical_model::{BodyFormat, ListStyle};

pub use crate::mocks::call::Call;
pub use crate::mocks::mocked_call::MockedCall;
pub use crate::mocks::pages::MockedPages;
