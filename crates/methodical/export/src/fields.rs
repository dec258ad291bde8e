//! Writes records to Parquet without loss: a JSON column holds everything that does not fit into another column.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::mem;

use chrono::{NaiveDate, NaiveDateTime, NaiveTime};
use methodical_mirror::model::tables::FieldType;
use serde_json::value::RawValue;

use crate::error::{Error, ErrorKind};
use crate::file::{Column, File, Kind, Value};

/// Writes records, given as JSON text, to one Parquet file.
///
/// There is one column for each field, such as `portal_name` for `portal.name`. A field with a civil time has a second
/// column, `<field>_at`, with the time, or null if the text is not one. The column `extra` has everything that fits no
/// other column, as JSON. The column `nulls` has the names of the fields that were `null`. A field of unknown type is
/// stored as text: a string as it is, and any other value as JSON.
///
/// ```
/// use methodical_mirror::model::tables::FieldType;
/// use methodical_export::ParquetStream;
///
/// let mut parquet = ParquetStream::new(&[
///     ("id".to_owned(), Some(FieldType::Id)),
///     ("camera.shots".to_owned(), Some(FieldType::Integer)),
/// ])?;
/// let mut out = Vec::new();
/// parquet.write(&mut out, r#"{"id":"007","camera":{"shots":12}}"#)?;
/// parquet.finish(&mut out)?;
/// assert!(out.starts_with(b"PAR1") && out.ends_with(b"PAR1"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ParquetStream {
    fields: Fields,
    /// `None` once the file is complete.
    file: Option<File<Pieces>>,
}

impl ParquetStream {
    /// Starts a Parquet file with these fields. Each field is a dotted path, such as `camera.shots`, and its type, or
    /// `None` if the type is unknown.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Data`](crate::ErrorKind::Data) if two columns would have the same name.
    pub fn new(types: &[(String, Option<FieldType>)]) -> Result<Self, Error> {
        let fields = Fields::of_types(types);
        let file = File::new(Pieces::default(), &fields.columns("extra", "nulls"))?;
        Ok(Self { fields, file: Some(file) })
    }

    /// Writes a record, given as JSON text. The record may be buffered until a later call. After
    /// [`finish`](Self::finish), this does nothing.
    ///
    /// # Errors
    ///
    /// Fails if the text is not a JSON object, or the output cannot be written.
    pub fn write(&mut self, out: &mut dyn Write, record: &str) -> io::Result<()> {
        let Some(file) = &mut self.file else { return Ok(()) };
        let cells = self.fields.read(record).map_err(io::Error::other)?;
        cells.with(|row| file.push(row)).map_err(io::Error::other)?;
        mem::take(file.out()).pass(out)
    }

    /// Writes the rest of the file.
    ///
    /// # Errors
    ///
    /// Fails if the output cannot be written.
    pub fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        match self.file.take() {
            Some(file) => file.finish().map_err(io::Error::other)?.pass(out),
            None => Ok(()),
        }
    }
}

/// The bytes written so far, in pieces, because a single block would be copied each time it grows.
#[derive(Debug, Default)]
struct Pieces(Vec<Vec<u8>>);

impl Pieces {
    fn pass(self, out: &mut dyn Write) -> io::Result<()> {
        self.0.into_iter().try_for_each(|piece| out.write_all(&piece))
    }
}

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.push(bytes.to_vec());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The fields that have columns.
#[derive(Clone, Debug)]
struct Fields {
    fields: Vec<Field>,
}

#[derive(Clone, Debug)]
struct Field {
    path: Vec<String>,
    /// The name of the column.
    name: String,
    kind: FieldKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FieldKind {
    Text,
    /// Text that may be a civil time, with a second column for the time.
    Civil,
    Integer,
    Real,
    Boolean,
    Json,
    /// Any value: the text of a string, or the JSON text of any other value.
    Any,
}

impl Fields {
    /// Creates the fields from their dotted paths and their types.
    fn of_types(types: &[(String, Option<FieldType>)]) -> Self {
        let field = |(path, field_type): &(String, Option<FieldType>)| {
            let kind = match field_type {
                Some(FieldType::Text | FieldType::Decimal) => FieldKind::Text,
                Some(FieldType::DateTime) => FieldKind::Civil,
                Some(FieldType::Integer) => FieldKind::Integer,
                Some(FieldType::Real) => FieldKind::Real,
                Some(FieldType::Boolean) => FieldKind::Boolean,
                Some(FieldType::Json) => FieldKind::Json,
                _ => FieldKind::Any,
            };
            let path: Vec<String> = path.split('.').map(str::to_owned).collect();
            Field { name: path.join("_"), path, kind }
        };
        Self { fields: types.iter().map(field).collect() }
    }

