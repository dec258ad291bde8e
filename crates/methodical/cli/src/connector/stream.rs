//! The streams of a service: what a mirror has of it, as lists of flat records with a key.

use methodical_mirror::model::{
    ColumnKind, Gauge, ListOperation, MirrorVisitor, Mirrored, Operation, PagedOperation, Record,
    Recovery, Service, Table,
};
use serde::Serialize;

/// A stream of records.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    pub(crate) name: String,
    pub(crate) source: StreamSource,
    pub(crate) properties: Vec<Property>,
}

/// Where the records of a stream are in a mirror.
#[derive(Clone, Copy, Debug)]
pub(crate) enum StreamSource {
    /// The records of a table, present ones only.
    Table(&'static Table),
    /// The samples of a gauge.
    Gauge(Gauge),
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
    pub(crate) fn new(name: impl Into<String>, kind: PropertyKind) -> Self {
        Self { name: name.into(), kind, is_key: false }
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
        ];
        let properties = columns.chain(own).collect();
        Self { name: table.name().to_owned(), source: StreamSource::Table(table), properties }
    }

    /// Describes the samples of a gauge.
    pub(crate) fn of_gauge(gauge: Gauge) -> Self {
        let at = Property { is_key: true, ..Property::new(SAMPLED_AT, PropertyKind::Time) };
        let own = [
            Property::new("amount", PropertyKind::Text),
            Property::new("unit", PropertyKind::Text),
        ];
        Self {
            name: of_gauge(gauge.name()),
            source: StreamSource::Gauge(gauge),
            properties: [at].into_iter().chain(own).collect(),
        }
    }

    /// Returns the names of the properties that identify a record.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &str> {
        self.properties.iter().filter(|one| one.is_key).map(|one| &*one.name)
    }

    /// Returns whether records can be deleted.
    pub(crate) fn has_deletions(&self) -> bool {
        matches!(self.source, StreamSource::Table(_))
    }
}

/// Returns the name of the stream of a gauge.
pub(crate) fn of_gauge(gauge: &str) -> String {
    format!("{gauge}_sample")
}

/// Returns the streams of a service.
pub(crate) fn streams<S: Mirrored>() -> Vec<Stream> {
    let mut streams = Streams::default();
    S::visit(&mut streams);
    streams.0
}

#[derive(Default)]
struct Streams(Vec<Stream>);

impl<S: Service> MirrorVisitor<S> for Streams {
    fn list<O>(&mut self, table: &'static Table, _: O)
    where
        O: ListOperation<Service = S, Beside: Send> + Send + Sync + 'static,
        for<'a> <O::Item as Record>::Ref<'a>: Serialize,
    {
        self.0.push(Stream::of_table(table));
    }

    fn paged_list<O>(&mut self, table: &'static Table, _: O)
    where
        O: PagedOperation<Service = S>,
        for<'a> <O::Item as Record>::Ref<'a>: Serialize,
    {
        self.0.push(Stream::of_table(table));
    }

    fn recovery<O>(&mut self, recovery: Recovery<O>)
    where
        O: ListOperation<Service = S, Beside: Send> + Send + Sync + 'static,
        for<'a> <O::Item as Record>::Ref<'a>: Serialize,
    {
        self.0.push(Stream::of_table(recovery.table));
    }

    fn gauge<O>(&mut self, gauge: Gauge, _: O)
    where
        O: Operation<Service = S, Output: Serialize> + Send + Sync + 'static,
    {
        self.0.push(Stream::of_gauge(gauge));
    }
}

/// Name of the property with the time when the mirror first saw a record.
pub(crate) const FIRST_SEEN: &str = "mirror_first_seen";

/// Name of the property with the time of the last change of a record.
pub(crate) const CHANGED_AT: &str = "mirror_changed_at";

/// Name of the property with everything that does not fit the other properties.
pub(crate) const EXTRA: &str = "mirror_extra";

/// Name of the property with the time of a sample.
pub(crate) const SAMPLED_AT: &str = "at";

#[cfg(test)]
mod tests {
    use methodical_mirror::model::Gauge;

    use super::Stream;
    use crate::connector::testing::PHOTO;

    #[test]
    fn a_stream_has_the_columns_of_its_table() {
        let photo = Stream::of_table(&PHOTO);
        let names: Vec<&str> = photo.properties.iter().map(|one| &*one.name).collect();
        assert_eq!(
            names,
            [
                "id",
                "title",
                "size",
                "score",
                "open",
                "tags",
                "place_id",
                "place_name",
                "mirror_first_seen",
                "mirror_changed_at",
                "mirror_extra"
            ]
        );
        assert_eq!(photo.keys().collect::<Vec<_>>(), ["id"]);
        assert!(photo.has_deletions());

        let storage = Stream::of_gauge(Gauge::new("storage", &["free"]));
        assert_eq!((&*storage.name, storage.has_deletions()), ("storage_sample", false));
        assert_eq!(storage.keys().collect::<Vec<_>>(), ["at"]);
    }
}
