//! The targets of calls: paths and queries.

use crate::ir::{Auth, Operation, Place, SECRET, SecretPlace, Service};

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

    /// Returns the arguments of `curl` for a path and a query with shell variables in place of the
    /// secrets: the headers, and the URL without the base.
    pub(crate) fn with_variables(&self, path: &str, query: &str) -> (Vec<String>, String) {
        let mut headers = Vec::new();
        let (mut path, mut pairs) = (path.to_owned(), vec![query.to_owned()]);
        if self.auth == Auth::Bearer {
            headers.push("Authorization: Bearer $GATEWAY_TOKEN".to_owned());
        }
        for (index, secret) in self.auth.secrets().iter().enumerate() {
            let variable = if index == 0 {
                "$GATEWAY_TOKEN".to_owned()
            } else {
                let name = secret.name.to_ascii_uppercase();
                format!(
                    "$GATEWAY_SECRET_{}",
                    name.replace(|c: char| !c.is_ascii_alphanumeric(), "_")
                )
            };
            match secret.place {
                SecretPlace::Query => pairs.push(format!("{}={variable}", secret.name)),
                SecretPlace::Header => headers.push(format!("{}: {variable}", secret.name)),
                SecretPlace::Path => path = path.replace(SECRET, &variable),
            }
        }
        pairs.retain(|pair| !pair.is_empty());
        (headers, joined(&path, &pairs.join("&")))
    }
}

/// Returns a path with its query, which may be empty.
pub(crate) fn joined(path: &str, query: &str) -> String {
    if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
}
