//! The start page: what is new, what moved, who is waiting, what is left, and how the last sync ended.

use askama::Template;
use methodical_mirror::{Filter, Forecast, Outcome, Paging, State, TableStatus};

use crate::board::counts::{self, Counts, WAITS};
use crate::cells::{Shown, contact};
use crate::frame::{Frame, whole};
use crate::link::{self, Link, Names};
use crate::outline::{Board, Placed};
use crate::shared::{Params, Problem, Shared};
use crate::time::{DAY, Time, ago, day, days_ago, midnight};
use crate::words::{grouped, label, plural};

#[derive(Template)]
#[template(path = "today.html")]
struct TodayPage {
    frame: Frame,
    cards: Vec<Card>,
    people: Option<People>,
}

/// A number, with a link to what it counts.
struct Card {
    name: String,
    value: String,
    href: Option<String>,
    note: String,
    /// The day that the number refers to.
    day: Option<Time>,
}

/// The members of the first board.
struct People {
    noun: String,
    value: &'static str,
    new: Vec<Line>,
    moves: Vec<Line>,
    /// The members that have waited for at least `days` days, longest first.
    waiting: Vec<Line>,
    /// The values that count as waiting.
    open: String,
    /// Each value, how many members are waiting with it, and a link to them.
    waiting_by: Vec<(String, String, String)>,
    days: i64,
    /// The other numbers of days to choose from, with their links.
    choices: Vec<(i64, String)>,
}

/// A person in a list.
struct Line {
    person: Shown,
    /// The old and the new value.
    from: Option<String>,
    to: Option<String>,
    group: Option<Shown>,
    /// How many other groups the person is in.
    more: usize,
    when: Time,
}

pub(crate) fn render(shared: &Shared, params: &Params) -> Result<String, Problem> {
    let days = params.number("days")?.unwrap_or(WAITS[0]);
    if !WAITS.contains(&days) {
        return Err(Params::wrong("days"));
    }
    let counts = shared.counts()?;
    let now = (shared.now)();
    let mut cards = Vec::new();
    let mut people = None;
    if let Some(board) = &shared.outline.board {
        people = Some(read(shared, board, &counts, days)?);
        cards.extend(cards_of(board, &counts, now, days));
    }
    for name in &shared.outline.gauges {
        let samples = shared.mirror.samples(name, now.saturating_sub(SAMPLES * DAY))?;
        let (value, note, day) = match Forecast::of(&samples)? {
            None => ("–".to_owned(), "no sample yet".to_owned(), None),
            Some(one) => {
                let unit = one.last.unit.as_deref().unwrap_or_default();
                let left = one.days_left.map(|days| format!("{} days left,", grouped(days)));
                let amount = format!("{} {unit}", one.last.amount).trim_end().to_owned();
                (amount, left.unwrap_or_default(), Some(Time::day(one.last.at)))
            }
        };
        cards.push(Card { name: label(name), value, href: None, note, day });
    }
    cards.push(last_sync(&counts.tables, now));
    let frame = Frame::new(shared, &counts.tables, "/", "Today");
    Ok(TodayPage { frame, cards, people }.render()?)
}

fn cards_of(board: &Board, counts: &Counts, now: i64, days: i64) -> Vec<Card> {
    let from = day(midnight(now).saturating_sub(DAY));
    let noun = plural(board.members.name());
    let members = link::members(board, None);
    let waits = counts.waiting(days).map(|(_, count)| count);
    let waiting = counts.open().fold(members.clone(), Link::with_value);
    let waiting = waiting.with("waiting", &days.to_string());
    let count_moved = counts.moves.iter().filter(|one| !one.is_learned).count() as u64;
    let moved = Link::to("/changes").with("kind", "moved").with("since", &from);
    let to_another = format!("to another {} since yesterday", board.placements.value);
    let same = "the same e-mail address or phone".to_owned();
    let all = [
        ("New", counts.new, members.with("since", &from), format!("{noun} since yesterday")),
        ("Moved", count_moved, moved, to_another),
        ("Waiting", waits.sum(), waiting, format!("for {days} days or longer")),
        ("Duplicates", counts.duplicates.len() as u64, Link::to("/duplicates"), same),
    ];
    let card = |(name, value, href, note): (&str, u64, Link, String)| Card {
        name: name.to_owned(),
        value: grouped(value),
        href: Some(href.finish()),
        note,
        day: None,
    };
    let mut cards: Vec<Card> = all.map(card).into();
    if !board.members.columns().iter().any(|one| contact(one).is_some()) {
        cards.pop();
    }
    cards
}

