//! What the records of all lists have in common.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::contract::check::{Outcome, ensure, fail, not_shown};

/// Every element is an object.
pub(super) fn objects(list: &[Value]) -> Outcome<Vec<&Map<String, Value>>> {
    let objects: Vec<_> = list.iter().filter_map(Value::as_object).collect();
    if objects.len() < list.len() {
        return fail(format!("{} elements are no objects", list.len() - objects.len()));
    }
    Ok(objects)
}

/// The elements, of which there must be one to show anything.
pub(super) fn some_objects(list: &[Value]) -> Outcome<Vec<&Map<String, Value>>> {
    match objects(list)? {
        objects if objects.is_empty() => not_shown("the list is empty"),
        objects => Ok(objects),
    }
}

/// A member that may be absent or `null`, but else is text of this shape.
pub(super) fn text_where_there(
    objects: &[&Map<String, Value>],
    name: &str,
    fits: impl Fn(&str) -> bool,
) -> Outcome {
    let wrong = objects.iter().filter(|object| match object.get(name) {
        None | Some(Value::Null) => false,
        Some(Value::String(text)) => !fits(text),
        Some(_) => true,
    });
    let count = wrong.count();
    ensure!(count == 0, "{name} is something else in {count} of {} records", objects.len());
    Ok(())
}

/// `id` is there and is made of digits.
pub(super) fn numeric_ids(list: &[Value]) -> Outcome {
    let objects = some_objects(list)?;
    let good = objects
        .iter()
        .filter(|object| object.get("id").and_then(Value::as_str).is_some_and(is_numeric));
    let wrong = objects.len() - good.count();
    ensure!(wrong == 0, "id is no numeric text in {wrong} of {} records", objects.len());
    Ok(())
}

pub(in crate::contract) fn is_numeric(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// No two records have the same `id`.
pub(super) fn distinct(ids: &[&str]) -> Outcome {
    if ids.len() < 2 {
        return not_shown("there are no two records");
    }
    let distinct: BTreeSet<_> = ids.iter().collect();
    let twice = ids.len() - distinct.len();
    ensure!(twice == 0, "{twice} records have the id of another");
    Ok(())
}

/// The records are in the order of their numbers.
pub(super) fn ascending(ids: &[&str]) -> Outcome {
    let numbers: Vec<Option<u64>> = ids.iter().map(|id| id.parse().ok()).collect();
    if numbers.len() < 2 {
        return not_shown("the list has no order");
    }
    ensure!(numbers.is_sorted(), "the records are in another order");
    Ok(())
}

/// Every record has these members, and no others.
pub(super) fn exactly(objects: &[&Map<String, Value>], names: &[&str], others: bool) -> Outcome {
    for object in objects {
        if others && let Some(name) = object.keys().find(|name| !names.contains(&name.as_str())) {
            return fail(format!("a record has the member {}", shown(name)));
        }
        if !others && let Some(name) = names.iter().find(|name| !object.contains_key(**name)) {
            return fail(format!("a record has no member {name}"));
        }
    }
    Ok(())
}

/// The name of a member, if it looks like one: it comes from outside.
fn shown(name: &str) -> String {
    let is_name = name.len() <= 40
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    if is_name { format!("`{name}`") } else { "with an unusual name".to_owned() }
}
