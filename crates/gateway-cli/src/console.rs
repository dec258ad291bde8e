//! Stands for the terminal on Windows, where the console hides what is typed and undoes it by itself.

use std::io;

/// Asks for a secret.
pub(crate) fn ask_for_secret(question: &str) -> io::Result<String> {
    rpassword::prompt_password(question)
}
