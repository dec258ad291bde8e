//! Writes the result of a recovery, as one list of placements.

use std::collections::{BTreeMap, BTreeSet};

use crate::engine::brake::Rules;
use crate::error::{Error, ErrorKind};
use crate::history::report::Report;
use crate::mirror::{Mirror, now};
use crate::recovery::asking::group::{Fate, Known};
use crate::recovery::coverage::{Coverage, GroupFailure};
use crate::recovery::known::Forgotten;
use crate::recovery::rota::Rota;
use crate::recovery::target::{Target, escaped};
use crate::run::Run;

/// The result of a recovery.
#[derive(Debug)]
pub(crate) struct Recovered {
    pub(crate) report: Report,
    pub(crate) coverage: Coverage,
    pub(crate) failures: Vec<GroupFailure>,
}

/// The names of values.
#[derive(Debug)]
pub(crate) struct Values {
    pub(crate) all: Vec<String>,
    /// Those that later recoveries ask for, too.
    pub(crate) kept: Vec<String>,
}

/// The knowledge from before the calls.
#[derive(Clone, Copy)]
pub(crate) struct Begun<'a> {
    pub(crate) rota: &'a Rota,
    pub(crate) forgotten: &'a Forgotten,
}

/// Commits the placements of the groups that were asked. Those of other groups stay as they are.
pub(crate) fn write(
    mirror: &mut Mirror,
    target: &Target,
    rules: Rules,
    values: &Values,
    before: Begun<'_>,
    groups: Vec<(Known, Fate)>,
) -> Result<Recovered, Error> {
    let mut coverage = Coverage::new(target.value, target.groups.name());
    for (known, fate) in &groups {
        coverage.add(known, fate);
    }
    let existing: BTreeSet<&str> = groups.iter().map(|(known, _)| &*known.id).collect();
    let asked = groups.iter().filter(|(_, fate)| matches!(fate, Fate::Placed(_)));
    let rota = before.rota.after(
        asked.map(|(known, _)| &*known.id),
        &existing,
        &values.kept,
        now(&mirror.clock),
    );
    coverage.values_from = rota.oldest();
    let fates: BTreeMap<String, &Fate> =
        groups.iter().map(|(known, fate)| (escaped(&known.id), fate)).collect();
    let mut run = mirror.begin(&target.scope(), target.table, rules)?;
    check_turn(&mut run, target, before.rota)?;
    run.recover(target)?;
    let forgotten = before.forgotten.again(run.suppressed(target.members.name())?);
    run.keep(|id, is_missing| {
        let group = id.split_once('/').map_or("", |(group, _)| group);
        match fates.get(group) {
            Some(Fate::Placed(_)) => false,
            // Its list was complete, and did not have a missing member.
            Some(Fate::Kept) => !is_missing,
            Some(Fate::Failed(_)) | None => true,
        }
    })?;
    for (known, fate) in &groups {
        let Fate::Placed(members) = fate else { continue };
        // The order of a hash map would number the rows at random.
        let members: BTreeMap<_, _> = members.iter().collect();
        for (member, value) in members.into_iter().filter(|(member, _)| !forgotten.has(member)) {
            let value = value.and_then(|value| values.all.get(value)).map(|value| &**value);
            run.record(&target.record(&known.id, member, value)?)?;
        }
    }
    run.note(&target.rota(), &rota.to_note()?)?;
    let report = run.finish()?;
    let failures = groups.into_iter().filter_map(|(known, fate)| match fate {
        Fate::Failed(error) => Some(GroupFailure { group: known.id, error }),
        Fate::Placed(_) | Fate::Kept => None,
    });
    Ok(Recovered { report, coverage, failures: failures.collect() })
}

/// Refuses answers that are older than another recovery. The lock of a sync in PostgreSQL may be lost with its connection.
fn check_turn(run: &mut Run<'_>, target: &Target, before: &Rota) -> Result<(), Error> {
    let now = Rota::read(run.read_note(&target.rota())?.as_deref())?;
    if now.turn() == before.turn() {
        return Ok(());
    }
    let text = format!(
        "cannot recover `{}`: another process has recovered it at the same time; nothing was changed; try again",
        target.value
    );
    Err(Error::new(ErrorKind::Busy, text))
}
