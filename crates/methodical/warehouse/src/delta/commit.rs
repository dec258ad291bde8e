//! Commits: a file of the log that is created only if no other writer has created it.

use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;

use crate::delta::action::{Action, CommitInfo};
use crate::delta::checkpoint;
use crate::delta::log::{LOG, actions, commit_file, version_of};
use crate::delta::state::State;
use crate::error::{Error, ErrorKind, unwritable};
use crate::place::Place;

/// Commits actions after the last commit of a state. Returns whether no other writer was faster; then the state has them.
pub(crate) fn commit(table: &Place, state: &mut State, all: Vec<Action>) -> Result<bool, Error> {
    let version = state.version.map_or(0, |version| version + 1);
    let info = CommitInfo {
        timestamp: now(),
        operation: "WRITE".to_owned(),
        engine_info: concat!("methodical-warehouse/", env!("CARGO_PKG_VERSION")).to_owned(),
        txn_id: random_id()?,
    };
    let mut text = line(&Action { commit_info: Some(info.clone()), ..Action::default() })?;
    for action in &all {
        text.push_str(&line(action)?);
    }
    let is_ours = table.create(&commit_file(version), Bytes::from(text))? || {
        // An answer that was lost looks like the commit of another writer.
        let found = table.read(&commit_file(version))?.unwrap_or_default();
        let found = actions(&found).unwrap_or_default();
        let ids = found.into_iter().filter_map(|action| action.commit_info);
        ids.into_iter().any(|other| other.txn_id == info.txn_id)
    };
    if is_ours {
        for action in all {
            state.apply(action);
        }
        state.version = Some(version);
        if version > 0 && version % CHECKPOINT_EVERY == 0 {
            match checkpoint::write(table, version, &state.actions(info.timestamp)) {
                // Another exporter committed after this commit, and removed the unfinished checkpoint. The commits are enough.
                Err(error) if error.kind() == ErrorKind::Conflict => {}
                written => {
                    written?;
                    remove_old(table, version, info.timestamp)?;
                }
            }
        }
    }
    Ok(is_ours)
}

fn line(action: &Action) -> Result<String, Error> {
    serde_json::to_string(action).map(|text| text + "\n").map_err(unwritable)
}

/// Removes files of the log that no reader needs after a checkpoint.
fn remove_old(table: &Place, checkpoint: i64, now: i64) -> Result<(), Error> {
    let is_old = |name: &str| {
        let json = name.replace(".checkpoint.parquet", ".json");
        version_of(&json).is_some_and(|version| version < checkpoint)
    };
    let listed = table.list(LOG, "")?;
    let old = listed.into_iter().filter(|file| file.modified < now - LOG_RETENTION);
    let old: Vec<_> = old.map(|file| file.name).filter(|name| is_old(name)).collect();
    if old.is_empty() { Ok(()) } else { table.delete(&old) }
}

/// Returns the time in milliseconds since 1970.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// Returns a random id, in the form of a UUID.
pub(crate) fn random_id() -> Result<String, Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| unwritable(error.to_string()))?;
    let id = u128::from_le_bytes(bytes);
    let part = |shift: u32, bits: u32| (id >> shift) & ((1 << bits) - 1);
    Ok(format!(
        "{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}",
        part(96, 32),
        part(80, 16),
        part(64, 12),
        part(48, 12),
        part(0, 48)
    ))
}

/// Number of commits between two checkpoints.
const CHECKPOINT_EVERY: i64 = 10;

/// Time for which commits before a checkpoint are kept, in milliseconds.
const LOG_RETENTION: i64 = 30 * 24 * 60 * 60 * 1000;
