//! Every way in which a service or its surroundings must not make a record missing, in one table.

use std::time::{Duration, SystemTime};

use methodical_mirror::{ErrorKind, Mirror, Rules, Source, SyncOptions};
use methodical_testkit::raw_server::{Connection, Next};

use crate::gallery::{Server, State};
use crate::place::Place;
use crate::support::source;

/// A disturbance of a sync.
struct Case {
    name: &'static str,
    disturbance: Disturbance,
    /// The kind of the error of the sync; `None` if it succeeds.
    error: Option<ErrorKind>,
}

enum Disturbance {
    /// These queries are answered by the script.
    Answer(&'static [&'static str], fn(&mut Connection) -> Next),
    /// The service changes.
    Service(fn(&mut State)),
    /// The mirror is opened for this source.
    Source(&'static str, &'static str),
    /// The clock is this many years after 1970, or before.
    Clock(i64),
    /// Another process is syncing.
    Concurrent,
}

use Disturbance::{Answer, Clock, Concurrent, Service, Source as Of};

/// The lists, the members of a group, and those with a value.
const ALL: &[&str] = &["photos", "albums", "photos album=1", "photos album=1 mark=New"];
const LISTS: &[&str] = &["photos", "albums"];
const PHOTOS: &[&str] = &["photos"];
const OF_GROUPS: &[&str] = &["photos album=1", "photos album=1 mark=New"];

const fn case(name: &'static str, disturbance: Disturbance, error: Option<ErrorKind>) -> Case {
    Case { name, disturbance, error }
}

const CASES: &[Case] = &[
    case("a cut body", Answer(ALL, cut), Some(ErrorKind::Call)),
    case("a cut chunk", Answer(ALL, cut_in_chunk), Some(ErrorKind::Call)),
    case("a cut body of unknown length", Answer(ALL, cut_unannounced), Some(ErrorKind::Call)),
    case("a reset in the body", Answer(ALL, reset), Some(ErrorKind::Call)),
    case("HTML", Answer(ALL, html), Some(ErrorKind::Call)),
    case("HTML that says it is JSON", Answer(ALL, html_as_json), Some(ErrorKind::Call)),
    case("200 with a failure", Answer(ALL, failure), Some(ErrorKind::Call)),
    case("a failure after the records", Answer(ALL, late_failure), Some(ErrorKind::Call)),
    case("500", Answer(ALL, internal), Some(ErrorKind::Call)),
    case("401", Answer(LISTS, unauthorized), Some(ErrorKind::Call)),
    case("a rejected record in a list", Answer(LISTS, rejected), None),
    case("two records that contradict each other", Answer(PHOTOS, contradicting), None),
    case("a rejected record of a group", Answer(OF_GROUPS, rejected), Some(ErrorKind::Record)),
    case("an empty list", Answer(LISTS, empty), Some(ErrorKind::DeletionGuard)),
    case("a filter of values that is ignored", Service(ignore_mark), Some(ErrorKind::Filter)),
    case("a filter of groups that is ignored", Service(ignore_album), Some(ErrorKind::Filter)),
    case("another account", Of("https://gateway.example.com", "you"), Some(ErrorKind::OtherSource)),
    case("another base URL", Of("https://gateway.example.org", "me"), Some(ErrorKind::OtherSource)),
    case("a clock that jumps ahead", Clock(200), None),
    case("a clock that jumps back", Clock(0), None),
    case("a clock before 1970", Clock(-20), None),
    case("two concurrent syncs", Concurrent, Some(ErrorKind::Busy)),
];

#[test]
fn each_of_these_never_makes_a_record_missing() {
    let (place, server) = (Place::new(), Server::start());
    for (album, photo, mark) in
        [("1", "a", "New"), ("1", "b", "Print"), ("2", "b", "New"), ("2", "c", "")]
    {
        server.state().put(album, photo, mark);
    }
    let healthy = server.state().clone();
    let mut mirror = place.open();
    server.sync(&mut mirror, &options()).unwrap();
    let before = content(&mirror);
    assert_eq!(before.len(), 9);
    for case in CASES {
        // Twice, because a second complete list would make a missing record gone.
        for _ in 0..2 {
            for (error, query) in disturb(case, &server, &place) {
                let name = format!("{} {query}", case.name);
                assert_eq!(error, case.error, "{name}");
                assert_eq!(content(&mirror), before, "{name}");
            }
            server.state().clone_from(&healthy);
        }
    }
    let report = server.sync(&mut mirror, &options()).unwrap();
    let unchanged = report.tables.iter().map(|table| table.result.as_ref().unwrap().unchanged);
    assert_eq!(unchanged.collect::<Vec<_>>(), [3, 2, 4]);
    assert!(mirror.changes(None, 10).unwrap().0.is_empty());
}

