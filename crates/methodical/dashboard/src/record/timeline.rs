//! The values that a member has and had in each group, and for how long.

use crate::board::counts;
use crate::cells::Shown;
use crate::link::Names;
use crate::outline::Board;
use crate::shared::{Problem, Shared};
use crate::time::{Time, ago};
use crate::words::{label, plural};

/// The values of a member over time.
pub(crate) struct Timeline {
    pub(crate) heading: String,
    /// The groups, with the values in each, earliest first.
    pub(crate) tracks: Vec<(Shown, Vec<Stretch>)>,
    /// Whether some values are not shown.
    pub(crate) is_cut: bool,
}

/// A period in which a member had one value.
pub(crate) struct Stretch {
    pub(crate) value: String,
    pub(crate) from: Time,
    /// Whether the value may be older than the period.
    pub(crate) is_older: bool,
    pub(crate) lasted: String,
    /// Whether the period has not ended.
    pub(crate) is_now: bool,
}

impl Timeline {
    /// Reads the values of a member, first in the groups that it is in now.
    pub(crate) fn read(shared: &Shared, board: &Board, member: &str) -> Result<Self, Problem> {
        let now = (shared.now)();
        let stretch = |value: Option<&str>, from, until: Option<i64>, is_older| Stretch {
            value: counts::label(value).to_owned(),
            from: Time::day(from),
            is_older,
            lasted: ago(until.unwrap_or(now).saturating_sub(from)),
            is_now: until.is_none(),
        };
        let table = board.placements.table;
        let mut past = shared.mirror.past_values(table, Some(member), PAST_VALUES + 1)?;
        let is_cut = past.len() > PAST_VALUES;
        past.truncate(PAST_VALUES);
        let past = past.into_iter().map(|one| {
            let value = one.value.as_deref();
            (one.group, stretch(value, one.began_at, one.ended_at, one.began_before))
        });
        let mut all: Vec<(String, Stretch)> = past.collect();
        // A placement may have no history.
        for one in board.placements.of_member(&shared.mirror, member, GROUPS)? {
            if !all.iter().any(|(group, _)| *group == one.group) {
                all.push((one.group, stretch(one.value.as_deref(), one.since, None, false)));
            }
        }
        let mut groups: Vec<(String, Vec<Stretch>)> = Vec::new();
        for (group, one) in all {
            match groups.iter_mut().find(|(other, _)| *other == group) {
                Some((_, all)) => all.push(one),
                None => groups.push((group, vec![one])),
            }
        }
        groups.sort_by_key(|(_, all)| !all.iter().any(|one| one.is_now));
        let name = board.groups.name();
        let names = Names::read(shared, groups.iter().map(|(group, _)| (name, &**group)))?;
        Ok(Self {
            heading: label(&plural(name)),
            tracks: groups.into_iter().map(|(group, all)| (names.of(name, &group), all)).collect(),
            is_cut,
        })
    }
}

/// Maximum number of present groups of a member to read.
const GROUPS: usize = 50;

/// Maximum number of past values shown for a member.
const PAST_VALUES: usize = 200;
