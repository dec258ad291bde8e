//! The pages of a list.

use std::borrow::Cow;
use std::marker::PhantomData;

use methodical_model::codegen::{self, Nulls, QueryBuilder};
use methodical_model::paging::{PageMarks, PagedBy, Paging, Position};
use methodical_model::{
    DecodeError, Extra, ListOperation, Listing, Operation, PagedOperation, Query, StreamDecoder,
};
use wiremock::MockServer;

use super::{Photos, get};
use crate::mocks::Call;

/// A photo.
#[derive(Clone, PartialEq, Eq)]
struct Photo {
    id: i64,
    extra: Extra<'static>,
    nulls: Nulls,
}

/// The borrowed form of a photo.
#[derive(Clone, PartialEq, Eq)]
struct PhotoRef<'a> {
    id: i64,
    extra: Extra<'a>,
    nulls: Nulls,
}

codegen::record! {
    Photo, PhotoRef, "a photo object";
    0 required plain id: i64 = "id";
}

/// The fields beside a page.
#[derive(Clone, PartialEq, Eq)]
struct Page {
    next: Option<String>,
    more: Option<bool>,
    extra: Extra<'static>,
    nulls: Nulls,
}

/// The borrowed form of the fields beside a page.
#[derive(Clone, PartialEq, Eq)]
struct PageRef<'a> {
    next: Option<Cow<'a, str>>,
    more: Option<bool>,
    extra: Extra<'a>,
    nulls: Nulls,
}

codegen::record! {
    Page, PageRef, "a page object";
    0 optional plain next: String = "next";
    1 optional plain more: bool = "more";
}

/// How the pages of a list follow each other.
trait Rule: Clone + Send + Sync + 'static {
    const PAGING: Paging;

    fn marks(page: &Page) -> PageMarks {
        PageMarks::new().more(page.more.as_ref())
    }
}

/// Declares rules, each with what the fields beside a page say.
macro_rules! rules {
    ($($rule:ident: $paging:expr $(, |$page:ident, $marks:ident| $next:expr)?;)+) => {$(
        #[derive(Clone)]
        struct $rule;

        impl Rule for $rule {
            const PAGING: Paging = $paging;

            $(fn marks($page: &Page) -> PageMarks {
                let $marks = PageMarks::new().more($page.more.as_ref());
                $next
            })?
        }
    )+};
}

rules! {
    ByNumber: Paging::by(PagedBy::Number { first: 1 }).parameter("page");
    ByOffset: Paging::by(PagedBy::Offset).parameter("start");
    ByNextOffset: Paging::by(PagedBy::NextOffset).parameter("start"),
        |page, marks| marks.next_offset(page.next.as_ref());
    ByCursor: Paging::by(PagedBy::Cursor).parameter("cursor"),
        |page, marks| marks.next_cursor(page.next.as_ref());
}

/// A list in pages.
#[derive(Clone)]
struct List<R>(PhantomData<R>);

impl<R: Rule> Operation for List<R> {
    type Service = Photos;
    type Output = Listing<Photo, Page>;

    const NAME: &'static str = "list";
    const METHOD: &'static str = "photos/list";

    fn query(&self) -> Result<Query, DecodeError> {
        Ok(QueryBuilder::select::<Photos>(Self::METHOD).finish())
    }

    fn decode(&self, body: &[u8]) -> Result<Self::Output, DecodeError> {
        codegen::list(&codegen::Body::ROOT, body)
    }
}

impl<R: Rule> ListOperation for List<R> {
    type Item = Photo;
    type Beside = Page;

    fn decoder(&self) -> StreamDecoder<Photo, Page> {
        codegen::decoder(&codegen::Body::ROOT)
    }

    fn decode_borrowed<'a>(
        &self,
        body: &'a [u8],
    ) -> Result<Listing<PhotoRef<'a>, Page>, DecodeError> {
        codegen::borrowed::<Photo, Page>(&codegen::Body::ROOT, body)
    }
}

impl<R: Rule> PagedOperation for List<R> {
    const PAGING: Paging = R::PAGING;

    fn position(&self) -> Option<Position> {
        None
    }

    fn turn_to(&mut self, _: Position) {}

    fn marks(beside: &Page) -> PageMarks {
        R::marks(beside)
    }
}

