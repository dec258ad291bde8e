//! Rules for the records in responses, and for the values of each kind of field.

use std::collections::BTreeSet;
use std::slice;

use methodical_model::codegen::date_time;
use serde_json::{Map, Value};

use crate::contract::description::{Field, Kind, Record, is_code};
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

/// Requires that every record has a field with a value of its kind. The check is skipped if no record has the field.
pub(super) fn field(objects: &[&Map<String, Value>], field: &Field) -> Outcome {
    let mut misfits = objects.iter().filter_map(|object| misfit(object, field));
    if let Some(first) = misfits.next() {
        let (count, all) = (1 + misfits.count(), objects.len());
        let place = if all == 1 { String::new() } else { format!(" in {count} of {all} records") };
        let (path, found, shape) = (&first.path, found(first.value), shape(first.kind));
        return fail(format!("`{path}` is {found}{place}, expected {shape}"));
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

/// Requires that `holds` is true of every string in the fields whose kind `fits`. Empty strings pass.
fn each_text(
    objects: &[&Map<String, Value>],
    record: &Record,
    fits: fn(&Kind) -> bool,
    holds: fn(&str) -> bool,
    shape: &str,
) -> Outcome {
    let all: Vec<_> = objects.iter().flat_map(|object| texts(object, record, fits)).collect();
    if all.is_empty() {
        return skip("no record has a value of this kind");
    }
    let mut wrong = all.iter().filter(|(_, text)| !text.is_empty() && !holds(text));
    match wrong.next() {
        None => Ok(()),
        Some((name, _)) => fail(format!(
            "`{name}` is not {shape} in {} of {} values",
            1 + wrong.count(),
            all.len()
        )),
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
        "{duplicates} of {all} records share their `{identity}` with another record"
    );
    Ok(())
}

/// Requires that the records are sorted by their identities, which are compared as numbers.
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
            return fail(format!("a record has an unlisted field, {}", shown(name)));
        }
    }
    Ok(())
}

/// Quotes a field name if it looks like one. The name comes from the service, and may contain a secret.
fn shown(name: &str) -> String {
    let is_name = name.len() <= 40
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    if is_name { format!("`{name}`") } else { "one with an unusual name".to_owned() }
}

/// Texts from a service that a finding may repeat: media types, content codings, schemes and error codes of challenges,
/// and markers of success. Any other text may contain a token or personal data.
const KNOWN: &str = "application/json application/octet-stream application/problem+json application/xml text/html \
    text/plain text/xml br deflate gzip zstd basic bearer digest insufficient_scope invalid_request invalid_token \
    error fail failed failure false ok success true";

/// Quotes a text from the service if it is [known](KNOWN).
pub(super) fn quoted(text: &str) -> String {
    if text.is_empty() {
        "missing".to_owned()
    } else if KNOWN.split(' ').any(|known| known == text) {
        format!("`{text}`")
    } else {
        "another value".to_owned()
    }
}

/// Describes a value of the wrong kind, without showing it.
pub(super) fn found(value: Option<&Value>) -> &'static str {
    match value {
        None => "missing",
        Some(Value::Null) => "`null`",
        Some(Value::Bool(_)) => "a boolean",
        Some(Value::Number(_)) => "a number",
        Some(Value::String(text)) if text.is_empty() => "an empty string",
        Some(Value::String(_)) => "a string",
        Some(Value::Array(_)) => "a list",
        Some(Value::Object(_)) => "an object",
    }
}

/// Describes the values of this kind, for the title of a check.
pub(super) fn shape(kind: &Kind) -> &'static str {
    match kind {
        Kind::Text => "text",
        Kind::Digits => "numeric text",
        Kind::Integer => "an integer",
        Kind::Boolean => "a boolean",
        Kind::Decimal => "a decimal number in text form",
        Kind::CivilDateTime => "a date and time in the form YYYY-MM-DD HH:MM:SS",
        Kind::EpochSeconds => "a number of seconds in text form",
        Kind::Currency => "a currency code",
        Kind::Values(_) => "one of the listed values",
        Kind::Record(_) | Kind::Map(_) => "an object",
        Kind::List(_) => "a list",
        Kind::OneOrList(_) => "a list or a single value",
        Kind::OrNumber(of) | Kind::OrEmptyList(of) | Kind::OrBlank(of) => shape(of),
    }
}

/// A field whose value has no nested values. The value is `None` if the field is absent or `null`.
struct Leaf<'a> {
    value: Option<&'a Value>,
    kind: &'a Kind,
    /// Whether the value must be present and not an empty string.
    is_required: bool,
    name: &'static str,
    /// The path of the value, such as `place.name`.
    path: String,
}

