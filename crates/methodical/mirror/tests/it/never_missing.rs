//! A table of everything in a service or its environment that must not make a record missing.

use std::time::{Duration, SystemTime};

use methodical_mirror::{ErrorKind, Mirror, Record, Rules, Source};

use crate::gallery::{FAILED, HTML, Server, State, rechecking};
use crate::place::Place;
use crate::support::{source, table};

/// A disturbance of a sync.
struct Case {
    name: &'static str,
    disturbance: Disturbance,
    /// The kind of the error of the sync; `None` if it succeeds.
    error: Option<ErrorKind>,
}

enum Disturbance {
    /// These queries are answered with a text.
    Answer(&'static [&'static str], &'static str),
    /// These queries are answered with a text, and the connection is reset.
    Reset(&'static [&'static str], &'static str),
    /// The service changes.
    Service(fn(&mut State)),
    /// The mirror is opened with this source.
    Source(&'static str, &'static str),
    /// The clock is this many years after 1970, or before.
    Clock(i64),
    /// Another process is syncing.
    Concurrent,
}

use Disturbance::{Answer, Clock, Concurrent, Reset, Service, Source as Of};

/// The lists, the members of a group, and those with a value.
const ALL: &[&str] = &["photos", "albums", "photos album=1", "photos album=1 mark=New"];
const LISTS: &[&str] = &["photos", "albums"];
const PHOTOS: &[&str] = &["photos"];
const OF_GROUPS: &[&str] = &["photos album=1", "photos album=1 mark=New"];

const fn case(name: &'static str, disturbance: Disturbance, error: Option<ErrorKind>) -> Case {
    Case { name, disturbance, error }
}

/// The text of a complete response with this JSON.
macro_rules! reply {
    ($body:literal) => {
        concat!("200 OK\r\nconnection: close\r\ncontent-type: application/json\r\n\r\n", $body)
    };
}

/// A response with the beginning of a list, after this end of its head.
macro_rules! cut {
    ($head:literal) => {
        concat!(
            "200 OK\r\nconnection: close\r\ncontent-type: application/json\r\n",
            $head,
            r#"{"stat":"ok","list":[{"id":"1","title":"a title"},"#
        )
    };
}

const FAILURE: &str = reply!(r#"{"stat":"fail","code":105,"message":"try later"}"#);
const LATE_FAILURE: &str =
    reply!(r#"{"list":[{"id":"1","title":"a title"}],"stat":"fail","code":105}"#);
const UNAUTHORIZED: &str = "401 Unauthorized\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
/// A list without most of the records.
const REJECTED: &str = reply!(r#"{"stat":"ok","list":[{"title":"no identity"}]}"#);
const CONTRADICTING: &str =
    reply!(r#"{"stat":"ok","list":[{"id":"a","title":"a title"},{"id":"a"}]}"#);
const EMPTY: &str = reply!(r#"{"stat":"ok","list":[]}"#);

const CALL: Option<ErrorKind> = Some(ErrorKind::Call);

const CASES: &[Case] = &[
    case("a cut body", Answer(ALL, cut!("content-length: 500\r\n\r\n")), CALL),
    case("a cut chunk", Answer(ALL, cut!("transfer-encoding: chunked\r\n\r\n80\r\n")), CALL),
    case("a cut body that HTTP cannot see", Answer(ALL, cut!("\r\n")), CALL),
    case("a reset in the body", Reset(ALL, cut!("content-length: 500\r\n\r\n")), CALL),
    case("HTML", Answer(ALL, HTML), CALL),
    case("HTML that says it is JSON", Answer(ALL, reply!("<html></html>")), CALL),
    case("200 with a failure", Answer(ALL, FAILURE), CALL),
    case("a failure after the records", Answer(ALL, LATE_FAILURE), CALL),
    case("500", Answer(ALL, FAILED), CALL),
    case("401", Answer(LISTS, UNAUTHORIZED), CALL),
    case("a rejected record in a list", Answer(LISTS, REJECTED), None),
    case("two records that contradict each other", Answer(PHOTOS, CONTRADICTING), None),
    case("a rejected record of a group", Answer(OF_GROUPS, REJECTED), Some(ErrorKind::Record)),
    case("an empty list", Answer(LISTS, EMPTY), Some(ErrorKind::DeletionGuard)),
    case(
        "a filter of values that is ignored",
        Service(|state| state.ignores_mark = true),
        Some(ErrorKind::Filter),
    ),
    case(
        "a filter of groups that is ignored",
        Service(|state| state.ignores_album = true),
        Some(ErrorKind::Filter),
    ),
    case("another account", Of("https://gateway.example.com", "you"), Some(ErrorKind::OtherSource)),
    case("another base URL", Of("https://gateway.example.org", "me"), Some(ErrorKind::OtherSource)),
    case("a clock that jumps ahead", Clock(200), None),
    case("a clock that jumps back", Clock(0), None),
    case("a clock before 1970", Clock(-20), None),
    case("two concurrent syncs", Concurrent, Some(ErrorKind::Busy)),
];

#[test]
fn each_of_these_never_makes_a_record_missing() {
    let photos = [("1", "a", "New"), ("1", "b", "Print"), ("2", "b", "New"), ("2", "c", "")];
    let (place, server) = (Place::new(), Server::with(&photos));
    let healthy = server.state().clone();
    let mut mirror = place.open();
    server.sync(&mut mirror, &rechecking()).unwrap();
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
    let report = server.sync(&mut mirror, &rechecking()).unwrap();
    let unchanged = report.tables.iter().map(|table| table.result.as_ref().unwrap().unchanged);
    assert_eq!(unchanged.collect::<Vec<_>>(), [3, 2, 4]);
    assert!(mirror.changes(None, 10).unwrap().0.is_empty());
}

/// Syncs once for each query that the case disturbs, and returns the errors.
fn disturb(case: &Case, server: &Server, place: &Place) -> Vec<(Option<ErrorKind>, &'static str)> {
    let sync =
        |mirror: &mut Mirror| server.sync(mirror, &rechecking()).err().map(|error| error.kind());
    match &case.disturbance {
        Answer(queries, text) | Reset(queries, text) => {
            let resets = matches!(case.disturbance, Reset(..));
            let one = |query: &&'static str| {
                server.state().fault = Some(((*query).to_owned(), text, resets));
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
            let run = other.begin("action=photos/list", &table, Rules::default()).unwrap();
            server.queries();
            let error = sync(&mut place.open());
            assert_eq!(server.queries(), [""; 0], "a refused sync sends no request");
            drop(run);
            vec![(error, "")]
        }
    }
}

/// Returns table, identity and state of every record.
fn content(mirror: &Mirror) -> Vec<String> {
    let lines = ["photo", "album", "photo_album"].map(|name| {
        let line = |one: Record| format!("{name} {} {}", one.id, one.state.as_str());
        table(mirror, name).into_iter().map(line).collect::<Vec<_>>()
    });
    lines.concat()
}
