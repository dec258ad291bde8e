//! Fields of every type, decoded on the fast path and by serde.

use std::borrow::Cow;

use methodical_model::codegen::{self, Nulls};
use methodical_model::{DecodeErrorKind, Extra};

use crate::collections::{Page, PageRef, Size, State};
use crate::support::{decoded, rejected};

codegen::scalar! {
    /// A difference in days.
    Days, signed_integer
}

codegen::wire_enum! {
    /// The orientation.
    Orientation, UnknownOrientation, "text", not "round",
    {
        /// Higher than wide.
        Portrait = "portrait",
        /// Wider than high.
        Landscape = "landscape",
    }
}

/// A folder, which may have a page.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Folder {
    name: String,
    size: Size,
    format: Option<State>,
    orientation: Option<Orientation>,
    offset: Option<i64>,
    age: Option<Days>,
    hidden: bool,
    owner: String,
    quoted: Option<String>,
    page: Option<Page>,
    extra: Extra<'static>,
    nulls: Nulls,
}

/// The borrowed form of a folder.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct FolderRef<'a> {
    name: Cow<'a, str>,
    size: Size,
    format: Option<State>,
    orientation: Option<Orientation>,
    offset: Option<i64>,
    age: Option<Days>,
    hidden: bool,
    owner: Cow<'a, str>,
    quoted: Option<Cow<'a, str>>,
    page: Option<PageRef<'a>>,
    extra: Extra<'a>,
    nulls: Nulls,
}

codegen::record! {
    Folder, FolderRef, "a folder object";
    0 required plain name: String = "name";
    1 required plain size: Size = "size";
    2 optional plain format: State = "format";
    3 optional plain orientation: Orientation = "orientation";
    4 optional plain offset: i64 = "offset";
    5 optional plain age: Days = "age";
    6 required plain hidden: bool = "hidden";
    7 required personal owner: String = "owner";
    8 optional personal quoted: String = "a\\b \"c\"";
    9 optional plain page: Page = "page";
}

#[track_caller]
fn is_written_back(json: &str) -> Folder {
    let folder: Folder = decoded(json).unwrap();
    assert_eq!(serde_json::to_string(&folder).unwrap(), json);
    let borrowed: FolderRef<'_> = serde_json::from_str(json).unwrap();
    assert_eq!(serde_json::to_string(&borrowed).unwrap(), json);
    let shown = format!("{folder:?}").replace("Folder", "FolderRef");
    let shown = shown.replace("Page {", "PageRef {").replace(r#"PageId("b")"#, r#""b""#);
    assert_eq!(shown, format!("{borrowed:?}"));
    folder
}

#[test]
fn every_type_is_decoded_and_written_back() {
    let folder = is_written_back(
        r#"{"name":"a","size":18446744073709551615,"format":"gone","orientation":"portrait","offset":-5,"age":-7,"hidden":true,"owner":"Ann","a\\b \"c\"":"x","page":{"id":"b","tags":[],"size":0}}"#,
    );
    assert_eq!(folder.size.get(), u64::MAX);
    assert_eq!(folder.format, Some(State::from("gone")));
    assert_eq!(folder.orientation, Some(Orientation::Portrait));
    assert_eq!((folder.offset, folder.hidden), (Some(-5), true));
    assert_eq!(folder.age.map(Days::get), Some(-7));
    assert_eq!(folder.quoted.as_deref(), Some("x"));
    assert!(
        folder
            .page
            .is_some_and(|page| page == decoded(r#"{"id":"b","tags":[],"size":0}"#).unwrap())
    );
}

#[test]
fn null_stays_null_and_absent_stays_absent() {
    is_written_back(r#"{"name":"","size":1,"format":null,"hidden":true,"owner":"","page":null}"#);
}

#[test]
fn personal_fields_are_not_shown() {
    let folder = is_written_back(
        r#"{"name":"a","size":1,"hidden":true,"owner":"Ann","a\\b \"c\"":"secret","more":"Ann"}"#,
    );
    let text = format!("{folder:?}");
    assert!(!text.contains("Ann") && !text.contains("secret"), "{text}");
    assert!(text.contains("owner: <redacted>, quoted: Some(<redacted>)"), "{text}");
}

#[test]
fn a_value_of_another_type_is_rejected_with_its_path() {
    let check = |members: &str, kind: DecodeErrorKind, path: &str, expected: &str| {
        let found = rejected::<Folder>(members);
        assert_eq!(found, (kind, path.to_owned(), expected.to_owned()), "{members}");
    };
    let wrong = DecodeErrorKind::WrongType;
    check(r#""size":-1"#, wrong, "size", "a non-negative integer");
    check(r#""format":1"#, wrong, "format", "text");
    check(r#""offset":9223372036854775808"#, wrong, "offset", "an integer");
    check(r#""age":1.5"#, wrong, "age", "an integer");
    check(r#""hidden":null"#, wrong, "hidden", "true or false");
    check(r#""hidden":"true""#, wrong, "hidden", "true or false");
    check(r#""page":{"id":1}"#, wrong, "page.id", "text");
    check(r#""page":7"#, wrong, "page", "a page object");
    check(r#""name":"a","name":"b""#, DecodeErrorKind::Duplicate, "name", "the field once");
    check(r#""name":"a","size":1,"hidden":true"#, DecodeErrorKind::Missing, "owner", "text");
}

/// In JSON text, the backslash in this name begins an escape.
#[test]
fn a_name_is_compared_after_its_escapes_are_decoded() {
    let folder =
        decoded::<Folder>(r#"{"a\b \"c\"":"other","name":"a","size":1,"hidden":true,"owner":""}"#);
    let folder = folder.unwrap();
    assert_eq!((folder.quoted, folder.extra.len()), (None, 1));
}

#[test]
fn an_unknown_value_of_an_open_enum_keeps_its_text_everywhere() {
    for text in ["gone", "", "Public", " public", "unknown", "Unknown", "\u{e9}\""] {
        let value = State::from(text);
        assert!(!value.is_known(), "{text:?}");
        assert_eq!((value.as_str(), &*value.to_string()), (text, text));
        let json = serde_json::to_string(text).unwrap();
        assert_eq!(serde_json::to_string(&value).unwrap(), json);
        assert_eq!(serde_json::from_str::<State>(&json).unwrap(), value);
    }
}
