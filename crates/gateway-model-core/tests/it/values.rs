//! Values show, compare and convert themselves; records and bodies, which may be personal, do not show themselves.

use std::collections::HashSet;

use gateway_model_core::{ErrorKind, FlatRow, Float, Operation as _, RawQuery};

use crate::photos::{ListPhotos, Photo, PhotoId, Photos};

#[test]
fn a_document_shows_itself_only_on_request() {
    let text = r#"{"name": "Anna"}"#;
    let json = RawQuery::<Photos>::decode(text.as_bytes()).unwrap();
    assert_eq!((json.as_ref(), json.to_string().as_str()), (text, text));
    let shown = format!("{json:?}");
    assert!(shown.starts_with("RawJson") && !shown.contains("Anna"), "{shown}");
}

#[test]
fn a_row_shows_its_columns_and_no_cell() {
    let mut photo = Photo::new("7");
    photo.place = Some("Home".into());
    let shown = format!("{:?}", FlatRow::of(&photo));
    assert_eq!(shown, r#"FlatRow { columns: ["id", "title", "place", "extra"], .. }"#);
}

#[test]
fn untyped_queries_differ_in_each_part() {
    use gateway_model_core::BodyFormat::Json;

    let new = || RawQuery::<Photos>::new("a").post(Json);
    let different = [
        new(),
        new().idempotent(),
        new().pair("a", "1"),
        new().pair("a", "2"),
        RawQuery::new("a"),
        RawQuery::new("b"),
    ];
    assert_eq!(different.iter().collect::<HashSet<_>>().len(), different.len());
    assert_eq!(HashSet::from([new(), new()]).len(), 1);
    assert!(new().idempotent().query().unwrap().is_idempotent());
    assert!(!new().query().unwrap().is_idempotent());
}

#[test]
fn a_list_is_iterated_by_value_and_by_reference() {
    let listing = ListPhotos::decode(br#"[{"id":"1"},{"id":"2"}]"#).unwrap();
    let borrowed: Vec<&PhotoId> = (&listing).into_iter().map(|photo| &photo.id).collect();
    assert_eq!(borrowed, [&PhotoId::from(1), &PhotoId::from(2)]);
    let owned: Vec<PhotoId> = listing.into_iter().map(|photo| photo.id).collect();
    assert_eq!(owned, [PhotoId::from(1), PhotoId::from(2)]);
}

#[test]
fn floats_are_ordered_and_shown_as_numbers() {
    let mut floats = [Float::from(2_u32), Float::from(-1), "0.5".parse().unwrap()];
    floats.sort();
    assert_eq!(floats.map(|float| format!("{float} {float:?}")), ["-1 -1.0", "0.5 0.5", "2 2.0"]);
    assert_eq!(HashSet::from(floats).len(), 3);
    assert_eq!(Float::try_from(f64::NAN).unwrap_err().kind(), ErrorKind::Conversion);
    assert_eq!(Float::try_from(1.5).unwrap().get().to_bits(), 1.5_f64.to_bits());
}
