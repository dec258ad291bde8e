//! Generated files on disk: formats, marks, compares and replaces them.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fmt, fs};

use crate::config::Project;
use crate::emit::GeneratedFile;
use crate::output::file::read;
use crate::output::staged::Staged;

mod error;
mod file;
mod lock;
mod mark;
mod rustfmt;
mod staged;
mod tree;

pub use crate::output::error::Error;
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
        for GeneratedFile { path, text } in formatted(emitted, root)? {
            let text = marked(project.config, &path, &text);
            if files.insert(path.clone(), text).is_some() {
                return Err(Error::new(format!("two emitters write `{path}`")));
            }
        }
        let lock = project.config.lock();
        files.insert(lock.clone(), lock::text(project, &files));
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
        let lock = lock::Lock::read(&root.join(&self.lock))?;
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

    /// Updates the files below a root: writes the ones that differ, and removes orphans. Strays are
    /// kept. All new files are on disk before the first old one is replaced.
    ///
    /// # Errors
    /// If a file cannot be read or written. No file was replaced then, unless the last step failed:
    /// renaming the new files and removing the orphans.
    pub fn write(&self, root: &Path) -> Result<Vec<(String, Drift)>, Error> {
        let _lock = lock_file(root)?;
        for path in tree::leftovers(root, &self.files)? {
            fs::remove_file(path).ok();
        }
        let drifts = self.compare(root)?;
        let mut staged = Staged::default();
        for (path, drift) in &drifts {
            if let (Some(text), Drift::Missing | Drift::Outdated | Drift::Edited) =
                (self.files.get(path), drift)
            {
                staged
                    .add(root.join(path), text)
                    .map_err(|error| Error::io(format!("cannot write `{path}`"), error))?;
            }
        }
        staged.commit()?;
        for (path, drift) in &drifts {
            if *drift == Drift::Orphan {
                fs::remove_file(root.join(path))
                    .map_err(|error| Error::io(format!("cannot remove `{path}`"), error))?;
            }
        }
        Ok(drifts)
    }
}

/// Waits until no other run writes below a root, and locks others out until the file is dropped.
fn lock_file(root: &Path) -> Result<fs::File, Error> {
    let folder = root.join("target");
    let failed = |error| Error::io(format!("cannot lock `{}`", folder.display()), error);
    fs::create_dir_all(&folder).map_err(failed)?;
    let file = fs::File::create(folder.join("codegen.lock")).map_err(failed)?;
    file.lock().map_err(failed)?;
    Ok(file)
}
