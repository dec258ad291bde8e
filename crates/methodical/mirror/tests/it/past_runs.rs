//! Syncs of all tables: those that fail, the history of runs, and gauges that cannot be read.

use methodical_mirror::{Error, ErrorKind, Mirror, PastRun, SyncOptions};

use crate::gallery::{FAILED, HTML, Server};
use crate::place::Place;
use crate::support::table;

fn short(runs: &[PastRun]) -> Vec<String> {
    let short = |run: &PastRun| format!("{} {}", run.table, run.outcome.as_str());
    runs.iter().map(short).collect()
}

#[test]
fn each_sync_of_a_table_is_remembered_also_a_failed_one() {
    let (_place, mut mirror, clock) = Place::timed();
    clock.set(1000);
    let server = Server::with(&[("1", "7", "New"), ("2", "8", "New")]);
    server.sync(&mut mirror, &SyncOptions::default()).unwrap();
    let runs = mirror.runs(10).unwrap();
    let complete = ["photo_album complete", "album complete", "photo complete"];
    assert_eq!(short(&runs), complete);
    assert_eq!((runs[2].started_at, runs[2].report.added, runs[2].calls), (1000, 2, 1));
    assert_eq!(runs[2].reason, None);

    clock.set(2000);
    server.state().photos.clear();
    server.fails("albums", FAILED);
    server.sync(&mut mirror, &SyncOptions::default()).unwrap_err();
    let runs = mirror.runs(3).unwrap();
    assert_eq!(short(&runs), ["photo_album refused", "album failed", "photo refused"]);
    assert_eq!((runs[0].ended_at, runs[0].report.added), (2000, 0));
    let reason = runs[1].reason.as_deref().unwrap();
    assert!(reason == "the service failed (status 500)", "{reason}");
}

#[test]
fn only_the_last_runs_are_kept() {
    const COLUMNS: &str = "started_at, ended_at, table_name, outcome, reason, is_baseline, added, changed, unchanged, \
        returned, missing, gone, rejected, repeated, suppressed, calls";

    let (place, server) = (Place::new(), Server::start());
    let (mut mirror, options) = (place.open(), lists());
    server.sync(&mut mirror, &options).unwrap();
    for _ in 0..10 {
        place.execute(&format!(
            "INSERT INTO mirror_run ({COLUMNS}) SELECT {COLUMNS} FROM mirror_run"
        ));
    }
    let kept = usize::try_from(PastRun::KEPT).unwrap();
    assert!(mirror.runs(usize::MAX).unwrap().len() > kept);
    server.sync(&mut mirror, &options).unwrap();
    let runs = mirror.runs(usize::MAX).unwrap();
    assert_eq!((runs.len(), runs[0].report.is_baseline), (kept, false));
}

#[test]
fn a_gauge_that_cannot_be_read_is_an_error_and_the_tables_are_synced() {
    for (is_html, kind, says) in [
        (false, ErrorKind::Gauge, "`free` is not a decimal number of at most 28 digits"),
        (true, ErrorKind::Call, ""),
    ] {
        let mut mirror = Mirror::in_memory().unwrap();
        let server = Server::with(&[("1", "7", "New")]);
        "plenty".clone_into(&mut server.state().free);
        if is_html {
            server.fails("storage", HTML);
        }
        let error = server.sync(&mut mirror, &SyncOptions::default()).unwrap_err();
        assert_eq!(error.kind(), kind);
        let text = error.to_string();
        let cause = text.strip_prefix("`storage`: ").unwrap();
        assert!(is_html || cause == says, "{text}");
        assert!(error.report().tables.iter().all(|table| table.result.is_ok()));
        assert_eq!(mirror.runs(10).unwrap().len(), 3);
        assert!(mirror.samples("storage", 0).unwrap().is_empty());
    }
}

fn lists() -> SyncOptions {
    SyncOptions { recovers: false, ..SyncOptions::default() }
}

#[test]
fn a_table_that_fails_does_not_undo_the_others() {
    let server = Server::with(&[("1", "7", "New")]);
    server.fails("photos", HTML);
    let mut mirror = Mirror::in_memory().unwrap();
    let error = server.sync(&mut mirror, &lists()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Call);
    assert_eq!(error.to_string(), "`photo`: the response is not JSON");
    let report = error.into_report();
    assert_eq!(report.failures().map(Error::kind).collect::<Vec<_>>(), [ErrorKind::Call]);
    assert_eq!(report.tables[1].result.as_ref().unwrap().added, 1);
    assert_eq!(table(&mirror, "album").len(), 1);
}
