//! The start page: what is new, what moved, who waits, what is left, and how the last sync ended.

use askama::Template;
use methodical_mirror::{Filter, Forecast, Outcome, Paging, Record, State, TableStatus};

use crate::board::counts::{self, Counts, WAITS};
use crate::cells::{fields, text};
use crate::frame::{self, Frame, whole};
use crate::gauges::SHOWN;
use crate::link::{self, Link, Named, Names};
use crate::outline::Board;
use crate::shared::{Params, Problem, Shared};
use crate::time::{DAY, ago, day, machine, midnight, minute};
use crate::words::{grouped, label, plural};

/// The template of the page.
#[derive(Template)]
#[template(path = "today.html")]
struct TodayPage {
    frame: Frame,
    cards: Vec<Card>,
    people: Option<People>,
}

/// A number with the link to what it counts.
struct Card {
    name: String,
    value: String,
    href: String,
    note: String,
}

/// The members of the first board.
struct People {
    noun: String,
    value: String,
    new: Vec<Line>,
    moves: Vec<Line>,
    /// Those who wait for that number of days, or else the one with the longest wait.
    waiting: Vec<Line>,
    /// Whether they wait for that number of days.
    is_long: bool,
    /// The values that count as waiting.
    open: String,
    /// How many wait with each value, with the link to them.
    waiting_by: Vec<(String, String, String)>,
    days: i64,
    /// Other numbers of days, with their links.
    choices: Vec<(i64, String)>,
}

/// A person in a list.
struct Line {
    person: Named,
    from: Option<String>,
    to: String,
    group: Option<Named>,
    machine: String,
    when: String,
}

/// Renders the page.
pub(crate) fn render(shared: &Shared, params: &Params) -> Result<String, Problem> {
    let days = params.number("days")?.unwrap_or(WAITS[1]);
    if !WAITS.contains(&days) {
        return Err(Problem::Request("`days` is not a choice of this page".to_owned()));
    }
    let known = shared.counts()?;
    let now = (shared.now)();
    let since = midnight(now).saturating_sub(DAY);
    let statuses = &known.tables;
    let mut cards = Vec::new();
    let mut people = None;
    if let Some(board) = shared.outline.boards.first() {
        let counts = known.of(board);
        let shown = read(shared, statuses, board, &counts, since, days)?;
        let waiting = counts.waiting(days).map(|(_, count)| count).sum();
        let card = |name: &str, value: u64, link: Link, note: String| Card {
            name: name.to_owned(),
            value: grouped(value),
            href: link.finish(),
            note,
        };
        let members = link::members(board, None);
        let noun = plural(board.members.name());
        let from = day(since);
        let moved = counts.moves.iter().filter(|one| !one.is_learned).count() as u64;
        let new = counts.arrivals.iter().filter(|one| one.day >= since).map(|one| one.count).sum();
        cards.extend([
            card("New", new, members.clone().with("since", &from), format!("{noun} since {from}")),
            card(
                "Moved",
                moved,
                Link::to("/changes").with("kind", "moved").with("since", &from),
                format!("to another {} since {from}", board.placements.value),
            ),
            card(
                "Waiting",
                waiting,
                counts.open().fold(members, Link::with_value).with("waiting", &days.to_string()),
                format!("for {days} days or longer"),
            ),
        ]);
        people = Some(shown);
    }
    for name in &shared.outline.gauges {
        let samples = shared.mirror.samples(name, now.saturating_sub(SHOWN * DAY))?;
        let forecast = Forecast::of(&samples)?;
        let (value, note) = match &forecast {
            None => ("–".to_owned(), "no sample yet".to_owned()),
            Some(one) => {
                let unit = one.last.unit.as_deref().unwrap_or_default();
                let left = one.days_left.map(|days| format!("{} days left", grouped(days)));
                let amount = format!("{} {unit}", one.last.amount).trim_end().to_owned();
                (amount, left.unwrap_or_else(|| format!("{} UTC", minute(one.last.at))))
            }
        };
        cards.push(Card { name: label(name), value, href: frame::gauge(name), note });
    }
    cards.push(last_sync(statuses, now));
    let here = Link::to("/").with_some("days", params.get("days")).finish();
    let page = TodayPage {
        frame: Frame::new(shared, statuses, "/", "Today", whole(statuses), here),
        cards,
        people,
    };
    Ok(page.render()?)
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
    let at = whole(statuses);
    let value = match (worst, at) {
        (Some(worst), _) => label(worst.as_str()),
        (None, Some(_)) => "Complete".to_owned(),
        (None, None) => "Never".to_owned(),
    };
    let is_complete = matches!(worst, None | Some(Outcome::Complete));
    let before = if is_complete { "" } else { "last complete " };
    let note = at.map(|at| format!("{before}{} ago", ago(now.saturating_sub(at))));
    let note = note.unwrap_or_else(|| "no complete list yet".to_owned());
    Card { name: "Last sync".to_owned(), value, href: "/health".to_owned(), note }
}

