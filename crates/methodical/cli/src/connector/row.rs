//! A record of a stream: one JSON value for each property.

use std::collections::BTreeMap;

use methodical_mirror::model::Table;
use methodical_mirror::{Record, Sample, State};
use serde::ser::SerializeMap;
use serde_json::value::{RawValue, to_raw_value};

use crate::connector::stream::{CHANGED_AT, EXTRA, FIRST_SEEN, Property, PropertyKind, Stream};
use crate::mirror::time::utc;

/// A record of a stream.
#[derive(Debug)]
pub(crate) struct Row {
    /// The values of the properties, in their order; `None` is `null`.
    cells: Vec<Cell>,
    /// When the record was deleted, in UTC. Then only the key has values.
    pub(crate) deleted_at: Option<String>,
}

/// A JSON value; `None` is `null`.
type Cell = Option<Box<RawValue>>;

/// The values of a JSON object, by name.
type Members = BTreeMap<String, Box<RawValue>>;

impl Row {
    /// Creates the row of a record of a table. A record that is not present has only its key.
    pub(crate) fn of_record(
        stream: &Stream,
        table: &Table,
        record: &Record,
    ) -> Result<Self, serde_json::Error> {
        if record.state != State::Present {
            let since = record.gone_at.or(record.missing_since).unwrap_or(record.changed_at);
            return Self::deleted(stream, &record.id, since);
        }
        let mut members: Members = serde_json::from_str(&record.json)?;
        let mut nested = take_nested(table, &mut members)?;
        let columns = table.columns().iter().zip(&stream.properties);
        let mut cells = columns
            .map(|(column, property)| match *column.path() {
                [name] => take(&mut members, name, property.kind),
                [name, field] => match nested.get_mut(name) {
                    Some(below) => take(below, field, property.kind),
                    None => Ok(None),
                },
                _ => Ok(None),
            })
            .collect::<Result<Vec<Cell>, _>>()?;
        for (name, below) in nested {
            if !below.is_empty() {
                members.insert(name.to_owned(), to_raw_value(&below)?);
            }
        }
        let extra = if members.is_empty() {
            None
        } else {
            Some(to_raw_value(&serde_json::to_string(&members)?)?)
        };
        for property in stream.properties.iter().skip(cells.len()) {
            cells.push(match &*property.name {
                FIRST_SEEN => Some(to_raw_value(&utc(record.first_seen))?),
                CHANGED_AT => Some(to_raw_value(&utc(record.changed_at))?),
                EXTRA => extra.clone(),
                _ => None,
            });
        }
        Ok(Self { cells, deleted_at: None })
    }

    /// Creates the row of a record that was deleted: its key, and `null` for everything else.
    pub(crate) fn deleted(stream: &Stream, id: &str, at: i64) -> Result<Self, serde_json::Error> {
        let cell = |property: &Property| match property.kind {
            _ if !property.is_key => Ok(None),
            PropertyKind::Integer => RawValue::from_string(id.to_owned()).map(Some),
            _ => to_raw_value(id).map(Some),
        };
        let cells = stream.properties.iter().map(cell).collect::<Result<_, _>>()?;
        Ok(Self { cells, deleted_at: Some(utc(at)) })
    }

    /// Creates the row of a sample.
    pub(crate) fn of_sample(sample: &Sample) -> Result<Self, serde_json::Error> {
        let unit = sample.unit.as_ref().map(to_raw_value).transpose()?;
        let cells =
            vec![Some(to_raw_value(&utc(sample.at))?), Some(to_raw_value(&sample.amount)?), unit];
        Ok(Self { cells, deleted_at: None })
    }

    /// Returns the first value, which is the key in unit tests.
    #[cfg(test)]
    pub(crate) fn first_cell(&self) -> &str {
        self.cells.first().unwrap().as_ref().unwrap().get()
    }

    /// Writes the values of the selected properties into a JSON object.
    pub(crate) fn write<M: SerializeMap>(
        &self,
        properties: &[Property],
        is_selected: impl Fn(&Property) -> bool,
        object: &mut M,
    ) -> Result<(), M::Error> {
        for (property, cell) in properties.iter().zip(&self.cells) {
            if is_selected(property) {
                object.serialize_entry(&property.name, cell)?;
            }
        }
        Ok(())
    }
}

/// Takes the nested records that have columns out of a record.
fn take_nested<'a>(
    table: &Table,
    members: &mut Members,
) -> Result<BTreeMap<&'a str, Members>, serde_json::Error> {
    let mut nested = BTreeMap::new();
    let parents = table.columns().iter().filter_map(|column| match *column.path() {
        [name, _] => Some(name),
        _ => None,
    });
    for name in parents {
        let Some(value) = members.get(name) else { continue };
        let is_object = value.get().starts_with('{');
        if is_object {
            nested.insert(name, serde_json::from_str(value.get())?);
        }
        if is_object || value.get() == NULL {
            members.remove(name);
        }
    }
    Ok(nested)
}

