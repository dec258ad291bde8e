//! Generated files on disk: formats, marks, compares and replaces them.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fmt, fs, io};

use crate::config::Project;
use crate::emit::GeneratedFile;
use crate::output::mark::Lock;

mod mark;
mod rustfmt;
mod tree;

pub(crate) use crate::output::mark::{marked, unmarked};
pub(crate) use crate::output::rustfmt::formatted;

/// All files that are generated from a spec: their expected content, by path.
#[derive(Debug)]
pub struct Output {
    files: BTreeMap<String, String>,
    /// Folders that contain only generated files.
    folders: Vec<String>,
    /// The path of the lock.
    lock: String,
}

/// The difference between a file on disk and the spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Drift {
    /// The file does not exist.
    Missing,
    /// The file was generated from an earlier spec or by an earlier generator.
    Outdated,
    /// The file was edited by hand: its text has neither a mark nor the hash in the lock.
    Edited,
    /// The file was generated earlier, but no longer is.
    Orphan,
    /// The file is in a folder for generated files, but has no mark.
    Stray,
}

impl fmt::Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Missing => "missing",
            Self::Outdated => "out of date",
            Self::Edited => "edited by hand",
            Self::Orphan => "no longer generated",
            Self::Stray => "not a generated file",
        })
    }
}

impl Output {
    /// Generates all files of a project: runs the emitters, formats the files and marks them.
    ///
    /// # Errors
    /// If rustfmt cannot be run or rejects a file, or if two emitters write the same file.
    pub fn of(project: &Project<'_>, root: &Path) -> Result<Self, Error> {
        let mut emitted = crate::emit::all(project);
        emitted.extend(tree::modules(&emitted));
        emitted.extend(crate::init::samples(project, root));
        let mut files = BTreeMap::new();
        for GeneratedFile { path, text } in formatted(&emitted, root)? {
            let text = marked(project.config, &path, &text);
            if files.insert(path.clone(), text).is_some() {
                return Err(Error::new(format!("two emitters write `{path}`")));
            }
        }
        let lock = project.config.lock();
        files.insert(lock.clone(), mark::lock(project, &files));
        Ok(Self { files, folders: tree::folders(project.config), lock })
    }

    /// Returns the expected content by path, sorted.
    pub fn files(&self) -> &BTreeMap<String, String> {
        &self.files
    }

    /// Returns the differences between these files and the ones below a root, sorted by path.
    ///
    /// # Errors
    /// If a file or folder cannot be read.
    pub fn compare(&self, root: &Path) -> Result<Vec<(String, Drift)>, Error> {
        let lock = Lock::read(&root.join(&self.lock))?;
        let mut drifts = Vec::new();
        for (path, text) in &self.files {
            let drift = match read(&root.join(path))? {
                None => Drift::Missing,
                Some(found) if found == *text => continue,
                Some(found) if mark::is_marked(&found) && !lock.is_edited(path, &found) => {
                    Drift::Outdated
                }
                Some(_) => Drift::Edited,
            };
            drifts.push((path.clone(), drift));
        }
        for path in tree::generated(root, &self.folders)? {
            if !self.files.contains_key(&path) {
                let found = read(&root.join(&path))?.unwrap_or_default();
                let drift = if mark::is_marked(&found) { Drift::Orphan } else { Drift::Stray };
                drifts.push((path, drift));
            }
        }
        // Only the lock of the last run knows files that were generated elsewhere.
        for path in lock.paths() {
            let known =
                self.files.contains_key(path) || drifts.iter().any(|(drifted, _)| drifted == path);
            let text = if known { None } else { read(&root.join(path))? };
            if text.is_some_and(|text| mark::is_marked(&text)) {
                drifts.push((path.to_owned(), Drift::Orphan));
            }
        }
        drifts.sort();
        Ok(drifts)
    }

    /// Updates the files below a root: writes the ones that differ, and removes orphans. Strays are kept.
    ///
    /// # Errors
    /// If a file cannot be read, written or removed.
    pub fn write(&self, root: &Path) -> Result<Vec<(String, Drift)>, Error> {
        let drifts = self.compare(root)?;
        for (path, drift) in &drifts {
            let place = root.join(path);
            match (drift, self.files.get(path)) {
                (Drift::Missing | Drift::Outdated | Drift::Edited, Some(text)) => {
                    write(&place, text)
                        .map_err(|error| Error::io(format!("cannot write `{path}`"), error))?;
                }
                (Drift::Orphan, _) => fs::remove_file(place)
                    .map_err(|error| Error::io(format!("cannot remove `{path}`"), error))?,
                _ => {}
            }
        }
        Ok(drifts)
    }
}

/// Writes a file and the folders that contain it, but does not follow a link out of the workspace.
pub(crate) fn write(path: &Path, text: &str) -> io::Result<()> {
    if fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink()) {
        return Err(io::Error::other("it is a symbolic link; remove the link first"));
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text)
}

/// Reads a file; `None` if it does not exist. Windows line endings become Unix line endings.
fn read(path: &Path) -> Result<Option<String>, Error> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).replace("\r\n", "\n"))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io(format!("cannot read `{}`", path.display()), error)),
    }
}

/// Returns the part of a path after its last dot.
fn extension(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(_, extension)| extension)
}

/// The reason why a file could not be generated, read or written. The message names the file.
#[derive(Debug)]
pub struct Error {
    what: String,
    source: Option<io::Error>,
}

impl Error {
    fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), source: None }
    }

    pub(crate) fn io(what: impl Into<String>, source: io::Error) -> Self {
        Self { what: what.into(), source: Some(source) }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.source {
            Some(source) => write!(f, "{}: {source}", self.what),
            None => f.write_str(&self.what),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        let source = self.source.as_ref()?;
        Some(source)
    }
}
