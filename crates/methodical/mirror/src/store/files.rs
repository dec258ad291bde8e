//! Files and folders that only their owner may read.

use std::ffi::OsString;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind};

/// Opens a file for reading and writing. Creates it for its owner only.
pub(crate) fn private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Returns the path with a suffix, such as that of the log of a database.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

/// Creates the folder of a file for its owner only, if it does not exist.
pub(crate) fn create_folder(path: &Path) -> Result<(), Error> {
    let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) else {
        return Ok(());
    };
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|error| failed(path, error))
}

/// Creates the database file and its folder if they do not exist. Refuses a file that other users may read.
pub(crate) fn prepare(path: &Path) -> Result<(), Error> {
    create_folder(path)?;
    if !path.exists() {
        drop(private(path).map_err(|error| failed(path, error))?);
    }
    #[cfg(unix)]
    {
        // Not by opening it, see `opened`.
        let metadata = path.metadata().map_err(|error| failed(path, error))?;
        if std::os::unix::fs::MetadataExt::mode(&metadata) & 0o077 != 0 {
            let path = path.display();
            let text = format!(
                "cannot open {path}: other users may read it; if it is a mirror, run `chmod 600 {path}`"
            );
            return Err(Error::new(ErrorKind::Io, text));
        }
    }
    Ok(())
}

fn failed(path: &Path, error: io::Error) -> Error {
    Error::new(ErrorKind::Io, format!("cannot open {}", path.display())).because(error)
}
