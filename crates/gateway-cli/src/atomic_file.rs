//! Files that are written atomically: a reader sees the old file or the complete new one.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use tempfile::NamedTempFile;

use crate::interrupt::{self, Undo, Unfinished};

/// A temporary file that will replace another. If it is dropped, or a signal ends the program, it is removed.
#[derive(Debug)]
pub(crate) struct AtomicFile {
    file: NamedTempFile,
    unfinished: Unfinished,
}

impl AtomicFile {
    /// Creates a file with a temporary name in this folder, readable only by its owner.
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

    /// Syncs the file to the disk and renames it to `target`.
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
