//! Files that are being written, and take their name when they are complete.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind};
use crate::fields::hash::{fill, hex};
use crate::keep::backup::Existing;
use crate::store::sqlite::files;
use crate::store::sqlite::lock::Lock;

/// A file beside the one that it becomes. Dropping it removes it.
#[derive(Debug)]
pub(crate) struct Partial {
    path: PathBuf,
    /// Shows to [`sweep`] that the file is in use.
    lock: Option<Lock>,
}

impl Partial {
    /// Creates an empty file for its owner only.
    pub(crate) fn create(target: &Path) -> Result<Self, Error> {
        let mut random = [0; 8];
        fill(&mut random)?;
        let mut name = prefix(target);
        name.push(hex(&random));
        name.push(SUFFIX);
        let path = folder(target).join(name);
        let lock = Some(Lock::take(&own(&path))?);
        let partial = Self { path, lock };
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(&partial.path).map_err(|error| failed("create", &partial.path, error))?;
        Ok(partial)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Gives the file its name, when everything is on the disk.
    pub(crate) fn finish(self, target: &Path, existing: Existing) -> Result<(), Error> {
        let write = || -> io::Result<()> {
            File::open(&self.path)?.sync_all()?;
            match existing {
                // A link does not replace a file that another process has created since.
                Existing::Refuse => fs::hard_link(&self.path, target)?,
                Existing::Replace => fs::rename(&self.path, target)?,
            }
            sync_folder(target)
        };
        write().map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => exists(target),
            _ => failed("write", target, error),
        })
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        remove(&self.path);
        self.lock = None;
        let mut lock = own(&self.path).into_os_string();
        lock.push(".lock");
        let _ignored = fs::remove_file(lock);
    }
}

/// Removes the partial files of processes that were killed, which would be forgotten there.
pub(crate) fn sweep(target: &Path) {
    let Ok(entries) = fs::read_dir(folder(target)) else { return };
    let prefix = prefix(target);
    for entry in entries.filter_map(Result::ok) {
        let name = entry.file_name();
        let (bytes, prefix) = (name.as_encoded_bytes(), prefix.as_encoded_bytes());
        let is_partial = bytes.starts_with(prefix) && bytes.ends_with(SUFFIX.as_bytes());
        if !is_partial {
            continue;
        }
        if let Ok(lock) = Lock::take(&own(&entry.path())) {
            drop(Partial { path: entry.path(), lock: Some(lock) });
        }
    }
}

/// Creates the error of a file that exists.
pub(crate) fn exists(path: &Path) -> Error {
    let text = format!(
        "cannot write {}: it exists; choose another file, or allow replacing it",
        path.display()
    );
    Error::new(ErrorKind::Io, text)
}

pub(crate) fn failed(verb: &str, path: &Path, error: io::Error) -> Error {
    Error::new(ErrorKind::Io, format!("cannot {verb} {}", path.display())).because(error)
}

/// Removes a database file and everything that SQLite keeps beside it.
fn remove(path: &Path) {
    for suffix in ["", "-wal", "-shm", "-journal", ".lock"] {
        let _ignored = fs::remove_file(files::beside(path, suffix));
    }
}

/// The path whose lock belongs to a partial file. That of the file itself belongs to its transactions.
fn own(path: &Path) -> PathBuf {
    files::beside(path, "-own")
}

fn prefix(target: &Path) -> OsString {
    let mut name = OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(".");
    name
}

/// Returns the folder of a file.
fn folder(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or_else(|| Path::new("."))
}

/// Writes the new name of a file to the disk.
fn sync_folder(path: &Path) -> io::Result<()> {
    // Windows cannot open a folder.
    if cfg!(unix) { File::open(folder(path))?.sync_all() } else { Ok(()) }
}

const SUFFIX: &str = ".partial";
