// A small service for the examples and tests of this crate, as a generated crate declares it. The examples include this
// file, so it begins with a plain comment.

use methodical_model::codegen::{self, Body, Decides, Nulls, QueryBuilder, Verdict};
use methodical_model::paging::{PageMarks, PagedBy, Paging, Position};
use methodical_model::{DecodeError, ErrorClass, Extra, Operation, PagedOperation, Query, Service};

/// Declares a record in its owned and its borrowed form, from the lines of `codegen::record`. A generated crate writes
/// out both structs.
macro_rules! both_forms {
    (
        $(#[$attribute:meta])*
        $owned:ident, $borrowed:ident, $what:literal;
        $($index:literal $presence:ident $secrecy:ident $name:ident: $ty:ty = $wire:literal;)+
    ) => {
        $(#[$attribute])*
        #[derive(Clone, PartialEq, Eq)]
        pub(crate) struct $owned {
            $(pub(crate) $name: both_forms!(
                @field $presence <$ty as methodical_model::codegen::Value>::Owned
            ),)+
            extra: methodical_model::Extra<'static>,
            nulls: methodical_model::codegen::Nulls,
        }

        /// The borrowed form of a record.
        #[derive(Clone, PartialEq, Eq)]
        pub(crate) struct $borrowed<'a> {
            $(pub(crate) $name: both_forms!(
                @field $presence <$ty as methodical_model::codegen::Value>::Ref<'a>
            ),)+
            extra: methodical_model::Extra<'a>,
            nulls: methodical_model::codegen::Nulls,
        }

        methodical_model::codegen::record! {
            $owned, $borrowed, $what;
            $($index $presence $secrecy $name: $ty = $wire;)+
        }
    };
    (@field optional $ty:ty) => { Option<$ty> };
    (@field blank $ty:ty) => { Option<$ty> };
    (@field $presence:ident $ty:ty) => { $ty };
}

/// Implements an operation whose response is a list at this place, with these parameters.
macro_rules! list_operation {
    (
        [$($generics:tt)*] $operation:ty, $method:literal,
        $item:ty, $metadata:ty, $place:expr, $push:expr $(,)?
    ) => {
        impl<$($generics)*> methodical_model::Operation for $operation {
            type Service = Photos;
            type Output = methodical_model::Listing<$item, $metadata>;

            const METHOD: &'static str = $method;
            const BODY: &'static methodical_model::codegen::Body = $place;

            fn query(&self) -> Result<methodical_model::Query, methodical_model::DecodeError> {
                use methodical_model::codegen::QueryBuilder;
                let mut query = QueryBuilder::of::<Self>();
                let push: fn(&Self, &mut QueryBuilder) -> Result<(), _> = $push;
                push(self, &mut query).map(|()| query.finish())
            }
        }

        impl<$($generics)*> methodical_model::ListOperation for $operation {
            type Item = $item;
            type Metadata = $metadata;
        }
    };
}

/// The service.
#[derive(Debug)]
pub(crate) struct Photos;

impl Service for Photos {
    const PATH: &'static str = "/api/v2";
    const SELECTOR: &'static str = "action";
    const ACCEPT: &'static str = "application/json";
}

codegen::scalar! {
    /// The identifier of a photo: text in a record, an integer in a query.
    PhotoId, digits
}

both_forms! {
    /// A photo.
    Photo, PhotoRef, "a photo object";
    0 required plain id: PhotoId = "id";
    1 optional plain title: String = "title";
    2 optional personal place: String = "place";
}

impl Photo {
    /// Creates a photo without a title.
    pub(crate) fn new(id: impl Into<PhotoId>) -> Self {
        let (extra, nulls) = (Extra::default(), Nulls::default());
        Self { id: id.into(), title: None, place: None, extra, nulls }
    }
}

/// Lists all photos, or the photos of an album.
#[derive(Clone, Debug, Default)]
pub(crate) struct ListPhotos {
    album: Option<PhotoId>,
}

impl ListPhotos {
    /// Creates the query of all photos.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Sets `album`.
    pub(crate) fn album(mut self, value: impl Into<PhotoId>) -> Self {
        self.album = Some(value.into());
        self
    }
}

list_operation!([] ListPhotos, "photos/list", Photo, (), &Body::ROOT, |list, query| {
    match &list.album {
        Some(album) => query.push_integer("album", album.as_str()),
        None => Ok(()),
    }
});

/// Reads the newest photo.
#[derive(Clone, Debug, Default)]
pub(crate) struct NewestPhoto;

impl Operation for NewestPhoto {
    type Service = Photos;
    type Output = Photo;

    const METHOD: &'static str = "photos/newest";

    fn query(&self) -> Result<Query, DecodeError> {
        Ok(QueryBuilder::select::<Self::Service>(Self::METHOD).finish())
    }
}

/// Searches photos. The body reports failures, and contains the list.
#[derive(Clone, Debug, Default)]
pub(crate) struct SearchPhotos;

/// The place of the list of [`SearchPhotos`].
pub(crate) const FOUND: &Body =
    &Body { at: &["photos", "photo"], verdict: Some(&STAT), ..Body::ROOT };

/// How [`SearchPhotos`] reports a failure.
pub(crate) const STAT: Verdict = Verdict {
    code: &["code"],
    message: &["message"],
    classes: &[
        ("98", ErrorClass::Auth),
        ("29", ErrorClass::RateLimit),
        ("105", ErrorClass::Unavailable),
    ],
    ..Verdict::new(Decides::Success { at: &["stat"], is: &["ok"] })
};

list_operation!([] SearchPhotos, "photos/search", Photo, (), FOUND, |_, _| Ok(()));

both_forms! {
    /// The metadata of a page of photos.
    #[derive(Default)]
    Page, PageRef, "a page object";
    0 optional plain page: i64 = "page";
    1 optional plain next: String = "next";
}

/// Lists a page of photos, with metadata.
#[derive(Clone, Debug, Default)]
pub(crate) struct PagePhotos {
    cursor: Option<String>,
}

/// The place of the list of [`PagePhotos`].
pub(crate) const PAGE: &Body = &Body { at: &["photo"], ..Body::ROOT };

impl PagePhotos {
    /// Creates the query of the first page.
    pub(crate) fn new() -> Self {
        Self::default()
    }
}

list_operation!([] PagePhotos, "photos/page", Photo, Page, PAGE, |page, query| {
    match &page.cursor {
        Some(cursor) => query.push_text("cursor", cursor),
        None => Ok(()),
    }
});

impl PagedOperation for PagePhotos {
    const PAGING: Paging = Paging::by(PagedBy::Cursor).parameter("cursor").has_identity();

    fn position(&self) -> Option<Position> {
        self.cursor.clone().map(Position::Cursor)
    }

    fn turn_to(&mut self, position: Position) {
        if let Position::Cursor(cursor) = position {
            self.cursor = Some(cursor);
        }
    }

    fn marks(metadata: &Page) -> PageMarks {
        PageMarks::new().next_cursor(metadata.next.as_ref())
    }
}
