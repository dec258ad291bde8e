//! Fields that the contract does not list, read on the fast path and by serde.

use crate::photos::{ListPhotos, Photo};

#[test]
fn listed_fields_between_them_are_skipped() {
    let json = r#"{"a":1, "id":"7","b": [2],"title":"x","\u0063":{"id":3}}"#;
    let body = format!("[{}]", json.replace(r#""\u0063""#, r#""c""#));
    let fast = ListPhotos::decode(body.as_bytes()).unwrap().items.remove(0);
    let serde: Photo = serde_json::from_str(json).unwrap();
    assert_eq!(fast, serde);
    let members: Vec<_> = fast.extra().iter().collect();
    assert_eq!(members, [("a".into(), "1"), ("b".into(), "[2]"), ("c".into(), r#"{"id":3}"#)]);
    assert_eq!((fast.extra().raw("id"), fast.extra().len()), (None, 3));
    assert_eq!(
        serde_json::to_string(&fast).unwrap(),
        r#"{"id":"7","title":"x","a":1,"b":[2],"c":{"id":3}}"#
    );
}
