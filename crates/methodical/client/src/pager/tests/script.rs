//! A list in pages, and a service that sends the pages in its script.

use std::collections::HashMap;
use std::iter::from_fn;
use std::mem;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use gateway_transport::{blocking_transport_fn, transport_fn};
use http::Response;
use methodical_model::codegen::Body;
use methodical_model::paging::{PageMarks, PagedBy, Paging, Position};
use methodical_model::{Listing, PagedOperation};
use pollster::block_on;

use crate::pager::MAX_PAGES;
use crate::tests::{BlockingClient, Photo, Photos, async_builder, blocking_builder};
use crate::{Client, Entry, Error, ErrorKind};

both_forms! {
    /// The metadata of a page.
    #[derive(Default)]
    Metadata, MetadataRef, "a page";
    0 optional plain pages: i64 = "pages";
    1 optional plain total: String = "total";
    2 optional plain next: i64 = "next";
    3 optional plain cursor: String = "cursor";
    4 optional plain more: bool = "more";
}

/// How the pages of a [`List`] follow each other: the values of `BY`.
pub(super) const NUMBER: u8 = 0;
pub(super) const OFFSET: u8 = 1;
pub(super) const NEXT_OFFSET: u8 = 2;
pub(super) const CURSOR: u8 = 3;

/// A list in pages.
#[derive(Clone, Debug, Default)]
pub(super) struct List<const BY: u8> {
    pub(super) number: Option<i64>,
    pub(super) size: Option<u64>,
    pub(super) cursor: Option<String>,
}

const PAGE: &Body = &Body { at: &["photos"], ..Body::ROOT };

list_operation!(
    [const BY: u8] List<BY>,
    "list",
    Photo,
    Metadata,
    PAGE,
    |list, query| {
        if let Some(number) = list.number {
            query.push("at", &number.to_string());
        }
        list.cursor.as_ref().map_or(Ok(()), |cursor| query.push_text("at", cursor))
    }
);

impl<const BY: u8> PagedOperation for List<BY> {
    const PAGING: Paging = Paging::by(match BY {
        NUMBER => PagedBy::Number { first: 1 },
        OFFSET => PagedBy::Offset,
        NEXT_OFFSET => PagedBy::NextOffset,
        _ => PagedBy::Cursor,
    })
    .parameter("at")
    .has_identity();

    fn position(&self) -> Option<Position> {
        self.number.map(Position::Number).or_else(|| self.cursor.clone().map(Position::Cursor))
    }

    fn page_size(&self) -> Option<u64> {
        self.size
    }

    fn turn_to(&mut self, position: Position) {
        match position {
            Position::Number(number) => self.number = Some(number),
            Position::Cursor(cursor) => self.cursor = Some(cursor),
            _ => {}
        }
    }

    fn marks(metadata: &Metadata) -> PageMarks {
        let marks = PageMarks::new().last(metadata.pages.as_ref()).total(metadata.total.as_ref());
        let marks = marks.more(metadata.more.as_ref());
        match BY {
            NEXT_OFFSET if metadata.cursor.is_some() => marks.next_offset(metadata.cursor.as_ref()),
            NEXT_OFFSET => marks.next_offset(metadata.next.as_ref()),
            CURSOR => marks.next_cursor(metadata.cursor.as_ref()),
            _ => marks,
        }
    }
}

/// A service with a page for each value of the parameter `at`. The value is empty if the parameter is absent, and `*`
/// stands for any other value.
///
/// A page is written as the identities of its records, where `!` stands for a rejected record, then `;` and its
/// metadata. Without `;`, the page is truncated after its records.
#[derive(Clone)]
pub(super) struct Script {
    pages: Arc<HashMap<&'static str, &'static str>>,
    asked: Arc<Mutex<Vec<String>>>,
    max_pages: u64,
}

impl Script {
    pub(super) fn new<const N: usize>(pages: [(&'static str, &'static str); N]) -> Self {
        Self { pages: Arc::new(pages.into()), asked: Arc::default(), max_pages: MAX_PAGES }
    }

    /// Sets the maximum number of pages for every way of reading.
    pub(super) fn max_pages(self, max_pages: u64) -> Self {
        Self { max_pages, ..self }
    }

