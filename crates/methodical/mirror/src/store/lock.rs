//! The locks of a mirror: one process syncs, one delivers to a consumer, and the error for others names it.

use std::fs::{File, TryLockError};
use std::io::Write as _;
use std::path::Path;

use crate::error::{Error, ErrorKind};
use crate::fields::hash::hex;
use crate::store::files;
use crate::store::lease::Lease;

/// A held lock. Dropping it, or the end of the process, releases it.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
}

impl Lock {
    /// Takes the lock of a database, without waiting.
    pub(crate) fn take(database: &Path) -> Result<Self, Error> {
        Self::take_file(&files::beside(database, ".lock"), |holder| {
            let database = database.display();
            format!(
                "cannot change {database}: {holder} is syncing it; try again when it has finished"
            )
        })
    }

    /// Takes the lock of the deliveries to a consumer, without waiting.
    pub(crate) fn take_lease(database: &Path, lease: &Lease<'_>) -> Result<Self, Error> {
        let suffix = format!(".deliver-{}.lock", hex(&lease.key.to_be_bytes()));
        Self::take_file(&files::beside(database, &suffix), |holder| lease.refused(holder))
    }

    /// Takes the lock of a file, which has the name of its holder.
    fn take_file(path: &Path, busy: impl FnOnce(&str) -> String) -> Result<Self, Error> {
        let failed = |error: std::io::Error| {
            let text = format!("cannot lock {}", path.display());
            Error::new(ErrorKind::Io, text).because(error)
        };
        let mut file = files::private(path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::new(ErrorKind::Busy, busy(&holder(path))));
            }
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
fn holder(lock: &Path) -> String {
    // Some systems do not let others read a locked file.
    let holder = std::fs::read_to_string(lock).ok().filter(|holder| !holder.is_empty());
    holder.unwrap_or_else(|| "another process".to_owned())
}
