//! The streams of a service: the tables of a mirror, as lists of flat records with a key. Also the catalog of the
//! streams.

use std::collections::BTreeMap;

use methodical_mirror::model::tables::{ColumnKind, Mirrored, Table};
use methodical_mirror::{Record, State};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use crate::failure::Failure;
use crate::mirror::found;
use crate::mirror::open::utc;
use crate::output::record::{Line, Object};

/// A stream of the records of a table.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    pub(crate) table: &'static Table,
    /// The properties that are read.
    pub(crate) properties: Vec<Property>,
}

/// A property of the records of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Property {
    pub(crate) name: String,
    /// The path of the value in a record, with a dot before a field of a nested record; empty for what the mirror
    /// itself knows.
    path: String,
    /// The kind of the values; `None` for a point in time in UTC.
    kind: Option<ColumnKind>,
}

impl Property {
    /// Returns the value with this JSON text in the form of the property, or `None` if it does not fit.
    fn cell(&self, json: &str) -> Option<Value> {
        match self.kind {
            Some(ColumnKind::Integer) => json.parse::<i64>().ok().map(Value::from),
            Some(ColumnKind::Boolean) => json.parse::<bool>().ok().map(Value::from),
            // PostgreSQL cannot store U+0000 in text.
            Some(ColumnKind::Text) | None => {
                let text = serde_json::from_str::<String>(json).ok();
                text.filter(|text| !text.contains('\0')).map(Value::from)
            }
            Some(_) => Some(json.into()),
        }
    }
}

/// The properties of a record.
pub(crate) type Row = Map<String, Value>;

impl Stream {
    /// Describes the records of a table: its columns, and what the mirror knows about a record.
    pub(crate) fn of_table(table: &'static Table) -> Self {
        let columns = table.columns().iter().map(|column| Property {
            name: column.path().join("_"),
            path: column.path().join("."),
            kind: Some(column.kind()),
        });
        let own = [FIRST_SEEN, CHANGED_AT, EXTRA, DELETED_AT].map(|name| Property {
            name: name.to_owned(),
            path: String::new(),
            kind: (name == EXTRA).then_some(ColumnKind::Json),
        });
        Self { table, properties: columns.chain(own).collect() }
    }

