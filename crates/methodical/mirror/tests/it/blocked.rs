//! Deliveries while another process is syncing.

use std::sync::mpsc::sync_channel;
use std::thread;
use std::time::Duration;

use methodical_mirror::{Event, Failure, Limits, Rules, Sink};

use crate::place::Place;
use crate::support::{PHOTO, photos};

/// Keeps the numbers of the changes.
#[derive(Default)]
struct Numbers(Vec<i64>);

impl Sink for Numbers {
    fn deliver(&mut self, event: &Event) -> Result<(), Failure> {
        self.0.push(event.change.number);
        Ok(())
    }
}

#[test]
fn a_sync_of_another_process_delays_a_delivery_and_does_not_repeat_it() {
    let store = Place::new();
    let mut mirror = store.open();
    photos(&mut mirror, &[""; 0]);
    mirror.add_consumer("all").unwrap();
    photos(&mut mirror, &[r#"{"id":"1"}"#, r#"{"id":"2"}"#, r#"{"id":"3"}"#]);
    let mut other = store.open();
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
    let mut receiver = Numbers::default();
    let delivery = mirror.deliver("all", &mut receiver, &Limits::default()).unwrap();
    sync.join().unwrap();
    assert_eq!((delivery.delivered, receiver.0), (3, vec![1, 2, 3]));
}