    fn answer(&self, uri: &http::Uri) -> Response<Bytes> {
        let query = uri.query().unwrap_or_default();
        let at = query.split_once("&at=").map_or("", |(_, at)| at);
        self.asked.lock().unwrap().push(at.to_owned());
        let page = self.pages.get(at).or_else(|| self.pages.get("*"));
        let response = Response::builder().header("content-type", "application/json");
        match page {
            Some(page) => response.body(Bytes::from(document(page))).unwrap(),
            None => response.status(404).body(Bytes::new()).unwrap(),
        }
    }

    /// Returns the positions requested since the last call of this method.
    pub(super) fn asked(&self) -> Vec<String> {
        mem::take(&mut *self.asked.lock().unwrap())
    }

    pub(super) fn client(&self) -> BlockingClient {
        let script = self.clone();
        let transport =
            blocking_transport_fn(move |request| Ok(script.answer(request.uri()).map(Into::into)));
        blocking_builder().transport(transport).build().unwrap()
    }

    pub(super) fn async_client(&self) -> Client<Photos> {
        let script = self.clone();
        let transport = transport_fn(move |request| {
            let response = script.answer(request.uri()).map(Into::into);
            async move {
                // As on a socket, the first poll finds no response.
                tokio::task::yield_now().await;
                Ok(response)
            }
        });
        async_builder().transport(transport).build().unwrap()
    }

    /// Reads all records in each of the four ways. Requires that all ways request the same pages and end alike. Returns
    /// the requested positions, the number of records and the failure, if any.
    #[track_caller]
    fn read<const BY: u8>(&self, query: &List<BY>) -> (Vec<String>, u64, Option<Failure>) {
        let mut all = Vec::new();
        let mut way = |counts: &mut dyn Iterator<Item = Result<u64, Error>>| {
            let (mut records, mut failed) = (0, None);
            for count in counts {
                match count {
                    Ok(count) => records += count,
                    Err(error) => failed = Some(error),
                }
            }
            if let Some(error) = &failed {
                assert_eq!(error.delivered().unwrap_or_default(), records, "{error}");
            }
            let failure = failed.map(|error| (error.kind(), error.to_string()));
            all.push((self.asked(), records, failure));
        };
        let page = |page: Result<Listing<_, _>, _>| page.map(|page| page.items.len() as u64);
        let entry =
            |entry: Result<_, _>| entry.map(|entry| u64::from(matches!(entry, Entry::Record(_))));

        let mut pages = self.client().pages(query).max_pages(self.max_pages);
        way(&mut pages.by_ref().map(page));
        assert!(pages.next().is_none());
        let mut entries = self.client().stream_all(query).max_pages(self.max_pages);
        way(&mut entries.by_ref().map(entry));
        assert!(entries.next().is_none());
        let mut pages = self.async_client().pages(query).max_pages(self.max_pages);
        way(&mut from_fn(|| block_on(pages.next())).map(page));
        let mut entries = self.async_client().stream_all(query).max_pages(self.max_pages);
        way(&mut from_fn(|| block_on(entries.next())).map(entry));

        for other in &all[1..] {
            assert_eq!(other, &all[0]);
        }
        all.swap_remove(0)
    }

    /// Requires that the list is complete after these requests, with this number of records.
    #[track_caller]
    pub(super) fn ends<const BY: u8>(&self, query: &List<BY>, asked: &[&str], records: u64) {
        let asked = asked.iter().map(ToString::to_string).collect();
        assert_eq!(self.read(query), (asked, records, None));
    }

    /// Requires that the list fails with this error after these requests and this number of records.
    #[track_caller]
    pub(super) fn fails<const BY: u8>(
        &self,
        query: &List<BY>,
        asked: &[&str],
        records: u64,
        (kind, text): (ErrorKind, &str),
    ) {
        let asked = asked.iter().map(ToString::to_string).collect();
        assert_eq!(self.read(query), (asked, records, Some((kind, text.to_owned()))));
    }
}

/// The kind and the text of an error.
type Failure = (ErrorKind, String);

/// Returns the JSON of a page.
fn document(page: &str) -> String {
    let record = |id: &str| if id == "!" { "7".to_owned() } else { format!("{{'id':'{id}'}}") };
    let list = |ids: &str| ids.split_whitespace().map(record).collect::<Vec<_>>().join(",");
    let json = match page.split_once(';') {
        None => format!("{{'photos':[{}", list(page)),
        Some((ids, "")) => format!("{{'photos':[{}]}}", list(ids)),
        Some((ids, fields)) => format!("{{'photos':[{}],{fields}}}", list(ids)),
    };
    json.replace('\'', "\"")
}
