//! Files that are written atomically: a reader sees the old file or the complete new one.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use tempfile::NamedTempFile;

use crate::interrupt::{self, Undo, Unfinished};
use crate::name::Name;

/// A temporary file that will replace another. If it is dropped, or a signal ends the program, it is removed.
#[derive(Debug)]
pub(crate) struct AtomicFile {
    file: NamedTempFile,
    unfinished: Unfinished,
}

impl AtomicFile {
    /// Creates a file with a temporary name in this folder, readable only by its owner.
    pub(crate) fn create(folder: &Path, prefix: &str, suffix: &str) -> io::Result<Self> {
        let (file, unfinished) = interrupt::begin(|| {
            let mut builder = tempfile::Builder::new();
            let file = builder.prefix(prefix).suffix(suffix).tempfile_in(folder)?;
            let path = file.path().to_owned();
            let undo = Undo::new(move || drop(fs::remove_file(path))).result("nothing was written");
            io::Result::Ok((file, undo))
        })?;
        // Shows other processes that the file is in use. Some file systems have no locks.
        drop(file.as_file().try_lock());
        Ok(Self { file, unfinished })
    }

    /// Removes files with this prefix and suffix that a killed process left in the folder: no process locks them, and they have not
    /// changed for a minute.
    pub(crate) fn remove_leftovers(folder: &Path, prefix: &str, suffix: &str) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let ours = name
                .to_str()
                .is_some_and(|name| name.starts_with(prefix) && name.ends_with(suffix));
            // The metadata is that of the entry itself, so this opens neither a link nor a pipe.
            let is_old = |there: fs::Metadata| {
                let age = there.modified().ok().and_then(|at| at.elapsed().ok());
                there.is_file() && age.is_some_and(|age| age >= LEFTOVER_AGE)
            };
            if !ours || !entry.metadata().is_ok_and(is_old) {
                continue;
            }
            let unlocked = File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok());
            if unlocked {
                // Somebody else may own it, or remove it first.
                drop(fs::remove_file(entry.path()));
            }
        }
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

/// Returns the prefix of the temporary files of a program.
pub(crate) fn prefix(program: Name) -> String {
    format!(".{program}-")
}

/// Minimum age of a leftover. A younger file may be about to be locked.
const LEFTOVER_AGE: Duration = Duration::from_secs(60);

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::time::SystemTime;

    use super::{AtomicFile, LEFTOVER_AGE};

    #[test]
    fn only_old_files_of_the_program_that_no_process_locks_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let old = SystemTime::now().checked_sub(LEFTOVER_AGE * 2).unwrap();
        for name in [".gw-1.part", ".gw-locked.part", ".gw-1.csv", "mine.part", ".gw-young.part"] {
            let file = File::create(folder.path().join(name)).unwrap();
            if !name.contains("young") {
                file.set_modified(old).unwrap();
            }
        }
        fs::create_dir(folder.path().join(".gw-folder.part")).unwrap();
        let locked = File::open(folder.path().join(".gw-locked.part")).unwrap();
        locked.lock().unwrap();
        AtomicFile::remove_leftovers(folder.path(), ".gw-", ".part");
        let names = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        let kept =
            [".gw-1.csv", ".gw-folder.part", ".gw-locked.part", ".gw-young.part", "mine.part"];
        assert_eq!(names, kept);
    }
}
