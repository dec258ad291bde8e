//! Backups of a mirror, as it remembers them.

use std::path::PathBuf;

/// A backup that was made of a mirror.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Backup {
    /// The path of its file when it was made.
    pub path: PathBuf,
    /// When it was made, in seconds since 1970 (UTC).
    pub at: i64,
}

/// The treatment of a file that exists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Existing {
    /// Refuse to write.
    #[default]
    Refuse,
    /// Replace it.
    Replace,
}
