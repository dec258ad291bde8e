//! Concurrent deliveries, and deliveries while another process syncs.

use std::sync::mpsc::sync_channel;
use std::thread;
use std::time::Duration;

use methodical_mirror::{DeliveryEnd, ErrorKind, Event, Limits, Mirror, Rules};

use crate::place::Place;
use crate::support::{PHOTO, To, sync};

fn nothing(_events: &[Event]) {}

/// Returns a mirror with two consumers and three changes.
fn prepared() -> (Place, Mirror) {
    let (place, mut mirror) = Place::opened();
    for name in ["one", "other"] {
        mirror.add_consumer(name).unwrap();
    }
    let list = [r#"{"id":"1"}"#, r#"{"id":"2"}"#, r#"{"id":"3"}"#];
    sync(&mut mirror, &PHOTO, Rules::new().emit_baseline(), &list).unwrap();
    (place, mirror)
}

#[test]
fn the_threads_of_one_connection_exclude_each_other() {
    let (_place, mirror) = prepared();
    let (mut numbers, mut refused) = (Vec::new(), Vec::new());
    let mut rival = To(|events: &[Event]| {
        numbers.extend(events.iter().map(|event| event.change.number));
        let error = mirror.deliver("one", &mut To(nothing), &Limits::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Busy);
        refused.push(error.to_string());
        // Another consumer is not affected.
        mirror.deliver("other", &mut To(nothing), &Limits::default()).unwrap();
    });
    let delivery = mirror.deliver("one", &mut rival, &Limits::default()).unwrap();
    assert_eq!((delivery.delivered, delivery.end), (3, DeliveryEnd::Complete));
    assert_eq!((numbers, refused.len()), (vec![1, 2, 3], 3));
    let says = "`one`: another process is delivering to it;";
    assert!(refused.iter().all(|one| one.contains(says)), "{refused:?}");
    let after = mirror.deliver("one", &mut To(nothing), &Limits::default()).unwrap();
    assert_eq!((after.delivered, after.end), (0, DeliveryEnd::Complete));
}

#[test]
fn a_sink_that_panics_leaves_the_consumer_free() {
    let (place, mirror) = prepared();
    let mut panics = To(|_events: &[Event]| {
        std::panic::resume_unwind(Box::new("a fault"));
    });
    let deliver =
        std::panic::AssertUnwindSafe(|| mirror.deliver("one", &mut panics, &Limits::default()));
    std::panic::catch_unwind(deliver).unwrap_err();
    let delivery = place.open().deliver("one", &mut To(nothing), &Limits::default()).unwrap();
    assert_eq!(delivery.delivered, 3);
}

#[test]
fn a_sync_of_another_process_delays_a_delivery_and_does_not_repeat_it() {
    let (place, mirror) = prepared();
    let mut other = place.open();
    let (announce, begun) = sync_channel(1);
    let (_sender, silence) = sync_channel::<()>(1);
    let sync = thread::spawn(move || {
        let run = other.begin("photos/list", &PHOTO, Rules::new()).unwrap();
        announce.send(()).unwrap();
        // This wait has no event to wait for: it must be longer than SQLite waits for a lock.
        silence.recv_timeout(Duration::from_secs(11)).unwrap_err();
        drop(run);
    });
    begun.recv_timeout(Duration::from_secs(60)).unwrap();
    let mut numbers = Vec::new();
    let mut receiver = To(|events: &[Event]| numbers.push(events[0].change.number));
    let delivery = mirror.deliver("one", &mut receiver, &Limits::default()).unwrap();
    sync.join().unwrap();
    assert_eq!((delivery.delivered, numbers), (3, vec![1, 2, 3]));
}
