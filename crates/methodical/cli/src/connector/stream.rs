//! The streams of a service: what a mirror has of it, as lists of flat records with a key; and the catalog of them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use methodical_mirror::model::tables::{ColumnKind, Gauge, Mirrored, Table};
use methodical_mirror::{Record, Sample, State};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::failure::Failure;
use crate::mirror::open::utc;
use crate::mirror::{Part, found};
use crate::screen::closest;

/// A stream of records: those of a table, present ones only, or the samples of a gauge.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    pub(crate) name: String,
    pub(crate) source: Part,
    pub(crate) properties: Vec<Property>,
}

/// A property of the records of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Property {
    pub(crate) name: String,
    pub(crate) kind: PropertyKind,
    /// The values identify a record.
    pub(crate) is_key: bool,
}

/// The kind of the values of a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PropertyKind {
    Text,
    /// A point in time in UTC.
    Time,
    Integer,
    Real,
    Boolean,
    /// A JSON value as text.
    Json,
}

impl Property {
    fn new(name: impl Into<String>, kind: PropertyKind) -> Self {
        Self { name: name.into(), kind, is_key: false }
    }

    /// Returns whether the property cannot be deselected.
    fn is_automatic(&self) -> bool {
        self.is_key || self.name == DELETED_AT
    }

    /// Returns the JSON schema of the values. Only a key is never null.
    fn schema(&self) -> Value {
        let kind = match self.kind {
            PropertyKind::Text | PropertyKind::Time | PropertyKind::Json => "string",
            PropertyKind::Integer => "integer",
            PropertyKind::Real => "number",
            PropertyKind::Boolean => "boolean",
        };
        let kind = if self.is_key { json!([kind]) } else { json!(["null", kind]) };
        match self.kind {
            PropertyKind::Time => json!({ "type": kind, "format": "date-time" }),
            _ => json!({ "type": kind }),
        }
    }
}

impl Stream {
    /// Describes the records of a table: its columns, and what the mirror knows of a record.
    pub(crate) fn of_table(table: &'static Table) -> Self {
        let columns = table.columns().iter().map(|column| Property {
            name: column.path().join("_"),
            kind: match column.kind() {
                ColumnKind::Text => PropertyKind::Text,
                ColumnKind::Integer => PropertyKind::Integer,
                ColumnKind::Real => PropertyKind::Real,
                ColumnKind::Boolean => PropertyKind::Boolean,
                _ => PropertyKind::Json,
            },
            is_key: column.path() == [table.identity()],
        });
        let own = [
            Property::new(FIRST_SEEN, PropertyKind::Time),
            Property::new(CHANGED_AT, PropertyKind::Time),
            Property::new(EXTRA, PropertyKind::Json),
            Property::new(DELETED_AT, PropertyKind::Time),
        ];
        let properties = columns.chain(own).collect();
        Self { name: table.name().to_owned(), source: Part::Table(table, ""), properties }
    }

    /// Describes the samples of a gauge.
    pub(crate) fn of_gauge(gauge: Gauge) -> Self {
        let properties = vec![
            Property { is_key: true, ..Property::new("at", PropertyKind::Time) },
            Property::new("amount", PropertyKind::Text),
            Property::new("unit", PropertyKind::Text),
        ];
        Self { name: format!("{}_sample", gauge.name()), source: Part::Gauge(gauge), properties }
    }

    /// Returns the names of the properties that identify a record.
    pub(crate) fn keys(&self) -> Vec<&str> {
        self.properties.iter().filter(|one| one.is_key).map(|one| &*one.name).collect()
    }

    /// Returns the table whose records can be deleted.
    pub(crate) fn table(&self) -> Option<&'static Table> {
        match self.source {
            Part::Table(table, _) => Some(table),
            Part::Gauge(_) => None,
        }
    }
}

/// Returns the streams of a service.
pub(crate) fn streams<S: Mirrored>() -> Vec<Stream> {
    let parts = found::<S>().parts.into_iter();
    parts
        .map(|part| match part {
            Part::Table(table, _) => Stream::of_table(table),
            Part::Gauge(gauge) => Stream::of_gauge(gauge),
        })
        .collect()
}

/// Name of the property with the time when the mirror first saw a record.
const FIRST_SEEN: &str = "mirror_first_seen";

/// Name of the property with the time of the last change of a record.
const CHANGED_AT: &str = "mirror_changed_at";

/// Name of the property with everything that does not fit the other properties.
const EXTRA: &str = "mirror_extra";

/// Name of the property with the time of deletion, as targets know it.
pub(crate) const DELETED_AT: &str = "_sdc_deleted_at";

