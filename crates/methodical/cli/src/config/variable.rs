//! Settings in the environment.

use std::env;

use crate::failure::Failure;

/// Returns the value of an environment variable; `None` if it is unset or empty.
///
/// Text that is not UTF-8 is refused: if it were ignored, another source would set another account.
pub(crate) fn setting(name: &str) -> Result<Option<String>, Failure> {
    match env::var(name) {
        Ok(value) => Ok(Some(value).filter(|value| !value.is_empty())),
        Err(env::VarError::NotPresent) => Ok(None),
        Err(env::VarError::NotUnicode(_value)) => {
            Err(Failure::usage(format!("the environment variable {name} is not valid UTF-8")))
        }
    }
}
