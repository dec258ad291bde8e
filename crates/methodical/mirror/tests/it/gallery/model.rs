//! The model of the service, as a generated crate declares it.

use std::borrow::Cow;

use methodical_mirror::model::codegen::{self, Body, Decides, Nulls, QueryBuilder, Verdict};
use methodical_mirror::model::tables::{Column, Gauge, MirrorVisitor, Mirrored, Recovery, Table};
use methodical_mirror::model::{
    DecodeError, ErrorClass, Extra, ListOperation, Listing, Operation, Query, Service,
};

#[derive(Debug)]
pub(crate) struct Gallery;

impl Service for Gallery {
    const PATH: &'static str = "/api/v2";
    const SELECTOR: &'static str = "action";
    const ACCEPT: &'static str = "application/json";
}

pub(crate) const PHOTO: Table =
    Table::new("photo", "id", &[Column::text(&["id"]), Column::text(&["title"]).personal()]);

const ALBUM: Table = Table::new("album", "id", &[Column::text(&["id"]), Column::text(&["title"])]);

const PHOTO_ALBUM: Table = Table::new(
    "photo_album",
    "id",
    &[
        Column::text(&["id"]),
        Column::text(&["album_id"]),
        Column::text(&["photo_id"]),
        Column::text(&["mark"]),
    ],
);

impl Mirrored for Gallery {
    fn visit(visitor: &mut impl MirrorVisitor<Self>) {
        visitor.list(&PHOTO, ListPhotos::default());
        visitor.list(&ALBUM, ListAlbums);
        visitor.recovery(Recovery {
            table: &PHOTO_ALBUM,
            members: &PHOTO,
            groups: &ALBUM,
            value: "mark",
            known_values: &["New", "Rejected", "Print"],
            of_group: |album| Ok(ListPhotos { album: Some(album.to_owned()), mark: None }),
            of_value: |album, mark| {
                Ok(ListPhotos { album: Some(album.to_owned()), mark: Some(mark.to_owned()) })
            },
            filters: |query| (query.album.clone(), query.mark.clone()),
        });
        visitor.gauge(Gauge::new("storage", &["free"]).with_unit(&["unit"]), ReadStorage);
    }
}

/// A photo or an album.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Titled {
    id: String,
    title: Option<String>,
    extra: Extra<'static>,
    nulls: Nulls,
}

#[derive(Clone, PartialEq, Eq)]
pub(crate) struct TitledRef<'a> {
    id: Cow<'a, str>,
    title: Option<Cow<'a, str>>,
    extra: Extra<'a>,
    nulls: Nulls,
}

codegen::record! {
    Titled, TitledRef, "a titled object";
    0 required plain id: String = "id";
    1 optional plain title: String = "title";
}

#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Storage {
    free: Option<String>,
    unit: Option<String>,
    extra: Extra<'static>,
    nulls: Nulls,
}

#[derive(Clone, PartialEq, Eq)]
pub(crate) struct StorageRef<'a> {
    free: Option<Cow<'a, str>>,
    unit: Option<Cow<'a, str>>,
    extra: Extra<'a>,
    nulls: Nulls,
}

codegen::record! {
    Storage, StorageRef, "a storage object";
    0 optional plain free: String = "free";
    1 optional plain unit: String = "unit";
}

/// The place of the list in a body.
const LAYOUT: &Body = &Body { at: &["list"], verdict: Some(&STAT), ..Body::ROOT };

const STAT: Verdict = Verdict {
    code: &["code"],
    message: &["message"],
    classes: &[("105", ErrorClass::Unavailable)],
    ..Verdict::new(Decides::Success { at: &["stat"], is: &["ok"] })
};

/// Lists all photos, the photos of an album, or the photos of an album with a mark.
#[derive(Clone, Debug, Default)]
pub(crate) struct ListPhotos {
    album: Option<String>,
    mark: Option<String>,
}

#[derive(Clone, Debug)]
pub(crate) struct ListAlbums;

#[derive(Clone, Debug)]
pub(crate) struct ReadStorage;

macro_rules! list {
    ($type:ty, $method:literal, $($filter:ident),*) => {
        impl Operation for $type {
            type Service = Gallery;
            type Output = Listing<Titled>;

            const METHOD: &'static str = $method;
            const BODY: &'static Body = LAYOUT;

            fn query(&self) -> Result<Query, DecodeError> {
                let mut query = QueryBuilder::select::<Self::Service>(Self::METHOD);
                let filters: &[(&str, &Option<String>)] = &[$((stringify!($filter), &self.$filter)),*];
                for &(name, value) in filters {
                    if let Some(value) = value {
                        query.push_text(name, value)?;
                    }
                }
                Ok(query.finish())
            }
        }

        impl ListOperation for $type {
            type Item = Titled;
            type Metadata = ();
        }
    };
}

list!(ListPhotos, "photos/list", album, mark);
list!(ListAlbums, "albums/list",);

impl Operation for ReadStorage {
    type Service = Gallery;
    type Output = Storage;

    const METHOD: &'static str = "storage/read";

    fn query(&self) -> Result<Query, DecodeError> {
        Ok(QueryBuilder::select::<Self::Service>(Self::METHOD).finish())
    }
}
