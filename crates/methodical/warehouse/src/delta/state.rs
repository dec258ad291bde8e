//! The state of a table: its last checkpoint, and the commits after it.

use std::collections::BTreeMap;

use crate::delta::action::{Action, Add, MetaData, Protocol, Remove, Txn};
use crate::delta::checkpoint;
use crate::delta::log::{
    Hint, LAST_CHECKPOINT, LOG, RETENTION, actions, checkpoint_file, version_of,
};
use crate::error::{Error, ErrorKind};
use crate::place::Place;

/// The state of a table after a commit.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// The number of the last commit; `None` if the table does not exist.
    pub(crate) version: Option<i64>,
    pub(crate) protocol: Option<Protocol>,
    pub(crate) meta: Option<MetaData>,
    /// The files by path.
    pub(crate) files: BTreeMap<String, Add>,
    /// The removed files by path, with the time of their removal in milliseconds since 1970.
    pub(crate) removed: BTreeMap<String, i64>,
    /// The progress of writers by their name.
    pub(crate) progress: BTreeMap<String, i64>,
}

impl State {
    /// Reads the log of a table.
    pub(crate) fn read(table: &Place) -> Result<Self, Error> {
        let damaged = |text: &str| {
            Error::new(ErrorKind::Log, format!("cannot read the log of {table}: {text}"))
        };
        let mut state = Self::default();
        if let Some(hint) = table.read(LAST_CHECKPOINT)? {
            let hint: Hint = serde_json::from_slice(&hint)
                .map_err(|error| damaged("_last_checkpoint is damaged").because(error))?;
            let file = table.read(&checkpoint_file(hint.version))?;
            let file = file.ok_or_else(|| damaged("its checkpoint is missing"))?;
            for action in checkpoint::read(file)? {
                state.apply(action);
            }
            state.version = Some(hint.version);
        }
        let after = state.version.map_or_else(String::new, |version| format!("{version:020}.json"));
        for file in table.list(LOG, &after)? {
            let Some(version) = version_of(&file.name) else { continue };
            let next = state.version.map_or(0, |version| version + 1);
            if version < next {
                continue;
            }
            if version > next {
                return Err(damaged(&format!("commit {next} is missing")));
            }
            let commit = table.read(&file.name)?;
            let commit = commit.ok_or_else(|| damaged("a commit disappeared"))?;
            for action in
                actions(&commit).map_err(|error| damaged("a commit is damaged").because(error))?
            {
                state.apply(action);
            }
            state.version = Some(version);
        }
        Ok(state)
    }

    /// Applies an action.
    pub(crate) fn apply(&mut self, action: Action) {
        let Action { commit_info: _, protocol, meta_data, txn, add, remove } = action;
        if let Some(protocol) = protocol {
            self.protocol = Some(protocol);
        }
        if let Some(meta) = meta_data {
            self.meta = Some(meta);
        }
        if let Some(txn) = txn {
            self.progress.insert(txn.app_id, txn.version);
        }
        if let Some(add) = add {
            self.removed.remove(&add.path);
            self.files.insert(add.path.clone(), add);
        }
        if let Some(remove) = remove {
            self.files.remove(&remove.path);
            self.removed.insert(remove.path, remove.deletion_timestamp.unwrap_or_default());
        }
    }

    /// Returns the actions that lead to the state, without files that were removed long ago.
    pub(crate) fn actions(&self, now: i64) -> Vec<Action> {
        let Self { protocol, meta, files, removed, progress, version: _ } = self;
        let mut all = vec![
            Action { protocol: protocol.clone(), ..Action::default() },
            Action { meta_data: meta.clone(), ..Action::default() },
        ];
        for (app_id, &version) in progress {
            let txn = Some(Txn { app_id: app_id.clone(), version });
            all.push(Action { txn, ..Action::default() });
        }
        for (path, &at) in removed.iter().filter(|(_, at)| **at > now - RETENTION) {
            let remove =
                Remove { path: path.clone(), deletion_timestamp: Some(at), data_change: false };
            all.push(Action { remove: Some(remove), ..Action::default() });
        }
        for add in files.values() {
            let mut add = add.clone();
            add.data_change = false;
            all.push(Action { add: Some(add), ..Action::default() });
        }
        all
    }
}
