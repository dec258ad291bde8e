//! The folder of stored responses.

use std::fs::{self, Metadata};
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use http::HeaderMap;
use methodical_client::transport::Request;

use crate::atomic_file::{AtomicFile, prefix};
use crate::cache::entry::{Entry, Head};
use crate::cache::key::{SUFFIX, file_name};
use crate::lock::lock;
use crate::name::Name;
use crate::screen::Screen;

/// A folder of stored responses. It and its files are readable only by their owner.
#[derive(Debug)]
pub(crate) struct Store {
    folder: PathBuf,
    prefix: String,
    /// Maximum size of all files, in bytes.
    limit: u64,
    screen: Screen,
    /// Size of the bodies that this run has recorded, in bytes.
    recorded: AtomicU64,
    /// Responses that arrived completely, until the command has succeeded.
    received: Mutex<Vec<Received>>,
}

/// A response in a temporary file.
#[derive(Debug)]
struct Received {
    file: AtomicFile,
    path: PathBuf,
}

impl Store {
    /// Opens the folder, and creates it if necessary.
    pub(crate) fn open(
        folder: PathBuf,
        program: Name,
        limit: u64,
        screen: Screen,
    ) -> io::Result<Self> {
        make_private(&folder)?;
        let prefix = prefix(program);
        AtomicFile::remove_leftovers(&folder, &prefix, PART);
        let (recorded, received) = (AtomicU64::default(), Mutex::default());
        Ok(Self { folder, prefix, limit, screen, recorded, received })
    }

    /// Returns the path of the stored response to a request.
    pub(super) fn path(&self, request: &Request) -> PathBuf {
        self.folder.join(file_name(request))
    }

    /// Opens a stored response.
    pub(super) fn find(path: &Path) -> Option<Entry> {
        Entry::open(path)
    }

    /// Starts to store a response. `None` if it cannot or must not be stored.
    pub(super) fn record(
        self: &Arc<Self>,
        path: PathBuf,
        headers: &HeaderMap,
    ) -> Option<Recording> {
        let head = Head::of(headers)?;
        // Each of them is an open file.
        if lock(&self.received).len() == MAX_RECEIVED {
            return None;
        }
        let begin = || {
            let file = AtomicFile::create(&self.folder, &self.prefix, PART)?;
            let mut file = BufWriter::with_capacity(128 * 1024, file);
            head.write(&mut file)?;
            io::Result::Ok(file)
        };
        let file = begin().map_err(|error| self.failed(&error)).ok()?;
        Some(Recording { store: Arc::clone(self), file, path })
    }

    /// Keeps the responses that have arrived completely. Call it after the command has succeeded.
    pub(crate) fn keep(&self) {
        for Received { file, path } in lock(&self.received).drain(..) {
            if let Err(error) = file.persist(&path) {
                self.failed(&error);
            }
        }
        if let Err(error) = self.shrink() {
            self.failed(&error);
        }
    }

    /// Removes the responses that were not used for the longest time, until the rest fits.
    fn shrink(&self) -> io::Result<()> {
        let mut files = files(&self.folder)?;
        files.sort_by_key(|(_, there)| there.modified().unwrap_or(SystemTime::UNIX_EPOCH));
        let mut total = 0_u64;
        for (path, there) in files.iter().rev() {
            total = total.saturating_add(there.len());
            if total > self.limit {
                fs::remove_file(path)?;
            }
        }
        Ok(())
    }

    fn failed(&self, error: &io::Error) {
        self.screen.warn(&format!("cannot store the response for --cache: {error}"));
    }
}

/// Removes all stored responses, unless this is a dry run. Returns their number and their size in bytes.
pub(crate) fn clear(folder: &Path, dry_run: bool) -> io::Result<(usize, u64)> {
    let files = match files(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((0, 0)),
        files => files?,
    };
    let mut bytes = 0;
    for (path, there) in &files {
        if !dry_run {
            fs::remove_file(path)?;
        }
        bytes += there.len();
    }
    Ok((files.len(), bytes))
}

/// Returns the files with responses.
fn files(folder: &Path) -> io::Result<Vec<(PathBuf, Metadata)>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let ours = entry.file_name().to_str().is_some_and(|name| name.ends_with(SUFFIX));
        // Another run may have removed it.
        if let Some(there) = entry.metadata().ok().filter(|there| ours && there.is_file()) {
            files.push((entry.path(), there));
        }
    }
    Ok(files)
}

/// A response that is being received and written to a temporary file. Dropping it discards the file.
pub(super) struct Recording {
    store: Arc<Store>,
    file: BufWriter<AtomicFile>,
    path: PathBuf,
}

impl Recording {
    /// Adds a piece of the body. Returns `None` if the response cannot be stored.
    pub(super) fn add(mut self, piece: &[u8]) -> Option<Self> {
        let Store { limit, screen, ref recorded, .. } = *self.store;
        let length = u64::try_from(piece.len()).unwrap_or(u64::MAX);
        let before = recorded.fetch_add(length, Ordering::Relaxed);
        if before.saturating_add(length) > limit {
            if before <= limit {
                screen.note(&format!(
                    "a response was not stored: this command received more than cache-size ({} MB)",
                    limit / MEGABYTE
                ));
            }
            return None;
        }
        match self.file.write_all(piece) {
            Ok(()) => Some(self),
            Err(error) => {
                self.store.failed(&error);
                None
            }
        }
    }

    /// Marks the response as complete.
    pub(super) fn complete(self) {
        let Self { store, file, path } = self;
        match file.into_inner() {
            Ok(file) => lock(&store.received).push(Received { file, path }),
            Err(error) => store.failed(error.error()),
        }
    }
}

#[cfg(unix)]
fn make_private(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};

    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    // An existing folder may have another mode, or belong to another user, which makes this fail.
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700))
}

#[cfg(not(unix))]
fn make_private(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

/// Maximum number of responses that one command stores.
const MAX_RECEIVED: usize = 256;

/// Suffix of unfinished files.
const PART: &str = ".part";

/// A megabyte, in bytes.
pub(crate) const MEGABYTE: u64 = 1_000_000;
