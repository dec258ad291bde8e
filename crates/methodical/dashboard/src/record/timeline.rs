//! The values that a member has and had in each group, and for how long.

use std::ops::ControlFlow;

use methodical_mirror::PastValue;

use crate::board::counts;
use crate::cells::Shown;
use crate::link::Names;
use crate::outline::{Board, Placed};
use crate::shared::{Problem, Shared};
use crate::time::{Time, ago, day};
use crate::words::{label, plural};

/// The values of a member over time.
pub(crate) struct Timeline {
    pub(crate) heading: String,
    pub(crate) tracks: Vec<Track>,
    pub(crate) first_day: String,
    pub(crate) last_day: String,
    /// Not all values are shown.
    pub(crate) is_cut: bool,
    /// The table of the placements.
    pub(crate) table: &'static str,
    /// The identities of the placements, with their groups in words.
    pub(crate) placements: Vec<(String, String)>,
}

/// The values in one group.
pub(crate) struct Track {
    pub(crate) group: Shown,
    /// The contents for those who do not see the picture.
    pub(crate) description: String,
    /// The values, the earliest first.
    pub(crate) stretches: Vec<Stretch>,
}

/// The time with one value: a bar in the picture, and a step of the line below it.
pub(crate) struct Stretch {
    pub(crate) value: String,
    pub(crate) color: usize,
    pub(crate) x: String,
    pub(crate) width: String,
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
        let table = board.placements.table;
        let mut groups: Vec<(String, Vec<Span>)> = Vec::new();
        let mut placements = Vec::new();
        for Placed { id, group, value, since, .. } in
            board.placements.of_member(&shared.mirror, member, GROUPS)?
        {
            placements.push((id, group.clone()));
            groups.push((group, vec![Span { value, from: since, until: None, is_older: false }]));
        }
        // Values from the history replace the present value of a placement.
        let (mut spans, mut known) = (Vec::<(String, Span)>::new(), 0);
        shared.mirror.each_past_value(table, Some(member), |spell| {
            known += 1;
            if known > SPELLS {
                return ControlFlow::Break(());
            }
            let PastValue { group, value, began_at, ended_at, began_before, .. } = spell;
            let span = Span { value, from: began_at, until: ended_at, is_older: began_before };
            spans.push((group, span));
            ControlFlow::Continue(())
        })?;
        for (group, all) in &mut groups {
            if spans.iter().any(|(one, _)| one == group) {
                all.clear();
            }
        }
        for (group, span) in spans {
            match groups.iter_mut().find(|(one, _)| *one == group) {
                Some((_, spans)) => spans.push(span),
                None => groups.push((group, vec![span])),
            }
        }
        let name = board.groups.name();
        let names = Names::read(shared, groups.iter().map(|(group, _)| (name, &**group)))?;
        let counts = shared.counts()?.of(board);
        let all = groups.iter().flat_map(|(_, spans)| spans);
        let begin = all.clone().map(|one| one.from).min().unwrap_or(now);
        let end = all.map(|one| one.until.unwrap_or(now)).max().unwrap_or(now);
        let scale = Scale { begin, end };
        let track = |(group, spans): &(String, Vec<Span>)| {
            let stretch = |span: &Span| {
                let color = counts.columns.iter().position(|one| one.value == span.value);
                scale.stretch(span, now, color.unwrap_or_default() % COLORS)
            };
            let stretches: Vec<Stretch> = spans.iter().map(stretch).collect();
            let description = described(names.title(name, group), spans, &stretches);
            Track { group: names.of(name, group), description, stretches }
        };
        let within = |group: &str| format!("{name} {}", names.title(name, group));
        Ok(Self {
            heading: label(&plural(name)),
            tracks: groups.iter().map(track).collect(),
            first_day: day(begin),
            last_day: day(end),
            is_cut: known > SPELLS,
            table,
            placements: placements.into_iter().map(|(id, group)| (id, within(&group))).collect(),
        })
    }
}

/// The time with one value.
struct Span {
    value: Option<String>,
    from: i64,
    until: Option<i64>,
    is_older: bool,
}

/// Describes a track in words, the earliest value first.
fn described(title: &str, spans: &[Span], stretches: &[Stretch]) -> String {
    let each = spans.iter().zip(stretches).map(|(span, one)| {
        let since = if one.is_older { "since or before" } else { "since" };
        format!("{} {since} {} for {}", one.value, day(span.from), one.lasted)
    });
    format!("{title}: {}", each.collect::<Vec<_>>().join(", "))
}

/// The positions of times in a picture with the width [`WIDTH`].
struct Scale {
    begin: i64,
    end: i64,
}

impl Scale {
    fn stretch(&self, span: &Span, now: i64, color: usize) -> Stretch {
        let until = span.until.unwrap_or(now).max(span.from);
        let (from, to) = (self.position(span.from), self.position(until));
        // A short time is still visible.
        let width = to.saturating_sub(from).max(4);
        Stretch {
            value: counts::label(span.value.as_deref()).to_owned(),
            color,
            x: from.min(WIDTH - 4).to_string(),
            width: width.to_string(),
            from: Time::day(span.from),
            is_older: span.is_older,
            lasted: ago(until.saturating_sub(span.from)),
            is_now: span.until.is_none(),
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

/// How many colors the style sheet has.
const COLORS: usize = 6;

/// Maximum number of groups of a member that are shown.
const GROUPS: usize = 50;

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
