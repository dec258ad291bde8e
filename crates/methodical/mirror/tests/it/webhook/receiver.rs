//! A receiver of webhooks that answers as planned.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use methodical_testkit::raw_server::{Next, RawRequest, RawServer};

/// The answer to one request.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Answer {
    /// Status 204.
    Accept,
    /// This status line and headers.
    Status(&'static str),
    /// Nothing, until the sender gives up.
    Hang,
    Reset,
    /// Text that is not HTTP.
    Garbage,
}

/// A request as it was received.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub(crate) line: String,
    pub(crate) id: String,
    pub(crate) body: String,
    pub(crate) accepted: bool,
    /// The number of its connection, from 1.
    pub(crate) connection: usize,
    headers: Vec<(String, Vec<u8>)>,
}

impl Received {
    fn new(request: &RawRequest, accepted: bool) -> Self {
        let body = String::from_utf8(request.body.clone()).unwrap();
        let headers = request.headers();
        let (line, connection) = (request.line(), request.connection);
        let mut received = Self { line, id: String::new(), body, accepted, connection, headers };
        received.id = received.header("webhook-id");
        received
    }

    /// Returns the only value of a header.
    pub(crate) fn header(&self, name: &str) -> String {
        let mut values = self.headers.iter().filter(|(other, _)| other == name);
        let (_, value) = values.next().unwrap();
        assert!(values.next().is_none(), "{name}");
        String::from_utf8(value.clone()).unwrap()
    }
}

/// A receiver. It accepts each request after the planned answers.
pub(crate) struct Receiver {
    server: RawServer,
    plan: Arc<[Answer]>,
}

impl Receiver {
    pub(crate) fn start(plan: impl IntoIterator<Item = Answer>) -> Self {
        let plan: Arc<[Answer]> = plan.into_iter().collect();
        let (answers, count) = (Arc::clone(&plan), AtomicUsize::new(0));
        let server = RawServer::start(move |_, connection| {
            let index = count.fetch_add(1, Ordering::Relaxed);
            let response = match answer(&answers, index) {
                Answer::Accept => "204 No Content\r\n\r\n".to_owned(),
                Answer::Status(head) => format!("{head}\r\ncontent-length: 6\r\n\r\nCANARY"),
                Answer::Hang => {
                    connection.wait_for_close(LIMIT);
                    return Next::Close;
                }
                Answer::Reset => return Next::Reset,
                Answer::Garbage => {
                    connection.send(b"CANARY\r\n\r\n");
                    return Next::Close;
                }
            };
            connection.send(format!("HTTP/1.1 {response}").as_bytes());
            Next::KeepAlive
        });
        Self { server: server.unwrap(), plan }
    }

    pub(crate) fn url(&self) -> String {
        self.server.uri("/hook?key=CANARY")
    }

    pub(crate) fn requests(&self) -> Vec<Received> {
        let received = |(index, request)| {
            Received::new(request, matches!(answer(&self.plan, index), Answer::Accept))
        };
        self.server.progress().requests.iter().enumerate().map(received).collect()
    }

    pub(crate) fn wait_for(&self, count: usize) {
        let is_reached = self.server.wait_until(LIMIT, |progress| progress.requests.len() >= count);
        assert!(is_reached, "{count} requests");
    }
}

fn answer(plan: &[Answer], index: usize) -> Answer {
    plan.get(index).copied().unwrap_or(Answer::Accept)
}

/// Time limit of a wait for the peer.
const LIMIT: Duration = Duration::from_secs(60);
