//! Paths and contents of files.

use std::path::Path;
use std::{fs, io};

use crate::output::error::Error;

/// Reads a file; `None` if it does not exist. Windows line endings become Unix line endings.
pub(super) fn read(path: &Path) -> Result<Option<String>, Error> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).replace("\r\n", "\n"))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io(format!("cannot read `{}`", path.display()), error)),
    }
}

/// Returns the part of a path after its last dot.
pub(super) fn extension(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(_, extension)| extension)
}
