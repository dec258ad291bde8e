//! Writes new files next to the old ones, and replaces the old ones only when all are written.

use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::output::error::Error;
use crate::output::tree;

/// New files next to the ones that they will replace. They are removed if they are not committed.
#[derive(Default)]
pub(super) struct Staged {
    files: Vec<(PathBuf, PathBuf)>,
}

impl Staged {
    pub(super) fn add(&mut self, path: PathBuf, text: &str) -> io::Result<()> {
        if fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_symlink()) {
            return Err(io::Error::other("it is a symbolic link; remove the link first"));
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
            // If this fails too, the next run removes the file.
            fs::remove_file(staged).ok();
        }
    }
}
