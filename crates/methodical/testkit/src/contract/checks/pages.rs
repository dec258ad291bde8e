//! The pages of lists: the second one is not the first one again.

use std::collections::BTreeSet;

use crate::contract::checks::Group;
use crate::contract::checks::Source::Contract;
use crate::contract::checks::filters::unchanged;
use crate::contract::description::{Data, Operation, Response};
use crate::contract::evidence::Evidence;
use crate::outcome::{Outcome, fail, skip};

#[cfg(test)]
mod tests;

/// Returns the checks of the pages of an operation.
pub(super) fn group(operation: &'static Operation) -> Group {
    let mut group = Group::new(operation.group);
    if let Response::Body(place) = &operation.response
        && place.pages.is_some()
    {
        let title = "no record of the first page is on the second page";
        group.add("pages", title, Contract(operation.source), move |seen| {
            advances(seen, operation, place)
        });
    }
    group
}

/// Requires that the second page has other records than the first one.
fn advances(seen: &Evidence<'_>, operation: &'static Operation, place: &Data) -> Outcome {
    let first = seen.plain(operation);
    let before: BTreeSet<_> = first.ids(operation)?.into_iter().collect();
    let json = first.success()?.json()?;
    let Some(position) = place.second_page(json, first.list(operation)?.len()) else {
        return skip("the list has one page");
    };
    let name = place.pages.as_ref().map(|pages| pages.param);
    let param = operation.params.iter().find(|param| Some(param.name) == name);
    let query = match param {
        Some(param) => seen.query_around(operation, param),
        None => seen.query(operation),
    };
    let second = seen.get(&(query + &position));
    second.has_status(200)?;
    let records = second.ids(operation)?;
    let again = records.iter().filter(|id| before.contains(*id)).count();
    if again > 0 {
        unchanged(seen, &seen.query(operation))?;
        return fail(format!("{again} of {} records are on the first page as well", records.len()));
    }
    Ok(())
}
