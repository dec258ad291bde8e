//! The examples of the contract as data: the query that a client sends and the response of a service, byte for
//! byte.
//!
//! Use them to test your own client or server of the gateway.
//!
//! ```
//! use gateway_testkit::cases::CONTRACT_CASES;
//!
//! for case in CONTRACT_CASES.iter().filter(|case| case.client) {
//!     assert!(case.query.starts_with("method="), "{}", case.name);
//! }
//! ```

#[doc(inline)]
pub use methodical_testkit::cases::ContractCase;

pub use crate::generated::cases::CONTRACT_CASES;