    /// Returns the columns of the fields, then `extra` and `nulls`.
    fn columns(&self, extra: &str, nulls: &str) -> Vec<Column> {
        let mut columns = Vec::new();
        for Field { name, kind, .. } in &self.fields {
            columns.push(Column::new(
                name,
                match kind {
                    FieldKind::Text | FieldKind::Civil | FieldKind::Json | FieldKind::Any => {
                        Kind::Text
                    }
                    FieldKind::Integer => Kind::Integer,
                    FieldKind::Real => Kind::Real,
                    FieldKind::Boolean => Kind::Boolean,
                },
            ));
            if *kind == FieldKind::Civil {
                columns.push(Column::new(&format!("{name}_at"), Kind::Civil));
            }
        }
        columns.extend([Column::new(extra, Kind::Text), Column::new(nulls, Kind::Text)]);
        columns
    }

    /// Reads a record, given as JSON text.
    fn read<'a>(&self, json: &'a str) -> Result<Cells<'a>, Error> {
        let mut members: Members<'a> = parse(json)?;
        let (mut cells, mut misfits) = (Cells::default(), Vec::new());
        // For each nested record that has columns, the fields that have not been read yet.
        let mut nested: BTreeMap<&str, Nested<'a>> = BTreeMap::new();
        for field in &self.fields {
            let value = match &*field.path {
                [name] => members.remove(&**name),
                [outer, path @ ..] => {
                    let inner =
                        nested.entry(outer).or_insert_with(|| Nested::of(members.remove(&**outer)));
                    match (inner, path) {
                        (Nested::Object(inner), [name]) => inner.remove(&**name),
                        _ => None,
                    }
                }
                [] => None,
            };
            let cell = match value.map(|value| (value, read(field.kind, value))) {
                None => None,
                Some((_, Read::Value(value))) => Some(value),
                Some((_, Read::Null)) => {
                    cells.nulls.push(field.name.clone());
                    None
                }
                Some((value, Read::Misfit)) => {
                    match &*field.path {
                        [outer, name] => {
                            if let Some(Nested::Object(inner)) = nested.get_mut(&**outer) {
                                inner.insert(Cow::Owned(name.clone()), value);
                            }
                        }
                        path => misfits.extend(path.first().map(|name| (name.clone(), value))),
                    }
                    None
                }
            };
            let time = match &cell {
                Some(Cell::Text(text)) if field.kind == FieldKind::Civil => civil(text),
                _ => None,
            };
            cells.values.push(cell);
            if field.kind == FieldKind::Civil {
                cells.values.push(time.map(Cell::Time));
            }
        }
        for (name, value) in misfits {
            members.insert(Cow::Owned(name), value);
        }
        let mut extra: BTreeMap<Cow<'_, str>, Cow<'_, str>> = members
            .iter()
            .map(|(name, value)| (name.clone(), Cow::Borrowed(value.get())))
            .collect();
        for (name, left) in nested {
            match left {
                Nested::Absent => {}
                Nested::Null => cells.nulls.push(name.to_owned()),
                Nested::Other(value) => drop(extra.insert(name.into(), value.get().into())),
                Nested::Object(inner) if inner.is_empty() => {}
                Nested::Object(inner) => {
                    let inner =
                        inner.iter().map(|(name, value)| (name.clone(), value.get().into()));
                    extra.insert(name.into(), object(&inner.collect()).into());
                }
            }
        }
        cells.extra = (!extra.is_empty()).then(|| object(&extra));
        Ok(cells)
    }
}

type Members<'a> = BTreeMap<Cow<'a, str>, &'a RawValue>;

