//! Rules for the records of every list.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::outcome::{Outcome, ensure, fail, skip};

/// Returns the elements, all of which must be objects.
pub(super) fn objects(list: &[Value]) -> Outcome<Vec<&Map<String, Value>>> {
    let objects: Vec<_> = list.iter().filter_map(Value::as_object).collect();
    if objects.len() < list.len() {
        return fail(format!("{} elements are not objects", list.len() - objects.len()));
    }
    Ok(objects)
}

/// Returns the elements, all of which must be objects; skips the check if the list is empty.
pub(super) fn some_objects(list: &[Value]) -> Outcome<Vec<&Map<String, Value>>> {
    match objects(list)? {
        objects if objects.is_empty() => skip("the list is empty"),
        objects => Ok(objects),
    }
}

/// Requires that a field is text.
pub(super) fn text(objects: &[&Map<String, Value>], name: &str) -> Outcome {
    text_like(objects, name, "text", |_| true)
}

/// Requires that a field is text of this shape. The field may be absent or `null`.
pub(super) fn text_like(
    objects: &[&Map<String, Value>],
    name: &str,
    shape: &str,
    fits: impl Fn(&str) -> bool,
) -> Outcome {
    let wrong = objects.iter().filter(|object| match object.get(name) {
        None | Some(Value::Null) => false,
        Some(Value::String(text)) => !fits(text),
        Some(_) => true,
    });
    let count = wrong.count();
    ensure!(count == 0, "`{name}` is not {shape} in {count} of {} records", objects.len());
    Ok(())
}

/// Requires that every record has an `id` of digits.
pub(super) fn numeric_ids(list: &[Value]) -> Outcome {
    let objects = some_objects(list)?;
    let good = objects
        .iter()
        .filter(|object| object.get("id").and_then(Value::as_str).is_some_and(is_numeric));
    let wrong = objects.len() - good.count();
    ensure!(wrong == 0, "`id` is not numeric text in {wrong} of {} records", objects.len());
    Ok(())
}

pub(super) fn is_numeric(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Requires that no two records have the same `id`.
pub(super) fn distinct(ids: &[&str]) -> Outcome {
    if ids.len() < 2 {
        return skip("the list has fewer than two records");
    }
    let distinct: BTreeSet<_> = ids.iter().collect();
    let duplicates = ids.len() - distinct.len();
    ensure!(duplicates == 0, "{duplicates} records have the `id` of another record");
    Ok(())
}

/// Requires that the records are sorted by `id`, as numbers.
pub(super) fn ascending(ids: &[&str]) -> Outcome {
    let numbers: Vec<Option<u64>> = ids.iter().map(|id| id.parse().ok()).collect();
    if numbers.len() < 2 {
        return skip("the list has fewer than two records");
    }
    ensure!(numbers.is_sorted(), "the records are not sorted by `id`");
    Ok(())
}

/// Requires that every record has all of these fields.
pub(super) fn all_fields(objects: &[&Map<String, Value>], names: &[&str]) -> Outcome {
    for object in objects {
        if let Some(name) = names.iter().find(|name| !object.contains_key(**name)) {
            return fail(format!("a record lacks the field `{name}`"));
        }
    }
    Ok(())
}

/// Requires that no record has a field besides these.
pub(super) fn no_other_fields(objects: &[&Map<String, Value>], names: &[&str]) -> Outcome {
    for object in objects {
        if let Some(name) = object.keys().find(|name| !names.contains(&name.as_str())) {
            return fail(format!("a record has {}", shown(name)));
        }
    }
    Ok(())
}

/// Returns a description of a field name, which is untrusted: it is quoted only if it looks like one.
fn shown(name: &str) -> String {
    let is_name = name.len() <= 40
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    if is_name { format!("the field `{name}`") } else { "a field with an unusual name".to_owned() }
}
