//! The pages of a list.

use methodical_model::paging::{PageMarks, PagedBy, Paging};
use wiremock::MockServer;

use super::{Photos, get};
use crate::mocks::Call;

/// Mounts three pages, of two records, one and none, each with its number as the body. The first two have these marks.
/// Returns the number of mocks, and the answer to each query; `404` if no mock matches it.
async fn answers(paging: Paging, marks: [PageMarks; 2], queries: &[&str]) -> (usize, Vec<String>) {
    let [first, second] = marks;
    let pages = [(2, first), (1, second), (0, PageMarks::new())];
    let calls = Call::new::<Photos>("photos/list").of_pages(paging, pages);
    let server = MockServer::start().await;
    let count = calls.len();
    for (call, index) in calls {
        call.exactly(&index.to_string()).mount(&server).await;
    }
    let answer = |query: &&str| {
        let answer = get(&server, &format!("/api/v2?action=photos/list{query}"));
        if answer.status == 404 { "404".to_owned() } else { answer.body }
    };
    (count, queries.iter().map(answer).collect())
}

const NUMBER: Paging = Paging::by(PagedBy::Number { first: 1 }).parameter("page");
const OFFSET: Paging = Paging::by(PagedBy::Offset).parameter("start");
const NEXT_OFFSET: Paging = Paging::by(PagedBy::NextOffset).parameter("start");
const CURSOR: Paging = Paging::by(PagedBy::Cursor).parameter("cursor");

fn none() -> PageMarks {
    PageMarks::new()
}

#[tokio::test]
async fn pages_follow_by_number() {
    let queries = ["", "&page=1", "&page=2", "&page=3", "&page=4"];
    let (mocks, found) = answers(NUMBER, [none(), none()], &queries).await;
    // The first page can also be requested by its number.
    assert_eq!((mocks, &*found.join(" ")), (4, "0 0 1 2 404"));
}

#[tokio::test]
async fn pages_follow_by_the_number_of_records_before_them() {
    let queries = ["", "&start=0", "&start=2", "&start=3", "&start=1"];
    let named = |next: &str| none().next_offset(Some(&next.to_owned()));
    for (paging, marks) in [(OFFSET, [none(), none()]), (NEXT_OFFSET, [named("2"), named("3")])] {
        let (mocks, found) = answers(paging, marks, &queries).await;
        assert_eq!((mocks, &*found.join(" ")), (4, "0 0 1 2 404"), "{paging:?}");
    }
}

#[tokio::test]
async fn pages_follow_by_a_text_of_the_page_before() {
    let named = |next: &str| none().next_cursor(Some(&next.to_owned()));
    let queries = ["", "&cursor=b+7", "&cursor=c", "&cursor=b"];
    let (mocks, found) = answers(CURSOR, [named("b 7"), named("c")], &queries).await;
    assert_eq!((mocks, &*found.join(" ")), (3, "0 1 2 404"));
    // The second page has no cursor.
    let (mocks, found) =
        answers(CURSOR, [named("b"), none()], &["", "&cursor=b", "&cursor=c"]).await;
    assert_eq!((mocks, &*found.join(" ")), (2, "0 1 404"));
}

#[tokio::test]
async fn pages_after_the_last_one_are_not_mounted() {
    let marks = [none(), none().more(Some(&false))];
    let (mocks, found) = answers(NUMBER, marks, &["", "&page=2", "&page=3"]).await;
    assert_eq!((mocks, &*found.join(" ")), (3, "0 1 404"));
}
