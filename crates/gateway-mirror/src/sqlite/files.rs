//! Files and folders that only their owner may read.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::path::Path;

use crate::error::{Error, ErrorKind};

/// Opens a file for reading and writing. Creates it for its owner only.
pub(crate) fn private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Creates the database file and its folder if they do not exist. Refuses a file that other users may read.
pub(crate) fn prepare(path: &Path) -> Result<(), Error> {
    let failed = |error: io::Error| {
        Error::new(ErrorKind::Io, format!("cannot open {}", path.display())).because(error)
    };
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder).map_err(failed)?;
    }
    let file = private(path).map_err(failed)?;
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::MetadataExt::mode(&file.metadata().map_err(failed)?);
        if mode & 0o077 != 0 {
            let path = path.display();
            let text =
                format!("cannot open {path}: other users may read it; run `chmod 600 {path}`");
            return Err(Error::new(ErrorKind::Io, text));
        }
    }
    drop(file);
    Ok(())
}