    /// Returns the name of the property that identifies a record.
    pub(crate) fn key(&self) -> &'static str {
        self.table.identity()
    }

    /// Returns whether a property cannot be deselected.
    fn is_automatic(&self, name: &str) -> bool {
        name == self.key() || name == DELETED_AT
    }

    /// Returns the JSON schema of the records. Only the key is never null.
    pub(crate) fn schema(&self) -> Value {
        let properties = self.properties.iter().map(|one| {
            let kind = match one.kind {
                Some(ColumnKind::Integer) => "integer",
                Some(ColumnKind::Boolean) => "boolean",
                _ => "string",
            };
            let kind = if one.name == self.key() { json!([kind]) } else { json!(["null", kind]) };
            let schema = match one.kind {
                None => json!({ "type": kind, "format": "date-time" }),
                Some(_) => json!({ "type": kind }),
            };
            (one.name.clone(), schema)
        });
        json!({ "type": "object", "properties": properties.collect::<Map<_, _>>() })
    }

    /// Returns a hash of the properties that a receiver gets.
    pub(crate) fn layout(&self, omits_personal: bool) -> String {
        let hash = Sha256::digest(format!("{:?} {omits_personal}", self.properties));
        hash.iter().take(8).fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
    }

    fn entry(&self) -> Value {
        let keys = [self.key()];
        let own = json!({
            "breadcrumb": [],
            "metadata": {
                "inclusion": "available",
                "selected-by-default": true,
                "forced-replication-method": "LOG_BASED",
                "table-key-properties": keys,
            }
        });
        let fields = self.properties.iter().map(|property| {
            let is_automatic = self.is_automatic(&property.name);
            let inclusion = if is_automatic { "automatic" } else { "available" };
            json!({
                "breadcrumb": ["properties", property.name],
                "metadata": { "inclusion": inclusion, "selected-by-default": true }
            })
        });
        let metadata: Vec<Value> = [own].into_iter().chain(fields).collect();
        json!({
            "tap_stream_id": self.table.name(),
            "stream": self.table.name(),
            "key_properties": keys,
            "schema": self.schema(),
            "metadata": metadata,
        })
    }

    /// Returns the row of a record of the table. A record that is not present has only its key.
    pub(crate) fn row(&self, record: &Record) -> Row {
        if record.state != State::Present {
            let since = record.gone_at.or(record.missing_since).unwrap_or(record.changed_at);
            return self.deleted_row(&record.id, since);
        }
        let mut members = flat_members(self.table, &record.json);
        let names = self.properties.iter().map(|one| one.name.clone());
        let mut row: Row = names.map(|name| (name, Value::Null)).collect();
        let mut set = |name: &str, cell| {
            if let Some(own) = row.get_mut(name) {
                *own = cell;
            }
        };
        // Includes the columns that are not selected, which are not part of the rest. The mirror's own columns have no
        // path.
        let properties = Self::of_table(self.table).properties.into_iter();
        for property in properties.filter(|one| !one.path.is_empty()) {
            let Some(value) = members.remove(&property.path).filter(|value| *value != NULL) else {
                continue;
            };
            match property.cell(value) {
                Some(cell) => set(&property.name, cell),
                None => drop(members.insert(property.path, value)),
            }
        }
        set(FIRST_SEEN, utc(record.first_seen).into());
        set(CHANGED_AT, utc(record.changed_at).into());
        if !members.is_empty() {
            let rest =
                members.iter().fold(Line::new(), |line, (name, value)| line.add(name, value));
            set(EXTRA, rest.end().into());
        }
        row
    }

    /// Returns the row of a record that was deleted: its key, the time, and `null` for everything else.
    pub(crate) fn deleted_row(&self, id: &str, at: i64) -> Row {
        let value = |property: &Property| match property.kind {
            _ if property.name == DELETED_AT => utc(at).into(),
            _ if property.name != self.key() => Value::Null,
            Some(ColumnKind::Integer) => property.cell(id).unwrap_or_default(),
            _ => id.into(),
        };
        self.properties.iter().map(|one| (one.name.clone(), value(one))).collect()
    }
}

/// Returns the members of a record. Members of a nested record with columns are prefixed with its name and a dot.
fn flat_members<'a>(table: &Table, json: &'a str) -> BTreeMap<String, &'a str> {
    let is_parent = |name: &str| {
        table.columns().iter().any(|one| matches!(*one.path(), [parent, _] if parent == name))
    };
    let mut members = BTreeMap::new();
    for (name, value) in Object::parse(json).fields() {
        if !is_parent(name) {
            members.insert(name.to_owned(), value);
        } else if value.starts_with('{') {
            let below = Object::parse(value);
            members.extend(below.fields().map(|(own, value)| (format!("{name}.{own}"), value)));
        } else if value != NULL {
            members.insert(name.to_owned(), value);
        }
    }
    members
}

const NULL: &str = "null";

const FIRST_SEEN: &str = "mirror_first_seen";

const CHANGED_AT: &str = "mirror_changed_at";

/// Name of the property with everything that does not fit the other properties.
const EXTRA: &str = "mirror_extra";

const DELETED_AT: &str = "_sdc_deleted_at";

pub(crate) fn streams<S: Mirrored>() -> Vec<Stream> {
    found::<S>().tables.into_iter().map(Stream::of_table).collect()
}

pub(crate) fn discovered(streams: &[Stream]) -> Value {
    json!({ "streams": streams.iter().map(Stream::entry).collect::<Vec<_>>() })
}

/// A catalog, as edited by a person.
#[derive(Debug, Deserialize)]
pub(crate) struct Catalog {
    streams: Vec<Entry>,
}

/// A stream of a catalog.
#[derive(Debug, Deserialize)]
struct Entry {
    tap_stream_id: String,
    #[serde(default)]
    metadata: Vec<Metadata>,
}