impl Leaf<'_> {
    fn is_fit(&self) -> bool {
        let Some(value) = self.value else { return !self.is_required };
        let text = value.as_str();
        match self.kind {
            // A well-formed value is not a leaf.
            Kind::Record(_)
            | Kind::List(_)
            | Kind::Map(_)
            | Kind::OneOrList(_)
            | Kind::OrEmptyList(_)
            | Kind::OrBlank(_)
            | Kind::OrNumber(_) => false,
            Kind::Integer => is_integer(value),
            Kind::Values(codes) => codes.iter().any(|code| is_code(value, code)),
            Kind::Boolean => value.is_boolean(),
            Kind::Text => text.is_some(),
            // A service may write an absent value as an empty string.
            _ if text == Some("") => !self.is_required,
            Kind::Digits => text.is_some_and(is_numeric),
            Kind::Decimal => text.is_some_and(is_decimal),
            Kind::CivilDateTime => text.is_some_and(has_form),
            Kind::EpochSeconds => text.is_some_and(|text| text.parse::<i64>().is_ok()),
            Kind::Currency => text.is_some(),
        }
    }
}

/// Appends the leaves of these fields, including nested records, to `into`.
fn add_fields<'a>(
    object: &'a Map<String, Value>,
    fields: &'a [Field],
    before: &str,
    into: &mut Vec<Leaf<'a>>,
) {
    for Field { name, kind, required, .. } in fields {
        let value = object.get(*name).filter(|value| !value.is_null());
        let path = format!("{before}{name}");
        add(Leaf { value, kind, is_required: *required, name, path }, into);
    }
}

/// Appends the leaves of a value to `into`.
fn add<'a>(of: Leaf<'a>, into: &mut Vec<Leaf<'a>>) {
    let Leaf { value, kind, name, .. } = of;
    let inner =
        |value, kind, path| Leaf { value: Some(value), kind, is_required: true, name, path };
    match (kind, value) {
        (Kind::Record(record), Some(Value::Object(object))) => {
            add_fields(object, record.fields, &format!("{}.", of.path), into);
        }
        (Kind::List(kind) | Kind::OneOrList(kind), Some(Value::Array(values))) => {
            for (at, value) in values.iter().enumerate() {
                add(inner(value, kind, format!("{}[{at}]", of.path)), into);
            }
        }
        // A key is untrusted, and may be personal data.
        (Kind::Map(kind), Some(Value::Object(object))) => {
            for value in object.values() {
                add(inner(value, kind, format!("{}.*", of.path)), into);
            }
        }
        (Kind::OrEmptyList(_), Some(Value::Array(values))) if values.is_empty() => {}
        (Kind::OrBlank(_), Some(Value::String(text))) if text.is_empty() => {}
        (Kind::OrNumber(_), Some(Value::Number(_))) => {}
        (
            Kind::OneOrList(kind)
            | Kind::OrEmptyList(kind)
            | Kind::OrBlank(kind)
            | Kind::OrNumber(kind),
            Some(_),
        ) => add(Leaf { kind, ..of }, into),
        _ => into.push(of),
    }
}

/// Returns the first value of a field that breaks the rule of its kind.
fn misfit<'a>(object: &'a Map<String, Value>, field: &'a Field) -> Option<Leaf<'a>> {
    let mut leaves = Vec::new();
    add_fields(object, slice::from_ref(field), "", &mut leaves);
    leaves.into_iter().find(|leaf| !leaf.is_fit())
}

/// Returns the strings in all fields whose kind `fits`, including nested records, each with its field's name.
fn texts<'a>(
    object: &'a Map<String, Value>,
    record: &'a Record,
    fits: fn(&Kind) -> bool,
) -> Vec<(&'static str, &'a str)> {
    let mut leaves = Vec::new();
    add_fields(object, record.fields, "", &mut leaves);
    let texts = leaves.iter().filter(|leaf| fits(leaf.kind));
    texts.filter_map(|leaf| Some((leaf.name, leaf.value?.as_str()?))).collect()
}

fn is_integer(value: &Value) -> bool {
    value.is_i64() || value.is_u64()
}

