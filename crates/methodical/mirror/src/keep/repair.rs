//! Mends a mirror that another program has changed.

mod record;

use std::collections::{BTreeMap, BTreeSet};

use crate::engine::Before;
use crate::engine::known::State;
use crate::error::Error;
use crate::feed::consumer::Consumer;
use crate::keep::check::{check, find_all};
use crate::keep::finding::{Check, Finding, FindingKind};
use crate::keep::repair::record::Records;
use crate::mirror::{Mirror, lock, now};
use crate::store::Store;
use crate::store::data::End;

/// The result of [`Mirror::repair`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repaired {
    /// The findings that were repaired. [`FindingKind::repair`] says how.
    pub findings: Vec<Finding>,
    /// The check after the repair. Its findings cannot be repaired: restore a backup, or sync into a new mirror.
    pub check: Check,
}

impl Mirror {
    /// Repairs what [`check`](Self::check) finds, in one transaction, and checks the mirror again:
    ///
    /// - The hash of a changed row becomes that of its contents, so that the next sync writes the row again, with a change.
    /// - The feed gets the changes that it lacks, so that it leads to the state of each record.
    /// - The counts of a table become those of its rows.
    /// - A record that is gone or forgotten is erased again, and one whose identity is forgotten is forgotten again.
    /// - A consumer after the end of the feed moves to its end. It needs a new snapshot.
    /// - The spells of a placement begin anew. Those that ended stay, and the feed gets the changes `gone` and `returned`.
    ///
    /// Damage of the database itself is not repaired, and then nothing is changed.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Busy`](crate::ErrorKind::Busy) if another process syncs the mirror. Fails also if the store does. After an
    /// error, the mirror is as it was before.
    ///
    /// ```
    /// use methodical_mirror::{Error, Mirror};
    ///
    /// /// Repairs a mirror. Returns whether it is sound now.
    /// fn repair(mirror: &mut Mirror) -> Result<bool, Error> {
    ///     let repaired = mirror.repair()?;
    ///     for finding in &repaired.findings {
    ///         println!("{}", finding.cause);
    ///     }
    ///     Ok(repaired.check.findings.is_empty())
    /// }
    /// # assert!(repair(&mut Mirror::in_memory()?)?);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn repair(&mut self) -> Result<Repaired, Error> {
        let at = now(&self.clock);
        let mut store = lock(&self.store);
        let store = &mut store;
        let findings = repair(store, at);
        store.roll_back();
        Ok(Repaired { findings: findings?, check: check(store)? })
    }
}

/// Repairs the findings of a check. Returns them.
fn repair(store: &mut Store, at: i64) -> Result<Vec<Finding>, Error> {
    let tables = store.tables()?;
    let name = tables.first().map_or("", |status| &*status.table);
    let mut after = store.begin_forgetting(name)?.unwrap_or_default();
    let findings = find_all(store)?;
    if findings.is_empty() || findings.iter().any(|one| one.kind == FindingKind::Damage) {
        return Ok(Vec::new());
    }
    let mut records = BTreeMap::<(&str, &str), BTreeSet<FindingKind>>::new();
    for Finding { kind, table, id, .. } in &findings {
        if let (Some(table), Some(id)) = (table, id) {
            records.entry((table, id)).or_default().insert(*kind);
        }
    }
    let mut repair = Records::new(store, at)?;
    for ((table, id), kinds) in &records {
        repair.one(store, table, id, kinds)?;
    }
    for status in &tables {
        let counts = count(store, &status.table)?;
        if status.table == name {
            after = counts;
        } else {
            store.set_counts(&status.table, counts)?;
        }
    }
    if findings.iter().any(|one| one.kind == FindingKind::Consumer) {
        move_consumers(store)?;
    }
    store.commit(&End { table: name, completed_at: None, after, has_erased: true })?;
    Ok(findings)
}

/// Counts the present and the missing rows of a table.
fn count(store: &mut Store, table: &str) -> Result<Before, Error> {
    let (mut counted, mut after) = (Before::default(), 0);
    loop {
        let page = store.live_after(table, after)?;
        let Some(last) = page.last() else { return Ok(counted) };
        after = last.key;
        let ids: Vec<&str> = page.iter().map(|live| &*live.id).collect();
        for known in store.known(table, &ids)?.into_iter().flatten() {
            match known.state {
                State::Missing => counted.missing += 1,
                _ => counted.present += 1,
            }
        }
    }
}

/// Moves the consumers that are after the end of the feed to its end.
fn move_consumers(store: &mut Store) -> Result<(), Error> {
    let last = store.feed()?.last;
    for consumer in store.consumers()?.into_iter().filter(|one| one.position > last) {
        let moved = Consumer { position: last, ..consumer.clone() };
        store.update_consumer(&moved, consumer.position)?;
    }
    Ok(())
}
