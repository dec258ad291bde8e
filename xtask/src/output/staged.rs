//! New contents beside the files that they will replace.

use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::output::error::Error;
use crate::output::tree;

/// New contents beside the files they will replace. Dropped without a commit, they vanish.
#[derive(Default)]
pub(super) struct Staged {
    files: Vec<(PathBuf, PathBuf)>,
}

impl Staged {
    pub(super) fn add(&mut self, path: PathBuf, text: &str) -> io::Result<()> {
        if fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_symlink()) {
            return Err(io::Error::other("it is a symbolic link; remove it first"));
        }
        let folder = path.parent().unwrap_or_else(|| Path::new(""));
        fs::create_dir_all(folder)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let staged = folder.join(tree::staged(&name));
        self.files.push((staged.clone(), path));
        fs::write(&staged, text)
    }

    pub(super) fn commit(&mut self) -> Result<(), Error> {
        for (staged, path) in self.files.drain(..) {
            fs::rename(&staged, &path).map_err(|error| {
                Error::io(format!("cannot replace `{}`", path.display()), error)
            })?;
        }
        Ok(())
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        for (staged, _) in &self.files {
            // Nothing to be done if even this fails; the name says what it is.
            fs::remove_file(staged).ok();
        }
    }
}
