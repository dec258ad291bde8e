//! An error and its causes in one line, for the operator.

use std::error::Error;

/// Returns the text of an error, followed by the text of each cause.
///
/// Causes name files, tables and codes of the database, never values.
pub(crate) fn with_causes(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}
