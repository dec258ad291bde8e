//! Repeated syncs and deliveries.

use std::sync::mpsc::sync_channel;
use std::thread;
use std::time::{Duration, Instant};

use methodical_mirror::{
    Error, ErrorKind, Event, Failure, Limits, Mirror, Rules, Schedule, Sink, StartAt, Stop,
};

use crate::support::photos;

/// Fails once, and asks for a short delay.
struct FailsOnce(Vec<i64>);

impl Sink for FailsOnce {
    fn deliver(&mut self, event: &Event) -> Result<(), Failure> {
        self.0.push(event.change.number);
        if self.0.len() > 1 {
            return Ok(());
        }
        Err(Failure::new("busy").retry_after(Duration::from_millis(10)))
    }
}

#[test]
fn a_delivery_follows_each_sync_and_is_attempted_again_before_the_next_one() {
    let mut mirror = Mirror::in_memory().unwrap();
    photos(&mut mirror, &[]);
    mirror.add_consumer("all", &StartAt::End).unwrap();
    let (stop, mut sink, mut syncs, mut steps) =
        (Stop::new(), FailsOnce(Vec::new()), 0, Vec::new());
    let start = Instant::now();
    let sync = |mirror: &mut Mirror| {
        syncs += 1;
        photos(mirror, &[r#"{"id":"1"}"#]);
        Ok::<_, Error>(())
    };
    let deliver = |mirror: &Mirror| {
        let result = mirror.deliver("all", &mut sink, &Limits::new());
        steps.push(result.as_ref().map_err(Error::kind).map(|delivery| delivery.delivered));
        if result.is_ok() {
            stop.request();
        }
        Ok(())
    };
    let schedule = Schedule::every(Duration::from_secs(3600));
    mirror.follow(schedule, &stop, &["all"], sync, deliver).unwrap();
    assert_eq!((syncs, sink.0), (1, vec![1, 1]));
    assert_eq!(steps, [Err(ErrorKind::Delivery), Ok(1)]);
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}

#[test]
fn a_request_to_stop_ends_a_wait_immediately() {
    let (stop, other) = (Stop::new(), Stop::new());
    let (sender, delivered) = sync_channel(1);
    let (ended, end) = sync_channel(1);
    let request = stop.clone();
    let follower = thread::spawn(move || {
        let mut mirror = Mirror::in_memory().unwrap();
        let schedule = Schedule::every(Duration::from_secs(3600));
        let sync = |_: &mut Mirror| Ok::<_, Error>(());
        let deliver = |_: &Mirror| {
            sender.send(()).unwrap();
            Ok(())
        };
        mirror.follow(schedule, &stop, &[], sync, deliver).unwrap();
        ended.send(()).unwrap();
    });
    delivered.recv_timeout(LIMIT).unwrap();
    assert!(end.try_recv().is_err() && !other.is_requested());
    request.request();
    end.recv_timeout(LIMIT).unwrap();
    follower.join().unwrap();
}

#[test]
fn syncs_are_repeated_and_a_failure_ends_them() {
    let (mut mirror, mut syncs, start) = (Mirror::in_memory().unwrap(), 0, Instant::now());
    let sync = |mirror: &mut Mirror| {
        syncs += 1;
        if syncs < 3 {
            Ok(())
        } else {
            mirror.begin("photos/list", &INVALID, Rules::new()).map(drop)
        }
    };
    let schedule = Schedule::every(Duration::from_secs(1)).jitter(Duration::ZERO);
    let error = mirror.follow(schedule, &Stop::new(), &[], sync, |_| Ok(())).unwrap_err();
    assert_eq!((error.kind(), syncs), (ErrorKind::Table, 3));
    assert!(start.elapsed() >= Duration::from_secs(2), "{:?}", start.elapsed());
}

const INVALID: methodical_mirror::model::Table =
    methodical_mirror::model::Table::new("", "id", &[]);

/// Limit of a wait for the other thread.
const LIMIT: Duration = Duration::from_secs(60);