/// Returns how the last sync ended: the worst outcome of all tables.
fn last_sync(statuses: &[TableStatus], now: i64) -> Card {
    let outcomes = statuses.iter().filter_map(|status| status.outcome);
    let worst = outcomes.max_by_key(|outcome| match outcome {
        Outcome::Complete => 0,
        Outcome::Partial => 1,
        Outcome::Refused => 2,
        _ => 3,
    });
    let are_all = statuses.iter().all(|status| status.completed_at.is_some());
    let at = whole(statuses).filter(|_| are_all);
    let (value, before) = match worst {
        Some(worst) if worst != Outcome::Complete => (worst.as_str(), "last complete "),
        None if at.is_none() => ("never", ""),
        _ => ("complete", ""),
    };
    let note = at.map(|at| format!("{before}{} ago", ago(now.saturating_sub(at))));
    Card {
        name: "Last sync".to_owned(),
        value: label(value),
        href: Some("/health".to_owned()),
        note: note.unwrap_or_else(|| "no complete list yet".to_owned()),
        day: None,
    }
}

/// Reads the first people of each list.
fn read(shared: &Shared, board: &Board, counts: &Counts, days: i64) -> Result<People, Problem> {
    let now = (shared.now)();
    let (members, groups) = (board.members.name(), board.groups.name());
    let has = |table: &str| counts.tables.iter().any(|status| status.table == table);
    let mut new = Vec::new();
    if has(members) {
        let newest = Paging { is_descending: true, ..Paging::new(LINES) };
        let present = Filter::new().state(State::Present);
        let since = midnight(now).saturating_sub(DAY);
        for one in shared.mirror.browse(members, &present, &newest)?.records {
            if one.first_seen < since {
                continue;
            }
            let placed = if has(board.placements.table) {
                board.placements.of_member(&shared.mirror, &one.id, LINES)?
            } else {
                Vec::new()
            };
            new.push((one.id, placed, one.first_seen));
        }
    }
    let until = days_ago(now, days);
    let longest = counts.longest.iter().filter(|one| one.changed_at <= until);
    let waiting: Vec<Placed> = longest.map(|one| board.placements.placed(one)).collect();
    let moves = counts.moves.iter().rev().filter(|one| !one.is_learned).take(LINES);
    let of_new = new.iter().flat_map(|(id, placed, _)| {
        let groups = placed.iter().map(|one| (groups, &*one.group));
        groups.chain([(members, &**id)])
    });
    let of_moves = moves.clone().flat_map(|one| [(members, &*one.member), (groups, &*one.group)]);
    let of_waiting =
        waiting.iter().flat_map(|one| [(members, &*one.member), (groups, &*one.group)]);
    let names = Names::read(shared, of_new.chain(of_moves).chain(of_waiting))?;
    let value = |value: &Option<String>| Some(counts::label(value.as_deref()).to_owned());
    let line = |id: &str, group: Option<&str>, at| Line {
        person: names.of(members, id),
        from: None,
        to: None,
        group: group.map(|group| names.of(groups, group)),
        more: 0,
        when: Time::ago(at, now),
    };
    let of_new = |(id, placed, at): &(String, Vec<Placed>, i64)| Line {
        to: placed.first().and_then(|one| value(&one.value)),
        more: placed.len().saturating_sub(1),
        ..line(id, placed.first().map(|one| &*one.group), *at)
    };
    let of_wait = |one: &Placed| Line {
        to: value(&one.value),
        ..line(&one.member, Some(&one.group), one.since)
    };
    let waits = |(value, count): (Option<&str>, u64)| {
        let people =
            link::members(board, None).with_value(value).with("waiting", &days.to_string());
        (counts::label(value).to_owned(), grouped(count), people.finish())
    };
    let choice = |one: &i64| (*one, Link::to("/").with("days", &one.to_string()).finish());
    Ok(People {
        noun: plural(members),
        value: board.placements.value,
        new: new.iter().map(of_new).collect(),
        moves: moves
            .map(|one| Line {
                from: value(&one.from),
                to: value(&one.to),
                ..line(&one.member, Some(&one.group), one.at)
            })
            .collect(),
        waiting: waiting.iter().map(of_wait).collect(),
        open: counts.open().map(counts::label).collect::<Vec<_>>().join(", "),
        waiting_by: counts.waiting(days).map(waits).collect(),
        days,
        choices: WAITS.iter().filter(|one| **one != days).map(choice).collect(),
    })
}

/// Maximum age of the samples from which an amount's pace is computed, in days.
const SAMPLES: i64 = 90;

/// Maximum number of people in a list.
pub(crate) const LINES: usize = 8;
