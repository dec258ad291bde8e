//! The catalog of a tap: what there is, and what a person selected.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::connector::schema::schema;
use crate::connector::singer::messages::DELETED_AT;
use crate::connector::stream::{Property, PropertyKind, Stream};
use crate::failure::Failure;
use crate::suggest::closest;

/// The streams that are read.
#[derive(Debug)]
pub(crate) struct Selection<'a>(pub(crate) Vec<Selected<'a>>);

/// A stream that is read.
#[derive(Debug)]
pub(crate) struct Selected<'a> {
    pub(crate) stream: &'a Stream,
    pub(crate) method: Method,
    /// The names of properties that are not selected.
    pub(crate) excluded: BTreeSet<String>,
}

/// Which records of a stream are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    /// Those that have changed.
    Changes,
    /// All of them in each run.
    All,
}

/// Returns the catalog of all streams.
pub(crate) fn discovered(streams: &[Stream]) -> Value {
    let streams: Vec<Value> = streams.iter().map(entry).collect();
    json!({ "streams": streams })
}

fn entry(stream: &Stream) -> Value {
    let keys: Vec<&str> = stream.keys().collect();
    let deleted_at = Property::new(DELETED_AT, PropertyKind::Time);
    let deleted_at = stream.has_deletions().then_some(&deleted_at);
    let properties: Vec<&Property> = stream.properties.iter().chain(deleted_at).collect();
    let own = json!({
        "breadcrumb": [],
        "metadata": {
            "inclusion": "available",
            "selected-by-default": true,
            "table-key-properties": keys,
            "valid-replication-keys": [],
        }
    });
    let fields = properties.iter().map(|property| {
        let inclusion = if is_automatic(property) { "automatic" } else { "available" };
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
        "schema": schema(&properties),
        "metadata": metadata,
    })
}

fn is_automatic(property: &Property) -> bool {
    property.is_key || property.name == DELETED_AT
}

impl<'a> Selection<'a> {
    /// Returns the streams that a catalog selects; without one, all.
    pub(crate) fn of(streams: &'a [Stream], catalog: Option<&Value>) -> Result<Self, Failure> {
        let Some(catalog) = catalog else {
            let all = streams.iter().map(|stream| Selected {
                stream,
                method: Method::Changes,
                excluded: BTreeSet::new(),
            });
            return Ok(Self(all.collect()));
        };
        let entries = catalog.get("streams").and_then(Value::as_array);
        let entries = entries
            .ok_or_else(|| Failure::usage("cannot read the catalog: it has no list `streams`"))?;
        let mut selected = Vec::new();
        for entry in entries.iter().map(Entry) {
            if !entry.is_selected() {
                continue;
            }
            let name = entry.name()?;
            let stream = streams.iter().find(|stream| stream.name == name);
            let stream = stream.ok_or_else(|| unknown(name, streams))?;
            let properties = stream.properties.iter();
            let excluded = properties.filter(|one| !one.is_key && !entry.has(&one.name));
            let excluded = excluded.map(|one| one.name.clone()).collect();
            selected.push(Selected { stream, method: entry.method(name)?, excluded });
        }
        Ok(Self(selected))
    }
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

    /// Returns whether the stream is selected: by metadata, or by the older members of the stream and its schema.
    fn is_selected(&self) -> bool {
        let schema = self.0.get("schema");
        let selected = self
            .metadata(None, "selected")
            .or_else(|| self.0.get("selected"))
            .or_else(|| schema?.get("selected"))
            .or_else(|| self.metadata(None, "selected-by-default"));
        selected.and_then(Value::as_bool).unwrap_or_default()
    }

    /// Returns whether a property is selected. One that the catalog does not mention is.
    fn has(&self, property: &str) -> bool {
        if self.metadata(Some(property), "inclusion").is_some_and(|one| one == "unsupported") {
            return false;
        }
        let schema = || self.0.get("schema")?.get("properties")?.get(property)?.get("selected");
        let selected = self
            .metadata(Some(property), "selected")
            .or_else(schema)
            .or_else(|| self.metadata(Some(property), "selected-by-default"));
        selected.and_then(Value::as_bool).unwrap_or(true)
    }

    fn method(&self, name: &str) -> Result<Method, Failure> {
        let method = self
            .metadata(None, "forced-replication-method")
            .or_else(|| self.metadata(None, "replication-method"))
            .or_else(|| self.0.get("replication_method"));
        match method.and_then(Value::as_str) {
            None | Some("" | "INCREMENTAL" | "LOG_BASED") => Ok(Method::Changes),
            Some("FULL_TABLE") => Ok(Method::All),
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Method, Selection, discovered};
    use crate::connector::stream::Stream;
    use crate::connector::testing::{PHOTO, sorted};

    /// Returns what a catalog with this stream selects: the method, and the excluded properties.
    fn selected(stream: &Value) -> Option<(Method, Vec<String>)> {
        let streams = [Stream::of_table(&PHOTO)];
        let selection = Selection::of(&streams, Some(&json!({ "streams": [stream] }))).unwrap();
        let mut selected = selection.0.into_iter();
        selected.next().map(|one| (one.method, one.excluded.into_iter().collect()))
    }

    fn of(breadcrumb: &[&str], metadata: &Value) -> Value {
        json!({ "breadcrumb": breadcrumb, "metadata": metadata })
    }

    #[test]
    fn the_catalog_of_a_table() {
        let catalog = discovered(&[Stream::of_table(&PHOTO)]);
        insta::assert_snapshot!(serde_json::to_string_pretty(&sorted(catalog.clone())).unwrap());
        // Unchanged, it selects everything.
        let all = selected(&catalog["streams"][0]);
        assert_eq!(all, Some((Method::Changes, Vec::new())));
    }

    #[test]
    fn metadata_select_streams_and_fields() {
        let stream =
            |metadata: &[Value]| selected(&json!({"stream": "photo", "metadata": metadata}));
        let own = of(&[], &json!({"selected": true}));
        assert_eq!(stream(std::slice::from_ref(&own)), Some((Method::Changes, Vec::new())));
        assert_eq!(stream(&[]), None);
        assert_eq!(
            stream(&[of(&[], &json!({"selected": false, "selected-by-default": true}))]),
            None
        );
        let fields = [
            own,
            of(&["properties", "title"], &json!({"selected": false})),
            of(&["properties", "size"], &json!({"selected-by-default": false})),
            of(&["properties", "tags"], &json!({"selected": true, "selected-by-default": false})),
            of(&["properties", "id"], &json!({"selected": false})),
        ];
        let excluded = vec!["size".to_owned(), "title".to_owned()];
        assert_eq!(stream(&fields), Some((Method::Changes, excluded)));
        for (method, expected) in [
            ("FULL_TABLE", Method::All),
            ("INCREMENTAL", Method::Changes),
            ("LOG_BASED", Method::Changes),
        ] {
            let own = of(&[], &json!({"selected": true, "replication-method": method}));
            assert_eq!(stream(&[own]), Some((expected, Vec::new())));
        }
    }

    #[test]
    fn older_catalogs_select_in_the_schema() {
        let properties = json!({"title": {"selected": false}});
        let old = json!({
            "tap_stream_id": "photo", "selected": true, "schema": {"properties": properties},
        });
        assert_eq!(selected(&old), Some((Method::Changes, vec!["title".to_owned()])));
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
            let text = Selection::of(&streams, Some(&catalog)).unwrap_err().text();
            assert!(text.contains(said), "{text}");
        }
        // It is not read, so its name does not matter.
        assert_eq!(selected(&json!({"stream": "old", "selected": false})), None);
    }
}
