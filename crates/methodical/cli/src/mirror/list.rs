//! Lists of the service, answered from a mirror, and the names that it knows.

use std::any::Any;
use std::collections::{BTreeSet, HashSet};
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};
use std::{io, thread};

use methodical_mirror::queries::{Wanted, placements};
use methodical_mirror::{Error, Filter, Mirror, State};
use serde_json::{Map, Value};

use crate::failure::Failure;
use crate::mirror::board::title;
use crate::mirror::open::{Place, Reader, for_list, note_age, to_read};
use crate::mirror::{Members, Mirroring, Recovered, Select, Selected};
use crate::output::printer::{Printer, Schema};
use crate::output::record::Object;
use crate::output::select::Fields;
use crate::program::RecordType;
use crate::run::Invocation;
use crate::screen::{closest, printable};
use crate::settings::Settings;

/// Prints the records of a mirror that a query selects.
pub(crate) fn print(
    query: &dyn Any,
    select: Select,
    record: RecordType<'_>,
    invocation: &Invocation,
) -> Result<(), Failure> {
    let selected = select(query);
    let refused = |text: &str| {
        Err(Failure::usage(format!("cannot answer from the mirror: {text}"))
            .hint("leave out --from to ask the service"))
    };
    let (table, tables, members) = match &selected {
        Selected::All(table) => (*table, vec![table.name()], None),
        Selected::Members(members) => {
            let of = members.of;
            (of.members, vec![of.members.name(), of.table.name()], Some(members))
        }
        Selected::Other => {
            return refused("it does not know which records these parameters select");
        }
        Selected::Nothing => return refused("it does not have this list"),
    };
    if invocation.is_dry_run("would read the mirror") {
        return Ok(());
    }
    let mirror = for_list(invocation)?;
    let more = &invocation.output.more_values;
    let placed = members.map(|members| placed(&mirror, members, more)).transpose()?;
    let mut filter = Filter::new().state(State::Present);
    if let Some(since) = invocation.output.new_since {
        filter = filter.first_seen_since(since);
    }
    let mut printer = Printer::open(invocation, &Schema::of_operation(record, false))?;
    let mut done = io::Result::Ok(());
    let read = mirror.each_matching(table.name(), &filter, |one| {
        if placed.as_ref().is_none_or(|placed| placed.ids.contains(&one.id)) {
            done = printer.print_line(&in_order(record.fields, &one.json));
        }
        let ends = done.is_err() || printer.is_done();
        if ends { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    if let Err(failure) = done.map_err(Failure::from).and_then(|()| read.map_err(Failure::from)) {
        printer.abort();
        return Err(failure);
    }
    printer.finish()?;
    if let (Some(placed), Some(members)) = (&placed, members) {
        note_members(&mirror, placed, members, invocation)?;
    }
    note_age(&mirror, &tables, invocation)
}

/// Notes what is not known about the members of a group, and which name is unknown if there are none.
fn note_members(
    mirror: &Mirror,
    placed: &Placed,
    members: &Members,
    invocation: &Invocation,
) -> Result<(), Failure> {
    let Members { of, group, value, .. } = members;
    if placed.unknown > 0 {
        let (members, unknown) = (of.members.name(), placed.unknown);
        let text = format!("the {} of {unknown} more records ({members}) is not known", of.value);
        invocation.screen.note(&text);
    }
    if !placed.ids.is_empty() {
        return Ok(());
    }
    let groups = of.groups.name();
    let mut has_group = false;
    mirror.each_matching(groups, &Filter::new().state(State::Present), |record| {
        has_group = record.id == *group;
        if has_group { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    if !has_group {
        invocation.screen.warn(&format!("the mirror has no {groups} {group}"));
    }
    if let Some(value) = value {
        let text = format!("unknown {} `{value}`", of.value);
        if let Some(note) = unknown(Some(mirror), *of, value, text)? {
            invocation.screen.note(&note);
        }
    }
    Ok(())
}

/// The members of a group.
struct Placed {
    ids: HashSet<String>,
    /// How many others may have the value: theirs is not known.
    unknown: u64,
}

/// Reads the members of a group, or those with a value.
fn placed(mirror: &Mirror, members: &Members, more: &[String]) -> Result<Placed, Error> {
    let mut placed = Placed { ids: HashSet::new(), unknown: 0 };
    let wanted = Wanted::new().group(&members.group);
    placements(mirror, members.of.table.name(), &wanted, 0, |one| {
        let is_wanted =
            |value: &String| members.value.as_ref() == Some(value) || more.contains(value);
        if members.value.is_none() || one.value.as_ref().is_some_and(is_wanted) {
            placed.ids.insert(one.member);
        } else if one.value.is_none() {
            placed.unknown += 1;
        }
        ControlFlow::Continue(())
    })?;
    Ok(placed)
}

/// Returns a record with its documented fields first, in the order of the contract: a mirror keeps none.
pub(crate) fn in_order(fields: Fields<'_>, json: &str) -> String {
    let object = Object::parse(json);
    let documented = || fields.iter().copied().filter(|name| !name.contains('.'));
    let others = object.names().filter(|name| !fields.contains(name));
    let mut text = String::with_capacity(json.len());
    for name in documented().chain(others) {
        if let Some(value) = object.get(name) {
            text.push(if text.is_empty() { '{' } else { ',' });
            // Writing to a string cannot fail.
            _ = write!(text, "{}:{value}", Value::from(name));
        }
    }
    text.push_str(if text.is_empty() { "{}" } else { "}" });
    text
}

/// Notes which name in a query is unknown, after the service returned no record for it.
pub(crate) fn note_unknown(selected: &Selected, client: &dyn Any, invocation: &Invocation) {
    let Selected::Members(members) = selected else { return };
    let Members { of, group, .. } = members;
    // With -q, the list of groups is not needed.
    if invocation.screen.quiet {
        return;
    }
    if let Some(known) = (members.identities)(client, of.groups)
        && !known.contains_key(group)
    {
        let text = format!("{} {group} does not exist", of.groups.name());
        invocation.screen.note(&with_closest(text, group, &known.into_keys().collect()));
    }
    let Some(value) = &members.value else { return };
    let mirror = to_read(invocation).ok();
    let text = format!("unknown {} `{value}`", of.value);
    let note = unknown(mirror.as_ref(), *of, value, text.clone());
    // Without a mirror that can be read, the contract decides.
    if let Ok(Some(note)) = note.or_else(|_| unknown(None, *of, value, text)) {
        invocation.screen.note(&note);
    }
}

/// Returns a note that begins with a text, with the closest value, if neither the contract nor the mirror has the value.
pub(crate) fn unknown(
    mirror: Option<&Mirror>,
    of: Recovered,
    value: &str,
    text: String,
) -> Result<Option<String>, Error> {
    let mut is_known = of.known_values.contains(&value);
    if let Some(mirror) = mirror.filter(|_| !is_known) {
        let filter = Filter::new().state(State::Present).column(of.value, value);
        mirror.each_matching(of.table.name(), &filter, |_| {
            is_known = true;
            ControlFlow::Break(())
        })?;
    }
    Ok((!is_known).then(|| with_closest(text, value, &known_values(mirror, of))))
}

pub(crate) fn with_closest(text: String, name: &str, known: &BTreeSet<String>) -> String {
    match closest(name, known.iter().map(String::as_str)) {
        Some(other) => format!("{text}; did you mean `{other}`?"),
        None => text,
    }
}

/// Returns the values of the contract, and those of the mirror.
pub(crate) fn known_values(mirror: Option<&Mirror>, of: Recovered) -> BTreeSet<String> {
    let mut values: BTreeSet<String> = of.known_values.iter().map(|&one| one.to_owned()).collect();
    if let Some(mirror) = mirror {
        each(mirror, of.table.name(), |_, fields| {
            values.extend(fields.get(of.value).and_then(Value::as_str).map(str::to_owned));
        });
    }
    values
}

/// Passes the present records of a table, until half of the time has passed.
pub(crate) fn each(mirror: &Mirror, table: &str, mut take: impl FnMut(String, Map<String, Value>)) {
    let start = Instant::now();
    let present = Filter::new().state(State::Present);
    // Without the table, nothing is completed.
    let _absent = mirror.each_matching(table, &present, |record| {
        take(record.id, serde_json::from_str(&record.json).unwrap_or_default());
        if start.elapsed() < LIMIT / 2 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
}

/// Timeout of the mirror, after which a person would wait for the shell.
pub(crate) const LIMIT: Duration = Duration::from_secs(1);

/// Words, each with a description.
type Words = Vec<(String, String)>;

/// Removes what could change the terminal or the lines of the script: the words are of other people.
fn printable_words(words: Words) -> Words {
    let is_plain = |(word, _): &(String, String)| !word.chars().any(char::is_control);
    let words = words.into_iter().filter(is_plain);
    words.map(|(word, about)| (word, printable(&about).into_owned())).collect()
}

/// The part of a mirror that an option names.
#[derive(Clone, Copy, Debug)]
enum Nameable {
    Groups(Recovered),
    Values(Recovered),
    Consumers,
}

/// Returns what an option of a list names.
fn wanted(of: Recovered, option: &str) -> Option<Nameable> {
    // The arguments of operations have this prefix.
    let option = option.strip_prefix("param:")?;
    if option == of.value {
        return Some(Nameable::Values(of));
    }
    (option == of.group_field()).then_some(Nameable::Groups(of))
}

impl Nameable {
    fn words(self, mirror: &Mirror) -> Words {
        match self {
            Self::Groups(of) => groups(mirror, of),
            Self::Values(of) => {
                let values = known_values(Some(mirror), of).into_iter();
                values.map(|value| (value, String::new())).collect()
            }
            Self::Consumers => {
                let consumers = mirror.consumers().unwrap_or_default().into_iter();
                consumers.map(|one| (one.name, String::new())).collect()
            }
        }
    }
}

/// Returns the identities of the groups with their titles.
fn groups(mirror: &Mirror, of: Recovered) -> Words {
    let (mut words, title) = (Words::new(), title(of.groups));
    each(mirror, of.groups.name(), |id, fields| {
        let about = title.and_then(|name| fields.get(name)?.as_str()).unwrap_or_default();
        words.push((id, about.to_owned()));
    });
    words
}

/// Returns the values of an option or an argument for a shell: groups, values, consumers and tables of an existing mirror, but
/// never members. After an error, or if the mirror does not answer in time, the list is empty.
pub(crate) fn words(
    of: Mirroring,
    option: &str,
    path: &[&str],
    from: Option<&str>,
    invocation: &Invocation,
) -> Words {
    let found = (of.found)();
    let wanted = match (option, path) {
        ("table", ["mirror", ..]) => {
            return found
                .tables()
                .map(|(table, _)| (table.name().to_owned(), String::new()))
                .collect();
        }
        ("enable" | "remove", ["mirror", "consumers"]) | ("consumer", ["watch"]) => {
            Some(Nameable::Consumers)
        }
        _ => found.recovered.into_iter().find_map(|one| wanted(one, option)),
    };
    let (Some(wanted), Ok(settings)) = (wanted, Settings::of_known(invocation)) else {
        return Words::new();
    };
    let Ok(place) = Place::of(from, &settings, invocation) else { return Words::new() };
    if !matches!(place.0.try_exists(), Ok(true)) {
        return Words::new();
    }
    let (invocation, from) = (invocation.clone(), from.map(str::to_owned));
    let (give, words) = sync_channel(1);
    let read = move || {
        let reader = Reader {
            from: from.as_deref(),
            account: None,
            settings: &settings,
            invocation: &invocation,
        };
        let mirror = Mirror::open_existing(&place.0).ok();
        let mirror = mirror.filter(|mirror| reader.check(mirror, &place, "").is_ok());
        // The shell may not wait any more.
        let _late = give.send(mirror.map(|mirror| wanted.words(&mirror)).unwrap_or_default());
    };
    match thread::Builder::new().spawn(read) {
        Ok(_detached) => printable_words(words.recv_timeout(LIMIT).unwrap_or_default()),
        Err(_no_thread) => Words::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::in_order;

    #[test]
    fn documented_fields_precede_the_others() {
        let order = |json| in_order(&["id", "title", "studio", "studio.name", "size"], json);
        assert_eq!(
            order(r#"{"a\"b":1,"id":"7","size":1.0,"studio":{"name":null},"title":""}"#),
            r#"{"id":"7","title":"","studio":{"name":null},"size":1.0,"a\"b":1}"#
        );
        assert_eq!(order("{}"), "{}");
    }
}