/// The value of a field whose nested fields have columns.
enum Nested<'a> {
    Absent,
    Null,
    /// An object, without the fields that were read from it.
    Object(Members<'a>),
    /// Any other value, or an empty object, which would appear in no column.
    Other(&'a RawValue),
}

impl<'a> Nested<'a> {
    fn of(value: Option<&'a RawValue>) -> Self {
        let Some(value) = value else { return Self::Absent };
        match parse(value.get()) {
            _ if value.get() == "null" => Self::Null,
            Ok(inner) if !inner.is_empty() => Self::Object(inner),
            _ => Self::Other(value),
        }
    }
}

fn parse(json: &str) -> Result<Members<'_>, Error> {
    serde_json::from_str(json).map_err(|error| {
        Error::new(ErrorKind::Data, "cannot write a record as Parquet: it is not a JSON object")
            .because(error)
    })
}

/// Writes members, whose values are JSON text, as a JSON object.
fn object(members: &BTreeMap<Cow<'_, str>, Cow<'_, str>>) -> String {
    let mut text = String::from("{");
    for (name, value) in members {
        if text.len() > 1 {
            text.push(',');
        }
        text.push_str(&serde_json::Value::from(&**name).to_string());
        text.push(':');
        text.push_str(value);
    }
    text.push('}');
    text
}

/// The values of a record.
#[derive(Debug, Default)]
struct Cells<'a> {
    values: Vec<Option<Cell<'a>>>,
    extra: Option<String>,
    nulls: Vec<String>,
}

#[derive(Debug)]
enum Cell<'a> {
    Text(Cow<'a, str>),
    Integer(i64),
    Real(f64),
    Boolean(bool),
    Time(i64),
}

impl Cells<'_> {
    /// Passes the values of the columns to `take`, in order.
    fn with<T>(&self, take: impl FnOnce(&[Option<Value<'_>>]) -> T) -> T {
        let nulls = (!self.nulls.is_empty())
            .then(|| serde_json::Value::from(self.nulls.clone()).to_string());
        let mut row: Vec<Option<Value<'_>>> = Vec::new();
        for cell in &self.values {
            row.push(cell.as_ref().map(|cell| match cell {
                Cell::Text(text) => Value::Text(text),
                Cell::Integer(value) => Value::Integer(*value),
                Cell::Real(value) => Value::Real(*value),
                Cell::Boolean(value) => Value::Boolean(*value),
                Cell::Time(value) => Value::Time(*value),
            }));
        }
        row.push(self.extra.as_deref().map(Value::Text));
        row.push(nulls.as_deref().map(Value::Text));
        take(&row)
    }
}

enum Read<'a> {
    Value(Cell<'a>),
    Null,
    /// The column cannot store the value exactly.
    Misfit,
}

fn read(kind: FieldKind, value: &RawValue) -> Read<'_> {
    let text = value.get();
    let exact = |cell: Option<Cell<'static>>| cell.map_or(Read::Misfit, Read::Value);
    match kind {
        _ if text == "null" => Read::Null,
        FieldKind::Json => Read::Value(Cell::Text(text.into())),
        FieldKind::Text | FieldKind::Civil => match serde_json::from_str::<Text<'_>>(text) {
            Ok(Text(text)) => Read::Value(Cell::Text(text)),
            Err(_) => Read::Misfit,
        },
        FieldKind::Any => Read::Value(Cell::Text(match serde_json::from_str::<Text<'_>>(text) {
            Ok(Text(text)) => text,
            Err(_) => text.into(),
        })),
        FieldKind::Integer => exact(text.parse().ok().map(Cell::Integer)),
        FieldKind::Boolean => exact(text.parse().ok().map(Cell::Boolean)),
        FieldKind::Real => {
            let digits = text.bytes().take_while(|byte| !matches!(byte, b'e' | b'E'));
            let is_exact = digits.filter(u8::is_ascii_digit).count() <= EXACT_DIGITS;
            let value = text.parse().ok().filter(|value: &f64| is_exact && value.is_finite());
            exact(value.map(Cell::Real))
        }
    }
}

/// The number of decimal digits that a double preserves.
const EXACT_DIGITS: usize = 15;

