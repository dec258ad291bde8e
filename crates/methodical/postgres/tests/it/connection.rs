//! Opens connections, and keeps the warnings.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use methodical_postgres::{Connector, Error, Options};

/// Returns a connector that does not read the environment of this process.
pub(crate) fn connector(
    url: &str,
    notice: impl Fn(&str) + Send + Sync + 'static,
) -> Result<Connector, Error> {
    Connector::new(url, Options::new("test").environment(|_name| None).notice(notice))
}

/// Connects, and returns the warnings. Neither they nor the error may contain the password.
pub(crate) fn connect(url: &str) -> (Result<(), Error>, Vec<String>) {
    let notices = Arc::new(Mutex::new(Vec::new()));
    let receiver = Arc::clone(&notices);
    let connector = connector(url, move |text| receiver.lock().unwrap().push(text.to_owned()));
    let result = connector.and_then(|connector| connector.open(Duration::from_secs(30))).map(drop);
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
