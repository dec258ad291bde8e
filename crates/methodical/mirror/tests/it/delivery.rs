//! Deliveries of the feed, even concurrent ones, and while another process syncs.

use std::sync::mpsc::sync_channel;
use std::thread;
use std::time::Duration;

use methodical_mirror::{
    Consumer, DeliveryEnd, ErrorKind, Event, Failure, Limits, Mirror, Purge, Rules, Sink,
};

use crate::place::Place;
use crate::support::{Clock, PHOTO, To, photos, sync};

const ONE: &str = r#"{"id":"1","title":"Harbour","size":null,"stars":[1]}"#;
const ONE_LATER: &str = r#"{"id":"1","title":"Lighthouse","size":3}"#;
const TWO: &str = r#"{"id":"2","title":"Bridge"}"#;
const THREE: &str = r#"{"id":"3"}"#;

/// The time of the first sync.
const NOW: u64 = 1_795_000_000;

/// Keeps events, and fails as planned.
#[derive(Default)]
struct Receiver {
    events: Vec<Event>,
    /// The answers to the next events; `None` accepts an event.
    plan: Vec<Option<Failure>>,
    batch: usize,
}

impl Receiver {
    fn failing(failure: Failure) -> Self {
        Self { plan: vec![Some(failure)], ..Self::default() }
    }

    fn numbers(&self) -> Vec<i64> {
        self.events.iter().map(|event| event.change.number).collect()
    }
}

impl Sink for Receiver {
    fn deliver(&mut self, events: &[Event]) -> Result<(), Failure> {
        let answer = if self.plan.is_empty() { None } else { self.plan.remove(0) };
        self.events.extend_from_slice(events);
        answer.map_or(Ok(()), Err)
    }

    fn batch(&self) -> usize {
        self.batch.max(1)
    }
}

/// Returns a mirror with a baseline of one record and a consumer `all` at its end.
fn opened() -> (Place, Mirror, Clock) {
    let (place, mut mirror, clock) = Place::timed();
    clock.set(NOW);
    photos(&mut mirror, &[ONE]);
    assert!(mirror.add_consumer("all").unwrap());
    (place, mirror, clock)
}

/// Syncs a list with four changes: one changed, two added, and later one missing.
fn four_changes(mirror: &mut Mirror) {
    photos(mirror, &[ONE_LATER, TWO, THREE]);
    photos(mirror, &[ONE_LATER, THREE]);
}

fn consumer(mirror: &Mirror) -> Consumer {
    mirror.consumers().unwrap().remove(0)
}

#[test]
fn each_event_is_delivered_once_and_in_order() {
    let (_place, mut mirror, clock) = opened();
    four_changes(&mut mirror);
    assert_eq!(consumer(&mirror).behind, 4);
    clock.advance(7);
    let mut receiver = Receiver::default();
    let delivery = mirror.deliver("all", &mut receiver, &Limits::default()).unwrap();
    assert_eq!((delivery.delivered, delivery.behind), (4, 0));
    assert_eq!(delivery.end, DeliveryEnd::Complete);
    assert_eq!(receiver.numbers(), [1, 2, 3, 4]);
    let one = consumer(&mirror);
    assert_eq!((one.position, one.behind, one.failures), (4, 0, 0));
    assert_eq!(one.delivered_at, Some(one.created_at + 7));

    let again = mirror.deliver("all", &mut receiver, &Limits::default()).unwrap();
    assert_eq!((again.delivered, receiver.events.len()), (0, 4));
}

