//! Checks a mirror: the database, the counts, the hashes, the feed and the erasures.

pub(crate) mod fold;
mod spells;

use std::collections::HashSet;

use crate::engine::Before;
use crate::engine::known::State;
use crate::error::Error;
use crate::feed::consumer::Consumer;
use crate::feed::cursor::Identity;
use crate::fields::hash::{Hash, Hasher};
use crate::fields::omit;
use crate::history::status::TableStatus;
use crate::keep::check::fold::Fold;
use crate::keep::check::spells::Spells;
use crate::keep::contents;
use crate::keep::filter::Filter;
use crate::keep::finding::{Check, Finding, FindingKind};
use crate::mirror::{Mirror, lock};
use crate::recovery::follow;
use crate::store::Store;
use crate::store::data::{Kept, PAGE};

impl Mirror {
    /// Checks the mirror as it is at one moment, also while another process syncs:
    ///
    /// - the database itself;
    /// - that the counts of each table are those of its rows;
    /// - that the hash of each record is that of its contents, unless the mirror omits personal data;
    /// - that the feed leads to the state of each record. A record without changes in the feed was present in the first sync.
    ///   If changes were removed, nothing is known of a record whose changes were all removed;
    /// - that a record that is gone or forgotten has no personal and no unlisted value;
    /// - that no record whose identity is forgotten is present or missing;
    /// - that the spells of each placement lead to its value, and that they began at the times of the feed.
    ///
    /// It reads every row, every change and every spell. It needs one byte of memory for each record, 64 more for each placement, and the
    /// identities of purged records that the feed still names.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read. Damage that the store reports is a finding instead.
    ///
    /// ```
    /// use methodical_mirror::{Error, Mirror};
    ///
    /// /// Prints what is wrong. Returns whether nothing is.
    /// fn check(mirror: &Mirror) -> Result<bool, Error> {
    ///     let check = mirror.check()?;
    ///     for finding in &check.findings {
    ///         println!("{finding}");
    ///     }
    ///     Ok(check.findings.is_empty())
    /// }
    /// # assert!(check(&Mirror::in_memory()?)?);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn check(&self) -> Result<Check, Error> {
        check(&mut lock(&self.store))
    }
}

/// Checks a store.
pub(crate) fn check(store: &mut Store) -> Result<Check, Error> {
    store.begin_reading()?;
    let result = all(store);
    store.roll_back();
    Ok(result?.cut())
}

/// Returns all findings, in the transaction of the caller.
pub(crate) fn find_all(store: &mut Store) -> Result<Vec<Finding>, Error> {
    Ok(all(store)?.findings)
}

fn all(store: &mut Store) -> Result<Check, Error> {
    let mut check = Check::default();
    for cause in store.damage()? {
        check.add(Finding { kind: FindingKind::Damage, table: None, id: None, cause });
    }
    if !check.findings.is_empty() {
        // Nothing that a damaged database returns is of use.
        return Ok(check);
    }
    let feed = store.feed()?;
    check.is_pruned = feed.pruned > 0;
    let fold = Fold::of(store, feed.pruned, &mut check)?;
    let recovered = follow::recovered(store)?;
    for status in store.tables()? {
        let mut rows = Rows::new(store, &status)?;
        if let (Some(value), Some(begins)) =
            (recovered.get(&status.table), fold.begins(&status.table))
        {
            let (table, is_reduced) = (&status.table, rows.is_reduced);
            rows.spells = Some(Spells::of(store, table, value, is_reduced, begins, &mut check)?);
        }
        rows.check(store, &fold, &mut check)?;
    }
    for Consumer { name, position, .. } in store.consumers()? {
        if position > feed.last {
            let cause = format!(
                "the consumer `{name}` is at {position}, and the feed ends at {}",
                feed.last
            );
            check.add(Finding { kind: FindingKind::Consumer, table: None, id: None, cause });
        }
    }
    Ok(check)
}

/// A check of the rows of one table.
struct Rows<'a> {
    status: &'a TableStatus,
    record: Hasher,
    identity: Hasher,
    suppressed: HashSet<Hash>,
    /// The hashes are those of contents that are not stored.
    is_reduced: bool,
    /// Set if the table is a recovered one.
    spells: Option<Spells>,
    counted: Before,
}

impl<'a> Rows<'a> {
    fn new(store: &mut Store, status: &'a TableStatus) -> Result<Self, Error> {
        let Identity { secret, .. } = store.identity();
        let (record, identity) = (Hasher::new(secret, "record"), Hasher::new(secret, "identity"));
        let suppressed = store.suppressed(&status.table)?;
        let is_reduced = omit::is_on(store)?;
        let (spells, counted) = (None, Before::default());
        Ok(Self { status, record, identity, suppressed, is_reduced, spells, counted })
    }

    fn check(mut self, store: &mut Store, fold: &Fold, check: &mut Check) -> Result<(), Error> {
        let (filter, mut after) = (Filter::new(), 0);
        loop {
            let page = store.records(&self.status.table, &filter, after, PAGE)?;
            let Some(last) = page.last() else { break };
            after = last.known.key;
            for kept in &page {
                check.records += 1;
                self.check_one(kept, fold, check)?;
            }
        }
        let expected = Before { present: self.status.present, missing: self.status.missing };
        if self.counted != expected {
            let cause = format!(
                "it has {} present and {} missing records, and its counts are {} and {}",
                self.counted.present, self.counted.missing, expected.present, expected.missing
            );
            let table = Some(self.status.table.clone());
            check.add(Finding { kind: FindingKind::Counts, table, id: None, cause });
        }
        Ok(())
    }

    fn check_one(&mut self, kept: &Kept, fold: &Fold, check: &mut Check) -> Result<(), Error> {
        let mut add = |kind, cause: String| {
            let (table, id) = (Some(self.status.table.clone()), Some(kept.id.clone()));
            check.add(Finding { kind, table, id, cause });
        };
        let state = kept.known.state;
        let is_live = match state {
            State::Present => {
                self.counted.present += 1;
                true
            }
            State::Missing => {
                self.counted.missing += 1;
                true
            }
            State::Gone | State::Forgotten => false,
        };
        if is_live
            && !self.is_reduced
            && kept.known.hash != Some(contents::hash(kept, &self.record)?)
        {
            add(FindingKind::Hash, "the row was changed by another program".to_owned());
        }
        if !is_live && kept.is_readable() {
            let cause = format!("it is {}, and still has contents", state.as_str());
            add(FindingKind::Erasure, cause);
        }
        let is_forgotten = || self.suppressed.contains(&self.identity.hash(&[kept.id.as_bytes()]));
        if is_live && !self.suppressed.is_empty() && is_forgotten() {
            let cause = format!("it is {}, and its identity is forgotten", state.as_str());
            add(FindingKind::Forgotten, cause);
        }
        if let Some(expected) = fold.contradicts(&self.status.table, kept) {
            let cause = format!(
                "it is {}, and the changes of the feed lead to {}",
                state.as_str(),
                expected.as_str()
            );
            add(FindingKind::Feed, cause);
        }
        if let Some(cause) = self.spells.as_ref().and_then(|spells| spells.contradicts(kept)) {
            add(FindingKind::Spell, cause.to_owned());
        }
        Ok(())
    }
}