fn photo(id: i64) -> Photo {
    Photo { id, extra: Extra::default(), nulls: Nulls::default() }
}

/// Returns the fields beside a page: the position of the next one, and whether there is one.
fn page(next: Option<&str>, more: Option<bool>) -> Page {
    let next = next.map(str::to_owned);
    Page { next, more, extra: Extra::default(), nulls: Nulls::default() }
}

/// Mounts three pages, of two photos, one and none. Each says the position of the next one; the second one says whether a
/// page follows. Returns the number of mocks, and the identifiers in the answer to each query; `None` if no mock matches it.
async fn answers<R: Rule>(
    next: [Option<&str>; 2],
    more: Option<bool>,
    queries: &[&str],
) -> (usize, Vec<Option<Vec<i64>>>) {
    let (first, second) = ([photo(1), photo(2)], [photo(3)]);
    let beside = [page(next[0], None), page(next[1], more), page(None, None)];
    let pages: [(&[Photo], &Page); 3] =
        [(&first, &beside[0]), (&second, &beside[1]), (&[], &beside[2])];
    let frame = (r#"{"photo":["#, "]", "}");
    let mocks = || Call::new::<Photos>("photos/list").pages::<List<R>>(frame, &pages);
    let server = MockServer::start().await;
    mocks().mount(&server).await;
    let answer = |query: &&str| {
        let answer = get(&server, &format!("/api/v2?action=photos/list{query}"));
        if answer.status == 404 {
            return None;
        }
        let body: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
        let photos = body["photo"].as_array().unwrap();
        Some(photos.iter().map(|photo| photo["id"].as_i64().unwrap()).collect())
    };
    (mocks().into_iter().count(), queries.iter().map(answer).collect())
}

/// The answers to calls of the first page, the second, the third, and one that does not exist.
const ALL: [Option<&[i64]>; 4] = [Some(&[1, 2]), Some(&[3]), Some(&[]), None];

#[track_caller]
fn assert_answers(answers: &[Option<Vec<i64>>], expected: &[Option<&[i64]>]) {
    assert_eq!(answers.iter().map(Option::as_deref).collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn pages_follow_by_number() {
    let queries = ["", "&page=2", "&page=3", "&page=4", "&page=1"];
    let (mocks, found) = answers::<ByNumber>([None; 2], None, &queries).await;
    // The first page can also be requested by its number.
    assert_eq!(mocks, 4);
    assert_answers(&found[..4], &ALL);
    assert_eq!(found[4].as_deref(), Some(&[1, 2][..]));
}

#[tokio::test]
async fn pages_follow_by_the_number_of_records_before_them() {
    let queries = ["", "&start=2", "&start=3", "&start=1", "&start=0"];
    for (mocks, found) in [
        answers::<ByOffset>([None; 2], None, &queries).await,
        // Each page contains the position of the next one.
        answers::<ByNextOffset>([Some("2"), Some("3")], None, &queries).await,
    ] {
        assert_eq!(mocks, 4);
        assert_answers(&found[..4], &ALL);
        assert_eq!(found[4].as_deref(), Some(&[1, 2][..]));
    }
}

#[tokio::test]
async fn pages_follow_by_a_text_of_the_page_before() {
    let next = [Some("b 7"), Some("c")];
    let cursors = ["", "&cursor=b+7", "&cursor=c", "&cursor=b"];
    let (mocks, found) = answers::<ByCursor>(next, None, &cursors).await;
    assert_eq!(mocks, 3);
    assert_answers(&found, &ALL);
}

#[tokio::test]
async fn pages_after_the_last_one_are_not_mounted() {
    let last = [Some(&[1, 2][..]), Some(&[3]), None];
    let numbers = ["", "&page=2", "&page=3"];
    let (mocks, found) = answers::<ByNumber>([None; 2], Some(false), &numbers).await;
    assert_eq!(mocks, 3);
    assert_answers(&found, &last);
    // The second page has no cursor.
    let cursors = ["", "&cursor=b", "&cursor=c"];
    let (mocks, found) = answers::<ByCursor>([Some("b"), None], None, &cursors).await;
    assert_eq!(mocks, 2);
    assert_answers(&found, &last);
}
