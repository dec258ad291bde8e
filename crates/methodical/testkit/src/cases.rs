//! The examples of a spec as data: the query that a client sends and the response of a service, byte for byte.
//!
//! A generated crate has one [`ContractCase`] for each example of its spec. Use them to test your own client or server.

/// A query and its response.
///
/// # Examples
///
/// ```
/// use methodical_testkit::cases::ContractCase;
///
/// const CASES: &[ContractCase] = &[
///     ContractCase::new("all-photos", "photos/list", "action=photos/list", r#"[{"id":"1"}]"#),
///     ContractCase::new("no-id", "photos/list", "action=photos/list", r#"[{"id":null}]"#)
///         .rejects(&[0])
///         .only_for_clients(),
/// ];
///
/// for case in CASES.iter().filter(|case| case.server) {
///     assert!(case.rejected.is_empty(), "{}", case.name);
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ContractCase {
    /// The name of the case, such as `all-photos`.
    pub name: &'static str,
    /// The value of the selector, such as `photos/list`.
    pub method: &'static str,
    /// The query, without the `?`.
    pub query: &'static str,
    /// The body of the request; empty for a GET.
    pub sent: &'static str,
    /// The body of the response, as JSON.
    pub body: &'static str,
    /// Indexes of the records that a client rejects, while it keeps the others.
    pub rejected: &'static [usize],
    /// Whether a client must be able to decode this response.
    pub client: bool,
    /// Whether a server of the same project can send this response. If not, it is an unusual one that the contract
    /// does not exclude.
    pub server: bool,
}

impl ContractCase {
    /// Creates a case for clients and servers, without a rejected record.
    pub const fn new(
        name: &'static str,
        method: &'static str,
        query: &'static str,
        body: &'static str,
    ) -> Self {
        Self { name, method, query, sent: "", body, rejected: &[], client: true, server: true }
    }

    /// Sets the body of the request, which is a POST.
    #[must_use]
    pub const fn posts(self, sent: &'static str) -> Self {
        Self { sent, ..self }
    }

    /// Sets the indexes of the records that a client rejects.
    #[must_use]
    pub const fn rejects(self, rejected: &'static [usize]) -> Self {
        Self { rejected, ..self }
    }

    /// Declares that a server cannot send the response.
    #[must_use]
    pub const fn only_for_clients(self) -> Self {
        Self { server: false, ..self }
    }

    /// Declares that a client need not be able to decode the response.
    #[must_use]
    pub const fn only_for_servers(self) -> Self {
        Self { client: false, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::ContractCase;

    #[test]
    fn a_case_is_for_both_sides_unless_it_says_otherwise() {
        let case = ContractCase::new("add", "photos/add", "action=photos/add", "{}");
        assert_eq!((case.client, case.server, case.rejected), (true, true, &[][..]));
        let client = case.posts("title=Pier").rejects(&[1]).only_for_clients();
        assert_eq!((client.client, client.server), (true, false));
        assert_eq!((client.sent, client.rejected), ("title=Pier", &[1][..]));
        let server = case.only_for_servers();
        assert_eq!((server.client, server.server, server.sent), (false, true, ""));
        let texts = [server.name, server.method, server.query, server.body];
        assert_eq!(texts, ["add", "photos/add", "action=photos/add", "{}"]);
    }
}
