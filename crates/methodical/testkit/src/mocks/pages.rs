//! The pages of a list, each as mocks.

use std::fmt;

use methodical_model::PagedOperation;
use methodical_model::paging::{PagedBy, Position};
use serde::Serialize;
use wiremock::MockServer;

use crate::mocks::MockedCall;
use crate::mocks::call::Call;

/// The pages of a list. Each answers the calls that request it.
#[must_use = "mocks do nothing until they are mounted"]
pub struct MockedPages(Vec<MockedCall>);

impl MockedPages {
    /// Mounts the mocks on a server, as [`Mock::mount`](wiremock::Mock::mount) does.
    pub async fn mount(self, server: &MockServer) {
        for mock in self.0 {
            mock.mount(server).await;
        }
    }
}

impl fmt::Debug for MockedPages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MockedPages({} mocks)", self.0.len())
    }
}

/// The mocks: two for the first page if its position can also be given, and one for each other page.
impl IntoIterator for MockedPages {
    type Item = MockedCall;
    type IntoIter = std::vec::IntoIter<MockedCall>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl Call {
    /// Responds with pages, each with its records after the first of these texts, and with the fields beside it between the
    /// two others.
    ///
    /// The first page answers calls without a position, and the others those with the position that follows from the page
    /// before. Pages after one that is the last, as the fields beside it say, are not mounted.
    pub fn pages<O>(
        self,
        frame: (&str, &str, &str),
        pages: &[(&[O::Item], &O::Beside)],
    ) -> MockedPages
    where
        O: PagedOperation<Item: Serialize, Beside: Serialize>,
    {
        let paging = O::PAGING;
        let mut mocks = Vec::new();
        let mut position = match paging.by {
            PagedBy::Number { first } => Some(Position::Number(first)),
            PagedBy::Offset | PagedBy::NextOffset => Some(Position::Number(0)),
            _ => None,
        };
        let mut offset = 0;
        for (index, (records, beside)) in pages.iter().enumerate() {
            if index == 0 {
                let call = self.clone().without(paging.parameter);
                mocks.push(call.list_beside(frame, records, *beside));
            }
            if let Some(position) = &position {
                let call = at(self.clone(), paging.parameter, position);
                mocks.push(call.list_beside(frame, records, *beside));
            }
            let marks = O::marks(beside);
            offset += i64::try_from(records.len()).unwrap_or(i64::MAX);
            position = match (paging.by, position) {
                (PagedBy::Number { .. }, Some(Position::Number(number))) => {
                    Some(Position::Number(number.saturating_add(1)))
                }
                (PagedBy::Offset, _) => Some(Position::Number(offset)),
                _ => marks.next,
            };
            if position.is_none() || marks.more == Some(false) {
                break;
            }
        }
        MockedPages(mocks)
    }
}

/// Matches only calls with a position.
fn at(call: Call, parameter: &'static str, position: &Position) -> Call {
    match position {
        Position::Number(number) => call.with(parameter, number.to_string()),
        Position::Cursor(cursor) => call.with(parameter, cursor.clone()),
        _ => call,
    }
}
