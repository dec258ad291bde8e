//! Opens mirrors in SQLite files.

use std::path::Path;

use crate::error::Error;
use crate::mirror::Mirror;
use crate::source::Source;
use crate::store::Store;

impl Mirror {
    /// Opens the mirror in a SQLite file, or creates it. Only its owner may read a new file or folder.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OtherSource`](crate::ErrorKind::OtherSource) if the mirror was made from another source,
    /// [`Newer`](crate::ErrorKind::Newer) or [`Foreign`](crate::ErrorKind::Foreign) if it is not a mirror that this release
    /// can read, [`Io`](crate::ErrorKind::Io) if other users may read the file, and [`Store`](crate::ErrorKind::Store) if
    /// SQLite fails.
    ///
    /// ```
    /// use methodical_mirror::{ErrorKind, Mirror, Source};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("mirror.db");
    /// drop(Mirror::open(&path, &Source::new("https://gateway.example.com", "me"))?);
    /// let error = Mirror::open(&path, &Source::new("https://gateway.example.com", "you")).unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::OtherSource);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn open(path: impl AsRef<Path>, source: &Source) -> Result<Self, Error> {
        Ok(Self::over(Store::open(path.as_ref(), Some(source))?))
    }

    /// Opens the mirror in an existing SQLite file, of any source: to read it, or to remove records from it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) if the file does not exist, and the errors of [`open`](Self::open) except
    /// [`OtherSource`](crate::ErrorKind::OtherSource).
    ///
    /// ```
    /// use methodical_mirror::{Mirror, Source};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("mirror.db");
    /// assert!(Mirror::open_existing(&path).is_err());
    /// drop(Mirror::open(&path, &Source::new("https://gateway.example.com", "me"))?);
    /// assert!(Mirror::open_existing(&path)?.tables()?.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn open_existing(path: impl AsRef<Path>) -> Result<Self, Error> {
        Ok(Self::over(Store::open(path.as_ref(), None)?))
    }
}
