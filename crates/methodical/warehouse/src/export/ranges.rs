//! Rows with numbers: each file has a fixed range of them, and is written again if one of them differs.
//!
//! Every row is read and hashed in each export. The feed would not do: a purge, a new column and a mirror that begins to
//! omit personal data change rows without a change.

use std::collections::BTreeMap;

use methodical_mirror::Snapshot;
use sha2::{Digest as _, Sha256};

use crate::columns::{Column, Value};
use crate::delta::action::{Add, schema_string};
use crate::delta::state::State;
use crate::error::Error;
use crate::export::draft::Draft;

/// Rows of the mirror, in the order of their numbers.
pub(crate) trait Numbered {
    type Row;

    fn columns(&self) -> Vec<Column>;

    /// Returns the first rows with a number above this one, at most `limit`.
    fn page(
        &self,
        snapshot: &mut Snapshot<'_>,
        after: i64,
        limit: usize,
    ) -> Result<Vec<Self::Row>, Error>;

    fn number(row: &Self::Row) -> i64;

    /// Adds what the row contains to a hash.
    fn hash(row: &Self::Row, hash: &mut Hash);

    /// Passes the values of the columns to `take`.
    fn with(
        &self,
        row: &Self::Row,
        take: impl FnOnce(&[Option<Value<'_>>]) -> Result<(), Error>,
    ) -> Result<(), Error>;
}

/// The files of a table that were not found to be current yet, by their ranges.
#[derive(Debug)]
pub(crate) struct Ranges<'a>(BTreeMap<&'a str, &'a Add>);

impl<'a> Ranges<'a> {
    pub(crate) fn of(state: &'a State, draft: &mut Draft) -> Self {
        let mut files: BTreeMap<&str, &Add> = BTreeMap::new();
        for add in state.files.values() {
            // A file of another program has no range.
            if let Some(second) = files.insert(add.tag(RANGE).unwrap_or(&add.path), add) {
                draft.remove(&second.path);
            }
        }
        Self(files)
    }

    /// Writes the files whose rows differ. Rows of several kinds in one table have ranges of different names.
    pub(crate) fn write<R: Numbered>(
        &mut self,
        name: &str,
        rows: &R,
        snapshot: &mut Snapshot<'_>,
        draft: &mut Draft,
    ) -> Result<(), Error> {
        let columns = rows.columns();
        let schema = schema_string(&columns);
        let mut after = 0;
        while let Some(first) = rows.page(snapshot, after, 1)?.first() {
            let from = R::number(first).saturating_sub(1) / draft.rows_per_file;
            let from = from * draft.rows_per_file;
            let to = from + draft.rows_per_file;
            after = to;
            let range = format!("{name}{}-{to}", from + 1);
            if let Some(old) = self.0.remove(&*range) {
                let (last, lasting) = old.tag(LASTING).and_then(parsed).unwrap_or_default();
                let mut hash = Hash::new(&schema, last);
                each(rows, snapshot, from, to, |row| {
                    hash.row(R::number(row), |hash| R::hash(row, hash));
                    Ok(())
                })?;
                let found = hash.finish(snapshot);
                if old.tag(HASH) == Some(&*found.all) {
                    continue;
                }
                draft.erases |= found.lasting != lasting;
                draft.remove(&old.path);
            }
            let mut hash = Hash::new(&schema, to);
            let mut last = from;
            let mut file = draft.begin(&columns, &format!("{name}{:012}-{to:012}", from + 1))?;
            each(rows, snapshot, from, to, |row| {
                last = R::number(row);
                hash.row(last, |hash| R::hash(row, hash));
                rows.with(row, |row| file.rows.push(row))
            })?;
            let Hashes { all, lasting } = hash.finish(snapshot);
            let lasting = format!("{last}:{lasting}");
            draft.add(file, &[(RANGE, range), (HASH, all), (LASTING, lasting)])?;
        }
        Ok(())
    }

    /// Removes the files whose range has no rows any more.
    pub(crate) fn finish(self, draft: &mut Draft) {
        for old in self.0.values() {
            draft.erases = true;
            draft.remove(&old.path);
        }
    }
}

fn parsed(tag: &str) -> Option<(i64, &str)> {
    let (last, lasting) = tag.split_once(':')?;
    Some((last.parse().ok()?, lasting))
}

/// Passes each row with a number above `from` and up to `to`.
fn each<R: Numbered>(
    rows: &R,
    snapshot: &mut Snapshot<'_>,
    from: i64,
    to: i64,
    mut take: impl FnMut(&R::Row) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut after = from;
    loop {
        let page = rows.page(snapshot, after, PAGE)?;
        let Some(last) = page.last() else { return Ok(()) };
        after = R::number(last);
        for row in &page {
            if R::number(row) > to {
                return Ok(());
            }
            take(row)?;
        }
    }
}

/// The hashes of the rows of a file.
#[derive(Debug)]
pub(crate) struct Hash {
    all: Sha256,
    /// Only of the values that a row keeps as long as it exists, and of the rows that a former file had. If it differs, one of
    /// them was removed.
    lasting: Sha256,
    last: i64,
    is_former: bool,
}

struct Hashes {
    all: String,
    lasting: String,
}

impl Hash {
    fn new(schema: &str, last: i64) -> Self {
        Self { all: Sha256::new_with_prefix(schema), lasting: Sha256::new(), last, is_former: true }
    }

    fn row(&mut self, number: i64, add: impl FnOnce(&mut Self)) {
        self.is_former = number <= self.last;
        self.lasting(number.to_le_bytes());
        add(self);
    }

    /// Adds a value that a row keeps as long as it exists.
    pub(crate) fn lasting(&mut self, bytes: impl AsRef<[u8]>) {
        if self.is_former {
            add(&mut self.lasting, bytes.as_ref());
        }
        self.changing(bytes);
    }

    /// Adds a value that may change.
    pub(crate) fn changing(&mut self, bytes: impl AsRef<[u8]>) {
        add(&mut self.all, bytes.as_ref());
    }

    /// Returns the hashes with the secret of the mirror: a file may have so few rows that they could be guessed.
    fn finish(self, snapshot: &Snapshot<'_>) -> Hashes {
        let keyed = |hash: Sha256| snapshot.keyed_hash(&hash.finalize());
        Hashes { all: keyed(self.all), lasting: keyed(self.lasting) }
    }
}

fn add(hash: &mut Sha256, bytes: &[u8]) {
    hash.update(bytes.len().to_le_bytes());
    hash.update(bytes);
}

/// The tag with the range of the numbers.
const RANGE: &str = "gateway.rows";

/// The tag with the hash of the rows.
const HASH: &str = "gateway.hash";

/// The tag with the number of the last row, and the hash of what the rows keep.
const LASTING: &str = "gateway.lasting";

/// Number of rows that are read together.
const PAGE: usize = 1024;
