//! Mirrors in SQLite files, restored from backups.

use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use crate::error::Error;
use crate::keep::backup::Existing;
use crate::mirror::{Clock, Mirror, now};
use crate::store::restore;

/// The result of [`Mirror::restore`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Restored {
    /// How many records of the backup were forgotten again, because the replaced mirror had forgotten them.
    pub forgotten: u64,
}

impl Mirror {
    /// Restores a backup to a file, after checking it as [`check`](Self::check) does. The file appears, or is replaced, when
    /// the restored mirror is complete.
    ///
    /// The restored mirror has a new identity: it refuses all cursors of before, because it will use numbers of changes again
    /// that readers may have seen with other contents. Readers take a new snapshot. Its own consumers keep their positions,
    /// and the ids of their events remain unique.
    ///
    /// Records that the replaced mirror had forgotten are forgotten in the restored one. Without a mirror to replace, forget them
    /// again.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) if the file exists and may not be replaced,
    /// [`Foreign`](crate::ErrorKind::Foreign) if the backup is damaged or not a mirror, or if the file to replace is not a
    /// readable mirror, [`OtherSource`](crate::ErrorKind::OtherSource) if it is another mirror, and
    /// [`Busy`](crate::ErrorKind::Busy) if a program has it open. After an error, the file is as it was before.
    ///
    /// ```
    /// use methodical_mirror::{Existing, Mirror, Source};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let (path, copy) = (folder.path().join("mirror.db"), folder.path().join("copy.db"));
    /// let source = Source::new("https://gateway.example.com", "me");
    /// let mirror = Mirror::open(&path, &source)?;
    /// mirror.backup(&copy, Existing::Refuse)?;
    /// let cursor = mirror.cursor()?;
    /// drop(mirror);
    ///
    /// Mirror::restore(&copy, &path, Existing::Replace)?;
    /// let restored = Mirror::open(&path, &source)?;
    /// assert!(restored.changes(Some(&cursor), 100).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn restore(
        backup: impl AsRef<Path>,
        path: impl AsRef<Path>,
        existing: Existing,
    ) -> Result<Restored, Error> {
        let clock: Clock = Arc::new(SystemTime::now);
        let at = now(&clock);
        let forgotten = restore::restore(backup.as_ref(), path.as_ref(), existing, at)?;
        Ok(Restored { forgotten })
    }
}
