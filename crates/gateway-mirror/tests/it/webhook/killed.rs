//! Deliveries that are killed between the receipt of an event and the move of the position.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::sync_channel;
use std::time::Duration;

use gateway_mirror::{Limits, Rules, StartAt};

use crate::support::{PHOTO, open, sync};
use crate::webhook::receiver::{Answer, Receiver};
use crate::webhook::webhook;

/// Delivers all events, unless the process is killed before.
fn deliver(path: &Path, url: &str) {
    open(path).deliver("all", &mut webhook(url), &Limits::new()).unwrap();
}

/// Starts this test as a child that delivers.
fn start(path: &Path, url: &str) -> Child {
    let test = "webhook::killed::a_killed_delivery_repeats_events_and_loses_none";
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test])
        .env(CHILD_FILE, path)
        .env(CHILD_URL, url)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn a_killed_delivery_repeats_events_and_loses_none() {
    if let Ok(url) = std::env::var(CHILD_URL) {
        return deliver(Path::new(&std::env::var_os(CHILD_FILE).unwrap()), &url);
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mirror.db");
    let mut mirror = open(&path);
    let list: Vec<_> = (0..EVENTS).map(|id| format!(r#"{{"id":"{id}"}}"#)).collect();
    let list: Vec<_> = list.iter().map(|record| &**record).collect();
    mirror.add_consumer("all", &StartAt::End).unwrap();
    sync(&mut mirror, &PHOTO, Rules::new().emit_baseline(), &list).unwrap();

    // The first three kills: the receiver has the event, and its answer does not arrive.
    let mut plan = Vec::new();
    for accepted in [0, 3, 6] {
        plan.extend(std::iter::repeat_n(Answer::Accept, accepted));
        plan.push(Answer::Hang);
    }
    let receiver = Receiver::start(plan);
    for (requests, position) in [(1, 0), (5, 3), (12, 9)] {
        let mut child = start(&path, &receiver.url());
        receiver.wait_for(requests);
        child.kill().unwrap();
        child.wait().unwrap();
        let consumer = mirror.consumers().unwrap().remove(0);
        assert_eq!((consumer.position, consumer.failures), (position, 0));
        let ids = receiver.requests();
        assert!(ids.len() == 1 || ids.iter().filter(|one| one.id == ids[0].id).count() == 2);
    }
    // The others: at random moments.
    let (_sender, silence) = sync_channel::<()>(1);
    for _ in 0..RANDOM_KILLS {
        let mut child = start(&path, &receiver.url());
        // No message ends this wait: it is the random moment.
        let moment = Duration::from_micros(fastrand::u64(0..60_000));
        silence.recv_timeout(moment).unwrap_err();
        child.kill().unwrap();
        child.wait().unwrap();
    }
    deliver(&path, &receiver.url());

    let mut ids: Vec<_> = receiver.requests().into_iter().map(|request| request.id).collect();
    assert!(ids.len() >= EVENTS + 3, "{}", ids.len());
    ids.dedup();
    let events = mirror.events(None, usize::MAX).unwrap().0;
    assert_eq!(events.len(), EVENTS);
    assert!(ids.iter().eq(events.iter().map(|event| &event.id)), "{} ids", ids.len());
}

/// The environment variables of the child.
const CHILD_FILE: &str = "GATEWAY_MIRROR_DELIVER_FILE";
const CHILD_URL: &str = "GATEWAY_MIRROR_DELIVER_URL";

const EVENTS: usize = 200;

const RANDOM_KILLS: usize = 20;
