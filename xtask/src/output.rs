//! Generated files on disk: formatted, marked, compared, and replaced all together or not at all.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fmt, fs};

use crate::emit::GeneratedFile;
use crate::ir::Service;
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
pub use crate::output::file::SPEC;

/// Everything that is generated from a spec, as it should stand on disk: content by path.
#[derive(Debug)]
pub struct Output {
    files: BTreeMap<String, String>,
}

/// How a file on disk differs from what the spec says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Drift {
    /// It is not there.
    Missing,
    /// It is what an earlier spec or generator made.
    Outdated,
    /// It was changed by hand: its text does not fit its mark.
    Edited,
    /// It was generated once and is no longer.
    Orphan,
    /// It stands among generated files but carries no mark.
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
    /// Makes everything from a service: runs the emitters, formats, and marks.
    ///
    /// # Errors
    /// If rustfmt cannot be run or refuses a file, or if two emitters write the same file.
    pub fn of(service: &Service, root: &Path) -> Result<Self, Error> {
        let mut emitted = crate::emit::all(service);
        emitted.extend(tree::modules(&emitted));
        let mut files = BTreeMap::new();
        for (GeneratedFile { path, text }, formatted) in
            emitted.iter().zip(rustfmt::format(&emitted, root)?)
        {
            let text = formatted.as_ref().unwrap_or(text);
            if files.insert(path.clone(), mark::marked(path, text)).is_some() {
                return Err(Error::new(format!("two emitters write `{path}`")));
            }
        }
        files.insert(lock::LOCK.to_owned(), lock::text(service, &files));
        Ok(Self { files })
    }

    /// The files: content by path, sorted.
    pub fn files(&self) -> &BTreeMap<String, String> {
        &self.files
    }

    /// How the tree below a root differs, sorted by path.
    ///
    /// # Errors
    /// If a file or folder cannot be read.
    pub fn compare(&self, root: &Path) -> Result<Vec<(String, Drift)>, Error> {
        let mut drifts = Vec::new();
        for (path, text) in &self.files {
            let drift = match read(&root.join(path))? {
                None => Drift::Missing,
                Some(found) if found == *text => continue,
                Some(found) if mark::fits(&found) == Some(true) => Drift::Outdated,
                Some(_) => Drift::Edited,
            };
            drifts.push((path.clone(), drift));
        }
        for path in tree::generated(root)? {
            if !self.files.contains_key(&path) {
                let found = read(&root.join(&path))?.unwrap_or_default();
                let drift = if mark::fits(&found).is_some() { Drift::Orphan } else { Drift::Stray };
                drifts.push((path, drift));
            }
        }
        // What stood elsewhere is known from the lock of the last run.
        for path in lock::paths(root)? {
            let known = self.files.contains_key(&path)
                || drifts.iter().any(|(drifted, _)| *drifted == path);
            let text = if known { None } else { read(&root.join(&path))? };
            if text.is_some_and(|text| mark::fits(&text).is_some()) {
                drifts.push((path, Drift::Orphan));
            }
        }
        drifts.sort();
        Ok(drifts)
    }

    /// Makes the tree below a root agree: writes what differs, removes orphans. Strays are left
    /// alone. Nothing is replaced before everything new is on disk.
    ///
    /// # Errors
    /// If a file cannot be written; then no file was replaced, unless the error came from the
    /// last step, the renaming.
    pub fn write(&self, root: &Path) -> Result<Vec<(String, Drift)>, Error> {
        let _alone = alone(root)?;
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

/// Waits until no other run writes below a root; the next one waits until the file is dropped.
fn alone(root: &Path) -> Result<fs::File, Error> {
    let folder = root.join("target");
    let failed = |error| Error::io(format!("cannot lock `{}`", folder.display()), error);
    fs::create_dir_all(&folder).map_err(failed)?;
    let file = fs::File::create(folder.join("xtask.lock")).map_err(failed)?;
    file.lock().map_err(failed)?;
    Ok(file)
}
