//! Lists and maps in fields, decoded on the fast path and by serde.

use std::borrow::Cow;
use std::collections::BTreeMap;

use methodical_model::codegen::{self, Nulls};
use methodical_model::{DecodeErrorKind, Extra, Next};

use crate::support;

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

/// A page, which may contain pages.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Page {
    id: PageId,
    tags: Vec<String>,
    sizes: Option<Vec<Size>>,
    links: Option<Vec<PageId>>,
    states: Option<Vec<State>>,
    grid: Option<Vec<Vec<i64>>>,
    authors: Option<Vec<String>>,
    below: Option<Vec<Self>>,
    texts: Option<BTreeMap<String, String>>,
    by_day: Option<BTreeMap<String, Vec<Self>>>,
    extra: Extra<'static>,
    nulls: Nulls,
}

/// The borrowed form of a page.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct PageRef<'a> {
    id: Cow<'a, str>,
    tags: Vec<Cow<'a, str>>,
    sizes: Option<Vec<Size>>,
    links: Option<Vec<Cow<'a, str>>>,
    states: Option<Vec<State>>,
    grid: Option<Vec<Vec<i64>>>,
    authors: Option<Vec<Cow<'a, str>>>,
    below: Option<Vec<Self>>,
    texts: Option<BTreeMap<Cow<'a, str>, Cow<'a, str>>>,
    by_day: Option<BTreeMap<Cow<'a, str>, Vec<Self>>>,
    extra: Extra<'a>,
    nulls: Nulls,
}

codegen::record! {
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
}

fn decoded(json: &str) -> Result<Page, methodical_model::DecodeError> {
    support::decoded(json)
}

pub(crate) const FULL: &str = r#"{"id":"1","tags":["a","é\n",""],"sizes":[0,18446744073709551615],"links":["2"],"states":["public","gone"],"grid":[[],[-1,2],[9223372036854775807]],"authors":["Ann"],"below":[{"id":"2","tags":[],"below":[{"id":"3","tags":["x"],"more":1}]}],"texts":{"\"":"q","a":"","b":"1"},"byDay":{"2026-01-01":[{"id":"4","tags":[]}],"2026-01-02":[]}}"#;

#[test]
fn lists_and_maps_are_decoded_and_written_back() {
    let page = decoded(FULL).unwrap();
    assert_eq!(serde_json::to_string(&page).unwrap(), FULL);
    let borrowed: PageRef<'_> = serde_json::from_str(FULL).unwrap();
    assert_eq!(serde_json::to_string(&borrowed).unwrap(), FULL);
    assert_eq!(page.tags, ["a", "é\n", ""]);
    assert_eq!(page.grid, Some(vec![vec![], vec![-1, 2], vec![i64::MAX]]));
    assert_eq!(page.states, Some(vec![State::Public, State::from("gone")]));
    let texts = page.texts.unwrap();
    assert_eq!(texts.keys().collect::<Vec<_>>(), ["\"", "a", "b"]);
    assert_eq!(page.by_day.unwrap()["2026-01-01"][0].id.as_str(), "4");
}

#[test]
fn whitespace_null_and_absent_members_change_nothing() {
    let spaced = FULL.replace('[', "[ \n").replace(']', "\t ]").replace("\":", "\" : ");
    assert_eq!(decoded(&spaced).unwrap(), decoded(FULL).unwrap());
    for json in [
        r#"{"id":"1","tags":[]}"#,
        r#"{"id":"1","tags":[],"sizes":null,"texts":null}"#,
        r#"{"id":"1","tags":["a"],"texts":{},"more":[{"a":[]}]}"#,
    ] {
        assert_eq!(serde_json::to_string(&decoded(json).unwrap()).unwrap(), json);
    }
}

