//! Reads what a mirror knows before a recovery.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{BuildHasher as _, RandomState};

use crate::engine::known::State;
use crate::error::{Error, ErrorKind};
use crate::fields::hash::{Hash, Hasher};
use crate::fields::row::Value;
use crate::fields::shape::Shape;
use crate::keep::filter::Filter;
use crate::mirror::{Mirror, lock, now};
use crate::recovery::asking::group::Known;
use crate::recovery::rota::Rota;
use crate::recovery::target::Target;
use crate::store::data::PAGE;

/// The knowledge of a mirror before a recovery.
pub(crate) struct Knowledge {
    /// The present groups.
    pub(crate) groups: Vec<Known>,
    /// All values, the most frequent first.
    pub(crate) values: Vec<String>,
    /// How many members are present.
    pub(crate) members: u64,
    pub(crate) rota: Rota,
    pub(crate) forgotten: Forgotten,
    /// The hasher of the digests.
    pub(crate) hasher: RandomState,
}

/// The forgotten members.
pub(crate) struct Forgotten {
    hasher: Hasher,
    ids: HashSet<Hash>,
}

impl Forgotten {
    /// Returns the members that are forgotten since.
    pub(crate) fn again(&self, ids: HashSet<Hash>) -> Self {
        Self { hasher: self.hasher.clone(), ids }
    }

    pub(crate) fn has(&self, id: &str) -> bool {
        !self.ids.is_empty() && self.ids.contains(&self.hasher.hash(&[id.as_bytes()]))
    }
}

/// Reads what a mirror knows, and adds these names of values. Each group is due at least once in this many runs.
pub(crate) fn read(
    mirror: &Mirror,
    target: &Target,
    more: &[String],
    runs: u32,
) -> Result<Knowledge, Error> {
    let tables = lock(&mirror.store).tables()?;
    let status = |name: &str| tables.iter().find(|table| table.table == name);
    for table in [target.members, target.groups] {
        if status(table.name()).is_none_or(|status| status.completed_at.is_none()) {
            let text = format!("cannot recover `{}`: sync `{}` first", target.value, table.name());
            return Err(Error::new(ErrorKind::Table, text));
        }
    }
    let members = status(target.members.name()).map_or(0, |status| status.present);
    let hasher = RandomState::new();
    let mut groups = present(mirror, target.groups.name())?;
    if status(target.table.name()).is_some() {
        read_placements(mirror, target, &hasher, &mut groups)?;
    }
    let rota = Rota::read(lock(&mirror.store).note(&target.rota())?.as_deref())?;
    let values = values(&groups, target.known_values, more, rota.values());
    let ids: Vec<&str> = groups.keys().map(|id| &**id).collect();
    let due: BTreeSet<String> =
        rota.due(&ids, runs, now(&mirror.clock)).into_iter().map(str::to_owned).collect();
    let has_new = rota.has_new(&values);
    for (id, known) in &mut groups {
        known.is_due = due.contains(id) || has_new && known.unknown > 0;
    }
    let mut store = lock(&mirror.store);
    let forgotten = Forgotten {
        hasher: Hasher::new(&store.identity().secret, "identity"),
        ids: store.suppressed(target.members.name())?,
    };
    drop(store);
    let groups = groups.into_values().collect();
    Ok(Knowledge { groups, values, members, rota, forgotten, hasher })
}

/// Returns the present records of a table.
fn present(mirror: &Mirror, table: &str) -> Result<BTreeMap<String, Known>, Error> {
    let (mut groups, mut after) = (BTreeMap::new(), 0);
    loop {
        let page = lock(&mirror.store).live_after(table, after)?;
        let Some(last) = page.last() else { return Ok(groups) };
        after = last.key;
        for live in page.into_iter().filter(|live| live.misses == 0) {
            let known = Known { id: live.id.clone(), ..Known::default() };
            groups.insert(live.id, known);
        }
    }
}

/// Adds the placements to their groups.
fn read_placements(
    mirror: &Mirror,
    target: &Target,
    hasher: &RandomState,
    groups: &mut BTreeMap<String, Known>,
) -> Result<(), Error> {
    let [_, group, member, value] = target.columns()?;
    let (filter, mut after) = (Filter::new().state(State::Present), 0);
    loop {
        let page = lock(&mirror.store).records(target.table.name(), &filter, after, PAGE)?;
        let Some(last) = page.last() else { return Ok(()) };
        after = last.known.key;
        for kept in page {
            let cell = |name: &str| text(&kept.shape, &kept.row.cells, name);
            let (Some(group), Some(member)) = (cell(group), cell(member)) else { continue };
            let Some(known) = groups.get_mut(&group) else { continue };
            known.members.add(hasher.hash_one(&*member));
            match cell(value) {
                Some(value) => *known.values.entry(value).or_default() += 1,
                None => known.unknown += 1,
            }
        }
    }
}

/// Returns the text of a column.
fn text(shape: &Shape, cells: &[Option<Value<'_>>], name: &str) -> Option<String> {
    let index = shape.columns.iter().position(|column| column.name == name)?;
    match cells.get(index)?.as_ref()? {
        Value::Text(text) => Some(text.to_string()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Real(_) | Value::Boolean(_) => None,
    }
}

/// Returns the names of all values: those in the mirror by their frequency, then the others, and those of earlier recoveries.
fn values(
    groups: &BTreeMap<String, Known>,
    known: &[&str],
    more: &[String],
    earlier: &[String],
) -> Vec<String> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for (value, count) in groups.values().flat_map(|group| &group.values) {
        *counts.entry(value).or_default() += count;
    }
    let mut frequent: Vec<(&str, u64)> = counts.into_iter().collect();
    frequent.sort_by_key(|(_, count)| Reverse(*count));
    let frequent = frequent.into_iter().map(|(value, _)| value);
    let all = frequent
        .chain(known.iter().copied())
        .chain(more.iter().chain(earlier).map(|value| &**value));
    let mut seen = BTreeSet::new();
    all.filter(|value| seen.insert(*value)).map(str::to_owned).collect()
}
