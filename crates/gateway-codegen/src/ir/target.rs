//! The targets of calls: paths and queries.

use crate::ir::{Operation, Place, Service};

impl Service {
    /// Returns the path of an operation: `/c/oauth/v1`.
    pub fn path_of(&self, operation: &Operation) -> String {
        match self.dispatch.place {
            Place::Query => self.path.clone(),
            Place::Path => format!("{}/{}", self.path, operation.select),
        }
    }

    /// Returns the query of an operation with these parameters, each as it is sent.
    pub fn query_of(
        &self,
        operation: &Operation,
        params: impl IntoIterator<Item = String>,
    ) -> String {
        let mut pairs = self.dispatch.pairs(operation);
        pairs.extend(params);
        pairs.join("&")
    }

    /// Returns the path and the query of an operation without parameters:
    /// `/c/oauth/v1?method=photos/list`.
    pub fn target_of(&self, operation: &Operation) -> String {
        joined(&self.path_of(operation), &self.query_of(operation, []))
    }
}

/// Returns a path with its query, which may be empty.
pub(crate) fn joined(path: &str, query: &str) -> String {
    if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
}
