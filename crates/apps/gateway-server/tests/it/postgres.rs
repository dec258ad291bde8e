//! Behavior specific to PostgreSQL.

use std::process::Command;
use std::time::Duration;

use gateway_server::{ErrorKind, ImportMode, Page, Stage, TokenDigest};

use crate::cluster;
use crate::process::{execute, open};
use crate::store::{NOW, application, candidate, import, snapshot, vacancy};

#[test]
fn a_dump_does_not_contain_tokens() {
    let Some(database) = cluster::database() else { return };
    let store = open(&database.url);
    let account = store.create_account("dumped", NOW).unwrap();
    let token = store.create_token(account, "label of the token", NOW, None).unwrap();
    let dump = cluster::programs("pg_dump").unwrap().join("pg_dump");
    let output = Command::new(dump).arg(&database.url).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("dumped") && text.contains("label of the token"), "the dump is a dump");
    let secret = token.reveal();
    assert!(!text.contains(secret) && !text.contains(secret.trim_start_matches("gwt_")));
    // The hash in the dump is not valid as a token.
    let line = text.lines().find(|line| line.contains("label of the token")).unwrap();
    let hash = line.split('\t').next().unwrap().trim_start_matches("\\\\x");
    assert_eq!(hash.len(), 64, "{line}");
    assert_eq!(store.authenticate(&TokenDigest::of(&format!("gwt_{hash}")), NOW).unwrap(), None);
    assert!(store.authenticate(&TokenDigest::of(secret), NOW).unwrap().is_some());
}

/// Runs the statements of the guide, with other names of roles: the cluster may have some of these names already.
#[test]
fn the_documented_rights_suffice_for_serving() {
    let Some(database) = cluster::database() else { return };
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/server/postgresql.md");
    let page = std::fs::read_to_string(page).unwrap();
    let mut blocks = page.split("```sql\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let name = database.url.rsplit('/').next().unwrap().split('?').next().unwrap();
    let [owner, serve] = ["owner", "serve"].map(|role| format!("{name}_{role}"));
    let named = |sql: &str| sql.replace("gateway_owner", &owner).replace("gateway_serve", &serve);
    let as_role = |role: &str| database.url.replacen("postgres@", &format!("{role}@"), 1);
    for statement in named(blocks.next().unwrap()).lines() {
        let exists = format!("CREATE DATABASE gateway OWNER {owner};");
        let statement =
            statement.replace(&exists, &format!("ALTER DATABASE {name} OWNER TO {owner}"));
        execute(&database.url, &statement);
    }

    let store = open(&as_role(&owner));
    let account = store.create_account("a", NOW).unwrap();
    let token = store.create_token(account, "", NOW, None).unwrap();
    for project in ["Welder", "Fitter"] {
        let fill = |stage: &mut dyn Stage| vacancy(stage, 1, 7, project);
        import(&store, account, ImportMode::Commit, fill).unwrap();
    }
    execute(&as_role(&owner), &named(blocks.next().unwrap()));

    let serving = open(&as_role(&serve));
    let principal = serving.authenticate(&TokenDigest::of(token.reveal()), NOW).unwrap().unwrap();
    let mut read = Vec::new();
    let page = Page { from: gateway_server::Cursor::START, limit: 9 };
    serving
        .vacancies(principal.snapshot, page, &mut |record| read.extend_from_slice(record))
        .unwrap();
    assert!(String::from_utf8(read).unwrap().contains("Fitter"));
    assert_eq!(serving.collect(Duration::ZERO).unwrap(), 1);
    let refused = serving.create_account("b", NOW).unwrap_err();
    assert!(refused.to_string().contains("lacks a privilege"), "{refused}");
    assert!(refused.to_string().contains("table account"), "{refused}");
}

/// A statistic has samples of a column, and would keep them after an erasure.
#[test]
fn the_statistics_have_no_record() {
    let Some(database) = cluster::database() else { return };
    let store = open(&database.url);
    let account = store.create_account("a", NOW).unwrap();
    import(&store, account, ImportMode::Commit, |stage| {
        (1..500).try_for_each(|id| candidate(stage, 1, id, "Quarkfeather"))
    })
    .unwrap();
    let mut client = postgres::Client::connect(&database.url, postgres::NoTls).unwrap();
    client.batch_execute("ANALYZE").unwrap();
    let count = "SELECT count(*) FROM pg_stats WHERE tablename = 'candidate' AND attname = $1";
    let mut count = |column: &str| client.query_one(count, &[&column]).unwrap().get::<_, i64>(0);
    assert_eq!((count("id"), count("record")), (1, 0));
}

#[test]
fn an_error_of_the_database_has_its_kind_and_no_value() {
    let Some(database) = cluster::database() else { return };
    let store = open(&database.url);
    let mut client = postgres::Client::connect(&database.url, postgres::NoTls).unwrap();
    for (code, kind, text) in [
        ("53100", ErrorKind::StorageFull, "the disk of the database is full"),
        ("57014", ErrorKind::StorageSlow, "a database statement timed out or was canceled"),
        ("40001", ErrorKind::StorageBusy, "the database is busy; try again later"),
        ("40P01", ErrorKind::StorageBusy, "the database is busy; try again later"),
        ("55P03", ErrorKind::StorageBusy, "the database is busy; try again later"),
        ("53300", ErrorKind::StorageBusy, "the database is busy; try again later"),
        ("XX001", ErrorKind::StorageCorrupt, "the database is damaged"),
        ("25006", ErrorKind::Storage, "the program needs write access"),
        ("XX000", ErrorKind::Storage, "cannot create the account"),
    ] {
        // A trigger raises what the database would.
        let trigger = format!(
            "CREATE OR REPLACE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS \
             $$ BEGIN RAISE EXCEPTION 'Zanzibar' USING ERRCODE = '{code}'; END $$; \
             CREATE OR REPLACE TRIGGER fail BEFORE INSERT ON account \
             FOR EACH ROW EXECUTE FUNCTION fail()"
        );
        client.batch_execute(&trigger).unwrap();
        let error = store.create_account("Zanzibar", NOW).unwrap_err();
        assert_eq!(error.kind(), kind, "{code}: {error}");
        assert!(error.to_string().contains(text), "{code}: {error}");
        let shown = format!("{error} {error:?}");
        assert!(shown.contains(code) && !shown.contains("Zanzibar"), "{shown}");
    }
    client.batch_execute("DROP TRIGGER fail ON account").unwrap();
    store.create_account("Zanzibar", NOW).unwrap();
}

/// The records are read on one thread and written on another one, which fails here: PostgreSQL stores no NUL character.
#[test]
fn a_record_that_the_database_refuses_fails_the_import_with_the_cause() {
    let Some(database) = cluster::database() else { return };
    let store = open(&database.url);
    let account = store.create_account("a", NOW).unwrap();
    let result = import(&store, account, ImportMode::Commit, |stage| {
        vacancy(stage, 1, 1, "a")?;
        candidate(stage, 2, 1, "a")?;
        application(stage, 3, 1, 1, "New\0")
    });
    let error = result.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Storage);
    let cause = std::error::Error::source(&error).map(ToString::to_string);
    assert_eq!(cause.as_deref(), Some("SQLSTATE 22021"), "{error:?}");
    assert_eq!(snapshot(&store, account).revision, 0);
}
