//! Recovered tables over time: names of values, the age of values, erased placements, and concurrent syncs.

use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use methodical_mirror::{ErrorKind, Mirror, SyncError, SyncOptions, SyncReport};

use crate::gallery::{REFUSED, Server, marks};
use crate::place::Place;

fn sync(server: &Server, mirror: &mut Mirror) -> SyncReport {
    server.sync(mirror, &SyncOptions::default()).unwrap()
}

/// Returns how many placements have an unknown value.
fn unknown(report: &SyncReport) -> u64 {
    report.tables.last().and_then(|table| table.coverage.as_ref()).unwrap().unknown
}

#[test]
fn a_value_that_was_named_once_is_asked_for_in_later_syncs() {
    let (_place, mut mirror) = Place::opened();
    let server = Server::with(&[("1", "a", "On hold")]);
    let options = marks(&["On hold"]);
    assert_eq!(unknown(&server.sync(&mut mirror, &options).unwrap()), 0);
    server.state().put("1", "a", "New");
    assert_eq!(unknown(&sync(&server, &mut mirror)), 0);
    assert_eq!(unknown(&sync(&server, &mut mirror)), 0);
    // No placement has the value now.
    server.state().put("1", "b", "On hold");
    assert_eq!(unknown(&sync(&server, &mut mirror)), 0);
}

#[test]
fn a_value_that_the_service_refuses_is_not_asked_for_again() {
    let server = Server::with(&[("1", "a", "")]);
    server.fails("photos album=1 mark=Bad", REFUSED);
    let mut mirror = Mirror::in_memory().unwrap();
    let options = marks(&["Bad"]);
    let error = server.sync(&mut mirror, &options).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Call);
    assert_eq!(unknown(&sync(&server, &mut mirror)), 1);
}

/// Runs `meanwhile` while a sync of the first mirror requests values. Returns how the sync ended.
fn during_a_sync(
    server: &Server,
    mirror: &mut Mirror,
    meanwhile: impl FnOnce(),
) -> Result<SyncReport, SyncError> {
    let (reached, wait) = sync_channel(1);
    let (proceed, may_proceed) = sync_channel(1);
    let may_proceed = Mutex::new(may_proceed);
    let pause = move || {
        reached.send(()).unwrap();
        may_proceed.lock().unwrap().recv_timeout(LIMIT).unwrap();
    };
    server.state().pause = Some(("photos album=1 mark=New".to_owned(), Arc::new(pause)));
    thread::scope(|scope| {
        let sync = scope.spawn(|| server.sync(mirror, &SyncOptions::default()));
        wait.recv_timeout(LIMIT).unwrap();
        meanwhile();
        proceed.send(()).unwrap();
        sync.join().unwrap()
    })
}

#[test]
fn a_second_sync_cannot_begin_while_values_are_asked_for() {
    let place = Place::new();
    let server = Server::with(&[("1", "a", "New")]);
    let (mut one, mut other) = (place.open(), place.open());
    during_a_sync(&server, &mut one, || {
        let error = server.sync(&mut other, &SyncOptions::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Busy);
        let text = error.to_string();
        assert!(text.ends_with(" is changing it; try again when it has finished"), "{text}");
        assert_eq!(other.forget("photo", "a").unwrap_err().kind(), ErrorKind::Busy);
    })
    .unwrap();
    sync(&server, &mut one);
    sync(&server, &mut other);
    other.forget("photo", "a").unwrap();
}

/// Time limit of a wait for the other thread.
const LIMIT: Duration = Duration::from_secs(60);
