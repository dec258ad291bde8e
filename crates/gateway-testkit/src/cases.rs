//! The examples of the contract as data: the query that a client sends and the response of a service, byte for
//! byte.
//!
//! Use them to test your own client or server of the gateway.

pub use crate::generated::cases::CONTRACT_CASES;

/// A query and its response.
///
/// # Examples
///
/// ```
/// use gateway_testkit::cases::CONTRACT_CASES;
///
/// for case in CONTRACT_CASES.iter().filter(|case| case.client) {
///     assert!(case.query.starts_with("method="), "{}", case.name);
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ContractCase {
    /// The name of the case, such as `candidates-of-vacancy`.
    pub name: &'static str,
    /// The value of `method` (section 4 of the contract), such as `candidates/list`.
    pub method: &'static str,
    /// The query, without the `?`.
    pub query: &'static str,
    /// The body of the response, as JSON.
    pub body: &'static str,
    /// Indexes of the records that a client rejects, while it keeps the others.
    pub rejected: &'static [usize],
    /// Whether a client must be able to decode this response.
    pub client: bool,
    /// Whether a server of this project can send this response. If not, it is an unusual one that the contract does
    /// not exclude.
    pub server: bool,
}
