//! Concurrent deliveries.

use methodical_mirror::{DeliveryEnd, ErrorKind, Event, Failure, Limits, Mirror, Rules, Sink};

use crate::place::Place;
use crate::support::{PHOTO, sync};

/// Attempts deliveries with another mirror, while it has an event.
struct Rival<'a> {
    mirror: &'a Mirror,
    numbers: Vec<i64>,
    refused: Vec<String>,
}

impl Sink for Rival<'_> {
    fn deliver(&mut self, event: &Event) -> Result<(), Failure> {
        self.numbers.push(event.change.number);
        let error = self.mirror.deliver("one", &mut Nothing, &Limits::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Busy);
        self.refused.push(error.to_string());
        // Another consumer is not affected.
        self.mirror.deliver("other", &mut Nothing, &Limits::default()).unwrap();
        Ok(())
    }
}

struct Nothing;

impl Sink for Nothing {
    fn deliver(&mut self, _event: &Event) -> Result<(), Failure> {
        Ok(())
    }
}

struct Panics;

impl Sink for Panics {
    fn deliver(&mut self, _event: &Event) -> Result<(), Failure> {
        std::panic::resume_unwind(Box::new("a fault of the sink"))
    }
}

/// Adds two consumers and changes.
fn prepare(mirror: &mut Mirror) {
    for name in ["one", "other"] {
        mirror.add_consumer(name).unwrap();
    }
    let list = [r#"{"id":"1"}"#, r#"{"id":"2"}"#, r#"{"id":"3"}"#];
    sync(mirror, &PHOTO, Rules::new().emit_baseline(), &list).unwrap();
}

#[test]
fn the_threads_of_one_connection_exclude_each_other() {
    let place = Place::new();
    let mut mirror = place.open();
    prepare(&mut mirror);
    let mut rival = Rival { mirror: &mirror, numbers: Vec::new(), refused: Vec::new() };
    let delivery = mirror.deliver("one", &mut rival, &Limits::default()).unwrap();
    assert_eq!((delivery.delivered, delivery.end), (3, DeliveryEnd::Complete));
    assert_eq!((rival.numbers, rival.refused.len()), (vec![1, 2, 3], 3));
    let says = "`one`: another process is delivering to it;";
    assert!(rival.refused.iter().all(|one| one.contains(says)), "{:?}", rival.refused);
    let after = mirror.deliver("one", &mut Nothing, &Limits::default()).unwrap();
    assert_eq!((after.delivered, after.end), (0, DeliveryEnd::Complete));
}

#[test]
fn a_sink_that_panics_leaves_the_consumer_free() {
    let place = Place::new();
    let mut mirror = place.open();
    prepare(&mut mirror);
    let panics =
        std::panic::AssertUnwindSafe(|| mirror.deliver("one", &mut Panics, &Limits::default()));
    std::panic::catch_unwind(panics).unwrap_err();
    let delivery = place.open().deliver("one", &mut Nothing, &Limits::default()).unwrap();
    assert_eq!(delivery.delivered, 3);
}