#[test]
fn a_wrong_item_is_rejected_with_its_path() {
    let check = |members: &str, kind: DecodeErrorKind, path: &str, expected: &str| {
        let error = decoded(&format!(r#"{{"id":"1",{members}}}"#)).unwrap_err();
        let found = (error.kind(), error.path(), error.expected());
        assert_eq!(found, (kind, path, expected), "{members}");
    };
    let wrong = DecodeErrorKind::WrongType;
    check(r#""sizes":[]"#, DecodeErrorKind::Missing, "[0].tags", "a list");
    check(r#""tags":null"#, wrong, "[0].tags", "a list");
    check(r#""tags":{"0":"a"}"#, wrong, "[0].tags", "a list");
    check(r#""tags":"a""#, wrong, "[0].tags", "a list");
    check(r#""tags":["a",1]"#, wrong, "[0].tags[1]", "text");
    check(r#""tags":[null]"#, wrong, "[0].tags[0]", "text");
    check(r#""tags":[],"sizes":[0,-0]"#, wrong, "[0].sizes[1]", "a non-negative integer");
    check(r#""tags":[],"grid":[[1],[2,[]]]"#, wrong, "[0].grid[1][1]", "an integer");
    check(r#""tags":[],"grid":[[1],2]"#, wrong, "[0].grid[1]", "a list");
    check(
        r#""tags":[],"below":[{"id":"2","tags":[]},{"id":2,"tags":[]}]"#,
        wrong,
        "[0].below[1].id",
        "text",
    );
    check(
        r#""tags":[],"below":[{"tags":[]}]"#,
        DecodeErrorKind::Missing,
        "[0].below[0].id",
        "text",
    );
    check(r#""tags":[],"texts":["a"]"#, wrong, "[0].texts", "an object");
    check(r#""tags":[],"texts":{"secret":1}"#, wrong, "[0].texts.*", "text");
    check(
        r#""tags":[],"texts":{"a":"1","b":"2","\u0061":"3"}"#,
        DecodeErrorKind::Duplicate,
        "[0].texts.*",
        "the key once",
    );
    check(
        r#""tags":[],"byDay":{"secret":[{"id":"2","tags":[7]}]}"#,
        wrong,
        "[0].byDay.*[0].tags[0]",
        "text",
    );
}

#[test]
fn the_limit_of_nesting_counts_lists_and_maps() {
    let nested = |depth: usize| {
        let open = r#"{"id":"1","tags":[],"below":["#.repeat(depth);
        format!(r#"{open}{{"id":"1","tags":[]}}{}"#, "]}".repeat(depth))
    };
    // Each page in a page is two levels: its list and itself.
    assert!(decoded(&nested(62)).is_ok());
    assert!(decoded(&nested(63)).is_err());
}

#[test]
fn a_personal_list_is_not_shown() {
    let text = format!("{:?}", decoded(FULL).unwrap());
    assert!(!text.contains("Ann"), "{text}");
    assert!(text.contains("authors: Some(<redacted>)"), "{text}");
}

#[test]
fn a_list_cut_at_any_byte_is_an_error() {
    let body = format!("[{FULL}]");
    for end in 0..body.len() {
        let cut = body.as_bytes().get(..end).unwrap();
        assert!(codegen::list::<Page, ()>(&codegen::Body::ROOT, cut).is_err(), "cut at {end}");
    }
}

#[test]
fn a_stream_in_pieces_of_any_size_has_the_same_records() {
    let body = format!("[{FULL},{FULL}]");
    let whole = decoded(FULL).unwrap();
    for size in [1, 2, 3, 7, 64, body.len()] {
        let mut decoder = codegen::decoder::<Page, ()>(&codegen::Body::ROOT);
        let mut pages = Vec::new();
        for piece in body.as_bytes().chunks(size) {
            decoder.push(piece);
            while let Next::Item(page) = decoder.next_record().unwrap() {
                pages.push(page);
            }
        }
        decoder.finish();
        assert_eq!(decoder.next_record().unwrap(), Next::End);
        assert_eq!(pages, [whole.clone(), whole.clone()], "pieces of {size} bytes");
    }
}
