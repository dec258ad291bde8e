//! Where a mirror is kept: in memory, or in a file that outlives a crash.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use methodical_mirror::{Error, Mirror, Source};
use tempfile::{TempDir, tempdir, tempdir_in};

use crate::gateway::HOST;
use crate::world::World;

/// Where a mirror is kept. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Place(Option<Arc<TempDir>>);

impl Place {
    /// Creates a place: a new folder for a file, or none.
    pub(crate) fn new(is_file: bool) -> Self {
        // In memory if the system has such a folder: the simulation does not test the disk.
        let memory = Path::new("/dev/shm");
        let folder = || if memory.is_dir() { tempdir_in(memory) } else { tempdir() };
        Self(is_file.then(|| Arc::new(folder().unwrap())))
    }

    /// Returns whether the mirror outlives a crash.
    pub(crate) fn is_file(&self) -> bool {
        self.0.is_some()
    }

    /// Opens the mirror, or creates it.
    pub(crate) fn open(&self, world: &World) -> Result<Mirror, Error> {
        let mirror = match self.file("") {
            Some(file) => Mirror::open(file, &Source::new(HOST, "simulation"))?,
            None => Mirror::in_memory()?,
        };
        let clock = world.clone();
        Ok(mirror.with_clock(move || clock.date()))
    }

    /// Copies the files as they are at a crash: with everything that the process has written.
    pub(crate) fn keep(&self) {
        for suffix in SUFFIXES {
            if let (Some(file), Some(kept)) = (self.file(suffix), self.file(&kept(suffix))) {
                // A file may not exist yet.
                fs::copy(file, kept).unwrap_or_default();
            }
        }
    }

    /// Restores these copies. Later writes by the destructors of the crashed program are lost.
    pub(crate) fn restore(&self) {
        for suffix in SUFFIXES.into_iter().chain(["-shm"]) {
            if let (Some(file), Some(kept)) = (self.file(suffix), self.file(&kept(suffix))) {
                fs::remove_file(&file).unwrap_or_default();
                fs::rename(kept, file).unwrap_or_default();
            }
        }
    }

    fn file(&self, suffix: &str) -> Option<PathBuf> {
        Some(self.0.as_ref()?.path().join(format!("mirror.db{suffix}")))
    }
}

fn kept(suffix: &str) -> String {
    format!("{suffix}.kept")
}

/// The files of a mirror that a process leaves behind. SQLite recreates the other one.
const SUFFIXES: [&str; 2] = ["", "-wal"];