/// Returns the JSON schema of records with these properties.
pub(crate) fn schema(properties: &[&Property]) -> Value {
    let properties = properties.iter().map(|one| (one.name.clone(), one.schema()));
    json!({ "type": "object", "properties": properties.collect::<serde_json::Map<_, _>>() })
}

/// Returns a hash of the properties that a receiver gets.
pub(crate) fn layout(properties: &[&Property], omits_personal: bool) -> String {
    let mut hash = Sha256::new();
    for property in properties.iter().filter(|one| one.name != DELETED_AT) {
        hash.update(format!("{} {:?}\n", property.name, property.kind));
    }
    hash.update([u8::from(omits_personal)]);
    hash.finalize().iter().take(8).fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        _ = write!(text, "{byte:02x}");
        text
    })
}

/// A stream that is read.
#[derive(Debug)]
pub(crate) struct Selected<'a> {
    pub(crate) stream: &'a Stream,
    /// Whether each run reads all records, and not only those that have changed.
    pub(crate) is_full: bool,
    /// The properties that are selected.
    pub(crate) properties: Vec<&'a Property>,
}

/// Returns the catalog of all streams.
pub(crate) fn discovered(streams: &[Stream]) -> Value {
    let streams: Vec<Value> = streams.iter().map(entry).collect();
    json!({ "streams": streams })
}

fn entry(stream: &Stream) -> Value {
    let keys = stream.keys();
    let own = json!({
        "breadcrumb": [],
        "metadata": {
            "inclusion": "available",
            "selected-by-default": true,
            "table-key-properties": keys,
            "valid-replication-keys": [],
        }
    });
    let fields = stream.properties.iter().map(|property| {
        let inclusion = if property.is_automatic() { "automatic" } else { "available" };
        json!({
            "breadcrumb": ["properties", property.name],
            "metadata": { "inclusion": inclusion, "selected-by-default": true }
        })
    });
    let metadata: Vec<Value> = [own].into_iter().chain(fields).collect();
    json!({
        "tap_stream_id": stream.name,
        "stream": stream.name,
        "key_properties": keys,
        "schema": schema(&stream.properties.iter().collect::<Vec<_>>()),
        "metadata": metadata,
    })
}

/// Returns the streams that a catalog selects; without one, all.
pub(crate) fn selected<'a>(
    streams: &'a [Stream],
    catalog: Option<&Value>,
) -> Result<Vec<Selected<'a>>, Failure> {
    let Some(catalog) = catalog else {
        let all = streams.iter().map(|stream| Selected {
            stream,
            is_full: false,
            properties: stream.properties.iter().collect(),
        });
        return Ok(all.collect());
    };
    let entries = catalog.get("streams").and_then(Value::as_array);
    let entries = entries
        .ok_or_else(|| Failure::usage("cannot read the catalog: it has no list `streams`"))?;
    let entries = entries.iter().map(Entry).filter(|entry| entry.is_selected(None, false));
    let selected = entries.map(|entry| {
        let name = entry.name()?;
        let stream = streams.iter().find(|stream| stream.name == name);
        let stream = stream.ok_or_else(|| unknown(name, streams))?;
        let has = |one: &&Property| one.is_automatic() || entry.is_selected(Some(&one.name), true);
        let properties = stream.properties.iter().filter(has).collect();
        Ok(Selected { stream, is_full: entry.is_full(name)?, properties })
    });
    selected.collect()
}

/// A stream of a catalog.
struct Entry<'a>(&'a Value);

