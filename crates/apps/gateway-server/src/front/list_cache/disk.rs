//! The files of cached lists, and the disk space that they use together. A file counts until its last reader is done.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::BorrowedFd;
use std::os::unix::fs::FileExt as _;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

#[cfg(target_os = "linux")]
use rustix::io::ReadWriteFlags;

use crate::error::{Error, ErrorKind};
use crate::exposition::Exposition;
use crate::listen::pieces::SentFile;

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

    /// Writes the metrics.
    pub(super) fn write(&self, out: &mut Exposition) {
        let (files, bytes) = (&self.files, &self.bytes);
        let help = "Files of cached lists, also those that are being written or sent.";
        out.gauge("gateway_list_cache_files", help, files.load(Ordering::Relaxed));
        let help = "Disk space of these files.";
        out.gauge("gateway_list_cache_bytes", help, bytes.load(Ordering::Relaxed));
        let help = "Maximum disk space of cached lists.";
        out.gauge("gateway_list_cache_limit_bytes", help, self.max_bytes);
    }

    /// Reserves one more file, if the limit allows it.
    pub(super) fn share(self: &Arc<Self>) -> Option<Share> {
        let one_more = |files: usize| (files < self.max_files).then_some(files + 1);
        self.files.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).ok()?;
        Some(Share { disk: Arc::clone(self), bytes: AtomicU64::new(0) })
    }
}

/// The space reserved for one file. Released when this is dropped.
#[derive(Debug)]
pub(super) struct Share {
    disk: Arc<Disk>,
    bytes: AtomicU64,
}

impl Share {
    /// Reserves `by` more bytes, if the limit allows it.
    pub(super) fn grow(&self, by: u64) -> Option<()> {
        let grown =
            |bytes: u64| bytes.checked_add(by).filter(|bytes| *bytes <= self.disk.max_bytes);
        self.disk.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, grown).ok()?;
        self.bytes.fetch_add(by, Ordering::Relaxed);
        Some(())
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.disk.bytes.fetch_sub(*self.bytes.get_mut(), Ordering::Relaxed);
        self.disk.files.fetch_sub(1, Ordering::Relaxed);
    }
}

impl SentFile for Stored {
    #[cfg(target_os = "linux")]
    fn send(&self, socket: BorrowedFd<'_>, mut offset: u64, length: usize) -> io::Result<usize> {
        let file = self.file();
        let file = file.as_ref().ok_or(io::ErrorKind::NotFound)?;
        Ok(rustix::fs::sendfile(socket, file, Some(&mut offset), length)?)
    }

    #[cfg(not(target_os = "linux"))]
    fn send(&self, _: BorrowedFd<'_>, _: u64, _: usize) -> io::Result<usize> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// A file without a name, and the space reserved for it.
#[derive(Debug)]
pub(super) struct Stored {
    // In this order: the space is released after the file is closed.
    /// `None` after the content was discarded.
    file: RwLock<Option<File>>,
    pub(super) share: Share,
}

impl Stored {
    /// Creates an empty file. Fails if the temporary directory cannot be used.
    pub(super) fn create(share: Share) -> io::Result<Self> {
        Ok(Self { file: RwLock::new(Some(tempfile::tempfile()?)), share })
    }

    /// Appends bytes, for which space must have been reserved. Returns false if the content was discarded.
    pub(super) fn write(&self, bytes: &[u8]) -> io::Result<bool> {
        match self.file().as_ref() {
            Some(mut file) => file.write_all(bytes).map(|()| true),
            None => Ok(false),
        }
    }

    /// Reads bytes. Fails if the content was discarded.
    pub(super) fn read(&self, buffer: &mut [u8], offset: u64) -> Result<(), Error> {
        let text = "the records of this list have been erased";
        let file = self.file();
        let file = file.as_ref().ok_or_else(|| Error::new(ErrorKind::SnapshotGone, text))?;
        Ok(file.read_exact_at(buffer, offset)?)
    }

    /// Returns whether the system can read a byte without waiting for the disk. After the content was discarded it cannot.
    #[cfg(target_os = "linux")]
    pub(super) fn is_in_memory(&self, offset: u64) -> bool {
        let mut byte = [0];
        let mut bytes = [io::IoSliceMut::new(&mut byte)];
        let read = |file| rustix::io::preadv2(file, &mut bytes, offset, ReadWriteFlags::NOWAIT);
        self.file().as_ref().map(read) == Some(Ok(1))
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn is_in_memory(&self, _: u64) -> bool {
        false
    }

    /// Deletes the content. Later reads and writes fail.
    pub(super) fn discard(&self) {
        self.file.write().unwrap_or_else(PoisonError::into_inner).take();
    }

    pub(super) fn length(&self) -> u64 {
        self.share.bytes.load(Ordering::Relaxed)
    }

    fn file(&self) -> RwLockReadGuard<'_, Option<File>> {
        self.file.read().unwrap_or_else(PoisonError::into_inner)
    }
}
