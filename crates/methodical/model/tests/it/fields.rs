//! Fields of every type, including lists and maps, decoded on the fast path and by serde.

use std::collections::BTreeMap;
use std::fmt::Debug;

use methodical_model::DecodeErrorKind::{self, Duplicate, Missing, WrongType};
use methodical_model::{Record, codegen};
use serde::Serialize;

use crate::support::{decoded, rejected};

codegen::scalar! {
    /// The identifier of a page.
    PageId, text
}

codegen::scalar! {
    /// A number of bytes.
    Size, integer
}

codegen::wire_enum! {
    /// The state.
    State, UnknownState, "text", not "gone",
    {
        /// Public.
        Public = "public",
    }
}

both_forms! {
    /// A page, which may contain pages.
    Page, PageRef, "a page object";
    0 required plain id: PageId = "id";
    1 required plain tags: Vec<String> = "tags";
    2 optional plain sizes: Vec<Size> = "sizes";
    3 optional plain links: Vec<PageId> = "links";
    4 optional plain states: Vec<State> = "states";
    5 optional plain grid: Vec<Vec<i64>> = "grid";
    6 optional personal authors: Vec<String> = "authors";
    7 optional plain below: Vec<Page> = "below";
    8 optional plain texts: BTreeMap<String, String> = "texts";
    9 optional plain by_day: BTreeMap<String, Vec<Page>> = "byDay";
    10 optional plain counts: BTreeMap<String, i64> = "counts";
}

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