#[test]
fn the_json_form_has_the_record_as_it_is_at_the_delivery() {
    let (_place, mut mirror, _clock) = opened();
    four_changes(&mut mirror);
    mirror.forget("photo", "3").unwrap();
    let (events, _) = mirror.events(None, 100).unwrap();
    let mut ids: Vec<_> = events.iter().map(|event| event.id.clone()).collect();
    let json = |event: &Event| event.to_json().unwrap().replace(&event.id, "<id>");
    let shown: Vec<_> = events.iter().map(json).collect();
    insta::allow_duplicates!(insta::assert_snapshot!(shown.join("\n"), @r#"
    {"id":"<id>","number":1,"at":"2026-11-18T11:06:40Z","table":"photo","record_id":"1","kind":"changed","fields":["mirror_extra","size","title"],"previous":null,"value":null,"record":{"id":"1","size":3,"title":"Lighthouse"}}
    {"id":"<id>","number":2,"at":"2026-11-18T11:06:40Z","table":"photo","record_id":"2","kind":"added","fields":[],"previous":null,"value":null,"record":{"id":"2","title":"Bridge"}}
    {"id":"<id>","number":3,"at":"2026-11-18T11:06:40Z","table":"photo","record_id":"3","kind":"added","fields":[],"previous":null,"value":null,"record":null}
    {"id":"<id>","number":4,"at":"2026-11-18T11:06:40Z","table":"photo","record_id":"2","kind":"missing","fields":[],"previous":null,"value":null,"record":{"id":"2","title":"Bridge"}}
    {"id":"<id>","number":5,"at":"2026-11-18T11:06:40Z","table":"photo","record_id":"3","kind":"gone","fields":[],"previous":null,"value":null,"record":null}
    "#));

    assert!(ids.iter().all(|id| id.len() == 32), "{ids:?}");
    ids.dedup();
    assert_eq!(ids.len(), 5);
    assert!(!format!("{events:?}").contains("Lighthouse"));
}

#[test]
fn a_consumer_begins_at_the_end_at_the_oldest_change_or_after_a_cursor() {
    let (_place, mut mirror, _clock) = opened();
    photos(&mut mirror, &[ONE, TWO]);
    let cursor = mirror.cursor().unwrap();
    photos(&mut mirror, &[ONE, TWO, THREE]);
    let oldest = mirror.changes(None, 0).unwrap().1;
    for (start, expected) in [(None, &[][..]), (Some(oldest), &[1, 2]), (Some(cursor), &[2])] {
        let mut receiver = Receiver::default();
        mirror.add_consumer("new").unwrap();
        if let Some(cursor) = &start {
            mirror.rewind_consumer("new", cursor).unwrap();
        }
        mirror.deliver("new", &mut receiver, &Limits::default()).unwrap();
        assert_eq!(receiver.numbers(), expected, "{start:?}");
        assert!(mirror.remove_consumer("new").unwrap());
    }
    assert!(!mirror.remove_consumer("new").unwrap());
    let last = mirror.cursor().unwrap();
    mirror.add_consumer("last").unwrap();
    mirror.rewind_consumer("last", &last).unwrap();
    let foreign = Mirror::in_memory().unwrap().cursor().unwrap();
    let error = mirror.rewind_consumer("last", &foreign).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cursor);
}

#[test]
fn a_failed_event_is_delivered_again_after_a_delay_with_the_same_id() {
    let (place, mut mirror, clock) = opened();
    four_changes(&mut mirror);
    let mut receiver = Receiver { plan: vec![None, None], ..Receiver::default() };
    receiver.plan.push(Some(Failure::new("status 503")));
    let error = mirror.deliver("all", &mut receiver, &Limits::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Delivery);
    let says = "cannot deliver to `all`: status 503; the next attempt is due at 2026-11-";
    assert!(error.to_string().starts_with(says), "{error}");
    let one = consumer(&mirror);
    assert_eq!((one.position, one.failures), (2, 1));
    let until = one.next_attempt_at.unwrap();
    assert_eq!(until, one.created_at + 5);

    drop(mirror);
    let mirror = clock.of(place.open());
    assert_eq!(consumer(&mirror), one);
    let early = mirror.deliver("all", &mut receiver, &Limits::default()).unwrap();
    assert_eq!((early.end, early.behind), (DeliveryEnd::Waiting { until }, 2));
    assert_eq!(receiver.numbers(), [1, 2, 3]);

    clock.advance(5);
    mirror.deliver("all", &mut receiver, &Limits::default()).unwrap();
    assert_eq!(receiver.numbers(), [1, 2, 3, 3, 4]);
    assert_eq!(receiver.events[2], receiver.events[3]);
    let one = consumer(&mirror);
    assert_eq!((one.position, one.failures, one.next_attempt_at), (4, 0, None));
}

#[test]
fn a_receiver_can_ask_for_a_delay_which_a_clock_that_is_set_back_does_not_prolong() {
    let (_place, mut mirror, clock) = opened();
    photos(&mut mirror, &[ONE_LATER]);
    let mut now = NOW;
    for (asked, kept) in [(120, 120), (u64::MAX, 24 * 60 * 60)] {
        clock.set(now);
        let failure = Failure::new("busy").retry_after(Duration::from_secs(asked));
        let mut receiver = Receiver::failing(failure);
        mirror.deliver("all", &mut receiver, &Limits::default()).unwrap_err();
        now += kept;
        assert_eq!(consumer(&mirror).next_attempt_at, i64::try_from(now).ok());
    }
    clock.set(1_000_000_000);
    let delivery = mirror.deliver("all", &mut Receiver::default(), &Limits::default()).unwrap();
    assert_eq!(delivery.delivered, 1);
}

#[test]
fn the_position_moves_only_after_a_whole_batch() {
    let (_place, mut mirror, clock) = opened();
    four_changes(&mut mirror);
    let failure = Failure::new("the disk is full");
    let mut receiver = Receiver { batch: 3, ..Receiver::failing(failure) };
    mirror.deliver("all", &mut receiver, &Limits::default()).unwrap_err();
    assert_eq!((receiver.numbers(), consumer(&mirror).position), (vec![1, 2, 3], 0));

    receiver.plan = vec![None, Some(Failure::new("status 500"))];
    clock.advance(5);
    mirror.deliver("all", &mut receiver, &Limits::default()).unwrap_err();
    assert_eq!(consumer(&mirror).position, 3);

    clock.advance(5);
    mirror.deliver("all", &mut receiver, &Limits::default()).unwrap();
    assert_eq!(receiver.numbers(), [1, 2, 3, 1, 2, 3, 4, 4]);
}

#[test]
fn unknown_and_invalid_names_are_refused() {
    let (_place, mut mirror, _clock) = opened();
    let mut receiver = Receiver::default();
    let error = mirror.deliver("other", &mut receiver, &Limits::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Consumer);
    let says = "cannot find the consumer `other`: the mirror has no such consumer; add it first";
    assert_eq!(error.to_string(), says);
    for name in ["", "two\nlines"] {
        let error = mirror.add_consumer(name).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Consumer, "{name}");
        let error = mirror.enable_consumer(name).unwrap_err().to_string();
        assert!(!error.contains('\n'), "{error}");
    }
}

