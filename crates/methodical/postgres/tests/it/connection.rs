//! Opens connections.

use methodical_postgres::{Connector, Error};

/// Connects. The error may not contain the password.
pub(crate) fn connect(url: &str) -> Result<(), Error> {
    let result = Connector::new(url, "test").and_then(|connector| connector.open()).map(drop);
    assert!(!format!("{result:?}").contains("canary"), "{result:?}");
    result
}

/// Returns the text of the error.
pub(crate) fn refused(url: &str) -> String {
    connect(url).expect_err(url).to_string()
}

pub(crate) fn accepted(url: &str) {
    connect(url).unwrap_or_else(|error| panic!("{url}: {error:?}"));
}
