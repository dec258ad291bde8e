//! The catalog of a source, the catalog that a person configured, and the states of its streams.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::connector::airbyte::messages::{CURSOR, DELETED_AT, Message};
use crate::connector::bookmark::{Bookmark, START_OVER};
use crate::connector::schema::schema;
use crate::connector::stream::{Property, PropertyKind, SAMPLED_AT, Stream};
use crate::failure::Failure;

/// Returns the catalog of all streams.
pub(crate) fn discovered(streams: &[Stream]) -> Message<'static> {
    let streams: Vec<Value> = streams.iter().map(entry).collect();
    Message::Catalog { catalog: json!({ "streams": streams }) }
}

fn entry(stream: &Stream) -> Value {
    let own = [
        Property::new(DELETED_AT, PropertyKind::Time),
        Property::new(CURSOR, PropertyKind::Integer),
    ];
    let own = own.iter().filter(|_| stream.has_deletions());
    let properties: Vec<&Property> = stream.properties.iter().chain(own).collect();
    let mut schema = schema(&properties);
    mark_times(&mut schema);
    let cursor = if stream.has_deletions() { CURSOR } else { SAMPLED_AT };
    let keys: Vec<[&str; 1]> = stream.keys().map(|name| [name]).collect();
    json!({
        "name": stream.name,
        "json_schema": schema,
        "supported_sync_modes": ["full_refresh", "incremental"],
        "source_defined_cursor": true,
        "default_cursor_field": [cursor],
        "source_defined_primary_key": keys,
        "is_resumable": stream.has_deletions(),
    })
}

/// Marks points in time as having a zone, which destinations cannot see in JSON Schema.
fn mark_times(schema: &mut Value) {
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for property in properties.into_iter().flat_map(|all| all.values_mut()) {
        if let Some(property) = property.as_object_mut()
            && property.contains_key("format")
        {
            property.insert("airbyte_type".to_owned(), "timestamp_with_timezone".into());
        }
    }
}

/// A stream to be read.
#[derive(Debug)]
pub(crate) struct Configured<'a> {
    pub(crate) stream: &'a Stream,
    pub(crate) mode: Mode,
    pub(crate) generation_id: Option<i64>,
    /// Records of earlier generations are removed from the destination.
    minimum_generation_id: i64,
}

/// Which records are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    FullRefresh,
    Incremental,
}

impl Configured<'_> {
    /// Returns whether the records before a bookmark stay in the destination.
    pub(crate) fn accepts(&self, bookmark: &Bookmark) -> bool {
        bookmark.version.unwrap_or_default() >= self.minimum_generation_id
    }
}

/// Returns the streams of a configured catalog.
pub(crate) fn configured<'a>(
    streams: &'a [Stream],
    catalog: &Value,
) -> Result<Vec<Configured<'a>>, Failure> {
    let invalid = |why: &str| Failure::usage(format!("cannot read the catalog: {why}"));
    let entries = catalog.get("streams").and_then(Value::as_array);
    let entries = entries.ok_or_else(|| invalid("it has no list `streams`"))?;
    let read = |entry: &Value| {
        let name = entry.get("stream").and_then(|stream| stream.get("name"));
        let name = name.and_then(Value::as_str);
        let name = name.ok_or_else(|| invalid("a stream has no name"))?;
        let stream = streams.iter().find(|stream| stream.name == name).ok_or_else(|| {
            invalid(&format!("unknown stream `{name}`")).hint("discover the streams again")
        })?;
        let mode = match entry.get("sync_mode").and_then(Value::as_str) {
            Some("full_refresh") => Mode::FullRefresh,
            Some("incremental") => Mode::Incremental,
            _ => {
                let text =
                    format!("the `sync_mode` of `{name}` is not full_refresh or incremental");
                return Err(invalid(&text));
            }
        };
        let number = |key: &str| entry.get(key).and_then(Value::as_i64);
        Ok(Configured {
            stream,
            mode,
            generation_id: number("generation_id"),
            minimum_generation_id: number("minimum_generation_id").unwrap_or_default(),
        })
    };
    entries.iter().map(read).collect()
}

/// Returns the states of the streams, by name.
pub(crate) fn states(state: Option<Value>) -> Result<BTreeMap<String, Value>, Failure> {
    let foreign = || {
        Failure::usage("cannot read the state: expected a list of states of type STREAM")
            .hint(START_OVER)
    };
    let list = match state {
        None | Some(Value::Null) => return Ok(BTreeMap::new()),
        Some(Value::Object(one)) if one.is_empty() => return Ok(BTreeMap::new()),
        Some(Value::Array(list)) => list,
        Some(_) => return Err(foreign()),
    };
    let mut states = BTreeMap::new();
    for state in list {
        let stream = state.get("stream").ok_or_else(foreign)?;
        let name = stream.get("stream_descriptor").and_then(|one| one.get("name"));
        let name = name.and_then(Value::as_str).ok_or_else(foreign)?;
        let value = stream.get("stream_state").cloned().unwrap_or_default();
        states.insert(name.to_owned(), value);
    }
    Ok(states)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Mode, configured, states};
    use crate::connector::bookmark::Bookmark;
    use crate::connector::stream::Stream;
    use crate::connector::testing::PHOTO;

    #[test]
    fn a_configured_catalog_names_streams_modes_and_generations() {
        let streams = [Stream::of_table(&PHOTO)];
        let catalog = |name: &str, mode: &str| {
            json!({"streams": [{
                "stream": {"name": name}, "sync_mode": mode, "destination_sync_mode": "append",
                "generation_id": 4, "minimum_generation_id": 4,
            }]})
        };
        let read = configured(&streams, &catalog("photo", "incremental")).unwrap();
        assert_eq!((read[0].mode, read[0].generation_id), (Mode::Incremental, Some(4)));
        // The destination removes the records of earlier generations.
        let of = |version| Bookmark { version, ..Bookmark::default() };
        assert!(read[0].accepts(&of(Some(4))));
        assert!(!read[0].accepts(&of(Some(3))) && !read[0].accepts(&of(None)));

        for (catalog, said) in [
            (catalog("fotos", "incremental"), "unknown stream `fotos`"),
            (catalog("photo", "sometimes"), "the `sync_mode` of `photo` is not"),
            (json!([]), "it has no list `streams`"),
        ] {
            let text = configured(&streams, &catalog).unwrap_err().text();
            assert!(text.contains(said), "{text}");
        }
    }

    #[test]
    fn only_states_of_streams_are_accepted() {
        let state = json!([{
            "type": "STREAM",
            "stream": {"stream_descriptor": {"name": "photo"}, "stream_state": {"cursor": "c"}},
        }]);
        assert_eq!(states(Some(state)).unwrap()["photo"], json!({"cursor": "c"}));
        for none in [None, Some(json!(null)), Some(json!({})), Some(json!([]))] {
            assert!(states(none).unwrap().is_empty());
        }
        for other in [json!({"cursor": "c"}), json!([{"type": "GLOBAL", "global": {}}]), json!(7)] {
            assert!(states(Some(other)).is_err());
        }
    }
}
