//! Records and bodies, which may be personal, do not show themselves.

use methodical_model::RawQuery;

use crate::photos::Photos;

#[test]
fn a_document_shows_itself_only_on_request() {
    let text = r#"{"name": "Anna"}"#;
    let json = RawQuery::<Photos>::decode(text.as_bytes()).unwrap();
    assert_eq!(json.as_str(), text);
    let shown = format!("{json:?}");
    assert!(shown.starts_with("RawJson") && !shown.contains("Anna"), "{shown}");
    assert_eq!(json.into_string(), text);
}