#[test]
fn a_consumer_whose_changes_were_removed_needs_a_snapshot() {
    let (store, mut mirror) = Place::opened();
    photos(&mut mirror, &[ONE]);
    four_changes(&mut mirror);
    let until = mirror.changes(None, 2).unwrap().1;
    mirror.purge(&Purge { until: Some(until.clone()), ..Purge::default() }).unwrap();
    mirror.add_consumer("all").unwrap();
    for (position, why) in [
        (1, "the changes after the position of the consumer were removed"),
        (9, "the mirror is older than the position of the consumer"),
    ] {
        store.execute(&format!("UPDATE mirror_consumer SET position = {position}"));
        let mut receiver = Receiver::default();
        let error = mirror.deliver("all", &mut receiver, &Limits::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Cursor);
        let next = "take a new snapshot, and rewind the consumer to its cursor";
        assert_eq!(error.to_string(), format!("cannot deliver to `all`: {why}; {next}"));
    }
    mirror.rewind_consumer("all", &until).unwrap();
    let mut receiver = Receiver::default();
    mirror.deliver("all", &mut receiver, &Limits::default()).unwrap();
    assert_eq!(receiver.numbers(), [3, 4]);
}

#[test]
fn a_consumer_that_is_moved_during_a_delivery_ends_it() {
    let (place, mut mirror, _clock) = opened();
    four_changes(&mut mirror);
    let (mut other, mut numbers) = (Some(place.open()), Vec::new());
    // Moves the consumer through another connection, while it has an event.
    let mut mover = To(|events: &[Event]| {
        if let Some(mut mirror) = other.take() {
            let after = mirror.changes(None, 2).unwrap().1;
            mirror.rewind_consumer("all", &after).unwrap();
        }
        numbers.push(events[0].change.number);
    });
    let error = mirror.deliver("all", &mut mover, &Limits::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Busy);
    mirror.deliver("all", &mut mover, &Limits::default()).unwrap();
    assert_eq!(numbers, [1, 3, 4]);
}

fn nothing(_events: &[Event]) {}

/// Returns a mirror with two consumers and three changes.
fn prepared() -> (Place, Mirror) {
    let (place, mut mirror) = Place::opened();
    for name in ["one", "other"] {
        mirror.add_consumer(name).unwrap();
    }
    let list = [r#"{"id":"1"}"#, r#"{"id":"2"}"#, r#"{"id":"3"}"#];
    sync(&mut mirror, &PHOTO, Rules { emits_baseline: true, ..Rules::default() }, &list).unwrap();
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
        let run = other.begin("photos/list", &PHOTO, Rules::default()).unwrap();
        announce.send(()).unwrap();
        // No event marks the end of this wait, which must be longer than SQLite waits for a lock.
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
