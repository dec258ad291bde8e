//! Exports a mirror into Delta Lake tables.

mod changes;
mod contents;
mod draft;
mod plain;
mod ranges;
mod records;
pub(crate) mod report;
mod samples;
mod spells;

use std::collections::BTreeMap;

use methodical_mirror::{Mirror, Snapshot};

use crate::delta::action::{Action, Format, MetaData, Protocol, Remove, Txn, schema_string};
use crate::delta::commit::{commit, now, random_id};
use crate::delta::log::{LOG, RETENTION};
use crate::delta::state::State;
use crate::described::Described;
use crate::error::{Error, ErrorKind};
use crate::export::contents::Contents;
use crate::export::draft::{DATA, Draft};
use crate::export::report::TableExport;
use crate::place::Place;
use crate::unfinished::is_unfinished;

/// Exports a mirror into Delta Lake tables.
///
/// ```no_run
/// use methodical_mirror::Mirror;
/// use methodical_warehouse::{Described, Export, Place};
///
/// fn export(mirror: &Mirror, described: Described) -> Result<(), methodical_warehouse::Error> {
///     let place = Place::open("s3://archive/photos")?;
///     for table in Export::new(described).run(mirror, &place)? {
///         println!("{}: {} rows written", table.table, table.rows);
///     }
///     Ok(())
/// }
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Export {
    described: Described,
    rows_per_file: i64,
    replaces: bool,
    decimals: bool,
}

impl Export {
    /// Creates an export of the tables of a service.
    pub fn new(described: Described) -> Self {
        Self { described, rows_per_file: ROWS_PER_FILE, replaces: false, decimals: false }
    }

    /// Sets the maximum number of rows of a file.
    pub fn rows_per_file(self, rows: u32) -> Self {
        Self { rows_per_file: i64::from(rows).max(1), ..self }
    }

    /// Replaces tables of another mirror, such as the one that this mirror was restored from. Their changes are lost.
    pub fn replace(self) -> Self {
        Self { replaces: true, ..self }
    }

    /// Adds a column `<field>_decimal` for each decimal number, of the type `DECIMAL(38, 9)`. It is null if the text is not a plain decimal
    /// number, or has more digits. The text stays in its own column.
    pub fn decimals(self) -> Self {
        Self { decimals: true, ..self }
    }

    /// Exports each table of the mirror into a folder of the place, in one transaction for each table. Files whose rows
    /// did not change are not written again.
    ///
    /// # Errors
    ///
    /// - [`ErrorKind::Conflict`] if other exporters were always faster.
    /// - [`ErrorKind::Foreign`] if a table belongs to another mirror or program.
    /// - [`ErrorKind::Older`] if the mirror is older than a table.
    /// - The others if the mirror or the place fails. The tables then have their former or their new version.
    pub fn run(&self, mirror: &Mirror, place: &Place) -> Result<Vec<TableExport>, Error> {
        let mut snapshot = Some(mirror.snapshot()?);
        let mut exports = Vec::new();
        for contents in self.contents(snapshot.as_mut())? {
            let table = place.folder(contents.name());
            let mut attempts = 1;
            let export = loop {
                let mut at = match snapshot.take() {
                    Some(snapshot) => snapshot,
                    None => mirror.snapshot()?,
                };
                match self.attempt(&contents, &mut at, &table) {
                    // Another exporter was faster, perhaps with a newer state: read both again.
                    Err(error)
                        if matches!(error.kind(), ErrorKind::Conflict | ErrorKind::Older)
                            && attempts < MAX_ATTEMPTS =>
                    {
                        attempts += 1;
                    }
                    result => {
                        snapshot = Some(at);
                        break result?;
                    }
                }
            };
            exports.push(export);
        }
        Ok(exports)
    }

    /// Returns what the tables contain.
    fn contents(&self, snapshot: Option<&mut Snapshot<'_>>) -> Result<Vec<Contents>, Error> {
        let statuses = snapshot.map(Snapshot::tables).transpose()?.unwrap_or_default();
        let tables = statuses.iter().filter_map(|status| self.described.table(&status.table));
        let tables: Vec<_> = tables.collect();
        let mut all: Vec<_> =
            tables.iter().map(|&table| Contents::records(table, self.decimals)).collect();
        all.push(Contents::Changes);
        all.push(Contents::Spells(tables.iter().map(|table| table.name()).collect()));
        let gauges = self.described.gauges.clone();
        all.push(Contents::Samples { gauges, decimals: self.decimals });
        Ok(all)
    }

