//! Paths and contents of files on disk.

use std::path::Path;
use std::{fs, io};

use crate::output::error::Error;

/// The path of the spec, from the workspace root.
pub const SPEC: &str = "spec/gateway.toml";

/// Reads a file; `None` if there is none. Windows line ends count as none.
pub(super) fn read(path: &Path) -> Result<Option<String>, Error> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).replace("\r\n", "\n"))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io(format!("cannot read `{}`", path.display()), error)),
    }
}

/// What stands after the last dot of a path.
pub(super) fn extension(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(_, extension)| extension)
}