/// Syncs once for each query that the case disturbs, and returns the errors.
fn disturb(case: &Case, server: &Server, place: &Place) -> Vec<(Option<ErrorKind>, &'static str)> {
    let sync =
        |mirror: &mut Mirror| server.sync(mirror, &options()).err().map(|error| error.kind());
    match &case.disturbance {
        Answer(queries, script) => {
            let one = |query: &&'static str| {
                server.state().fault = Some(((*query).to_owned(), *script));
                (sync(&mut place.open()), *query)
            };
            queries.iter().map(one).collect()
        }
        Service(change) => {
            change(&mut server.state());
            vec![(sync(&mut place.open()), "")]
        }
        Of(base_url, account) => {
            let opened = place.open_of(&Source::new(base_url, account));
            vec![(opened.err().map(|error| error.kind()), "")]
        }
        Clock(years) => {
            let year = Duration::from_secs(365 * 24 * 3600);
            let distance = year * u32::try_from(years.unsigned_abs()).unwrap();
            let epoch = SystemTime::UNIX_EPOCH;
            let now = if *years < 0 { epoch - distance } else { epoch + distance };
            vec![(sync(&mut place.open().with_clock(move || now)), "")]
        }
        Concurrent => {
            let mut other = place.open_of(&source()).unwrap();
            let table = crate::gallery::PHOTO;
            let run = other.begin("action=photos/list", &table, Rules::new()).unwrap();
            server.queries();
            let error = sync(&mut place.open());
            assert_eq!(server.queries(), [""; 0], "a refused sync sends no request");
            drop(run);
            vec![(error, "")]
        }
    }
}

fn options() -> SyncOptions {
    SyncOptions::new().recheck_every(1)
}

/// Returns table, identity and state of every record.
fn content(mirror: &Mirror) -> Vec<String> {
    let mut content = Vec::new();
    for table in ["photo", "album", "photo_album"] {
        mirror
            .each_record(table, |record| {
                content.push(format!("{table} {} {}", record.id, record.state.as_str()));
            })
            .unwrap();
    }
    content
}

fn ignore_mark(state: &mut State) {
    state.ignores_mark = true;
}

fn ignore_album(state: &mut State) {
    state.ignores_album = true;
}

fn json(connection: &mut Connection, body: &str) -> Next {
    connection.respond("content-type: application/json\r\nconnection: close\r\n", body.as_bytes());
    Next::Close
}

/// The beginning of a list.
const CUT: &str = r#"{"stat":"ok","list":[{"id":"1","title":"a title"},"#;

/// Sends less than the head promises.
fn cut(connection: &mut Connection) -> Next {
    connection.send(
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: 500\r\n\r\n",
    );
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

/// HTTP cannot detect this truncation.
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
    connection
        .respond("content-type: text/html\r\nconnection: close\r\n", b"<html>maintenance</html>");
    Next::Close
}

fn html_as_json(connection: &mut Connection) -> Next {
    json(connection, "<html>maintenance</html>")
}

fn failure(connection: &mut Connection) -> Next {
    json(connection, r#"{"stat":"fail","code":105,"message":"try later"}"#)
}

fn late_failure(connection: &mut Connection) -> Next {
    json(connection, r#"{"list":[{"id":"1","title":"a title"}],"stat":"fail","code":105}"#)
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

/// A list without most of the records.
fn rejected(connection: &mut Connection) -> Next {
    json(connection, r#"{"stat":"ok","list":[{"title":"no identity"}]}"#)
}

fn contradicting(connection: &mut Connection) -> Next {
    json(connection, r#"{"stat":"ok","list":[{"id":"a","title":"a title"},{"id":"a"}]}"#)
}

fn empty(connection: &mut Connection) -> Next {
    json(connection, r#"{"stat":"ok","list":[]}"#)
}
