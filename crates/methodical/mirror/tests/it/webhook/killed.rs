//! Deliveries that are killed between the receipt of an event and the move of the position.

use std::collections::HashSet;
use std::path::Path;

use methodical_mirror::{ErrorKind, Limits, Mirror, Rules};

use crate::kill::{CHILD, run_and_kill, start};
use crate::support::{PHOTO, open, sync};
use crate::webhook::receiver::{Answer, Receiver};
use crate::webhook::webhook;

/// Delivers all events, unless the process is killed before.
fn deliver(mirror: &Mirror, url: &str) {
    mirror.deliver("all", &mut webhook(url), &Limits::default()).unwrap();
}

#[test]
fn a_killed_delivery_repeats_events_and_loses_none() {
    const TEST: &str = "webhook::killed::a_killed_delivery_repeats_events_and_loses_none";
    if let Some(path) = std::env::var_os(CHILD) {
        let path = Path::new(&path);
        let url = std::fs::read_to_string(path.with_extension("url")).unwrap();
        return deliver(&open(path), &url);
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mirror.db");
    let mut mirror = open(&path);
    let list: Vec<_> = (0..EVENTS).map(|id| format!(r#"{{"id":"{id}"}}"#)).collect();
    mirror.add_consumer("all").unwrap();
    sync(&mut mirror, &PHOTO, Rules { emits_baseline: true, ..Rules::default() }, &list).unwrap();
    drop(mirror);

    // The first three kills: the receiver has the event, but its response does not arrive.
    let mut plan = Vec::new();
    for accepted in [0, 3, 6] {
        plan.extend(std::iter::repeat_n(Answer::Accept, accepted));
        plan.push(Answer::Hang);
    }
    let receiver = Receiver::start(plan);
    std::fs::write(path.with_extension("url"), receiver.url()).unwrap();
    for (requests, position) in [(1, 0), (5, 3), (12, 9)] {
        let (mut child, _) = start(TEST, path.as_os_str());
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
    for _ in 0..RANDOM_KILLS {
        run_and_kill(TEST, path.as_os_str(), false, 60_000, 0);
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

const EVENTS: usize = 200;

const RANDOM_KILLS: usize = 20;
