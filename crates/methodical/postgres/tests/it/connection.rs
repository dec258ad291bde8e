//! Opens connections, and keeps the warnings.

use std::sync::{Arc, Mutex};

use methodical_postgres::{Connector, Error};

/// Connects, and returns the warnings. Neither they nor the error may contain the password.
pub(crate) fn connect(url: &str) -> (Result<(), Error>, Vec<String>) {
    let notices = Arc::new(Mutex::new(Vec::new()));
    let receiver = Arc::clone(&notices);
    let notice = move |text: &str| receiver.lock().unwrap().push(text.to_owned());
    let connector = Connector::new(url, "test", notice);
    let result = connector.and_then(|connector| connector.open()).map(drop);
    let notices = notices.lock().unwrap().clone();
    assert!(!format!("{notices:?} {result:?}").contains("canary"), "{notices:?}");
    (result, notices)
}

/// Returns the text of the error.
pub(crate) fn refused(url: &str) -> String {
    connect(url).0.expect_err(url).to_string()
}

/// Returns the warnings.
pub(crate) fn accepted(url: &str) -> Vec<String> {
    let (result, notices) = connect(url);
    result.unwrap_or_else(|error| panic!("{url}: {error:?}"));
    notices
}