/// Reads the first people of each list.
fn read(
    shared: &Shared,
    statuses: &[TableStatus],
    board: &Board,
    counts: &Counts,
    since: i64,
    days: i64,
) -> Result<People, Problem> {
    let now = (shared.now)();
    let (members, groups) = (board.members, board.groups);
    let present = Filter::new().state(State::Present);
    let newest = Paging::new(LINES).descending();
    let mut new = Vec::new();
    if statuses.iter().any(|status| status.table == members.name()) {
        new = shared.mirror.browse(members.name(), &present, &newest)?.records;
        new.retain(|one| one.first_seen >= since);
    }
    let until = midnight(now).saturating_sub(days.saturating_mul(DAY));
    let place = |record: &Record| {
        let all = fields(&record.json);
        let part = |name: &str| all.get(name).and_then(text);
        let placements = &board.placements;
        Some((
            part(placements.member)?,
            part(placements.group)?,
            part(placements.value),
            record.changed_at,
        ))
    };
    let long = counts.longest.iter().filter(|one| one.changed_at <= until);
    let (is_long, waiting): (bool, Vec<_>) = match long.clone().next() {
        Some(_) => (true, long.filter_map(place).collect()),
        None => (false, counts.longest.iter().take(1).filter_map(place).collect()),
    };
    let moves: Vec<_> =
        counts.moves.iter().rev().filter(|one| !one.is_learned).take(LINES).collect();
    let of_members = new.iter().map(|one| &*one.id);
    let of_members = of_members.chain(moves.iter().map(|one| &*one.member));
    let of_members = of_members.chain(waiting.iter().map(|(member, ..)| &**member));
    let of_groups = moves.iter().map(|one| &*one.group);
    let of_groups = of_groups.chain(waiting.iter().map(|(_, group, ..)| &**group));
    let of_groups = of_groups.map(|id| (groups.name(), id));
    let names = Names::read(shared, of_members.map(|id| (members.name(), id)).chain(of_groups))?;
    let person = |id: &str| names.of(members.name(), id);
    let value = |value: Option<&str>| counts::label(value).to_owned();
    let line = |person, from, to, group, at| {
        let when = ago(now.saturating_sub(at));
        Line { person, from, to, group, machine: machine(at), when }
    };
    let count = |(value, count): (Option<&str>, u64)| {
        let people = link::members(board, None).with_value(value);
        (
            counts::label(value).to_owned(),
            grouped(count),
            people.with("waiting", &days.to_string()).finish(),
        )
    };
    let waits = waiting.iter().map(|(member, group, to, at)| {
        let group = Some(names.of(groups.name(), group));
        line(person(member), None, value(to.as_deref()), group, *at)
    });
    Ok(People {
        noun: plural(members.name()),
        value: board.placements.value.to_owned(),
        new: new
            .iter()
            .map(|one| line(person(&one.id), None, String::new(), None, one.first_seen))
            .collect(),
        moves: moves
            .iter()
            .map(|one| {
                let group = Some(names.of(groups.name(), &one.group));
                let from = Some(value(one.from.as_deref()));
                line(person(&one.member), from, value(one.to.as_deref()), group, one.at)
            })
            .collect(),
        waiting: waits.collect(),
        is_long,
        open: counts.open().map(|one| counts::label(one).to_owned()).collect::<Vec<_>>().join(", "),
        waiting_by: counts.waiting(days).map(count).collect(),
        days,
        choices: WAITS
            .iter()
            .filter(|one| **one != days)
            .map(|one| (*one, Link::to("/").with("days", &one.to_string()).finish()))
            .collect(),
    })
}

/// Maximum number of people in a list.
pub(crate) const LINES: usize = 8;