both_forms! {
    /// A folder, which may have a page.
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

pub(crate) const FULL: &str = r#"{"id":"1","tags":["a","é\n",""],"sizes":[0,18446744073709551615],"links":["2"],"states":["public","gone"],"grid":[[],[-1,2],[9223372036854775807]],"authors":["Ann"],"below":[{"id":"2","tags":[],"below":[{"id":"3","tags":["x"],"more":1}]}],"texts":{"\"":"q","a":"","b":"1"},"byDay":{"2026-01-01":[{"id":"4","tags":[]}],"2026-01-02":[]},"counts":{"a":-7,"b":999999999999999999}}"#;

/// Decodes a record in both forms, each of which is written back unchanged. Returns the owned record, and the `Debug`
/// output of the borrowed one.
#[track_caller]
fn is_written_back<T>(json: &str) -> (T, String)
where
    T: Record + Serialize + PartialEq,
    for<'a> T::Ref<'a>: Serialize + Debug,
{
    let record: T = decoded(json).unwrap();
    assert_eq!(serde_json::to_string(&record).unwrap(), json);
    let borrowed: T::Ref<'_> = serde_json::from_str(json).unwrap();
    assert_eq!(serde_json::to_string(&borrowed).unwrap(), json);
    (record, format!("{borrowed:?}"))
}

#[test]
fn every_type_is_decoded_and_written_back() {
    let (folder, shown): (Folder, _) = is_written_back(
        r#"{"name":"a","size":18446744073709551615,"format":"gone","orientation":"portrait","offset":-5,"age":-7,"hidden":true,"owner":"Ann","a\\b \"c\"":"secret","page":{"id":"b","tags":[],"size":0},"more":"Ann"}"#,
    );
    let text = format!("{folder:?}").replace("Folder", "FolderRef");
    assert_eq!(text.replace("Page {", "PageRef {").replace(r#"PageId("b")"#, r#""b""#), shown);
    assert!(!text.contains("Ann") && !text.contains("secret"), "{text}");
    assert!(text.contains("owner: <redacted>, quoted: Some(<redacted>)"), "{text}");
    assert_eq!(folder.size.get(), u64::MAX);
    assert_eq!(folder.format, Some(State::from("gone")));
    assert_eq!(folder.orientation, Some(Orientation::Portrait));
    assert_eq!((folder.offset, folder.hidden), (Some(-5), true));
    assert_eq!(folder.age.map(Days::get), Some(-7));
    assert_eq!(folder.quoted.as_deref(), Some("secret"));
    let page = decoded(r#"{"id":"b","tags":[],"size":0}"#).unwrap();
    assert!(folder.page.is_some_and(|found| found == page));
}

#[test]
fn lists_and_maps_are_decoded_and_written_back() {
    let (page, _): (Page, _) = is_written_back(FULL);
    let shown = format!("{page:?}");
    assert!(!shown.contains("Ann") && shown.contains("authors: Some(<redacted>)"), "{shown}");
    assert_eq!(page.tags, ["a", "é\n", ""]);
    assert_eq!(page.grid, Some(vec![vec![], vec![-1, 2], vec![i64::MAX]]));
    assert_eq!(page.states, Some(vec![State::Public, State::from("gone")]));
    let texts = page.texts.unwrap();
    assert_eq!(texts.keys().collect::<Vec<_>>(), ["\"", "a", "b"]);
    assert_eq!(page.by_day.unwrap()["2026-01-01"][0].id.as_str(), "4");
    assert_eq!(page.counts.unwrap()["b"], 999_999_999_999_999_999);
}

#[test]
fn null_stays_null_and_absent_stays_absent() {
    is_written_back::<Folder>(
        r#"{"name":"","size":1,"format":null,"hidden":true,"owner":"","page":null}"#,
    );
    is_written_back::<Page>(r#"{"id":"1","tags":[]}"#);
    is_written_back::<Page>(r#"{"id":"1","tags":[],"sizes":null,"texts":null}"#);
    is_written_back::<Page>(r#"{"id":"1","tags":["a"],"texts":{},"more":[{"a":[]}]}"#);
}

#[test]
fn a_value_of_another_type_is_rejected_with_its_path() {
    let check = rejected::<Folder>;
    check(r#""size":-1"#, WrongType, "size", "a non-negative integer");
    check(r#""format":1"#, WrongType, "format", "text");
    check(r#""offset":9223372036854775808"#, WrongType, "offset", "an integer");
    check(r#""age":1.5"#, WrongType, "age", "an integer");
    check(r#""hidden":null"#, WrongType, "hidden", "true or false");
    check(r#""hidden":"true""#, WrongType, "hidden", "true or false");
    check(r#""page":{"id":1}"#, WrongType, "page.id", "text");
    check(r#""page":7"#, WrongType, "page", "a page object");
    check(r#""name":"a","name":"b""#, Duplicate, "name", "the field once");
    check(r#""name":"a","size":1,"hidden":true"#, Missing, "owner", "text");
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

#[test]
fn a_wrong_item_is_rejected_with_its_path() {
    let check = |members: &str, kind: DecodeErrorKind, path: &str, expected: &str| {
        rejected::<Page>(&format!(r#""id":"1",{members}"#), kind, path, expected);
    };
    check(r#""sizes":[]"#, Missing, "tags", "a list");
    check(r#""tags":null"#, WrongType, "tags", "a list");
    check(r#""tags":{"0":"a"}"#, WrongType, "tags", "a list");
    check(r#""tags":"a""#, WrongType, "tags", "a list");
    check(r#""tags":["a",1]"#, WrongType, "tags[1]", "text");
    check(r#""tags":[null]"#, WrongType, "tags[0]", "text");
    check(r#""tags":[],"sizes":[0,-0]"#, WrongType, "sizes[1]", "a non-negative integer");
    check(r#""tags":[],"grid":[[1],[2,[]]]"#, WrongType, "grid[1][1]", "an integer");
    check(r#""tags":[],"grid":[[1],2]"#, WrongType, "grid[1]", "a list");
    let below = r#""tags":[],"below":[{"id":"2","tags":[]},{"id":2,"tags":[]}]"#;
    check(below, WrongType, "below[1].id", "text");
    check(r#""tags":[],"below":[{"tags":[]}]"#, Missing, "below[0].id", "text");
    check(r#""tags":[],"texts":["a"]"#, WrongType, "texts", "an object");
    check(r#""tags":[],"texts":{"secret":1}"#, WrongType, "texts.*", "text");
    let twice = r#""tags":[],"texts":{"a":"1","b":"2","\u0061":"3"}"#;
    check(twice, Duplicate, "texts.*", "the key once");
    let by_day = r#""tags":[],"byDay":{"secret":[{"id":"2","tags":[7]}]}"#;
    check(by_day, WrongType, "byDay.*[0].tags[0]", "text");
}

#[test]
fn a_list_that_is_cut_at_any_byte_is_an_error() {
    let body = format!("[{FULL}]");
    for end in 0..body.len() {
        let cut = &body.as_bytes()[..end];
        assert!(codegen::list::<Page, ()>(&codegen::Body::ROOT, cut).is_err(), "cut at {end}");
    }
}

#[test]
fn the_limit_of_nesting_counts_lists_and_maps() {
    let nested = |depth: usize| {
        let open = r#"{"id":"1","tags":[],"below":["#.repeat(depth);
        format!(r#"{open}{{"id":"1","tags":[]}}{}"#, "]}".repeat(depth))
    };
    // Each page in a page is two levels: its list and itself.
    assert!(decoded::<Page>(&nested(62)).is_ok());
    assert!(decoded::<Page>(&nested(63)).is_err());
}
