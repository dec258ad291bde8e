//! Files that are being written, and take their name when they are complete.

use std::collections::BTreeSet;
use std::error::Error as _;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind};
use crate::fields::hash::{fill, hex};
use crate::keep::backup::Existing;
use crate::store::files;
use crate::store::lock::Lock;

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
        let lock = Lock::take(&own(&path)).map_err(|error| {
            let (target, folder) = (target.display(), folder(target).display());
            let text = format!(
                "cannot write {target}: no file can be created in {folder}; choose another folder"
            );
            let cause = error.source().map_or_else(|| error.to_string(), ToString::to_string);
            Error::new(error.kind(), text).because(cause)
        });
        let lock = Some(lock?);
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
                Existing::Refuse => match fs::hard_link(&self.path, target) {
                    // Some media, such as memory cards, have no links.
                    Err(_) if target.symlink_metadata().is_err() => fs::rename(&self.path, target)?,
                    linked => linked?,
                },
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

/// Removes the partial files of processes that were killed in the folder of a file, also those for other files: the next backup
/// often has another name.
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

/// Returns the name of a partial file from that of a file which has its contents.
fn partial(name: &str) -> Option<&str> {
    let (stem, ending) = name.rsplit_once(SUFFIX)?;
    let (target, number) = stem.rsplit_once('.')?;
    let is_number = number.len() == 16 && number.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_partial = target.starts_with('.') && is_number && CONTENTS.contains(&ending);
    name.get(..stem.len() + SUFFIX.len()).filter(|_| is_partial)
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
    for suffix in CONTENTS.iter().chain(&[".lock"]) {
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

/// The endings of the files with the contents of a database.
const CONTENTS: [&str; 4] = ["", "-wal", "-shm", "-journal"];
