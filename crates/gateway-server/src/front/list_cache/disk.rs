//! The files of kept lists, and what they take of the disk together: each until the last who reads it is done.

use std::fs::File;
use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// What may be used of the disk, and what is used of it.
#[derive(Debug)]
pub(super) struct Disk {
    most: u64,
    most_files: usize,
    bytes: AtomicU64,
    files: AtomicUsize,
}

impl Disk {
    pub(super) fn new(most: u64, most_files: usize) -> Arc<Self> {
        Arc::new(Self { most, most_files, bytes: AtomicU64::new(0), files: AtomicUsize::new(0) })
    }

    /// Tells whether nothing may be used at all.
    pub(super) fn is_none(&self) -> bool {
        self.most == 0 || self.most_files == 0
    }

    /// Tells whether so many bytes are more than there may ever be.
    pub(super) fn is_beyond(&self, bytes: u64) -> bool {
        bytes > self.most
    }

    /// Takes room for one more file, if there is.
    pub(super) fn share(self: &Arc<Self>) -> Option<Share> {
        let one_more = |files: usize| (files < self.most_files).then_some(files + 1);
        self.files.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).ok()?;
        Some(Share { disk: Arc::clone(self), bytes: 0 })
    }
}

/// The part of the disk that one file takes. It is free again when this is dropped.
#[derive(Debug)]
pub(super) struct Share {
    disk: Arc<Disk>,
    bytes: u64,
}

impl Share {
    /// Takes room for so many more bytes, if there is.
    pub(super) fn grow(&mut self, by: u64) -> Option<()> {
        let grown = |bytes: u64| bytes.checked_add(by).filter(|bytes| *bytes <= self.disk.most);
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

/// A file without a name, and its part of the disk.
#[derive(Debug)]
pub(super) struct Stored {
    // In this order: the part is free once the file is closed.
    pub(super) file: File,
    pub(super) share: Share,
}

impl Stored {
    /// Makes an empty file. Without a temporary directory there is none.
    pub(super) fn create(share: Share) -> Option<Self> {
        Some(Self { file: tempfile::tempfile().ok()?, share })
    }

    /// Writes bytes that there is room for.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Option<()> {
        self.file.write_all(bytes).ok()
    }

    pub(super) fn length(&self) -> u64 {
        self.share.bytes
    }
}
