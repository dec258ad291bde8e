//! Syncs over a real connection.

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use methodical_mirror::client::blocking;
use methodical_mirror::{Error, ErrorKind, Mirror, Report, Rules, State};
use methodical_testkit::raw_server::{Connection, Next, RawServer};

use crate::clients::blocking_client;
use crate::faults::{COMPLETE, FAULTS};
use crate::pages::sync_table;
use crate::photos::Photos;
use crate::place::Place;
use crate::support::{PHOTO, feed, records};

/// A server whose answer can be replaced.
struct Service {
    server: RawServer,
    script: Arc<Mutex<Script>>,
}

/// Answers a request.
type Script = fn(&mut Connection) -> Next;

impl Service {
    fn start() -> Self {
        let script: Arc<Mutex<Script>> = Arc::new(Mutex::new(complete));
        let current = Arc::clone(&script);
        let server = RawServer::start(move |_, connection| {
            let script = *current.lock().unwrap();
            script(connection)
        });
        Self { server: server.unwrap(), script }
    }

    fn answers(&self, script: Script) {
        *self.script.lock().unwrap() = script;
    }

    fn requests(&self) -> usize {
        self.server.progress().requests.len()
    }

    fn client(&self) -> blocking::Client<Photos> {
        blocking_client(self.server.uri(""))
    }

    fn sync(&self, mirror: &mut Mirror) -> Result<Report, Error> {
        sync_table(mirror, &self.client(), "photo")
    }
}

fn complete(connection: &mut Connection) -> Next {
    connection.respond("content-type: application/json\r\n", COMPLETE.as_bytes());
    Next::Close
}

/// Opens a mirror whose three records were synced once.
fn synced(service: &Service, place: &Place) -> Mirror {
    let mut mirror = place.open();
    assert_eq!(service.sync(&mut mirror).unwrap().added, 3);
    mirror
}

/// Checks that the three records are present, and that the feed is empty.
fn is_untouched(mirror: &Mirror, name: &str) {
    let states: Vec<_> = records(mirror).into_iter().map(|(id, state, _)| (id, state)).collect();
    let expected = ["1", "2", "3"].map(|id| (id.to_owned(), State::Present));
    assert_eq!(states, expected, "{name}");
    assert_eq!(feed(mirror), [""; 0], "{name}");
}

#[test]
fn each_of_these_never_makes_a_record_missing() {
    let place = Place::new();
    let service = Service::start();
    let mut mirror = synced(&service, &place);
    for fault in FAULTS {
        service.answers(fault.script);
        // Twice, because a second complete list would make a missing record gone.
        for _ in 0..2 {
            let result = service.sync(&mut mirror);
            let error = result.as_ref().err().map(Error::kind);
            assert_eq!(error, fault.error, "{}: {result:?}", fault.name);
            is_untouched(&mirror, fault.name);
        }
    }
    service.answers(complete);
    assert_eq!(service.sync(&mut mirror).unwrap().unchanged, 3);

    let requests = service.requests();
    let mut other = place.open();
    let run = other.begin("action=photos/search", &PHOTO, Rules::new()).unwrap();
    let error = service.sync(&mut mirror).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Busy, "a concurrent sync");
    assert_eq!(service.requests(), requests, "a refused sync sends no request");
    drop(run);
    is_untouched(&mirror, "a concurrent sync");
}

#[test]
fn a_clock_that_jumps_makes_no_record_missing() {
    let place = Place::new();
    let service = Service::start();
    drop(synced(&service, &place));
    let year = Duration::from_secs(365 * 24 * 3600);
    for now in
        [SystemTime::now() + 50 * year, SystemTime::UNIX_EPOCH, SystemTime::UNIX_EPOCH - year]
    {
        let mut mirror = place.open().with_clock(move || now);
        assert_eq!(service.sync(&mut mirror).unwrap().unchanged, 3);
        is_untouched(&mirror, "a clock that jumps");
    }
}

#[test]
fn a_sync_reads_its_list_once() {
    let place = Place::new();
    let service = Service::start();
    let mut mirror = synced(&service, &place);
    assert_eq!(service.requests(), 1);
    service.answers(|connection| {
        let list =
            r#"{"stat":"ok","photos":{"photo":[{"id":"3"},{"id":"2","title":"c"},{"id":"4"}]}}"#;
        connection.respond("content-type: application/json\r\n", list.as_bytes());
        Next::Close
    });
    service.sync(&mut mirror).unwrap();
    assert_eq!(feed(&mirror), ["changed 2 title", "added 4", "missing 1"]);
    service.sync(&mut mirror).unwrap();
    assert_eq!(feed(&mirror).last().unwrap(), "gone 1");
    assert_eq!(service.requests(), 3);
}
