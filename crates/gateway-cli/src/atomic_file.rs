//! A file that takes its name when it is complete, so that a reader sees the old file or the new one.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use tempfile::NamedTempFile;

use crate::interrupt::{self, Undo, Unfinished};

/// A file without its name. Dropped or interrupted, it is removed.
#[derive(Debug)]
pub(crate) struct AtomicFile {
    file: NamedTempFile,
    unfinished: Unfinished,
}

impl AtomicFile {
    /// Creates a file that only its owner can read, under a temporary name in this folder.
    pub(crate) fn create(folder: &Path, suffix: &str) -> io::Result<Self> {
        let (file, unfinished) = interrupt::begin(|| {
            let mut builder = tempfile::Builder::new();
            let file = builder.prefix(".gateway-").suffix(suffix).tempfile_in(folder)?;
            let path = file.path().to_owned();
            let undo = Undo::new(move || drop(fs::remove_file(path))).result("nothing was written");
            io::Result::Ok((file, undo))
        })?;
        Ok(Self { file, unfinished })
    }

    /// Returns the open file.
    pub(crate) fn as_file(&self) -> &File {
        self.file.as_file()
    }

    /// Writes the file to the disk, and gives it its name.
    pub(crate) fn persist(self, target: &Path) -> io::Result<()> {
        let Self { file, unfinished } = self;
        file.as_file().sync_all()?;
        unfinished.finish(|| file.persist(target))?;
        Ok(())
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
