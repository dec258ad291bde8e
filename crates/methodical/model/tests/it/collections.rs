//! Lists and maps in fields, decoded on the fast path and by serde.

use std::borrow::Cow;
use std::collections::BTreeMap;

use methodical_model::DecodeErrorKind::{self, Duplicate, Missing, WrongType};
use methodical_model::Extra;
use methodical_model::codegen::{self, Nulls};

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
    counts: Option<BTreeMap<String, i64>>,
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
    counts: Option<BTreeMap<Cow<'a, str>, i64>>,
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
    10 optional plain counts: BTreeMap<String, i64> = "counts";
}

pub(crate) const FULL: &str = r#"{"id":"1","tags":["a","é\n",""],"sizes":[0,18446744073709551615],"links":["2"],"states":["public","gone"],"grid":[[],[-1,2],[9223372036854775807]],"authors":["Ann"],"below":[{"id":"2","tags":[],"below":[{"id":"3","tags":["x"],"more":1}]}],"texts":{"\"":"q","a":"","b":"1"},"byDay":{"2026-01-01":[{"id":"4","tags":[]}],"2026-01-02":[]},"counts":{"a":-7,"b":999999999999999999}}"#;

#[test]
fn lists_and_maps_are_decoded_and_written_back() {
    let page: Page = decoded(FULL).unwrap();
    assert_eq!(serde_json::to_string(&page).unwrap(), FULL);
    let borrowed: PageRef<'_> = serde_json::from_str(FULL).unwrap();
    assert_eq!(serde_json::to_string(&borrowed).unwrap(), FULL);
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
fn null_and_absent_members_stay_as_they_are() {
    for json in [
        r#"{"id":"1","tags":[]}"#,
        r#"{"id":"1","tags":[],"sizes":null,"texts":null}"#,
        r#"{"id":"1","tags":["a"],"texts":{},"more":[{"a":[]}]}"#,
    ] {
        let page: Page = decoded(json).unwrap();
        assert_eq!(serde_json::to_string(&page).unwrap(), json);
    }
}

#[test]
fn a_wrong_item_is_rejected_with_its_path() {
    let check = |members: &str, kind: DecodeErrorKind, path: &str, expected: &str| {
        let found = rejected::<Page>(&format!(r#""id":"1",{members}"#));
        assert_eq!(found, (kind, path.to_owned(), expected.to_owned()), "{members}");
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
fn the_limit_of_nesting_counts_lists_and_maps() {
    let nested = |depth: usize| {
        let open = r#"{"id":"1","tags":[],"below":["#.repeat(depth);
        format!(r#"{open}{{"id":"1","tags":[]}}{}"#, "]}".repeat(depth))
    };
    // Each page in a page is two levels: its list and itself.
    assert!(decoded::<Page>(&nested(62)).is_ok());
    assert!(decoded::<Page>(&nested(63)).is_err());
}