impl<'a> Entry<'a> {
    fn name(&self) -> Result<&'a str, Failure> {
        let name = self.0.get("tap_stream_id").or_else(|| self.0.get("stream"));
        name.and_then(Value::as_str).ok_or_else(|| {
            Failure::usage("cannot read the catalog: a stream has no `tap_stream_id`")
        })
    }

    /// Returns a value in the metadata of the stream, or of a property.
    fn metadata(&self, property: Option<&str>, key: &str) -> Option<&'a Value> {
        let all = self.0.get("metadata").and_then(Value::as_array)?;
        let path: Vec<&str> = property.into_iter().flat_map(|name| ["properties", name]).collect();
        let is_own = |one: &&Value| {
            one.get("breadcrumb").and_then(Value::as_array).is_some_and(|breadcrumb| {
                breadcrumb.iter().map(Value::as_str).eq(path.iter().copied().map(Some))
            })
        };
        all.iter().find(is_own)?.get("metadata")?.get(key)
    }

    /// Returns whether the stream, or a property, is selected. Without metadata, returns the default.
    fn is_selected(&self, property: Option<&str>, default: bool) -> bool {
        let is_possible =
            self.metadata(property, "inclusion").is_none_or(|one| one != "unsupported");
        let selected = self
            .metadata(property, "selected")
            .or_else(|| self.0.get("selected").filter(|_| property.is_none()))
            .or_else(|| self.metadata(property, "selected-by-default"));
        is_possible && selected.and_then(Value::as_bool).unwrap_or(default)
    }

    fn is_full(&self, name: &str) -> Result<bool, Failure> {
        let method = self
            .metadata(None, "forced-replication-method")
            .or_else(|| self.metadata(None, "replication-method"))
            .or_else(|| self.0.get("replication_method"));
        match method.and_then(Value::as_str) {
            None | Some("" | "INCREMENTAL" | "LOG_BASED") => Ok(false),
            Some("FULL_TABLE") => Ok(true),
            Some(_) => Err(Failure::usage(format!(
                "cannot read `{name}`: its replication method is unknown"
            ))
            .hint("the methods are INCREMENTAL, LOG_BASED and FULL_TABLE")),
        }
    }
}

fn unknown(name: &str, streams: &[Stream]) -> Failure {
    let names = || streams.iter().map(|stream| &*stream.name);
    let failure = Failure::usage(format!("the catalog selects the unknown stream `{name}`"));
    match closest(name, names()) {
        Some(near) => failure.hint(format!("did you mean `{near}`?")),
        None => failure.hint(format!("the streams are {}", names().collect::<Vec<_>>().join(", "))),
    }
}

/// A record of a stream: the JSON values of the properties, in their order; `None` is `null`.
pub(crate) type Row = Vec<Option<Box<RawValue>>>;

/// The values of a JSON object, by name.
type Members = BTreeMap<String, Box<RawValue>>;

