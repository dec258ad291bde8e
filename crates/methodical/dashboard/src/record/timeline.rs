//! The values that a member has and had in each group, and for how long.

use std::ops::ControlFlow;

use methodical_mirror::PastValue;

use crate::board::counts;
use crate::cells::Shown;
use crate::link::Names;
use crate::outline::{Board, Placed};
use crate::shared::{Problem, Shared};
use crate::time::{Time, ago};
use crate::words::{label, plural};

/// The values of a member over time.
pub(crate) struct Timeline {
    pub(crate) heading: String,
    /// The groups, with the values in each, the earliest first.
    pub(crate) tracks: Vec<(Shown, Vec<Stretch>)>,
    /// Not all values are shown.
    pub(crate) is_cut: bool,
}

/// The time with one value.
pub(crate) struct Stretch {
    pub(crate) value: String,
    pub(crate) from: Time,
    /// The value may be older.
    pub(crate) is_older: bool,
    pub(crate) lasted: String,
    /// Whether it lasts.
    pub(crate) is_now: bool,
}

impl Timeline {
    /// Reads the groups of a member, the latest first.
    pub(crate) fn read(shared: &Shared, board: &Board, member: &str) -> Result<Self, Problem> {
        let now = (shared.now)();
        let stretch = |value: Option<String>, from, until: Option<i64>, is_older| Stretch {
            value: counts::label(value.as_deref()).to_owned(),
            from: Time::day(from),
            is_older,
            lasted: ago(until.unwrap_or(now).saturating_sub(from)),
            is_now: until.is_none(),
        };
        let present = board.placements.of_member(&shared.mirror, member, GROUPS)?.into_iter();
        let mut groups: Vec<(String, Vec<Stretch>)> = present
            .map(|Placed { group, value, since, .. }| {
                (group, vec![stretch(value, since, None, false)])
            })
            .collect();
        // Values from the history replace the present value of a placement.
        let (mut past, mut known) = (Vec::<(String, Stretch)>::new(), 0);
        shared.mirror.each_past_value(board.placements.table, Some(member), |spell| {
            known += 1;
            if known > SPELLS {
                return ControlFlow::Break(());
            }
            let PastValue { group, value, began_at, ended_at, began_before, .. } = spell;
            past.push((group, stretch(value, began_at, ended_at, began_before)));
            ControlFlow::Continue(())
        })?;
        for (group, all) in &mut groups {
            if past.iter().any(|(one, _)| one == group) {
                all.clear();
            }
        }
        for (group, one) in past {
            match groups.iter_mut().find(|(other, _)| *other == group) {
                Some((_, all)) => all.push(one),
                None => groups.push((group, vec![one])),
            }
        }
        let name = board.groups.name();
        let names = Names::read(shared, groups.iter().map(|(group, _)| (name, &**group)))?;
        Ok(Self {
            heading: label(&plural(name)),
            tracks: groups.into_iter().map(|(group, all)| (names.of(name, &group), all)).collect(),
            is_cut: known > SPELLS,
        })
    }
}

/// Maximum number of groups of a member that are shown.
const GROUPS: usize = 50;

/// Maximum number of values of a member that are shown.
const SPELLS: usize = 200;
