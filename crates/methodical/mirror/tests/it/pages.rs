//! Syncs of a list in pages.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use methodical_mirror::model::tables::{Column, MirrorVisitor, Mirrored, Table};
use methodical_mirror::{Error, ErrorKind, Mirror, Report, SyncError, SyncOptions};
use methodical_testkit::raw_server::{Next, RawRequest, RawServer};

use crate::clients::blocking_client;
use crate::photos::{PagePhotos, Photos};
use crate::place::Place;
use crate::support::{feed, ids};

impl Mirrored for Photos {
    fn visit(visitor: &mut impl MirrorVisitor<Self>) {
        visitor.paged_list(&PAGED, PagePhotos::new());
    }
}

const PAGED: Table =
    Table::new("paged", "id", &[Column::text(&["id"]), Column::text(&["title"]).personal()]);

/// A server with a list in pages.
struct Service {
    server: RawServer,
    /// The bodies of the pages by cursor, which is empty for the first page. Without a body, the server fails.
    pages: Arc<Mutex<BTreeMap<&'static str, &'static str>>>,
}

const JSON: &str = "content-type: application/json\r\nconnection: close\r\n";
const FAILS: &[u8] =
    b"HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

impl Service {
    fn start() -> Self {
        let pages = Arc::<Mutex<BTreeMap<&str, &str>>>::default();
        let current = Arc::clone(&pages);
        let server = RawServer::start(move |request, connection| {
            let target = request.target();
            let cursor = target.split_once("&cursor=").map_or("", |(_, cursor)| cursor);
            let body = current.lock().unwrap().get(cursor).copied();
            match body {
                Some(body) => connection.respond(JSON, body.as_bytes()),
                None => connection.send(FAILS),
            };
            Next::Close
        });
        Self { server: server.unwrap(), pages }
    }

    fn has(&self, pages: &[(&'static str, &'static str)]) {
        *self.pages.lock().unwrap() = pages.iter().copied().collect();
    }

    fn targets(&self) -> Vec<String> {
        let requests = self.server.progress().requests;
        requests.iter().map(RawRequest::target).collect()
    }

    fn sync(&self, mirror: &mut Mirror) -> Result<Report, Error> {
        let client = blocking_client::<Photos>(self.server.uri(""));
        let synced = mirror.sync_all(&client, &SyncOptions::default());
        let mut report = synced.unwrap_or_else(SyncError::into_report);
        report.tables.remove(0).result
    }
}

const FIRST: (&str, &str) = ("", r#"{"photo":[{"id":"1"},{"id":"2","title":"b"}],"next":"b"}"#);
const LAST: (&str, &str) = ("b", r#"{"photo":[{"id":"3"}]}"#);

#[test]
fn the_pages_of_a_list_are_one_run() {
    let (service, (_place, mut mirror)) = (Service::start(), Place::opened());
    service.has(&[FIRST, LAST]);
    assert_eq!(service.sync(&mut mirror).unwrap().added, 3);
    let targets = ["/api/v2?action=photos/page", "/api/v2?action=photos/page&cursor=b"];
    assert_eq!(service.targets(), targets);
    assert_eq!(feed(&mirror), [""; 0]);
    // A record that moves to another page is not missing.
    let first = r#"{"photo":[{"id":"3"},{"id":"4"}],"next":"b"}"#;
    let last = r#"{"photo":[{"id":"2","title":"c"},{"title":"no id"}]}"#;
    service.has(&[("", first), ("b", last)]);
    let report = service.sync(&mut mirror).unwrap();
    assert_eq!((report.unchanged, report.rejected), (1, 1));
    assert_eq!(mirror.rejections("paged", 9).unwrap()[0].index, 3, "the index in the whole list");
    // A rejected record may be the one that no page has.
    assert_eq!(feed(&mirror), ["added 4", "changed 2 title"]);
}

#[test]
fn a_page_that_fails_changes_nothing() {
    let (service, (_place, mut mirror)) = (Service::start(), Place::opened());
    service.has(&[FIRST, LAST]);
    service.sync(&mut mirror).unwrap();
    let other = ("", r#"{"photo":[{"id":"9"}],"next":"b"}"#);
    for last in [None, Some(r#"{"photo":[{"id":"3"},"#), Some("<html>")] {
        let last_page = last.map(|last| ("b", last));
        service.has(&[&[other], last_page.as_slice()].concat());
        // Twice, because a second complete list would make a missing record gone.
        for _ in 0..2 {
            let error = service.sync(&mut mirror).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Call, "{last:?}: {error}");
            assert_eq!(ids(&mirror, "paged"), ["1", "2", "3"], "{last:?}");
            assert_eq!(feed(&mirror), [""; 0], "{last:?}");
        }
    }
    service.has(&[FIRST, LAST]);
    assert_eq!(service.sync(&mut mirror).unwrap().unchanged, 3);
}