/// Returns the row of a record of a table. A record that is not present has only its key.
pub(crate) fn row(
    stream: &Stream,
    table: &Table,
    record: &Record,
) -> Result<Row, serde_json::Error> {
    if record.state != State::Present {
        let since = record.gone_at.or(record.missing_since).unwrap_or(record.changed_at);
        return deleted_row(stream, &record.id, since);
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
        .collect::<Result<Row, _>>()?;
    for (name, below) in nested {
        if !below.is_empty() {
            members.insert(name.to_owned(), to_raw_value(&below)?);
        }
    }
    let is_whole = members.is_empty();
    let extra =
        if is_whole { None } else { Some(to_raw_value(&serde_json::to_string(&members)?)?) };
    let [first_seen, changed_at] =
        [record.first_seen, record.changed_at].map(|at| to_raw_value(&utc(at)));
    cells.extend([Some(first_seen?), Some(changed_at?), extra, None]);
    Ok(cells)
}

/// Returns the row of a record that was deleted: its key, the time, and `null` for everything else.
pub(crate) fn deleted_row(stream: &Stream, id: &str, at: i64) -> Result<Row, serde_json::Error> {
    let cell = |property: &Property| match property.kind {
        _ if property.name == DELETED_AT => to_raw_value(&utc(at)).map(Some),
        _ if !property.is_key => Ok(None),
        PropertyKind::Integer => RawValue::from_string(id.to_owned()).map(Some),
        _ => to_raw_value(id).map(Some),
    };
    stream.properties.iter().map(cell).collect()
}

/// Returns the row of a sample.
pub(crate) fn sample_row(sample: &Sample) -> Result<Row, serde_json::Error> {
    let unit = sample.unit.as_ref().map(to_raw_value).transpose()?;
    Ok(vec![Some(to_raw_value(&utc(sample.at))?), Some(to_raw_value(&sample.amount)?), unit])
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
fn take(
    members: &mut Members,
    name: &str,
    kind: PropertyKind,
) -> Result<Option<Box<RawValue>>, serde_json::Error> {
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
    use methodical_mirror::model::tables::Gauge;
    use methodical_mirror::{Mirror, State};
    use serde_json::{Value, json};

    use super::{Stream, discovered, row, selected};
    use crate::connector::tests::{PHOTO, mirror, sorted, sync};

    #[test]
    fn a_stream_has_the_columns_of_its_table() {
        let photo = Stream::of_table(&PHOTO);
        let names: Vec<&str> = photo.properties.iter().map(|one| &*one.name).collect();
        let columns = "id title size score open tags place_id place_name mirror_first_seen mirror_changed_at mirror_extra _sdc_deleted_at";
        assert_eq!(names.join(" "), columns);
        assert_eq!(photo.keys(), ["id"]);
        let storage = Stream::of_gauge(Gauge::new("storage", &["free"]));
        assert_eq!((&*storage.name, storage.table().is_some()), ("storage_sample", false));
        assert_eq!(storage.keys(), ["at"]);
    }

    /// Returns the row of a photo as JSON, without the times.
    fn shown(mirror: &Mirror) -> String {
        let stream = Stream::of_table(&PHOTO);
        let record = mirror.record("photo", "1").unwrap().unwrap();
        let row = row(&stream, &PHOTO, &record).unwrap();
        assert_eq!(row.last().unwrap().is_none(), record.state == State::Present);
        let is_time = |name: &str| name.ends_with("_seen") || name.ends_with("_at");
        let cells = stream.properties.iter().zip(&row).filter(|(one, _)| !is_time(&one.name));
        let cells = cells.map(|(one, cell)| {
            format!("\"{}\":{}", one.name, cell.as_ref().map_or("null", |cell| cell.get()))
        });
        format!("{{{}}}", cells.collect::<Vec<_>>().join(","))
    }

    fn of(photo: &str) -> String {
        let mut mirror = mirror();
        sync(&mut mirror, &[photo]);
        shown(&mirror)
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
            assert_eq!(shown(&mirror), deleted);
        }
        mirror.forget("photo", "1").unwrap();
        assert_eq!(shown(&mirror), deleted);
    }

    /// Returns what a catalog with this stream selects: whether all records are read, and the excluded properties.
    fn chosen(stream: &Value) -> Option<(bool, Vec<String>)> {
        let streams = [Stream::of_table(&PHOTO)];
        let selection = selected(&streams, Some(&json!({ "streams": [stream] }))).unwrap();
        let one = selection.into_iter().next()?;
        let excluded = one.stream.properties.iter().filter(|all| !one.properties.contains(all));
        let mut excluded: Vec<String> = excluded.map(|one| one.name.clone()).collect();
        excluded.sort();
        Some((one.is_full, excluded))
    }

    fn metadata(breadcrumb: &[&str], metadata: &Value) -> Value {
        json!({ "breadcrumb": breadcrumb, "metadata": metadata })
    }

    #[test]
    fn the_catalog_of_a_table() {
        let catalog = discovered(&[Stream::of_table(&PHOTO)]);
        insta::assert_snapshot!(serde_json::to_string_pretty(&sorted(catalog.clone())).unwrap());
        // Unchanged, it selects everything.
        let all = chosen(&catalog["streams"][0]);
        assert_eq!(all, Some((false, Vec::new())));
    }

    #[test]
    fn metadata_select_streams_and_fields() {
        let stream = |metadata: &[Value]| chosen(&json!({"stream": "photo", "metadata": metadata}));
        let own = metadata(&[], &json!({"selected": true}));
        assert_eq!(stream(std::slice::from_ref(&own)), Some((false, Vec::new())));
        assert_eq!(stream(&[]), None);
        assert_eq!(
            stream(&[metadata(&[], &json!({"selected": false, "selected-by-default": true}))]),
            None
        );
        let fields = [
            own,
            metadata(&["properties", "title"], &json!({"selected": false})),
            metadata(&["properties", "size"], &json!({"selected-by-default": false})),
            metadata(
                &["properties", "tags"],
                &json!({"selected": true, "selected-by-default": false}),
            ),
            metadata(&["properties", "id"], &json!({"selected": false})),
        ];
        let excluded = vec!["size".to_owned(), "title".to_owned()];
        assert_eq!(stream(&fields), Some((false, excluded)));
        for (method, expected) in
            [("FULL_TABLE", true), ("INCREMENTAL", false), ("LOG_BASED", false)]
        {
            let own = metadata(&[], &json!({"selected": true, "replication-method": method}));
            assert_eq!(stream(&[own]), Some((expected, Vec::new())));
        }
    }

    #[test]
    fn an_unknown_stream_or_method_is_refused() {
        let streams = [Stream::of_table(&PHOTO)];
        for (stream, said) in [
            (json!({"stream": "fotos", "selected": true}), "unknown stream `fotos`"),
            (json!({"selected": true}), "a stream has no `tap_stream_id`"),
            (
                json!({"stream": "photo", "selected": true, "replication_method": "MAGIC"}),
                "its replication method is unknown",
            ),
        ] {
            let catalog = json!({ "streams": [stream] });
            let text = selected(&streams, Some(&catalog)).unwrap_err().text();
            assert!(text.contains(said), "{text}");
        }
        // It is not read, so its name does not matter.
        assert_eq!(chosen(&json!({"stream": "old", "selected": false})), None);
    }
}
