//! Rules for the records of every response.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::contract::description::{Field, Kind, Record};
use crate::contract::value::{is_date, is_plain_decimal, misfit, texts};
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

/// Returns a value that identifies a record, as it is written in a query; `None` if it has another type.
pub(super) fn id(value: &Value, identity: &Field) -> Option<String> {
    match (&identity.kind, value) {
        (Kind::Integer | Kind::IntegerOrText | Kind::OrNumber(_), Value::Number(number)) => {
            Some(number.to_string())
        }
        (Kind::Integer, _) => None,
        (_, Value::String(text)) => Some(text.clone()),
        _ => None,
    }
}

/// Requires that every record has a field with a value of its kind. An optional field may be absent or `null`, but not in
/// every record.
pub(super) fn field(objects: &[&Map<String, Value>], field: &Field) -> Outcome {
    let mut misfits = objects.iter().filter_map(|object| misfit(object, field));
    if let Some(first) = misfits.next() {
        let (count, all) = (1 + misfits.count(), objects.len());
        let place = if all == 1 { String::new() } else { format!(" in {count} of {all} records") };
        return fail(format!("`{}` is not {}{place}", first.path, first.shape));
    }
    let is_somewhere =
        objects.iter().any(|object| object.get(field.name).is_some_and(|value| !value.is_null()));
    if is_somewhere { Ok(()) } else { skip(format!("no record has the field `{}`", field.name)) }
}

/// Requires that every date exists in the calendar.
pub(super) fn real_dates(objects: &[&Map<String, Value>], record: &Record) -> Outcome {
    let fits = |kind: &Kind| matches!(kind, Kind::CivilDateTime);
    each_text(objects, record, fits, is_date, "a real date")
}

/// Requires that every decimal number is plain.
pub(super) fn plain_numbers(objects: &[&Map<String, Value>], record: &Record) -> Outcome {
    let fits = |kind: &Kind| matches!(kind, Kind::Decimal);
    each_text(objects, record, fits, is_plain_decimal, "a plain decimal number")
}

/// Requires that every text of these kinds of fields has a property.
fn each_text(
    objects: &[&Map<String, Value>],
    record: &Record,
    fits: fn(&Kind) -> bool,
    holds: fn(&str) -> bool,
    shape: &str,
) -> Outcome {
    let all: Vec<_> = objects.iter().flat_map(|object| texts(object, record, fits)).collect();
    if all.is_empty() {
        return skip("no record has such a text");
    }
    let mut wrong = all.iter().filter(|(_, text)| !text.is_empty() && !holds(text));
    match wrong.next() {
        None => Ok(()),
        Some((name, _)) => {
            fail(format!("`{name}` is not {shape} in {} of {} texts", 1 + wrong.count(), all.len()))
        }
    }
}

/// Requires that no record has a field with this name.
pub(super) fn lacks(objects: &[&Map<String, Value>], name: &str) -> Outcome {
    let with = objects.iter().filter(|object| object.contains_key(name)).count();
    ensure!(with == 0, "{with} of {} records have the field `{name}`", objects.len());
    Ok(())
}

/// Requires that no two records have the same identity.
pub(super) fn distinct(ids: &[String], identity: &str) -> Outcome {
    if ids.len() < 2 {
        return skip("the list has fewer than two records");
    }
    let distinct: BTreeSet<_> = ids.iter().collect();
    let duplicates = ids.len() - distinct.len();
    let all = ids.len();
    ensure!(
        duplicates == 0,
        "{duplicates} of {all} records have the `{identity}` of another record"
    );
    Ok(())
}

/// Requires that the records are sorted by their identities, as numbers.
pub(super) fn ascending(ids: &[String], identity: &str) -> Outcome {
    let numbers: Vec<Option<i128>> = ids.iter().map(|id| id.parse().ok()).collect();
    if numbers.len() < 2 {
        return skip("the list has fewer than two records");
    }
    ensure!(numbers.is_sorted(), "the records are not sorted by `{identity}`");
    Ok(())
}

/// Requires that every record has all of its fields.
pub(super) fn all_fields(objects: &[&Map<String, Value>], record: &Record) -> Outcome {
    for object in objects {
        if let Some(field) = record.fields.iter().find(|field| !object.contains_key(field.name)) {
            return fail(format!("a record lacks the field `{}`", field.name));
        }
    }
    Ok(())
}

/// Requires that no record has a field that the contract does not list.
pub(super) fn no_other_fields(objects: &[&Map<String, Value>], record: &Record) -> Outcome {
    let is_listed = |key: &String| record.fields.iter().any(|field| field.name == key);
    for object in objects {
        if let Some(name) = object.keys().find(|key| !is_listed(key)) {
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

#[cfg(test)]
mod tests {
    use super::{Outcome, ascending, distinct, shown};
    use crate::outcome::Stop;

    /// Judges records with these identities.
    fn judge(rule: fn(&[String], &str) -> Outcome, ids: &[&str]) -> Result<(), String> {
        let ids: Vec<_> = ids.iter().copied().map(str::to_owned).collect();
        rule(&ids, "id").map_err(|stop| match stop {
            Stop::Fail(text) => text,
            Stop::Skip(text) => format!("skipped: {text}"),
        })
    }

    #[test]
    fn two_records_are_enough_to_judge_their_order() {
        let skipped = "skipped: the list has fewer than two records";
        assert_eq!(judge(ascending, &["7"]), Err(skipped.to_owned()));
        // As texts, they would be in another order.
        assert_eq!(judge(ascending, &["9", "10"]), Ok(()));
        let unsorted = "the records are not sorted by `id`";
        assert_eq!(judge(ascending, &["10", "9"]), Err(unsorted.to_owned()));
    }

    #[test]
    fn two_records_are_enough_to_find_a_duplicate() {
        let skipped = "skipped: the list has fewer than two records";
        assert_eq!(judge(distinct, &["7"]), Err(skipped.to_owned()));
        assert_eq!(judge(distinct, &["7", "8"]), Ok(()));
        let duplicate = "1 of 2 records have the `id` of another record";
        assert_eq!(judge(distinct, &["7", "7"]), Err(duplicate.to_owned()));
    }

    #[test]
    fn only_a_plain_field_name_is_quoted() {
        assert_eq!(shown("ref_id-2"), "the field `ref_id-2`");
        for unusual in ["a b", "é", &"a".repeat(41), "a\u{1b}[31m"] {
            assert_eq!(shown(unusual), "a field with an unusual name");
        }
    }
}
