//! Deliveries as lines of JSON and to commands.

use std::io::{self, BufRead as _, BufReader, ErrorKind as IoKind, Write};
use std::time::{Duration, Instant};

use methodical_mirror::{DeliveryEnd, ErrorKind, Exec, Limits, Mirror, Ndjson};

use crate::support::photos;

/// Returns a mirror with three events for the consumer `all`.
fn mirror() -> Mirror {
    let mut mirror = Mirror::in_memory().unwrap();
    photos(&mut mirror, &[r#"{"id":"1","title":"Harbour"}"#]);
    mirror.add_consumer("all").unwrap();
    let changed = r#"{"id":"1","title":"Lighthouse"}"#;
    photos(&mut mirror, &[changed, r#"{"id":"2"}"#, r#"{"id":"3"}"#]);
    mirror
}

fn position(mirror: &Mirror) -> i64 {
    mirror.consumers().unwrap().remove(0).position
}

#[test]
fn each_event_is_a_line() {
    let mirror = mirror();
    let mut lines = Ndjson::new(Vec::new());
    let delivery = mirror.deliver("all", &mut lines, &Limits::default()).unwrap();
    assert_eq!((delivery.delivered, delivery.end), (3, DeliveryEnd::Complete));
    let events = mirror.events(None, 10).unwrap().0;
    let expected: Vec<_> = events.iter().map(|event| event.to_json().unwrap()).collect();
    let written = String::from_utf8(lines.into_inner()).unwrap();
    assert_eq!(written, expected.join("\n") + "\n");
}

#[test]
fn a_closed_pipe_ends_the_delivery_without_moving_the_position() {
    let mirror = mirror();
    let (reader, writer) = io::pipe().unwrap();
    drop(reader);
    let delivery = mirror.deliver("all", &mut Ndjson::new(writer), &Limits::default()).unwrap();
    assert_eq!((delivery.delivered, delivery.end), (0, DeliveryEnd::Closed));
    let one = mirror.consumers().unwrap().remove(0);
    assert_eq!((one.position, one.failures, one.next_attempt_at), (0, 0, None));

    let (reader, writer) = io::pipe().unwrap();
    mirror.deliver("all", &mut Ndjson::new(writer), &Limits::default()).unwrap();
    assert_eq!((BufReader::new(reader).lines().count(), position(&mirror)), (3, 3));
}

#[test]
fn a_full_disk_is_a_failure_and_moves_nothing() {
    /// Accepts everything until it is flushed.
    struct Full;

    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Err(IoKind::StorageFull.into())
        }
    }

    let mirror = mirror();
    let error = mirror.deliver("all", &mut Ndjson::new(Full), &Limits::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Delivery);
    let says = "cannot deliver to `all`: cannot write the events: no storage space; ";
    assert!(error.to_string().starts_with(says), "{error}");
    assert_eq!(position(&mirror), 0);
}

#[cfg(unix)]
fn shell(script: &str) -> Exec {
    Exec::new("sh", ["-c", script])
}

#[cfg(unix)]
#[test]
fn a_command_that_does_not_read_a_large_event_is_delivered_to() {
    let mut mirror = Mirror::in_memory().unwrap();
    mirror.add_consumer("all").unwrap();
    photos(&mut mirror, &[""; 0]);
    let record = format!(r#"{{"id":"1","title":"{}"}}"#, "x".repeat(1 << 20));
    photos(&mut mirror, &[&record]);
    mirror.deliver("all", &mut shell("exit 0"), &Limits::default()).unwrap();
    let oldest = mirror.changes(None, 0).unwrap().1;
    mirror.rewind_consumer("all", &oldest).unwrap();
    let mut reader = shell("test $(wc -c) -gt 1048576");
    mirror.deliver("all", &mut reader, &Limits::default()).unwrap();
    // The program has ended, but another process has the input open.
    mirror.rewind_consumer("all", &oldest).unwrap();
    mirror.deliver("all", &mut shell("sleep 2 <&0 & exit 0"), &Limits::default()).unwrap();
}

#[cfg(unix)]
#[test]
fn a_command_is_killed_at_the_timeout() {
    let mirror = mirror();
    let mut command = shell("exec sleep 600").timeout(Duration::from_secs(1));
    let start = Instant::now();
    let error = mirror.deliver("all", &mut command, &Limits::default()).unwrap_err().to_string();
    assert!(start.elapsed() < Duration::from_secs(60));
    let says = "the command sh did not end within 1s and was killed; let it end sooner, or raise its timeout";
    assert!(error.contains(says), "{error}");
}
