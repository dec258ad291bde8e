//! The examples of the spec as data: what a client sends, and what a service answers, byte for byte.
//!
//! Whoever writes a client or a server of the gateway in another way can hold it against them.

pub use crate::generated::cases::CONTRACT_CASES;

/// One call of the service and its answer.
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
    /// The value that selects the operation (section 4), such as `candidates/list`.
    pub method: &'static str,
    /// The query that a client sends, without the `?`.
    pub query: &'static str,
    /// The body of the answer, as JSON.
    pub body: &'static str,
    /// The places of the records that a client reports as not readable, without losing the others.
    pub rejected: &'static [usize],
    /// Whether a client must be able to read this answer.
    pub client: bool,
    /// Whether a server can be made to give this answer; if not, it is a strange one.
    pub server: bool,
}
