//! The values that a member had in each group, and for how long.

use std::ops::ControlFlow;

use methodical_mirror::PastValue;

use crate::link;
use crate::outline::Board;
use crate::record::titles::Titles;
use crate::shared::{Problem, Shared};
use crate::time::{ago, day, machine};
use crate::words::label;

/// The values of a member over time.
pub(crate) struct Timeline {
    pub(crate) value: String,
    pub(crate) tracks: Vec<Track>,
    pub(crate) first_day: String,
    pub(crate) last_day: String,
    /// Not all values are shown.
    pub(crate) is_cut: bool,
}

/// The values in one group.
pub(crate) struct Track {
    pub(crate) title: String,
    pub(crate) href: String,
    /// The contents for those who do not see the picture.
    pub(crate) description: String,
    /// The spells, the latest one first.
    pub(crate) spells: Vec<Stretch>,
    group: String,
}

/// A spell, as a bar in the picture and as a row of the table.
pub(crate) struct Stretch {
    pub(crate) value: String,
    pub(crate) colour: usize,
    pub(crate) x: String,
    pub(crate) width: String,
    pub(crate) from: String,
    pub(crate) from_machine: String,
    /// The value may be older.
    pub(crate) is_older: bool,
    /// The day of its end, with the text for machines; `None` if it lasts.
    pub(crate) until: Option<(String, String)>,
    pub(crate) lasted: String,
}

/// The spells of a member, the earliest first.
pub(crate) struct PastValues {
    all: Vec<PastValue>,
    is_cut: bool,
}

impl PastValues {
    pub(crate) fn read(shared: &Shared, board: &Board, member: &str) -> Result<Self, Problem> {
        let mut all: Vec<PastValue> = Vec::new();
        shared.mirror.each_past_value(board.placements.table, Some(member), |spell| {
            all.push(spell);
            if all.len() > SPELLS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        let is_cut = all.len() > SPELLS;
        all.truncate(SPELLS);
        Ok(Self { all, is_cut })
    }

    /// Returns the identities of the groups.
    pub(crate) fn groups(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(|spell| &*spell.group)
    }
}

/// Draws the values of a member. `None` if nothing is known.
pub(crate) fn drawn(
    shared: &Shared,
    board: &Board,
    PastValues { all: spells, is_cut }: &PastValues,
    titles: &Titles,
) -> Result<Option<Timeline>, Problem> {
    let now = (shared.now)();
    let ends = spells.iter().map(|spell| spell.ended_at.unwrap_or(now));
    let (Some(begin), Some(end)) = (spells.iter().map(|one| one.began_at).min(), ends.max()) else {
        return Ok(None);
    };
    let counts = shared.counts()?.of(board);
    let colour = |value: Option<&str>| {
        counts.columns.iter().position(|one| one.as_deref() == value).unwrap_or_default() % COLOURS
    };
    let scale = Scale { begin, end };
    let mut tracks: Vec<Track> = Vec::new();
    for spell in spells.iter().rev() {
        let stretch = scale.stretch(spell, now, colour(spell.value.as_deref()));
        if let Some(track) = tracks.iter_mut().find(|track| track.group == spell.group) {
            track.spells.push(stretch);
            continue;
        }
        tracks.push(Track {
            title: titles.of(&spell.group),
            href: link::record(board.groups.name(), &spell.group),
            description: String::new(),
            spells: vec![stretch],
            group: spell.group.clone(),
        });
    }
    for track in &mut tracks {
        track.description = described(&track.title, &track.spells);
    }
    Ok(Some(Timeline {
        value: label(board.placements.value),
        tracks,
        first_day: day(begin),
        last_day: day(end),
        is_cut: *is_cut,
    }))
}

/// Describes a track in words, the earliest value first.
fn described(title: &str, spells: &[Stretch]) -> String {
    let each = spells.iter().rev().map(|one| {
        let since = if one.is_older { "since or before" } else { "since" };
        format!("{} {since} {} for {}", one.value, one.from, one.lasted)
    });
    format!("{title}: {}", each.collect::<Vec<_>>().join(", "))
}

/// The positions of times in a picture with the width [`WIDTH`].
struct Scale {
    begin: i64,
    end: i64,
}

impl Scale {
    fn stretch(&self, spell: &PastValue, now: i64, colour: usize) -> Stretch {
        let until = spell.ended_at.unwrap_or(now).max(spell.began_at);
        let (from, to) = (self.position(spell.began_at), self.position(until));
        // A short spell is still visible.
        let width = to.saturating_sub(from).max(4);
        Stretch {
            value: match spell.value.as_deref() {
                None => "unknown".to_owned(),
                Some("") => "(empty)".to_owned(),
                Some(value) => value.to_owned(),
            },
            colour,
            x: from.min(WIDTH - 4).to_string(),
            width: width.to_string(),
            from: day(spell.began_at),
            from_machine: machine(spell.began_at),
            is_older: spell.began_before,
            until: spell.ended_at.map(|at| (day(at), machine(at))),
            lasted: ago(until.saturating_sub(spell.began_at)),
        }
    }

    fn position(&self, at: i64) -> i64 {
        let range = i128::from(self.end) - i128::from(self.begin);
        let since = i128::from(at) - i128::from(self.begin);
        let position = (since * i128::from(WIDTH)).checked_div(range).unwrap_or_default();
        i64::try_from(position.clamp(0, i128::from(WIDTH))).unwrap_or_default()
    }
}

/// Width of the picture.
const WIDTH: i64 = 1000;

/// How many colours the style sheet has.
const COLOURS: usize = 6;

/// Maximum number of values of a member that are shown.
const SPELLS: usize = 200;

#[cfg(test)]
mod tests {
    use super::Scale;

    #[test]
    fn positions_are_inside_of_the_picture() {
        let scale = Scale { begin: 100, end: 300 };
        assert_eq!([0, 100, 150, 300, 999].map(|at| scale.position(at)), [0, 0, 250, 1000, 1000]);
        let moment = Scale { begin: 5, end: 5 };
        assert_eq!(moment.position(5), 0);
        let all = Scale { begin: i64::MIN, end: i64::MAX };
        assert_eq!(all.position(i64::MAX), 1000);
    }
}
