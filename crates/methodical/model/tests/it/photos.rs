// A small service for the examples and tests of this crate, as a generated crate declares it. The examples include this
// file, so it begins with a plain comment.

use std::borrow::Cow;

use methodical_model::codegen::{self, Body, Decides, Nulls, QueryBuilder, Verdict};
use methodical_model::paging::{PageMarks, PagedBy, Paging, Position};
use methodical_model::{
    DecodeError, ErrorClass, Extra, ListOperation, Listing, Operation, PagedOperation, Query,
    Rejected, Service, StreamDecoder,
};

/// The service.
#[derive(Debug)]
pub(crate) struct Photos;

impl Service for Photos {
    const NAME: &'static str = "photos";
    const API_VERSION: &'static str = "v2";
    const PATH: &'static str = "/api/v2";
    const SELECTOR: &'static str = "action";
    const ACCEPT: &'static str = "application/json";
}

codegen::scalar! {
    /// The identifier of a photo: text in a record, an integer in a query.
    PhotoId, digits
}

/// A photo.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Photo {
    pub(crate) id: PhotoId,
    pub(crate) title: Option<String>,
    pub(crate) place: Option<String>,
    extra: Extra<'static>,
    nulls: Nulls,
}

/// The borrowed form of a photo.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct PhotoRef<'a> {
    pub(crate) id: Cow<'a, str>,
    pub(crate) title: Option<Cow<'a, str>>,
    pub(crate) place: Option<Cow<'a, str>>,
    extra: Extra<'a>,
    nulls: Nulls,
}

impl Photo {
    /// Creates a photo without a title.
    pub(crate) fn new(id: impl Into<PhotoId>) -> Self {
        let (extra, nulls) = (Extra::default(), Nulls::default());
        Self { id: id.into(), title: None, place: None, extra, nulls }
    }
}

codegen::record! {
    Photo, PhotoRef, "a photo object";
    0 required plain id: PhotoId = "id";
    1 optional plain title: String = "title";
    2 optional personal place: String = "place";
}

/// Lists all photos, or those of an album.
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

    /// Decodes the body of a response.
    pub(crate) fn decode(body: &[u8]) -> Result<Listing<Photo>, DecodeError> {
        codegen::list(&Body::ROOT, body)
    }
}

impl Operation for ListPhotos {
    type Service = Photos;
    type Output = Listing<Photo>;

    const NAME: &'static str = "list_photos";
    const METHOD: &'static str = "photos/list";

    fn query(&self) -> Result<Query, DecodeError> {
        let mut query = QueryBuilder::select::<Self::Service>(Self::METHOD);
        if let Some(album) = &self.album {
            query.push_integer("album", album.as_str())?;
        }
        Ok(query.finish())
    }

    fn decode(&self, body: &[u8]) -> Result<Self::Output, DecodeError> {
        codegen::list(&Body::ROOT, body)
    }
}

impl ListOperation for ListPhotos {
    type Item = Photo;
    type Beside = ();

    fn decoder(&self) -> StreamDecoder<Photo> {
        codegen::decoder(&Body::ROOT)
    }

    fn decode_borrowed<'a>(&self, body: &'a [u8]) -> Result<Listing<PhotoRef<'a>>, DecodeError> {
        codegen::borrowed::<Photo, ()>(&Body::ROOT, body)
    }
}

/// Reads the newest photo.
#[derive(Clone, Debug, Default)]
pub(crate) struct NewestPhoto;

impl NewestPhoto {
    /// Decodes the body of a response.
    pub(crate) fn decode(body: &[u8]) -> Result<Photo, DecodeError> {
        codegen::value::<Photo>(&Body::ROOT, body)
    }
}

impl Operation for NewestPhoto {
    type Service = Photos;
    type Output = Photo;

    const NAME: &'static str = "newest_photo";
    const METHOD: &'static str = "photos/newest";

    fn query(&self) -> Result<Query, DecodeError> {
        Ok(QueryBuilder::select::<Self::Service>(Self::METHOD).finish())
    }