/// Takes a value out of a record if its property can have it exactly.
fn take(members: &mut Members, name: &str, kind: PropertyKind) -> Result<Cell, serde_json::Error> {
    let Some(value) = members.get(name) else { return Ok(None) };
    let text = value.get();
    if text == NULL {
        members.remove(name);
        return Ok(None);
    }
    let fits = match kind {
        PropertyKind::Text | PropertyKind::Time => text.starts_with('"') && !has_nul(text)?,
        PropertyKind::Integer => text.parse::<i64>().is_ok(),
        PropertyKind::Real => is_exact(text),
        PropertyKind::Boolean => matches!(text, "true" | "false"),
        PropertyKind::Json => true,
    };
    if !fits {
        return Ok(None);
    }
    match members.remove(name) {
        Some(value) if kind == PropertyKind::Json => to_raw_value(value.get()).map(Some),
        taken => Ok(taken),
    }
}

/// Returns whether a JSON string has U+0000, which PostgreSQL cannot store in text.
fn has_nul(text: &str) -> Result<bool, serde_json::Error> {
    if !text.contains("\\u0000") {
        return Ok(false);
    }
    serde_json::from_str::<String>(text).map(|text| text.contains('\0'))
}

/// Returns whether readers that use binary floating-point numbers keep all digits of a number.
fn is_exact(text: &str) -> bool {
    let Ok(number) = text.parse::<f64>() else { return false };
    let digits = text.split(['e', 'E']).next().unwrap_or_default();
    let digits = digits.bytes().filter(u8::is_ascii_digit).count();
    number.is_finite() && (digits <= EXACT_DIGITS || format!("{number}") == text)
}

/// The number of decimal digits that every binary floating-point number keeps.
const EXACT_DIGITS: usize = 15;

const NULL: &str = "null";

#[cfg(test)]
mod tests {
    use methodical_mirror::{Mirror, State};
    use serde::Serializer as _;
    use serde::ser::SerializeMap as _;

    use super::Row;
    use crate::connector::stream::Stream;
    use crate::connector::testing::{PHOTO, mirror, sync};

    /// Returns the row of a photo as JSON, without the times.
    fn row(mirror: &Mirror) -> String {
        let stream = Stream::of_table(&PHOTO);
        let record = mirror.record("photo", "1").unwrap().unwrap();
        let row = Row::of_record(&stream, &PHOTO, &record).unwrap();
        assert_eq!(row.deleted_at.is_none(), record.state == State::Present);
        let mut json = Vec::new();
        let mut serializer = serde_json::Serializer::new(&mut json);
        let mut object = serializer.serialize_map(None).unwrap();
        let is_time = |name: &str| name.ends_with("_seen") || name.ends_with("_at");
        row.write(&stream.properties, |one| !is_time(&one.name), &mut object).unwrap();
        object.end().unwrap();
        String::from_utf8(json).unwrap()
    }

    fn of(photo: &str) -> String {
        let mut mirror = mirror();
        sync(&mut mirror, &[photo]);
        row(&mirror)
    }

    #[test]
    fn each_property_has_its_value() {
        assert_eq!(
            of(
                r#"{"id":"1","title":"=1+1 \ud83d\ude00\n","size":-7,"score":0.10,"open":true,"tags":["a"],"place":{"id":"007","name":null}}"#
            ),
            r#"{"id":"1","title":"=1+1 😀\n","size":-7,"score":0.1,"open":true,"tags":"[\"a\"]","place_id":"007","place_name":null,"mirror_extra":null}"#
        );
    }

    #[test]
    fn a_value_that_its_property_cannot_have_is_in_the_rest() {
        for (member, rest) in [
            (r#""size":"7""#, r#"{\"size\":\"7\"}"#),
            (r#""size":9223372036854775808"#, r#"{\"size\":9223372036854775808}"#),
            (r#""score":0.1234567890123456789"#, r#"{\"score\":0.1234567890123456789}"#),
            (r#""open":1"#, r#"{\"open\":1}"#),
            (r#""place":[]"#, r#"{\"place\":[]}"#),
            (r#""place":{"zip":"0049"}"#, r#"{\"place\":{\"zip\":\"0049\"}}"#),
            (r#""new":1.0"#, r#"{\"new\":1.0}"#),
            // PostgreSQL has no U+0000 in text; it has its escape.
            (r#""title":"a\u0000""#, r#"{\"title\":\"a\\u0000\"}"#),
        ] {
            let row = of(&format!(r#"{{"id":"1",{member}}}"#));
            assert_eq!(
                row,
                format!(
                    r#"{{"id":"1","title":null,"size":null,"score":null,"open":null,"tags":null,"place_id":null,"place_name":null,"mirror_extra":"{rest}"}}"#
                )
            );
        }
    }

    #[test]
    fn a_deleted_record_has_only_its_key() {
        let deleted = r#"{"id":"1","title":null,"size":null,"score":null,"open":null,"tags":null,"place_id":null,"place_name":null,"mirror_extra":null}"#;
        let mut mirror = mirror();
        sync(&mut mirror, &[r#"{"id":"1","title":"Harbour","size":1}"#]);
        for state in [State::Missing, State::Gone] {
            sync(&mut mirror, &[]);
            assert_eq!(mirror.record("photo", "1").unwrap().unwrap().state, state);
            assert_eq!(row(&mirror), deleted);
        }
        mirror.forget("photo", "1").unwrap();
        assert_eq!(row(&mirror), deleted);
    }
}
