//! Syncs of all tables of a service.

use gateway_mirror::{Error, ErrorKind, Mirror, SyncOptions};
use gateway_testkit_core::raw_server::Next;

use crate::gallery::{Gallery, Server};

fn lists() -> SyncOptions {
    SyncOptions::new().tables(["photo", "album"]).without_samples()
}

#[test]
fn all_tables_of_a_service_are_synced() {
    for is_async in [false, true] {
        let server = Server::start();
        server.state().put("1", "7", "New");
        server.state().put("2", "8", "Print");
        let mut mirror = Mirror::in_memory().unwrap();
        let report = server.sync(is_async, &mut mirror, &lists()).unwrap();
        let added = |index: usize| report.tables[index].result.as_ref().unwrap().added;
        assert_eq!((report.tables[0].table, added(0)), ("photo", 2));
        assert_eq!((report.tables[1].table, added(1)), ("album", 2));
        assert_eq!(report.calls, 2);
        assert_eq!(server.queries(), ["albums", "photos"]);
    }
}

#[test]
fn a_table_that_fails_does_not_undo_the_others() {
    for is_async in [false, true] {
        let server = Server::start();
        server.state().put("1", "7", "New");
        server.state().fault = Some(("photos".to_owned(), |connection| {
            connection.respond(
                "content-type: text/html\r\nconnection: close\r\n",
                b"<html>maintenance</html>",
            );
            Next::Close
        }));
        let mut mirror = Mirror::in_memory().unwrap();
        let error = server.sync(is_async, &mut mirror, &lists()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Call);
        let text = error.to_string();
        assert!(text.starts_with("cannot sync 1 of 2 tables; `photo`: cannot sync"), "{text}");
        let report = error.into_report();
        assert_eq!(report.failures().map(Error::kind).collect::<Vec<_>>(), [ErrorKind::Call]);
        assert_eq!(report.tables[1].result.as_ref().unwrap().added, 1);
        let mut albums = 0;
        mirror.each_record("album", |_| albums += 1).unwrap();
        assert_eq!(albums, 1);
    }
}

#[test]
fn a_table_that_the_service_lacks_is_refused_before_any_call() {
    let server = Server::start();
    let mut mirror = Mirror::in_memory().unwrap();
    let options = SyncOptions::new().tables(["photo", "fotos"]);
    let error = server.sync(false, &mut mirror, &options).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Table);
    let text = error.to_string();
    assert!(text.starts_with("cannot sync `fotos`: the service has no such table; it has album, "));
    assert!(server.queries().is_empty());
}

#[test]
fn a_sync_of_all_tables_can_run_on_any_thread() {
    fn is_send(_: &impl Send) {}

    let server = Server::start();
    let client = server.asynchronous();
    let mut mirror = Mirror::in_memory().unwrap();
    is_send(&mirror.sync_all::<Gallery>(&client, &SyncOptions::new()));
}
