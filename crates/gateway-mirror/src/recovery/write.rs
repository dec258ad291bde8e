//! Writes the result of a recovery, as one list of placements.

use std::collections::{BTreeMap, BTreeSet};

use crate::engine::brake::Rules;
use crate::error::Error;
use crate::history::report::Report;
use crate::mirror::{Mirror, now};
use crate::recovery::asking::group::{Fate, Known};
use crate::recovery::coverage::{Coverage, GroupFailure};
use crate::recovery::rota::Rota;
use crate::recovery::target::{Target, escaped};

/// The result of a recovery.
#[derive(Debug)]
pub(crate) struct Recovered {
    pub(crate) report: Report,
    pub(crate) coverage: Coverage,
    pub(crate) failures: Vec<GroupFailure>,
}

/// Commits the placements of the groups that were asked. Those of other groups stay as they are.
pub(crate) fn write(
    mirror: &mut Mirror,
    target: &Target,
    rules: Rules,
    values: &[String],
    rota: &Rota,
    groups: Vec<(Known, Fate)>,
) -> Result<Recovered, Error> {
    let mut coverage = Coverage::new(target.value);
    for (known, fate) in &groups {
        coverage.add(known, fate);
    }
    let existing: BTreeSet<&str> = groups.iter().map(|(known, _)| &*known.id).collect();
    let asked = groups.iter().filter(|(_, fate)| matches!(fate, Fate::Placed(_)));
    let rota =
        rota.after(asked.map(|(known, _)| &*known.id), &existing, values, now(&mirror.clock));
    let fates: BTreeMap<String, &Fate> =
        groups.iter().map(|(known, fate)| (escaped(&known.id), fate)).collect();
    let mut run = mirror.begin(&target.scope(), target.table, rules)?;
    run.recover(target)?;
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
        for (member, value) in members {
            let value = value.and_then(|value| values.get(value)).map(|value| &**value);
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
