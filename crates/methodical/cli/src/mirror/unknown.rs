//! Notes about unknown names: a group or a value that selects no records.

use std::any::Any;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

use methodical_mirror::{Error, Filter, Mirror, State};

use crate::invocation::Invocation;
use crate::mirror::found::Recovered;
use crate::mirror::known::known_values;
use crate::mirror::place::open_to_read;
use crate::mirror::selected::{Members, Selected};
use crate::suggest::closest;

/// Notes which name in a query is unknown, after the service returned no record for it.
pub(crate) fn note(selected: &Selected, client: &dyn Any, invocation: &Invocation) {
    let Selected::Members(members) = selected else { return };
    let Members { of, group, .. } = members;
    // With -q, the list of groups is not needed.
    if invocation.screen.quiet {
        return;
    }
    if let Some(known) = (members.identities)(client, of.groups)
        && !known.contains(group)
    {
        let text = format!("{} {group} does not exist", of.groups.name());
        invocation.screen.note(&with_closest(text, group, &known));
    }
    let Some(value) = &members.value else { return };
    let mirror = open_to_read(invocation).ok();
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

fn with_closest(text: String, name: &str, known: &BTreeSet<String>) -> String {
    match closest(name, known.iter().map(String::as_str)) {
        Some(other) => format!("{text}; did you mean `{other}`?"),
        None => text,
    }
}
