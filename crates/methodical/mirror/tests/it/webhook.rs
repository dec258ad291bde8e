//! Deliveries to a URL, over real sockets.

mod killed;
mod receiver;

use std::time::{Duration, UNIX_EPOCH};

use gateway_transport::Options;
use gateway_transport::ureq::UreqTransport;
use methodical_mirror::{Consumer, DeliveryEnd, ErrorKind, Limits, Mirror, Webhook};

use self::receiver::{Answer, Receiver};
use crate::support::{Clock, photos};

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

fn webhook(url: &str) -> Webhook {
    let transport = UreqTransport::new(&Options::default()).unwrap();
    Webhook::new(transport, url, SECRET).unwrap()
}

/// Returns a mirror with events for the consumer `all`, and its clock.
fn mirror(events: u64) -> (Mirror, Clock) {
    let clock = Clock::default();
    clock.set(1_795_000_000);
    let mut mirror = clock.of(Mirror::in_memory().unwrap());
    photos(&mut mirror, &[""; 0]);
    mirror.add_consumer("all").unwrap();
    let list: Vec<_> =
        (0..events).map(|id| format!(r#"{{"id":"{id}","title":"CANARY {id}"}}"#)).collect();
    photos(&mut mirror, &list);
    (mirror, clock)
}

fn consumer(mirror: &Mirror) -> Consumer {
    mirror.consumers().unwrap().remove(0)
}

#[test]
fn every_event_arrives_although_the_receiver_fails_hangs_answers_410_and_returns() {
    let (mut mirror, clock) = mirror(20);
    let plan = [
        Answer::Status("500 Internal Server Error"),
        Answer::Accept,
        Answer::Accept,
        Answer::Hang,
        Answer::Reset,
        Answer::Accept,
        Answer::Status("410 Gone"),
        Answer::Status("503 Service Unavailable\r\nretry-after: 300"),
        Answer::Status("302 Found\r\nlocation: /other"),
        Answer::Status("404 Not Found"),
        Answer::Garbage,
    ];
    let (failures, receiver) = (8, Receiver::start(plan));
    let mut sink = webhook(&receiver.url()).timeout(Duration::from_secs(2));
    let (mut errors, mut waits) = (Vec::new(), Vec::new());
    loop {
        match mirror.deliver("all", &mut sink, &Limits::default()) {
            Ok(delivery) if delivery.end == DeliveryEnd::Complete => break,
            Ok(delivery) => panic!("{delivery:?}"),
            Err(error) if error.kind() == ErrorKind::Delivery => errors.push(error.to_string()),
            Err(error) => panic!("{error}"),
        }
        let state = consumer(&mirror);
        if state.disabled_at.is_some() {
            let refused = mirror.deliver("all", &mut sink, &Limits::default()).unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::Consumer);
            mirror.enable_consumer("all").unwrap();
        }
        if let Some(until) = state.next_attempt_at {
            let early = mirror.deliver("all", &mut sink, &Limits::default()).unwrap();
            assert_eq!(early.end, DeliveryEnd::Waiting { until });
            waits.push(until - state.failed_at.unwrap());
            clock.set(until.unsigned_abs());
        }
    }
    assert_eq!(errors.len(), failures, "{errors:#?}");
    assert!(waits.contains(&300), "the receiver asked for it: {waits:?}");
    // The receiver that hangs.
    assert!(errors[1].contains("cannot send the event to http://127.0.0.1:"), "{errors:#?}");
    for error in &errors {
        assert!(!error.contains("CANARY") && !error.contains("/hook"), "{error}");
    }
    let requests = receiver.requests();
    assert_eq!(requests.len(), 20 + failures);
    let accepted: Vec<_> = requests.iter().filter(|one| one.accepted).map(|one| &one.id).collect();
    let events = mirror.events(None, 100).unwrap().0;
    assert_eq!(accepted, events.iter().map(|event| &event.id).collect::<Vec<_>>());
    // Each failed attempt was also for the event that was due.
    let mut ids: Vec<_> = requests.iter().map(|one| (&one.id, &one.body)).collect();
    ids.dedup();
    assert_eq!(ids.len(), 20);
}

#[test]
fn the_request_is_signed() {
    let (mirror, _) = mirror(1);
    let receiver = Receiver::start([]);
    let mut sink = webhook(&receiver.url());
    mirror.deliver("all", &mut sink, &Limits::default()).unwrap();
    let request = receiver.requests().remove(0);
    assert_eq!(request.line, "POST /hook?key=CANARY HTTP/1.1");
    assert_eq!(request.header("content-type"), "application/json");
    let signature = request.header("webhook-signature");
    assert!(signature.starts_with("v1,") && signature.len() == 47, "{signature}");
    let event = mirror.events(None, 1).unwrap().0.remove(0);
    assert_eq!(request.id, event.id);
    assert_eq!(request.body, event.to_json().unwrap());
    let sent: u64 = request.header("webhook-timestamp").parse().unwrap();
    assert!(UNIX_EPOCH.elapsed().unwrap().as_secs() - sent < 60);
    assert_eq!(format!("{sink:?}").matches("CANARY").count(), 0);
}

#[test]
fn a_batch_is_one_signed_request_and_is_sent_again_as_a_whole() {
    let (mirror, clock) = mirror(5);
    let receiver = Receiver::start([Answer::Accept, Answer::Status("500 Internal Server Error")]);
    let mut sink = webhook(&receiver.url()).batch(2.try_into().unwrap());
    let error = mirror.deliver("all", &mut sink, &Limits::default()).unwrap_err();
    assert_eq!((error.kind(), consumer(&mirror).position), (ErrorKind::Delivery, 2));
    clock.advance(60);
    assert_eq!(mirror.deliver("all", &mut sink, &Limits::default()).unwrap().delivered, 3);
    let events = mirror.events(None, 9).unwrap().0;
    let json: Vec<String> = events.iter().map(|event| event.to_json().unwrap()).collect();
    let sent: Vec<_> = receiver.requests().into_iter().map(|one| (one.id, one.body)).collect();
    let batch = |from: usize, to: usize| {
        (events[to].id.clone(), format!("[{}]", json[from..=to].join(",")))
    };
    assert_eq!(sent, [batch(0, 1), batch(2, 3), batch(2, 3), batch(4, 4)]);
}

/// The receiver closes the idle connection just as the next event is sent over it.
#[test]
fn an_event_is_sent_again_at_once_if_the_kept_connection_was_closed() {
    let (mirror, _) = mirror(3);
    let receiver = Receiver::start([Answer::Accept, Answer::Reset, Answer::Accept]);
    let delivery =
        mirror.deliver("all", &mut webhook(&receiver.url()), &Limits::default()).unwrap();
    assert_eq!((delivery.delivered, delivery.end), (3, DeliveryEnd::Complete));
    let requests = receiver.requests();
    assert_eq!(requests.iter().map(|one| one.connection).collect::<Vec<_>>(), [1, 1, 2, 2]);
    let ids: Vec<_> = mirror.events(None, 9).unwrap().0.into_iter().map(|one| one.id).collect();
    let sent: Vec<_> = requests.into_iter().map(|one| one.id).collect();
    assert_eq!(sent, [0, 1, 1, 2].map(|index: usize| ids[index].clone()));
}

/// An event that also fails on a new connection is sent again only later.
#[test]
fn an_event_is_sent_again_at_once_only_once() {
    let (mirror, _) = mirror(2);
    let receiver = Receiver::start([Answer::Accept, Answer::Reset, Answer::Reset]);
    let mut sink = webhook(&receiver.url());
    let error = mirror.deliver("all", &mut sink, &Limits::default()).unwrap_err().to_string();
    assert!(error.contains("the connection was lost; the next attempt is due at"), "{error}");
    assert_eq!((receiver.requests().len(), consumer(&mirror).failures), (3, 1));
}