/// Returns whether the text consists of decimal digits.
pub(super) fn is_numeric(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_decimal(text: &str) -> bool {
    text.parse::<f64>().is_ok_and(f64::is_finite)
}

/// Returns whether the text is a decimal number without an exponent or separators.
fn is_plain_decimal(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    digits.split('.').count() <= 2 && digits.split('.').all(is_numeric)
}

/// Returns whether the text has the form of [`PATTERN`], with any digits. The date need not exist.
fn has_form(text: &str) -> bool {
    text.len() == PATTERN.len()
        && text.bytes().zip(PATTERN.bytes()).all(|(byte, pattern)| match pattern {
            b'0' => byte.is_ascii_digit(),
            sign => byte == sign,
        })
}

/// Returns whether the text is a calendar date with a time of day.
fn is_date(text: &str) -> bool {
    date_time(text, "date").is_ok()
}

const PATTERN: &str = "0000-00-00 00:00:00";

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{is_date, misfit, shape};
    use crate::contract::description::{Kind, Record};
    use crate::contract::tests::field;

    /// Returns the path and the shape of the first misfit, for a required and for an optional field.
    fn misfits(kind: fn() -> Kind, value: &serde_json::Value) -> [Option<String>; 2] {
        [true, false].map(|required| {
            let field = field("it", kind(), required);
            let object = json!({ "it": value });
            let found = misfit(object.as_object().unwrap(), &field);
            found.map(|found| format!("{}: {}", found.path, shape(found.kind)))
        })
    }

    #[track_caller]
    fn fits(kind: fn() -> Kind, good: &[serde_json::Value], bad: &[serde_json::Value]) {
        for value in good {
            assert_eq!(misfits(kind, value), [None, None], "{value}");
        }
        for value in bad {
            assert!(misfits(kind, value).iter().all(Option::is_some), "{value}");
        }
    }

    #[test]
    fn each_kind_of_value_has_its_rule() {
        fits(|| Kind::Text, &[json!("x"), json!("")], &[json!(1), json!({})]);
        fits(|| Kind::Digits, &[json!("007")], &[json!("7a"), json!("-7"), json!(7)]);
        fits(|| Kind::Integer, &[json!(-7)], &[json!(7.5), json!("7")]);
        fits(|| Kind::Boolean, &[json!(true)], &[json!("true"), json!(0)]);
        fits(|| Kind::Decimal, &[json!("-1.50"), json!("1e3")], &[json!(1.5), json!("x")]);
        fits(|| Kind::EpochSeconds, &[json!("-86400")], &[json!("1e9"), json!(0)]);
        fits(|| Kind::Currency, &[json!("EUR")], &[json!(1)]);
        let one = || Kind::OneOrList(&Kind::Integer);
        fits(one, &[json!(7), json!([7, 8]), json!([])], &[json!("7"), json!([true])]);
        let empty = || Kind::OrEmptyList(&Kind::Map(&Kind::Text));
        fits(empty, &[json!([]), json!({ "a": "b" })], &[json!(["a"]), json!("")]);
        fits(|| Kind::OrBlank(&Kind::Integer), &[json!(""), json!(7)], &[json!("7"), json!([])]);
        let decimal = || Kind::OrNumber(&Kind::Decimal);
        fits(decimal, &[json!("1.50"), json!(1.5)], &[json!("1,5"), json!(true)]);
        let codes = || Kind::Values(&["\"Y\"", "0", "true"]);
        let other = [json!("N"), json!("0"), json!(1), json!(false)];
        fits(codes, &[json!("Y"), json!(0), json!(true)], &other);
        fits(
            || Kind::CivilDateTime,
            &[json!("2026-02-29 00:00:00")],
            &[json!("2026-02-29"), json!(1)],
        );
        assert!(is_date("2024-02-29 23:59:59") && !is_date("2026-02-29 00:00:00"));
    }

    #[test]
    fn only_an_optional_value_may_be_absent_or_empty() {
        for value in [json!(null), json!("")] {
            let [required, optional] = misfits(|| Kind::Digits, &value);
            assert!(required.is_some() && optional.is_none(), "{value}");
        }
    }

    #[test]
    fn a_misfit_in_a_nested_record_has_its_path() {
        static INNER: Record =
            Record { identity: None, fields: &[field("name", Kind::Text, false)] };
        static OBJECT: Kind = Kind::Record(&INNER);
        let [found, _] = misfits(|| Kind::Record(&INNER), &json!({ "name": 7 }));
        assert_eq!(found.as_deref(), Some("it.name: text"));
        fits(|| Kind::Record(&INNER), &[json!({})], &[json!("x"), json!([])]);
        let [found, _] = misfits(|| Kind::List(&OBJECT), &json!([{}, { "name": 7 }]));
        assert_eq!(found.as_deref(), Some("it[1].name: text"));
        let [found, _] = misfits(|| Kind::Map(&Kind::List(&Kind::Text)), &json!({ "Ann": [null] }));
        assert_eq!(found.as_deref(), Some("it.*[0]: text"));
        fits(|| Kind::List(&Kind::Text), &[json!([]), json!([""])], &[json!({}), json!("a")]);
        fits(|| Kind::Map(&Kind::Text), &[json!({}), json!({ "": "" })], &[json!([]), json!("a")]);
    }
}
