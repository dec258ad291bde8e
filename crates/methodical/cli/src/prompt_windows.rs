//! Asks a person for a secret on Windows, where the console hides what is typed and recovers by itself.

use std::io;

/// Asks for a secret on the console.
pub(crate) fn secret(question: &str) -> io::Result<String> {
    rpassword::prompt_password(question)
}
