//! The push decoder.

use methodical_model::{DecodeErrorKind, ListOperation as _, Next, StreamDecoder};

use crate::photos::{ListPhotos, Photo};

#[test]
fn the_buffer_is_freed_after_an_error() {
    let mut decoder = ListPhotos::new().decoder();
    decoder.push(b"!");
    let error = decoder.next_record().unwrap_err();
    assert_eq!(error.kind(), DecodeErrorKind::Syntax);
    decoder.push(&vec![b'x'; 1 << 16]);
    decoder.finish();
    assert_eq!(decoder.next_record().unwrap_err(), error);
    assert!(format!("{decoder:?}").contains("<0 bytes>"), "{decoder:?}");
}

/// Returns the entries of a list that is pushed in pieces of this size, with a record limit of 32 bytes. A rejected
/// record is given as its index, position and kind.
#[track_caller]
fn entries(body: &[u8], size: usize) -> Vec<String> {
    let mut decoder = ListPhotos::new().decoder().with_record_limit(32);
    let mut entries = Vec::new();
    for piece in body.chunks(size) {
        decoder.push(piece);
        take(&mut decoder, &mut entries);
        let held = format!("{decoder:?}");
        let held = held.rsplit_once('<').unwrap().1.split_once(' ').unwrap().0;
        assert!(held.parse::<usize>().unwrap() <= 32 + size, "{held} bytes are kept");
    }
    decoder.finish();
    take(&mut decoder, &mut entries);
    // Every later call returns the error again.
    entries.dedup();
    entries
}

fn take(decoder: &mut StreamDecoder<Photo>, entries: &mut Vec<String>) {
    loop {
        entries.push(match decoder.next_record() {
            Ok(Next::Item(photo)) => photo.id.as_str().to_owned(),
            Ok(Next::Rejected(rejected)) => {
                let (index, error) = (rejected.index(), rejected.error());
                assert_eq!((rejected.raw(), error.delivered()), ("", index));
                format!("{} of {}", error.kind().as_str(), error.path())
            }
            Ok(Next::End) => "end".to_owned(),
            Ok(_) => return,
            Err(error) => format!("{} after {}", error.kind().as_str(), error.delivered()),
        });
        let last = entries.last().unwrap();
        if last == "end" || last.contains(" after ") {
            return;
        }
    }
}

#[test]
fn a_record_that_exceeds_the_limit_is_rejected_and_the_records_after_it_are_read() {
    let body = r#" [ {"id":"1"} , {"title":"]}\\\"é, [[ and more text\\","id":"2"}, [[[1,2],[3,4]],"56789012345678901"],
        "\"345678901234567890123456789012345", 123456789012345678901234567890123 ,{"id":"6"}, 0123456789012345678901234567890123]"#;
    let expected = "1, too_large of [1], too_large of [2], too_large of [3], too_large of [4], 6, \
                    too_large of [6], end";
    for size in 1..=body.len() {
        assert_eq!(entries(body.as_bytes(), size).join(", "), expected, "pieces of {size}");
    }
}

#[test]
fn a_body_that_ends_or_breaks_within_a_long_record_is_an_error() {
    let long = r#"[{"id":"1"},{"title":"A title of more than 32 bytes "#;
    for size in [1, 7, 1000] {
        assert_eq!(entries(long.as_bytes(), size), ["1", "incomplete after 1"]);
        assert_eq!(
            entries(&[long.as_bytes(), b"\xff\"}]"].concat(), size),
            ["1", "encoding after 1"]
        );
    }
}
