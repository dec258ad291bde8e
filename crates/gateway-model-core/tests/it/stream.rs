//! The push decoder.

use gateway_model_core::{ErrorKind, ListOperation as _};

use crate::photos::ListPhotos;

#[test]
fn the_buffer_is_freed_after_an_error() {
    let mut decoder = ListPhotos::new().decoder();
    decoder.push(b"!");
    let error = decoder.next_record().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Syntax);
    decoder.push(&vec![b'x'; 1 << 16]);
    decoder.finish();
    assert_eq!(decoder.next_record().unwrap_err(), error);
    assert!(format!("{decoder:?}").contains("<0 bytes>"), "{decoder:?}");
}
