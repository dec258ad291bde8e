//! Backups of a mirror: made, listed, and dropped from the list.

use std::path::Path;

use crate::error::Error;
use crate::keep::backup::{Backup, Existing};
use crate::mirror::{Mirror, lock, now};

impl Mirror {
    /// Writes the last committed state to a file that only its owner may read, also while another process syncs.
    ///
    /// The file appears when it is complete. It is a mirror as well: with the records, the feed, the consumers and the secret.
    /// When it is opened or restored, it becomes another mirror, which refuses older cursors. The mirror remembers the path,
    /// see [`backups`](Self::backups).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) if the file exists and may not be replaced, or cannot be written.
    /// [`Store`](crate::ErrorKind::Store) if the mirror is in memory, or fails.
    ///
    /// ```
    /// use methodical_mirror::{Existing, Mirror, Source};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let (path, copy) = (folder.path().join("mirror.db"), folder.path().join("copy.db"));
    /// let mirror = Mirror::open(&path, &Source::new("https://gateway.example.com", "me"))?;
    /// mirror.backup(&copy, Existing::Refuse)?;
    /// assert!(mirror.backup(&copy, Existing::Refuse).is_err());
    /// assert_eq!(mirror.backups()?.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn backup(&self, to: impl AsRef<Path>, existing: Existing) -> Result<(), Error> {
        let at = now(&self.clock);
        lock(&self.store).backup(to.as_ref(), existing, at)
    }

    /// Returns the backups that were made, by path. They hold what the mirror held at their time, also records that were
    /// forgotten since. Those that were moved or removed are included: only you know where they are.
    ///
    /// # Errors
    ///
    /// Fails if the list cannot be read.
    pub fn backups(&self) -> Result<Vec<Backup>, Error> {
        lock(&self.store).backups()
    }

    /// Removes a backup from the list, after you have destroyed its file and all copies. Returns whether it was in the list.
    ///
    /// # Errors
    ///
    /// Fails if the list cannot be written.
    pub fn drop_backup(&mut self, path: impl AsRef<Path>) -> Result<bool, Error> {
        lock(&self.store).drop_backup(path.as_ref())
    }
}
