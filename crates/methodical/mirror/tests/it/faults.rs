//! Faults of a service that must not change a mirror, as scripts of a server.

use methodical_mirror::ErrorKind;
use methodical_testkit::raw_server::{Connection, Next};

/// An answer of the server, and its effect on a sync.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fault {
    pub(crate) name: &'static str,
    pub(crate) script: fn(&mut Connection) -> Next,
    /// The error of the sync; `None` if the list is applied.
    pub(crate) error: Option<ErrorKind>,
}

/// A complete list of the three records that the mirror knows.
pub(crate) const COMPLETE: &str =
    r#"{"stat":"ok","photos":{"photo":[{"id":"1"},{"id":"2","title":"b"},{"id":"3"}]}}"#;

/// Its first records.
const CUT: &str = r#"{"stat":"ok","photos":{"photo":[{"id":"1"},{"id":"2","title":"b"},"#;

/// Every answer that must not make a record missing.
pub(crate) const FAULTS: &[Fault] = &[
    Fault { name: "a body cut at its declared length", script: cut, error: Some(ErrorKind::Call) },
    Fault { name: "a body cut in a chunk", script: cut_in_chunk, error: Some(ErrorKind::Call) },
    Fault {
        name: "a body of unknown length that is cut between records",
        script: cut_unannounced,
        error: Some(ErrorKind::Call),
    },
    Fault { name: "a reset in the body", script: reset, error: Some(ErrorKind::Call) },
    Fault { name: "HTML", script: html, error: Some(ErrorKind::Call) },
    Fault { name: "HTML that says it is JSON", script: html_as_json, error: Some(ErrorKind::Call) },
    Fault { name: "a body that reports a failure", script: failure, error: Some(ErrorKind::Call) },
    Fault {
        name: "a failure that is reported after the records",
        script: late_failure,
        error: Some(ErrorKind::Call),
    },
    Fault { name: "500", script: internal, error: Some(ErrorKind::Call) },
    Fault { name: "401", script: unauthorized, error: Some(ErrorKind::Call) },
    Fault { name: "an empty list", script: empty, error: Some(ErrorKind::DeletionGuard) },
    Fault { name: "a rejected record", script: rejected, error: None },
    Fault { name: "two records that contradict each other", script: contradicting, error: None },
];

fn json(connection: &mut Connection, body: &str) -> Next {
    connection.respond("content-type: application/json\r\n", body.as_bytes());
    Next::Close
}

/// Sends the first two records, and less than the head promises.
fn cut(connection: &mut Connection) -> Next {
    connection
        .send(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n");
    connection.send(CUT.as_bytes());
    Next::Close
}

fn cut_in_chunk(connection: &mut Connection) -> Next {
    connection.send(
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n80\r\n",
    );
    connection.send(CUT.as_bytes());
    Next::Close
}

/// HTTP cannot see this cut.
fn cut_unannounced(connection: &mut Connection) -> Next {
    connection
        .send(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n");
    connection.send(CUT.as_bytes());
    Next::Close
}

fn reset(connection: &mut Connection) -> Next {
    cut(connection);
    Next::Reset
}

fn html(connection: &mut Connection) -> Next {
    connection.respond("content-type: text/html\r\n", b"<html>maintenance</html>");
    Next::Close
}

fn html_as_json(connection: &mut Connection) -> Next {
    json(connection, "<html>maintenance</html>")
}

fn failure(connection: &mut Connection) -> Next {
    json(connection, r#"{"stat":"fail","code":1,"message":"no such album"}"#)
}

fn late_failure(connection: &mut Connection) -> Next {
    json(connection, r#"{"photos":{"photo":[{"id":"1"}]},"stat":"fail","code":1}"#)
}

fn internal(connection: &mut Connection) -> Next {
    connection.send(
        b"HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
    );
    Next::Close
}

fn unauthorized(connection: &mut Connection) -> Next {
    connection.send(b"HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    Next::Close
}

fn empty(connection: &mut Connection) -> Next {
    json(connection, r#"{"stat":"ok","photos":{"photo":[]}}"#)
}

fn rejected(connection: &mut Connection) -> Next {
    json(connection, r#"{"stat":"ok","photos":{"photo":[{"id":"1"},{"title":"no identity"}]}}"#)
}

fn contradicting(connection: &mut Connection) -> Next {
    json(connection, r#"{"stat":"ok","photos":{"photo":[{"id":"1"},{"id":"1","title":"other"}]}}"#)
}
