//! Any URL and any responses of a receiver: events go only where another URL library says, and over plain `http` only to this
//! machine; an event counts as delivered exactly if the receiver said so; no text shows the path of the URL.

#![no_main]

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use gateway_transport::blocking_transport_fn;
use http::header::{HeaderValue, RETRY_AFTER};
use http::{Response, Uri};
use libfuzzer_sys::fuzz_target;
use methodical_client::retry_after;
use methodical_mirror::model::tables::{Column, Table};
use methodical_mirror::{ErrorKind, Limits, Mirror, Rules, Webhook, WebhookSecret};
use url::{Host, Url};

/// Whether plain `http` is allowed, the URL, and the responses: status, `Retry-After` and body.
type Input<'a> = (bool, &'a str, Vec<(u16, Option<&'a [u8]>, &'a [u8])>);

fuzz_target!(|input: Input<'_>| {
    let (_, text, answers) = input;
    // A text that ends within `https://` makes the next part the host.
    let url = format!("{text}/x/CANARY");
    let mut asked: Vec<Uri> = Vec::new();
    let sent = Arc::new(Mutex::new(Vec::new()));
    let answer = Arc::new(Mutex::new(Response::new(Vec::new())));
    let (kept, given) = (Arc::clone(&sent), Arc::clone(&answer));
    let transport = blocking_transport_fn(move |request| {
        kept.lock().unwrap().push(request.uri().clone());
        Ok(given.lock().unwrap().clone().map(Into::into))
    });
    let secret = WebhookSecret::new("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
    let mut webhook = match Webhook::new(transport, &url, secret) {
        Ok(webhook) => webhook,
        Err(error) => return shows_no_path(text, &error.to_string()),
    };
    shows_no_path(text, &format!("{webhook:?}"));

    let mut mirror = mirror();
    let now = SystemTime::now();
    let mut events = 3;
    for (status, wait, body) in answers.iter().take(4) {
        let mut response = Response::builder().status(200 + status % 400);
        if let Some(wait) = wait.and_then(|wait| HeaderValue::from_bytes(wait).ok()) {
            response = response.header(RETRY_AFTER, wait);
        }
        *answer.lock().unwrap() = response.body(body.to_vec()).unwrap();
        let status = answer.lock().unwrap().status();
        let wait = retry_after(answer.lock().unwrap().headers(), now);
        let result = mirror.deliver("receiver", &mut webhook, &Limits::default());
        asked.append(&mut sent.lock().unwrap());
        let consumer = mirror.consumers().unwrap().remove(0);
        if events == 0 {
            assert_eq!(result.unwrap().delivered, 0);
        } else if status.is_success() {
            assert_eq!(result.unwrap().delivered, events);
            events = 0;
        } else {
            let error = result.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Delivery);
            shows_no_path(text, &error.to_string());
            assert_eq!(consumer.disabled_at.is_some(), status.as_u16() == 410, "{status}");
            if let (Some(wait), Some(next)) = (wait, consumer.next_attempt_at) {
                let asked = (now + wait.min(DAY)).duration_since(SystemTime::UNIX_EPOCH).unwrap();
                assert!(next >= asked.as_secs().cast_signed() - 1, "{wait:?}");
            }
            mirror.enable_consumer("receiver").unwrap();
        }
        assert_eq!(consumer.behind, events, "an event is lost or repeated");
    }
    asked.iter().for_each(|asked| leads_where_it_says(&url, asked));
});

/// Texts of the mirror show at most the origin.
fn shows_no_path(text: &str, shown: &str) {
    assert!(text.contains("CANARY") || !shown.contains("CANARY"), "{shown}");
}

fn leads_where_it_says(text: &str, sent: &Uri) {
    let Ok(url) = Url::parse(text) else { return };
    assert_eq!(Some(url.scheme()), sent.scheme_str());
    assert!(url.username().is_empty() && url.password().is_none());
    let host = url.host().expect("a host");
    assert_eq!(host.to_owned(), Host::parse(sent.host().unwrap()).unwrap(), "{text:?}");
    if url.scheme() == "http" {
        let is_local = match host {
            Host::Domain(name) => name == "localhost" || name.ends_with(".localhost"),
            Host::Ipv4(address) => address.is_loopback(),
            Host::Ipv6(address) => address.is_loopback(),
        };
        assert!(is_local, "{text:?}");
    }
}

/// A mirror with three events for a receiver.
fn mirror() -> Mirror {
    let mut mirror = Mirror::in_memory().unwrap();
    mirror.add_consumer("receiver").unwrap();
    let mut run = mirror.begin("photos/list", &PHOTO, Rules::new().emit_baseline()).unwrap();
    for id in 0..3 {
        run.record(&format!(r#"{{"id":"{id}"}}"#)).unwrap();
    }
    run.finish().unwrap();
    mirror
}

const PHOTO: Table = Table::new("photo", "id", &[Column::text(&["id"])]);

/// The longest wait that a receiver can ask for.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