#[derive(Debug, Deserialize)]
struct Metadata {
    breadcrumb: Vec<String>,
    metadata: Value,
}

impl Entry {
    /// Returns whether the stream, or one of its properties, is selected. Without metadata, returns the default.
    fn is_selected(&self, breadcrumb: &[&str], default: bool) -> bool {
        let own = self.metadata.iter().find(|one| one.breadcrumb == breadcrumb);
        let mut keys = ["selected", "selected-by-default"].into_iter();
        let chosen = own.and_then(|one| keys.find_map(|key| one.metadata.get(key)?.as_bool()));
        chosen.unwrap_or(default)
    }
}

impl Catalog {
    /// Returns the streams that the catalog selects, with the properties that it selects.
    pub(crate) fn select(&self, streams: &[Stream]) -> Result<Vec<Stream>, Failure> {
        let entries = self.streams.iter().filter(|entry| entry.is_selected(&[], false));
        let selected = entries.map(|entry| {
            let name = &*entry.tap_stream_id;
            let stream = streams.iter().find(|one| one.table.name() == name);
            let mut stream = stream.cloned().ok_or_else(|| {
                let names: Vec<&str> = streams.iter().map(|one| one.table.name()).collect();
                Failure::unknown("stream", name, &names).because("the catalog selects it")
            })?;
            let is_selected = |name: &str| {
                stream.is_automatic(name) || entry.is_selected(&["properties", name], true)
            };
            let properties = stream.properties.iter().filter(|one| is_selected(&one.name));
            stream.properties = properties.cloned().collect();
            Ok(stream)
        });
        selected.collect()
    }
}

#[cfg(test)]
mod tests {
    use methodical_mirror::{Mirror, State};

    use super::Stream;
    use crate::connector::tests::{PHOTO, mirror, sync};

    /// Returns the row of a photo as JSON, without the times.
    fn shown(mirror: &Mirror) -> String {
        let stream = Stream::of_table(&PHOTO);
        let record = mirror.record("photo", "1").unwrap().unwrap();
        let row = stream.row(&record);
        assert_eq!(row["_sdc_deleted_at"].is_null(), record.state == State::Present);
        let is_time = |name: &str| name.ends_with("_seen") || name.ends_with("_at");
        let shown = stream.properties.iter().filter(|one| !is_time(&one.name));
        let cells = shown.map(|one| format!("\"{}\":{}", one.name, row[&*one.name]));
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
                r#"{"id":"1","title":"=1+1 \ud83d\ude00\n","size":-7,"open":true,"tags":["a"],"place":{"id":"007","name":null}}"#
            ),
            r#"{"id":"1","title":"=1+1 😀\n","size":-7,"open":true,"tags":"[\"a\"]","place_id":"007","place_name":null,"mirror_extra":null}"#
        );
    }

    #[test]
    fn a_value_that_its_property_cannot_have_is_in_the_rest() {
        for (member, rest) in [
            (r#""size":"7""#, r#"{\"size\":\"7\"}"#),
            (r#""size":9223372036854775808"#, r#"{\"size\":9223372036854775808}"#),
            (r#""open":1"#, r#"{\"open\":1}"#),
            (r#""place":[]"#, r#"{\"place\":[]}"#),
            (r#""place":{"zip":"0049"}"#, r#"{\"place.zip\":\"0049\"}"#),
            (r#""new":1.0"#, r#"{\"new\":1.0}"#),
            // PostgreSQL text cannot contain U+0000, but can contain its escape.
            (r#""title":"a\u0000""#, r#"{\"title\":\"a\\u0000\"}"#),
        ] {
            let row = of(&format!(r#"{{"id":"1",{member}}}"#));
            assert_eq!(
                row,
                format!(
                    r#"{{"id":"1","title":null,"size":null,"open":null,"tags":null,"place_id":null,"place_name":null,"mirror_extra":"{rest}"}}"#
                )
            );
        }
    }
}