    fn decode(&self, body: &[u8]) -> Result<Self::Output, DecodeError> {
        codegen::value::<Photo>(&Body::ROOT, body)
    }
}

/// Searches photos. The body reports failures, and the list is below it.
#[derive(Clone, Debug, Default)]
pub(crate) struct SearchPhotos;

/// Where the list of [`SearchPhotos`] is.
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

impl Operation for SearchPhotos {
    type Service = Photos;
    type Output = Listing<Photo>;

    const NAME: &'static str = "search_photos";
    const METHOD: &'static str = "photos/search";

    fn query(&self) -> Result<Query, DecodeError> {
        Ok(QueryBuilder::select::<Self::Service>(Self::METHOD).finish())
    }

    fn decode(&self, body: &[u8]) -> Result<Self::Output, DecodeError> {
        codegen::list(FOUND, body)
    }

    fn rejected(output: &Listing<Photo>) -> &[Rejected] {
        &output.rejected
    }

    fn error_class(body: &[u8]) -> Option<ErrorClass> {
        codegen::error_class(FOUND, body)
    }
}

impl ListOperation for SearchPhotos {
    type Item = Photo;
    type Beside = ();

    fn decoder(&self) -> StreamDecoder<Photo> {
        codegen::decoder(FOUND)
    }

    fn decode_borrowed<'a>(&self, body: &'a [u8]) -> Result<Listing<PhotoRef<'a>>, DecodeError> {
        codegen::borrowed::<Photo, ()>(FOUND, body)
    }
}

/// The fields beside a page of photos.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct Page {
    pub(crate) page: Option<i64>,
    pub(crate) next: Option<String>,
    extra: Extra<'static>,
    nulls: Nulls,
}

/// The borrowed form of a page.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct PageRef<'a> {
    pub(crate) page: Option<i64>,
    pub(crate) next: Option<Cow<'a, str>>,
    extra: Extra<'a>,
    nulls: Nulls,
}

codegen::record! {
    Page, PageRef, "a page object";
    0 optional plain page: i64 = "page";
    1 optional plain next: String = "next";
}

/// Lists a page of photos, with fields beside the list.
#[derive(Clone, Debug, Default)]
pub(crate) struct PagePhotos {
    cursor: Option<String>,
}

/// Where the list of [`PagePhotos`] is.
pub(crate) const PAGE: &Body = &Body { at: &["photo"], ..Body::ROOT };

impl PagePhotos {
    /// Creates the query of the first page.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Decodes the body of a response.
    pub(crate) fn decode(body: &[u8]) -> Result<Listing<Photo, Page>, DecodeError> {
        codegen::list(PAGE, body)
    }
}

impl Operation for PagePhotos {
    type Service = Photos;
    type Output = Listing<Photo, Page>;

    const NAME: &'static str = "page_photos";
    const METHOD: &'static str = "photos/page";

    fn query(&self) -> Result<Query, DecodeError> {
        let mut query = QueryBuilder::select::<Self::Service>(Self::METHOD);
        if let Some(cursor) = &self.cursor {
            query.push_text("cursor", cursor)?;
        }
        Ok(query.finish())
    }

    fn decode(&self, body: &[u8]) -> Result<Self::Output, DecodeError> {
        codegen::list(PAGE, body)
    }
}

impl ListOperation for PagePhotos {
    type Item = Photo;
    type Beside = Page;

    fn decoder(&self) -> StreamDecoder<Photo, Page> {
        codegen::decoder(PAGE)
    }

    fn decode_borrowed<'a>(
        &self,
        body: &'a [u8],
    ) -> Result<Listing<PhotoRef<'a>, Page>, DecodeError> {
        codegen::borrowed::<Photo, Page>(PAGE, body)
    }
}

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

    fn marks(beside: &Page) -> PageMarks {
        PageMarks::new().next_cursor(beside.next.as_ref())
    }
}