/// A JSON string.
#[derive(serde::Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// Returns a civil time in microseconds since 1970, as if it were in UTC; `None` for any other text.
pub(crate) fn civil(text: &str) -> Option<i64> {
    let with_time = |format| NaiveDateTime::parse_from_str(text, format).ok();
    let date = || {
        let date = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?;
        Some(date.and_time(NaiveTime::MIN))
    };
    let time = with_time("%Y-%m-%d %H:%M:%S%.f")
        .or_else(|| with_time("%Y-%m-%dT%H:%M:%S%.f"))
        .or_else(|| with_time("%Y-%m-%d %H:%M"))
        .or_else(date)?;
    Some(time.and_utc().timestamp_micros())
}

#[cfg(test)]
mod tests {
    use methodical_mirror::model::tables::FieldType;

    use super::{Fields, civil};
    use crate::file::Value;

    fn photo() -> Fields {
        let types = [
            ("id", FieldType::Id),
            ("taken", FieldType::DateTime),
            ("size", FieldType::Integer),
            ("score", FieldType::Real),
            ("open", FieldType::Boolean),
            ("tags", FieldType::Json),
            ("place.name", FieldType::Text),
        ];
        let types = types.map(|(path, one)| (path.to_owned(), Some(one)));
        Fields::of_types(&types)
    }

    fn row(json: &str) -> String {
        photo().read(json).unwrap().with(|row| {
            let shown = |value: &Option<Value<'_>>| match value {
                None => "-".to_owned(),
                Some(Value::Text(text)) => (*text).to_owned(),
                Some(Value::Integer(value) | Value::Time(value)) => value.to_string(),
                Some(Value::Real(value)) => value.to_string(),
                Some(Value::Boolean(value)) => value.to_string(),
            };
            row.iter().map(shown).collect::<Vec<_>>().join("|")
        })
    }

    #[test]
    fn a_record_fills_its_columns() {
        let json = r#"{"id":"007","taken":"1970-01-02 00:00:01","size":-7,"score":0.10,"open":true,"tags":["a"],"place":{"name":"\u0041\n😀"}}"#;
        assert_eq!(row(json), "007|1970-01-02 00:00:01|86401000000|-7|0.1|true|[\"a\"]|A\n😀|-|-");
    }

    #[test]
    fn null_and_absent_differ() {
        assert_eq!(row(r#"{"id":"1","size":null}"#), "1|-|-|-|-|-|-|-|-|[\"size\"]");
        assert_eq!(row(r#"{"id":"1","place":null}"#), "1|-|-|-|-|-|-|-|-|[\"place\"]");
        assert_eq!(
            row(r#"{"id":"1","place":{"name":null}}"#),
            "1|-|-|-|-|-|-|-|-|[\"place_name\"]"
        );
        assert_eq!(row(r#"{"id":"1"}"#), "1|-|-|-|-|-|-|-|-|-");
    }

    #[test]
    fn what_fits_no_column_is_kept_as_json() {
        for extra in [
            r#"{"new":1.0}"#,
            r#"{"size":"7"}"#,
            r#"{"size":9223372036854775808}"#,
            r#"{"score":0.1234567890123456789}"#,
            r#"{"open":"yes"}"#,
            r#"{"place":{"zip":"0049"}}"#,
            r#"{"place":{"name":7}}"#,
            r#"{"place":[]}"#,
            r#"{"place":{}}"#,
            r#"{"taken":7}"#,
        ] {
            let json = extra.replacen('{', r#"{"id":"1","#, 1);
            assert_eq!(row(&json), format!("1|-|-|-|-|-|-|-|{extra}|-"), "{extra}");
        }
    }

    #[test]
    fn only_a_civil_time_has_a_time() {
        for (text, expected) in [
            ("1970-01-01", Some(0)),
            ("1970-01-01T00:00:01", Some(1_000_000)),
            ("1970-01-01 00:00:00.5", Some(500_000)),
            ("1970-01-01 00:01", Some(60_000_000)),
            ("0000-00-00 00:00:00", None),
            ("1970-01-01T00:00:00Z", None),
            ("1970-01-01T00:00:00+01:00", None),
            ("", None),
        ] {
            assert_eq!(civil(text), expected, "{text}");
        }
    }
}
