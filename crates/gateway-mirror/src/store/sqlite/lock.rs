//! The lock of a mirror: one process syncs, and the error for others names it.

use std::fs::{File, TryLockError};
use std::io::Write as _;
use std::path::Path;

use crate::error::{Error, ErrorKind};
use crate::store::sqlite::files;

/// A held lock. Dropping it, or the end of the process, releases it.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
}

impl Lock {
    /// Takes the lock of a database, without waiting.
    pub(crate) fn take(database: &Path) -> Result<Self, Error> {
        let path = files::beside(database, ".lock");
        let failed = |error: std::io::Error| {
            let text = format!("cannot lock {}", path.display());
            Error::new(ErrorKind::Io, text).because(error)
        };
        let mut file = files::private(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(busy(database, &path)),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let holder = format!("process {}", std::process::id());
        file.set_len(0).and_then(|()| file.write_all(holder.as_bytes())).map_err(failed)?;
        Ok(Self { file })
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing the file is not enough: a process that is being started has it open until it runs its own program.
        // Without a success, the lock ends with the processes that have the file open.
        drop(self.file.unlock());
    }
}

/// Names the process that holds the lock.
fn busy(database: &Path, lock: &Path) -> Error {
    // Some systems do not let others read a locked file.
    let holder = std::fs::read_to_string(lock).ok().filter(|holder| !holder.is_empty());
    let holder = holder.as_deref().unwrap_or("another process");
    let text = format!(
        "cannot change {}: {holder} is syncing it; try again when it has finished",
        database.display()
    );
    Error::new(ErrorKind::Busy, text)
}
