//! Syncs of all tables of a service.

use methodical_mirror::{Error, ErrorKind, Mirror, Rules, SyncOptions};

use crate::gallery::{HTML, Server};
use crate::support::table;

fn lists() -> SyncOptions {
    SyncOptions::new().without_recovery()
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

#[test]
fn a_number_of_missing_records_is_accepted_for_one_table() {
    let server = Server::with(&[("1", "7", "New"), ("1", "8", "New")]);
    let mut mirror = Mirror::in_memory().unwrap();
    server.sync(&mut mirror, &lists()).unwrap();
    server.state().albums.clear();
    let rules = Rules::new().accept_missing(3);
    let refused = |options: SyncOptions, mirror: &mut Mirror| {
        let report = server.sync(mirror, &options).unwrap_err().into_report();
        let refused = report.tables.iter().filter(|one| one.result.is_err());
        refused.map(|one| one.table).collect::<Vec<_>>()
    };
    let options = lists().rules(rules).accept_missing("photo", 2);
    assert_eq!(refused(options, &mut mirror), ["album"]);
    let options = lists().accept_missing("photo", 2).accept_missing("album", 1);
    server.sync(&mut mirror, &options).unwrap();
}
