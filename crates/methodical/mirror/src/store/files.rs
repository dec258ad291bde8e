//! A mirror's files, readable only by their owner; their locks; and files that are renamed into place once complete.

use std::collections::BTreeSet;
use std::error::Error as _;
use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind};
use crate::fields::{fill, hex};

/// What to do with an existing file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Existing {
    /// Refuse to write.
    #[default]
    Refuse,
    /// Replace it.
    Replace,
}

/// Opens a file for reading and writing. A new file is accessible only to its owner.
pub(crate) fn private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Returns the path with a suffix, such as `-wal`.
pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

pub(crate) fn has_contents(path: &Path) -> bool {
    path.metadata().is_ok_and(|file| file.len() > 0)
}

/// Creates the folder of a file if it does not exist, accessible only to its owner.
pub(crate) fn create_folder(path: &Path) -> Result<(), Error> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder(path)).map_err(|error| failed("open", path, error))
}

/// Creates the database file and its folder if they do not exist. Refuses a file that other users may read.
pub(crate) fn prepare(path: &Path) -> Result<(), Error> {
    create_folder(path)?;
    if !path.exists() {
        drop(private(path).map_err(|error| failed("open", path, error))?);
    }
    #[cfg(unix)]
    {
        // Without opening it: closing a file would drop all locks that the process has on it.
        let metadata = path.metadata().map_err(|error| failed("open", path, error))?;
        if std::os::unix::fs::MetadataExt::mode(&metadata) & 0o077 != 0 {
            let path = path.display();
            let text = format!(
                "cannot open {path}: other users can read it; if it is a mirror, run `chmod 600 {path}`"
            );
            return Err(Error::new(ErrorKind::Io, text));
        }
    }
    Ok(())
}

/// A held lock on a file. It is released when this value is dropped or the process ends.
#[derive(Debug)]
pub(crate) struct Lock(File);

impl Lock {
    /// Takes the lock of a database, without waiting.
    pub(crate) fn take(database: &Path) -> Result<Self, Error> {
        Self::take_file(&with_suffix(database, ".lock"), || {
            let database = database.display();
            format!(
                "cannot change {database}: another process is changing it; try again when it has finished"
            )
        })
    }

    /// Takes the lock of a file, without waiting. If another process holds it, the error has the text of `busy`.
    pub(crate) fn take_file(path: &Path, busy: impl FnOnce() -> String) -> Result<Self, Error> {
        let file = private(path).map_err(|error| failed("lock", path, error))?;
        match file.try_lock() {
            Ok(()) => Ok(Self(file)),
            Err(TryLockError::WouldBlock) => Err(Error::new(ErrorKind::Busy, busy())),
            Err(TryLockError::Error(error)) => Err(failed("lock", path, error)),
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing the file is not enough: a child process has it open between `fork` and `exec`. If unlocking fails,
        // the lock ends with the last process that has the file open.
        drop(self.0.unlock());
    }
}

/// A partial file, next to the file that it will replace. It is removed when this value is dropped.
#[derive(Debug)]
pub(crate) struct Partial {
    path: PathBuf,
    /// Shows [`sweep`] that the file is in use.
    lock: Option<Lock>,
}

impl Partial {
    /// Creates an empty partial file next to `target`, accessible only to its owner.
    pub(crate) fn create(target: &Path) -> Result<Self, Error> {
        let mut random = [0; 8];
        fill(&mut random)?;
        let mut name = OsString::from(".");
        name.push(target.file_name().unwrap_or_default());
        name.push(format!(".{}{SUFFIX}", hex(&random)));
        let path = folder(target).join(name);
        let lock = Lock::take(&own(&path)).map_err(|error| {
            let (target, folder) = (target.display(), folder(target).display());
            let text = format!(
                "cannot write {target}: cannot create a file in {folder}; choose another folder"
            );
            let cause = error.source().map_or_else(|| error.to_string(), ToString::to_string);
            Error::new(error.kind(), text).because(cause)
        })?;
        private(&path).map_err(|error| failed("create", &path, error))?;
        Ok(Self { path, lock: Some(lock) })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Syncs the file to disk and gives it its final name.
    pub(crate) fn finish(self, target: &Path, existing: Existing) -> Result<(), Error> {
        let write = || -> io::Result<()> {
            File::open(&self.path)?.sync_all()?;
            match existing {
                // A link, unlike a rename, never replaces a file that another process has created since.
                Existing::Refuse => match fs::hard_link(&self.path, target) {
                    // Some file systems, such as FAT on memory cards, have no links.
                    Err(_) if target.symlink_metadata().is_err() => fs::rename(&self.path, target)?,
                    linked => linked?,
                },
                Existing::Replace => fs::rename(&self.path, target)?,
            }
            // Syncs the new name to disk. Windows cannot open a folder.
            if cfg!(unix) { File::open(folder(target))?.sync_all() } else { Ok(()) }
        };
        write().map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => exists(target),
            _ => failed("write", target, error),
        })
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        for suffix in CONTENTS.iter().chain(&[".lock"]) {
            let _ignored = fs::remove_file(with_suffix(&self.path, suffix));
        }
        self.lock = None;
        let _ignored = fs::remove_file(with_suffix(&own(&self.path), ".lock"));
    }
}

/// Removes the partial files that killed processes left in a file's folder, even those of other files, because the next
/// backup often has another name.
pub(crate) fn sweep(target: &Path) {
    let folder = folder(target);
    let Ok(entries) = fs::read_dir(folder) else { return };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let partials: BTreeSet<PathBuf> =
        names.filter_map(|name| Some(folder.join(partial(&name)?))).collect();
    for path in partials {
        if let Ok(lock) = Lock::take(&own(&path)) {
            drop(Partial { path, lock: Some(lock) });
        }
    }
}

/// Returns the name of the partial file to which a file with this name belongs, such as its log; `None` if there is no
/// such partial file.
fn partial(name: &str) -> Option<&str> {
    let (stem, ending) = name.rsplit_once(SUFFIX)?;
    let (target, number) = stem.rsplit_once('.')?;
    let is_number = number.len() == 16 && number.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_partial = target.starts_with('.') && is_number && CONTENTS.contains(&ending);
    name.get(..stem.len() + SUFFIX.len()).filter(|_| is_partial)
}

/// Creates the error for a file that already exists.
pub(crate) fn exists(path: &Path) -> Error {
    let text = format!(
        "cannot write {}: it already exists; choose another file, or allow replacing it",
        path.display()
    );
    Error::new(ErrorKind::Io, text)
}

pub(crate) fn failed(verb: &str, path: &Path, error: io::Error) -> Error {
    Error::new(ErrorKind::Io, format!("cannot {verb} {}", path.display())).because(error)
}

/// Returns the path that is locked for a partial file. A lock on the file itself would interfere with its transactions.
fn own(path: &Path) -> PathBuf {
    with_suffix(path, "-own")
}

fn folder(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or_else(|| Path::new("."))
}

const SUFFIX: &str = ".partial";

/// The suffixes of the files that contain a database.
const CONTENTS: [&str; 4] = ["", "-wal", "-shm", "-journal"];
