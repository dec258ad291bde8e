//! The words of a mirror that a shell offers: groups, values, consumers and tables, but never members.

use std::sync::mpsc::sync_channel;
use std::thread;

use methodical_mirror::Mirror;

use crate::config::settings::Settings;
use crate::escape::printable;
use crate::invocation::Invocation;
use crate::mirror::binding::Reader;
use crate::mirror::board::counts::title;
use crate::mirror::found::Recovered;
use crate::mirror::hooks::Mirroring;
use crate::mirror::known::{LIMIT, each, known_values};
use crate::mirror::place::Place;

/// Words, each with a description.
type Words = Vec<(String, String)>;

/// Returns the values of an option or an argument, from an existing mirror in a file. After an error, or if the mirror does
/// not answer in time, the list is empty.
pub(crate) fn values(
    of: Mirroring,
    option: &str,
    path: &[&str],
    from: Option<&str>,
    invocation: &Invocation,
) -> Words {
    let wanted = match (option, path) {
        ("table", ["mirror", ..]) => {
            return (of.tables)()
                .into_iter()
                .map(|name| (name.to_owned(), String::new()))
                .collect();
        }
        ("enable" | "remove", ["mirror", "consumers"]) | ("consumer", ["watch"]) => {
            Wanted::Consumers
        }
        _ => match (of.recovered)().into_iter().find_map(|one| wanted(one, option)) {
            Some(wanted) => wanted,
            None => return Words::new(),
        },
    };
    let Ok(settings) = Settings::of_known(invocation) else { return Words::new() };
    let Ok(place) = Place::of(from, &settings, invocation) else { return Words::new() };
    let file = place.0.clone();
    if !matches!(file.try_exists(), Ok(true)) {
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
        let mirror = Mirror::open_existing(file).ok();
        let mirror = mirror.filter(|mirror| reader.check(mirror, &place, "").is_ok());
        // The shell may not wait any more.
        let _late = give.send(mirror.map(|mirror| wanted.words(&mirror)).unwrap_or_default());
    };
    match thread::Builder::new().spawn(read) {
        Ok(_detached) => printable_words(words.recv_timeout(LIMIT).unwrap_or_default()),
        Err(_no_thread) => Words::new(),
    }
}

/// Removes what could change the terminal or the lines of the script: the words are of other people.
fn printable_words(words: Words) -> Words {
    let is_plain = |(word, _): &(String, String)| !word.chars().any(char::is_control);
    let words = words.into_iter().filter(is_plain);
    words.map(|(word, about)| (word, printable(&about).into_owned())).collect()
}

/// The part of a mirror that an option names.
#[derive(Clone, Copy, Debug)]
enum Wanted {
    Groups(Recovered),
    Values(Recovered),
    Consumers,
}

/// Returns what an option of a list names.
fn wanted(of: Recovered, option: &str) -> Option<Wanted> {
    // The arguments of operations have this prefix.
    let option = option.strip_prefix("param:")?;
    if option == of.value {
        return Some(Wanted::Values(of));
    }
    let group = format!("{}_{}", of.groups.name(), of.groups.identity());
    (option == group).then_some(Wanted::Groups(of))
}

impl Wanted {
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
