//! Behaviour of PostgreSQL only: schemas, versions, lost connections, poolers, and async callers.

use methodical_mirror::{ErrorKind, Mirror, Rules};

use crate::place::Place;
use crate::place::schema::{Schema, connector, connector_named};
use crate::support::{PHOTO, feed, photos, records, source};

fn schema() -> Option<(Place, String, String)> {
    let place = Place::in_postgres()?;
    let Place::Postgres(Schema { url, name, .. }) = &place else { return None };
    let (url, name) = (url.clone(), name.clone());
    Some((place, url, name))
}

#[test]
fn a_schema_with_other_tables_or_a_newer_mirror_is_refused() {
    let Some((place, url, name)) = schema() else { return };
    let open = |name: &str| Mirror::open_postgres(&connector(&url), name, &source());
    drop(place.open());
    place.execute("UPDATE mirror_meta SET version = 3");
    let error = open(&name).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Newer);
    assert_eq!(
        error.to_string(),
        format!(
            "cannot open the schema `{name}`: its version 3 is newer than version 2 of this release; use a newer release"
        )
    );
    place.execute("CREATE SCHEMA foreign_tables CREATE TABLE photo (id integer)");
    let error = open("foreign_tables").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Foreign);
    assert_eq!(
        error.to_string(),
        "cannot create the mirror in the schema `foreign_tables`: it has other tables; choose another schema"
    );
    place.execute("CREATE SCHEMA empty_schema");
    photos(&mut open("empty_schema").unwrap(), &[r#"{"id":"1"}"#]);
    // Two mirrors in one database do not lock each other.
    let mut one = open("empty_schema").unwrap();
    let run = one.begin("photos/list", &PHOTO, Rules::new()).unwrap();
    photos(&mut open("another").unwrap(), &[r#"{"id":"1"}"#]);
    drop(run);
}

#[test]
fn a_restored_dump_refuses_all_former_cursors() {
    let Some((place, ..)) = schema() else { return };
    let mut mirror = place.open();
    photos(&mut mirror, &[r#"{"id":"1"}"#]);
    let cursor = mirror.cursor().unwrap();
    drop(mirror);
    assert!(place.open().changes(Some(&cursor), 9).is_ok());
    // As `pg_restore` does: another table with the same rows.
    place.execute(
        "ALTER TABLE mirror_meta RENAME TO former; CREATE TABLE mirror_meta (LIKE former INCLUDING ALL); \
         INSERT INTO mirror_meta SELECT * FROM former; DROP TABLE former",
    );
    let restored = place.open();
    let error = restored.changes(Some(&cursor), 9).unwrap_err();
    assert!(error.to_string().contains("the cursor belongs to another mirror"), "{error}");
    let cursor = restored.cursor().unwrap();
    drop(restored);
    assert!(place.open().changes(Some(&cursor), 9).is_ok());
}

#[test]
fn other_tools_read_plain_values() {
    let Some((place, ..)) = schema() else { return };
    let list = [r#"{"id":"007","title":"=1+1 😀","place":{"name":"+31 6"},"size":7}"#];
    photos(&mut place.open(), &list);
    let row = place.row(
        "SELECT id, title, size, place_name, mirror_state, mirror_first_seen > now() - interval '1 hour' FROM photo",
    );
    assert_eq!(row, ["007", "=1+1 😀", "7", "+31 6", "present", "t"]);
}

#[test]
fn a_lost_connection_is_an_error_and_the_next_sync_connects_again() {
    let Some((place, url, name)) = schema() else { return };
    let connector = connector_named("to be lost", &url);
    let mut mirror = Mirror::open_postgres(&connector, &name, &source()).unwrap();
    photos(&mut mirror, &[r#"{"id":"1"}"#]);
    let end = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'to be lost'";
    let mut run = mirror.begin("photos/list", &PHOTO, Rules::new()).unwrap();
    run.record(r#"{"id":"2"}"#).unwrap();
    assert_eq!(place.row(end), ["1"]);
    let error = run.finish().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unreachable, "{error:?}");
    assert_eq!(records(&mirror).len(), 1);
    assert_eq!(feed(&mirror), [""; 0]);
    assert_eq!(photos(&mut mirror, &[r#"{"id":"1"}"#, r#"{"id":"2"}"#]).added, 1);
}

#[test]
fn a_missing_privilege_is_named() {
    let Some((place, url, name)) = schema() else { return };
    photos(&mut place.open(), &[r#"{"id":"1"}"#]);
    let quoted = format!("\"{}\"", name.replace('"', "\"\""));
    let role = format!("reader_{}", std::process::id());
    place.execute(&format!(
        "CREATE ROLE {role}; GRANT USAGE ON SCHEMA {quoted} TO {role}; \
         GRANT SELECT ON ALL TABLES IN SCHEMA {quoted} TO {role}"
    ));
    let separator = if url.contains('?') { '&' } else { '?' };
    let url = format!("{url}{separator}options=-c%20role%3D{role}");
    let mut mirror = Mirror::open_postgres(&connector(&url), &name, &source()).unwrap();
    let error = mirror.begin("photos/list", &PHOTO, Rules::new()).unwrap_err();
    insta::assert_snapshot!(error, @"cannot use the mirror: the database role lacks the privilege DELETE (permission denied for table mirror_rejected); grant it, or use the role that created the mirror");
    assert_eq!(error.kind(), ErrorKind::Denied);
    drop(mirror);
    place.execute(&format!("DROP OWNED BY {role}; DROP ROLE {role}"));
}

#[test]
fn an_error_of_the_database_has_no_value() {
    let Some((place, ..)) = schema() else { return };
    let mut mirror = place.open();
    photos(&mut mirror, &[r#"{"id":"1"}"#]);
    place.execute("ALTER TABLE photo ADD CHECK (title <> 'Zanzibar')");
    let mut run = mirror.begin("photos/list", &PHOTO, Rules::new()).unwrap();
    run.record(r#"{"id":"1","title":"Zanzibar"}"#).unwrap();
    let error = run.finish().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Store);
    let shown = format!("{error} {error:?}");
    assert!(shown.contains("23514") && !shown.contains("Zanzibar"), "{shown}");
    assert_eq!(feed(&mirror), [""; 0]);
}

#[test]
fn an_error_of_the_database_has_its_kind_and_a_next_step() {
    let Some((place, ..)) = schema() else { return };
    let mut mirror = place.open();
    photos(&mut mirror, &[r#"{"id":"1"}"#]);
    for (code, kind, text) in [
        ("53100", ErrorKind::Store, "the disk of the database is full"),
        ("40001", ErrorKind::Busy, "another session uses the tables of the mirror"),
        ("40P01", ErrorKind::Busy, "another session uses the tables of the mirror"),
        ("57014", ErrorKind::Store, "raise `statement_timeout` of the role"),
        ("25006", ErrorKind::Denied, "the database is read-only; use its primary"),
        ("57P03", ErrorKind::Unreachable, "the database is stopping or starting"),
        ("XX001", ErrorKind::Foreign, "the database is damaged"),
        ("XX000", ErrorKind::Store, "cannot read or write the mirror"),
    ] {
        // A trigger raises what the database would.
        place.execute(&format!(
            "CREATE OR REPLACE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS \
             $$ BEGIN RAISE EXCEPTION 'Zanzibar' USING ERRCODE = '{code}'; END $$; \
             CREATE OR REPLACE TRIGGER fail BEFORE INSERT OR UPDATE ON photo \
             FOR EACH ROW EXECUTE FUNCTION fail()"
        ));
        let mut run = mirror.begin("photos/list", &PHOTO, Rules::new()).unwrap();
        let added = run.record(r#"{"id":"2","title":"Zanzibar"}"#);
        let error = added.and_then(|()| run.finish().map(drop)).unwrap_err();
        assert_eq!(error.kind(), kind, "{code}: {error}");
        let shown = format!("{error} {error:?}");
        assert!(error.to_string().contains(text), "{code}: {error}");
        assert!(shown.contains(code) && !shown.contains("Zanzibar"), "{shown}");
        assert_eq!((records(&mirror).len(), feed(&mirror).len()), (1, 0));
    }
    place.execute("DROP TRIGGER fail ON photo");
    assert_eq!(photos(&mut mirror, &[r#"{"id":"1"}"#, r#"{"id":"2"}"#]).added, 1);
}

#[test]
fn a_mirror_works_within_an_async_runtime() {
    let Some((place, ..)) = schema() else { return };
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let mut mirror = place.open();
        photos(&mut mirror, &[r#"{"id":"1"}"#]);
        assert_eq!(records(&mirror).len(), 1);
    });
}
