//! Deliveries that are killed between the receipt of an event and the move of the position.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::sync_channel;
use std::time::Duration;

use methodical_mirror::{ErrorKind, Limits, Mirror, Rules};

use crate::support::{PHOTO, open, sync};
use crate::webhook::receiver::{Answer, Receiver};
use crate::webhook::webhook;

/// Delivers all events, unless the process is killed before.
fn deliver(mirror: &Mirror, url: &str) {
    mirror.deliver("all", &mut webhook(url), &Limits::default()).unwrap();
}

/// Starts the test as a child that delivers.
fn start(place: &OsStr, url: &str) -> Child {
    let test = "webhook::killed::a_killed_delivery_repeats_events_and_loses_none";
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test])
        .env(CHILD_PLACE, place)
        .env(CHILD_URL, url)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Returns the place and the URL of a child.
fn child() -> Option<(OsString, String)> {
    Some((std::env::var_os(CHILD_PLACE)?, std::env::var(CHILD_URL).unwrap()))
}

#[test]
fn a_killed_delivery_repeats_events_and_loses_none() {
    if let Some((path, url)) = child() {
        return deliver(&open(Path::new(&path)), &url);
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mirror.db");
    let mut mirror = open(&path);
    let list: Vec<_> = (0..EVENTS).map(|id| format!(r#"{{"id":"{id}"}}"#)).collect();
    mirror.add_consumer("all").unwrap();
    sync(&mut mirror, &PHOTO, Rules::new().emit_baseline(), &list).unwrap();
    drop(mirror);

    // The first three kills: the receiver has the event, but its response does not arrive.
    let mut plan = Vec::new();
    for accepted in [0, 3, 6] {
        plan.extend(std::iter::repeat_n(Answer::Accept, accepted));
        plan.push(Answer::Hang);
    }
    let receiver = Receiver::start(plan);
    for (requests, position) in [(1, 0), (5, 3), (12, 9)] {
        let mut child = start(path.as_os_str(), &receiver.url());
        receiver.wait_for(requests);
        let mut rival = webhook(&receiver.url());
        let error = open(&path).deliver("all", &mut rival, &Limits::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Busy);
        assert!(error.to_string().contains("another process is delivering to it"), "{error}");
        child.kill().unwrap();
        child.wait().unwrap();
        let consumer = open(&path).consumers().unwrap().remove(0);
        assert_eq!((consumer.position, consumer.failures), (position, 0));
    }
    // The others: at random moments.
    let (_sender, silence) = sync_channel::<()>(1);
    for _ in 0..RANDOM_KILLS {
        let mut child = start(path.as_os_str(), &receiver.url());
        // This wait has no event to wait for: it is the random moment.
        let moment = Duration::from_micros(fastrand::u64(0..60_000));
        silence.recv_timeout(moment).unwrap_err();
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let mirror = open(&path);
    deliver(&mirror, &receiver.url());

    let mut ids: Vec<_> = receiver.requests().into_iter().map(|request| request.id).collect();
    // Each kill repeats at most one event. A receiver may read the request of a killed process after the next one.
    let most = EVENTS + 3 + RANDOM_KILLS;
    assert!((EVENTS + 3..=most).contains(&ids.len()), "{}", ids.len());
    let mut seen = HashSet::new();
    ids.retain(|id| seen.insert(id.clone()));
    let events = mirror.events(None, usize::MAX).unwrap().0;
    assert_eq!(events.len(), EVENTS);
    assert!(ids.iter().eq(events.iter().map(|event| &event.id)), "{} ids", ids.len());
}

/// The environment variables of the child.
const CHILD_PLACE: &str = "GATEWAY_MIRROR_DELIVER_PLACE";
const CHILD_URL: &str = "GATEWAY_MIRROR_DELIVER_URL";

const EVENTS: usize = 200;

const RANDOM_KILLS: usize = 20;
