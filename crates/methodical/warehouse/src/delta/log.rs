//! The files of a log: their names, and the lines of a commit.

use bytes::Bytes;

use crate::delta::action::Action;

/// Reads the actions of a commit, one on each line.
pub(crate) fn actions(commit: &Bytes) -> serde_json::Result<Vec<Action>> {
    serde_json::Deserializer::from_slice(commit).into_iter().collect()
}

/// Returns the number of a commit by the name of its file.
pub(crate) fn version_of(name: &str) -> Option<i64> {
    let digits = name.strip_prefix("_delta_log/")?.strip_suffix(".json")?;
    if digits.len() == 20 { digits.parse().ok() } else { None }
}

/// Returns the name of the file of a commit.
pub(crate) fn commit_file(version: i64) -> String {
    format!("{LOG}/{version:020}.json")
}

/// Returns the name of the file of a checkpoint.
pub(crate) fn checkpoint_file(version: i64) -> String {
    format!("{LOG}/{version:020}.checkpoint.parquet")
}

/// What `_last_checkpoint` contains.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Hint {
    pub(crate) version: i64,
    /// The number of actions.
    pub(crate) size: i64,
}

/// The folder of the log.
pub(crate) const LOG: &str = "_delta_log";

/// The name of the file that names the last checkpoint.
pub(crate) const LAST_CHECKPOINT: &str = "_delta_log/_last_checkpoint";

/// Time for which removed files are kept for readers of older versions, in milliseconds.
pub(crate) const RETENTION: i64 = 7 * 24 * 60 * 60 * 1000;
