//! A call with its response.

use std::fmt;
use std::sync::Arc;

use wiremock::{Mock, MockServer, ResponseTemplate, Times};

use crate::mocks::matcher::{Conditions, Matcher};
use crate::mocks::unmatched;

/// A call with its response. It answers calls of a server on which it is mounted.
#[must_use = "a mock does nothing until it is mounted"]
pub struct MockedCall {
    mock: Mock,
    matcher: Arc<Matcher>,
}

impl MockedCall {
    pub(super) fn new(matcher: Matcher, response: ResponseTemplate) -> Self {
        let matcher = Arc::new(matcher);
        let mock = Mock::given(Conditions(Arc::clone(&matcher))).respond_with(response);
        Self { mock, matcher }
    }

    /// Mounts the mock on a server. From then on, the server explains calls that no mock matches. For that, it has one more
    /// mock, with the lowest priority (255).
    pub async fn mount(self, server: &MockServer) {
        if let Some(answer) = unmatched::added(*server.address(), self.matcher) {
            answer.mount(server).await;
        }
        self.mock.mount(server).await;
    }

    /// Expects this number of calls, which the server checks when it is dropped: `expect(1)`, `expect(1..)`.
    pub fn expect(self, calls: impl Into<Times>) -> Self {
        Self { mock: self.mock.expect(calls), ..self }
    }

    /// Answers at most this number of calls. Later ones go to the next mock that matches.
    pub fn up_to_n_times(self, calls: u64) -> Self {
        Self { mock: self.mock.up_to_n_times(calls), ..self }
    }

    /// Sets the priority, from 1 (first) to 254 (last). Default: 5.
    pub fn with_priority(self, priority: u8) -> Self {
        Self { mock: self.mock.with_priority(priority), ..self }
    }
}

impl From<MockedCall> for Mock {
    fn from(call: MockedCall) -> Self {
        call.mock
    }
}

impl fmt::Debug for MockedCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MockedCall({})", self.matcher.description())
    }
}