    fn attempt(
        &self,
        contents: &Contents,
        snapshot: &mut Snapshot<'_>,
        table: &Place,
    ) -> Result<TableExport, Error> {
        let mut state = State::read(table)?;
        let mirror = snapshot.mirror_id();
        let is_new = state.version.is_none();
        let is_other = !is_new && self.is_of_other(&state, &mirror, table)?;
        let before = state.progress.get(&progress_of(&mirror)).copied();
        if !is_other && before.is_some_and(|before| before > snapshot.last_change()) {
            let text = format!("cannot export to {table}: it is newer than the mirror");
            return Err(Error::new(ErrorKind::Older, text));
        }
        // Files that belong to no version now are left over from exporters that cannot commit them after this commit.
        let listed = table.list(DATA, "")?;
        let mut left: Vec<_> = listed
            .iter()
            .map(|file| file.name.clone())
            .filter(|name| !state.files.contains_key(name) && !state.removed.contains_key(name))
            .collect();
        let log = table.list(LOG, "")?.into_iter().map(|file| file.name);
        let left_in_log: Vec<_> = log.filter(|name| is_unfinished(name)).collect();
        let mut draft = Draft::new(table.clone(), self.rows_per_file, before.filter(|_| !is_other));
        let lost = contents.write(snapshot, &state, is_other, &mut draft)?;

        let columns = contents.columns();
        let meta = MetaData {
            id: match &state.meta {
                Some(meta) => meta.id.clone(),
                None => random_id()?,
            },
            name: Some(contents.name().to_owned()),
            format: Format { provider: "parquet".to_owned(), options: BTreeMap::new() },
            schema_string: schema_string(&columns),
            partition_columns: Vec::new(),
            configuration: [
                (MIRROR.to_owned(), mirror.clone()),
                (PERSONAL.to_owned(), (!snapshot.omits_personal()).to_string()),
            ]
            .into(),
            created_time: Some(
                state.meta.as_ref().and_then(|meta| meta.created_time).unwrap_or_else(now),
            ),
        };
        let protocol = Protocol::of(&columns);
        let is_described =
            state.meta.as_ref() == Some(&meta) && state.protocol.as_ref() == Some(&protocol);
        let is_omitting = state
            .meta
            .as_ref()
            .is_some_and(|old| old.configuration.get(PERSONAL) != meta.configuration.get(PERSONAL));

        let mut export = draft.report(contents.name(), lost);
        // An empty commit, too, makes other exporters fail, so that what they have written can be deleted.
        if !is_described || !draft.is_empty() || !left.is_empty() {
            let erases = is_other || is_omitting || contents.erases(snapshot, &draft)?;
            let mut actions = Vec::new();
            if !is_described {
                actions.push(Action { protocol: Some(protocol), ..Action::default() });
                actions.push(Action { meta_data: Some(meta), ..Action::default() });
            }
            let newest = state.removed.values().copied().max().unwrap_or_default();
            let at = now().max(newest);
            let txn = Txn { app_id: progress_of(&mirror), version: snapshot.last_change() };
            actions.push(Action { txn: Some(txn), ..Action::default() });
            if erases {
                let txn = Txn { app_id: ERASED.to_owned(), version: at };
                actions.push(Action { txn: Some(txn), ..Action::default() });
            }
            let (added, removed) = draft.finish();
            for path in removed {
                let remove = Remove { path, deletion_timestamp: Some(at), data_change: true };
                actions.push(Action { remove: Some(remove), ..Action::default() });
            }
            let ours: Vec<_> = added.iter().map(|add| add.path.clone()).collect();
            for add in added {
                actions.push(Action { add: Some(add), ..Action::default() });
            }
            left.extend(left_in_log);
            if !commit(table, &mut state, actions)? {
                table.delete(&ours)?;
                let text = format!(
                    "cannot export to {table}: other exporters keep committing to it; try again later"
                );
                return Err(Error::new(ErrorKind::Conflict, text));
            }
        }
        left.extend(
            due(&state)
                .filter(|path| {
                    // The listing has the files that this commit removed, too.
                    listed.iter().any(|file| file.name == **path)
                })
                .cloned(),
        );
        if !left.is_empty() {
            table.delete(&left)?;
        }
        export.version = state.version.unwrap_or_default();
        export.deleted = u64::try_from(left.len()).unwrap_or(u64::MAX);
        Ok(export)
    }

    /// Returns whether a table belongs to another mirror, and may be replaced.
    fn is_of_other(&self, state: &State, mirror: &str, table: &Place) -> Result<bool, Error> {
        let foreign =
            |why: &str| Error::new(ErrorKind::Foreign, format!("cannot export to {table}: {why}"));
        let owner = state.meta.as_ref().and_then(|meta| meta.configuration.get(MIRROR));
        let Some(owner) = owner else {
            return Err(foreign("another program created the table; use another folder"));
        };
        let known = |protocol: &Protocol| {
            let features = [&protocol.reader_features, &protocol.writer_features];
            features.into_iter().flatten().flatten().all(|name| name == "timestampNtz")
        };
        if !state.protocol.as_ref().is_some_and(known) {
            return Err(foreign("another program changed its protocol; use another folder"));
        }
        if owner != mirror && !self.replaces {
            return Err(foreign(
                "the table belongs to another mirror; use another folder, or replace the table",
            ));
        }
        Ok(owner != mirror)
    }
}

/// Returns the removed files that need not be kept any longer.
fn due(state: &State) -> impl Iterator<Item = &String> {
    let erased = state.progress.get(ERASED).copied().unwrap_or_default();
    let expired = now() - RETENTION;
    state
        .removed
        .iter()
        .filter(move |(_, at)| **at <= erased || **at < expired)
        .map(|(path, _)| path)
}

/// Returns the name under which a table has the last change of the feed that it contains.
fn progress_of(mirror: &str) -> String {
    format!("gateway-mirror/{mirror}")
}

/// The name under which a table has the time up to which removed files may contain what was erased.
const ERASED: &str = "gateway-erased";

/// The property with the id of the mirror.
const MIRROR: &str = "gateway.mirror";

/// The property that says whether the mirror has personal data.
const PERSONAL: &str = "gateway.personal";

/// Default of the maximum number of rows of a file.
const ROWS_PER_FILE: i64 = 131_072;

/// Maximum number of attempts to commit to a table.
const MAX_ATTEMPTS: u32 = 10;
