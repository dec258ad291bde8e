//! Tests of connections to a real PostgreSQL.
// Tells the lints that these helpers may panic.
#![cfg(test)]

mod cluster;
mod encrypted;
mod hosts;
mod tls;

use methodical_postgres::{Connector, Error};

/// Connects. The error may not contain the password.
fn connect(url: &str) -> Result<(), Error> {
    let result = Connector::new(url, "test").and_then(|connector| connector.open()).map(drop);
    assert!(!format!("{result:?}").contains("canary"), "{result:?}");
    result
}

/// Returns the text of the error.
fn refused(url: &str) -> String {
    connect(url).expect_err(url).to_string()
}

fn accepted(url: &str) {
    connect(url).unwrap_or_else(|error| panic!("{url}: {error:?}"));
}
