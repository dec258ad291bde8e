//! The files of cached lists, and the disk space that they use together. A file counts until its last reader is done.

use std::fs::File;
use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// The limits on disk space and files, and how much of them is used.
#[derive(Debug)]
pub(super) struct Disk {
    max_bytes: u64,
    max_files: usize,
    bytes: AtomicU64,
    files: AtomicUsize,
}

impl Disk {
    pub(super) fn new(max_bytes: u64, max_files: usize) -> Arc<Self> {
        Arc::new(Self {
            max_bytes,
            max_files,
            bytes: AtomicU64::new(0),
            files: AtomicUsize::new(0),
        })
    }

    /// Returns whether a limit is 0.
    pub(super) fn is_disabled(&self) -> bool {
        self.max_bytes == 0 || self.max_files == 0
    }

    /// Returns whether this many bytes can never fit.
    pub(super) fn exceeds_limit(&self, bytes: u64) -> bool {
        bytes > self.max_bytes
    }

    /// Reserves one more file, if the limit allows it.
    pub(super) fn share(self: &Arc<Self>) -> Option<Share> {
        let one_more = |files: usize| (files < self.max_files).then_some(files + 1);
        self.files.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).ok()?;
        Some(Share { disk: Arc::clone(self), bytes: 0 })
    }
}

/// The space reserved for one file. Released when this is dropped.
#[derive(Debug)]
pub(super) struct Share {
    disk: Arc<Disk>,
    bytes: u64,
}

impl Share {
    /// Reserves `by` more bytes, if the limit allows it.
    pub(super) fn grow(&mut self, by: u64) -> Option<()> {
        let grown =
            |bytes: u64| bytes.checked_add(by).filter(|bytes| *bytes <= self.disk.max_bytes);
        self.disk.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, grown).ok()?;
        self.bytes += by;
        Some(())
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.disk.bytes.fetch_sub(self.bytes, Ordering::Relaxed);
        self.disk.files.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A file without a name, and the space reserved for it.
#[derive(Debug)]
pub(super) struct Stored {
    // In this order: the space is released after the file is closed.
    pub(super) file: File,
    pub(super) share: Share,
}

impl Stored {
    /// Creates an empty file. Returns `None` if the temporary directory cannot be used.
    pub(super) fn create(share: Share) -> Option<Self> {
        Some(Self { file: tempfile::tempfile().ok()?, share })
    }

    /// Writes bytes, for which space must have been reserved.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Option<()> {
        self.file.write_all(bytes).ok()
    }

    pub(super) fn length(&self) -> u64 {
        self.share.bytes
    }
}
