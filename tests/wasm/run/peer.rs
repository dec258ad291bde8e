//! The peer of the client's tests.

use std::io::{self, Write as _};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use methodical_testkit::raw_server::{Connection, Next, RawRequest, RawServer};

/// Starts a server whose response depends on the first part of the path.
pub(crate) fn start() -> io::Result<RawServer> {
    let signal = Arc::new((Mutex::new(false), Condvar::new()));
    RawServer::start(move |request, connection| respond(request, connection, &signal))
}

fn respond(
    request: &RawRequest,
    connection: &mut Connection,
    signal: &(Mutex<bool>, Condvar),
) -> Next {
    let json = "content-type: application/json\r\n";
    let target = request.target();
    let scenario = target.split('/').nth(1).unwrap_or_default();
    if request.header("authorization") != [b"Bearer gwt_6yqW"] {
        connection.send(b"HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n");
        return Next::KeepAlive;
    }
    match scenario {
        "list" => {
            connection
                .respond(json, br#"[{"id":"1","project":"a"},{"id":"2","project":"b"},{"id":[]}]"#);
        }
        "stream" => {
            connection.send(head("").as_bytes());
            connection.send(BEGINNING);
            wait_for(signal);
            connection.send(br#",{"id":"2"}]}"#);
            return Next::Close;
        }
        "continue" => {
            *signal.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
            signal.1.notify_all();
            connection.respond(json, b"[]");
        }
        "gzip" => {
            let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
            let written = gzip.write_all(br#"[{"id":"1","project":"a"}]"#);
            let body = written.and_then(|()| gzip.finish()).unwrap_or_default();
            connection.respond(&format!("{json}content-encoding: gzip\r\n"), &body);
        }
        "overloaded" => {
            connection.send(b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n");
        }
        "later" => {
            let date = "retry-after: Mon, 01 Jan 2035 00:00:00 GMT\r\n";
            connection.send(
                format!("HTTP/1.1 503 Service Unavailable\r\n{date}content-length: 0\r\n\r\n")
                    .as_bytes(),
            );
        }
        "redirect" => {
            let target = target.replacen("redirect", "list", 1);
            connection.send(
                format!("HTTP/1.1 302 Found\r\nlocation: {target}\r\ncontent-length: 0\r\n\r\n")
                    .as_bytes(),
            );
        }
        "half" => {
            connection.send(head("content-length: 100\r\n").as_bytes());
            connection.send(BEGINNING);
            connection.wait_for_close(LIMIT);
            return Next::Close;
        }
        "cut" => {
            connection.send(head("content-length: 100\r\n").as_bytes());
            connection.send(BEGINNING);
            wait_for(signal);
            return Next::Close;
        }
        // "silent"
        _ => {
            connection.wait_for_close(LIMIT);
            return Next::Close;
        }
    }
    Next::KeepAlive
}

/// Waits for a request of the scenario `continue`.
fn wait_for((is_sent, changed): &(Mutex<bool>, Condvar)) {
    let guard = is_sent.lock().unwrap_or_else(PoisonError::into_inner);
    let waited = changed.wait_timeout_while(guard, LIMIT, |is_sent| !*is_sent);
    *waited.unwrap_or_else(PoisonError::into_inner).0 = false;
}

fn head(framing: &str) -> String {
    format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n{framing}\r\n")
}

/// The beginning of a list of candidates.
const BEGINNING: &[u8] = br#"{"status":"success","result":[{"id":"1"}"#;

/// Maximum time to wait for the client.
const LIMIT: Duration = Duration::from_secs(20);
