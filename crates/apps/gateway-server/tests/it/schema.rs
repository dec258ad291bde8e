//! Databases of other releases, with another schema version or without tags, and with records that lack their id.

use gateway_server::ErrorKind;

use crate::process::{account, error, execute, on_each_database, open, output, run};

/// The versions before 4 were never released.
const OTHER_VERSIONS: [(i64, ErrorKind); 5] = [
    (0, ErrorKind::StorageForeign),
    (1, ErrorKind::StorageForeign),
    (2, ErrorKind::StorageForeign),
    (3, ErrorKind::StorageForeign),
    (5, ErrorKind::StorageNewer),
];

#[test]
fn a_database_with_another_schema_version_is_refused_and_left_unchanged() {
    on_each_database(|database| {
        drop(open(database));
        let is_url = database.starts_with("postgres");
        for (version, kind) in OTHER_VERSIONS {
            let set =
                if is_url { "UPDATE gateway_schema SET version" } else { "PRAGMA user_version" };
            execute(database, &format!("{set} = {version}"));
            let before = std::fs::read(database).ok();
            for command in [&["account", "create", "b"][..], &["check"]] {
                let output = output(database, command);
                let text = error(&output);
                assert_eq!(output.status.code(), Some(3), "{text}");
                assert!(text.contains(&format!("schema {version}")), "{text}");
                let is_newer = kind == ErrorKind::StorageNewer;
                assert_eq!(text.contains("was written by a newer release"), is_newer, "{text}");
            }
            assert_eq!(std::fs::read(database).ok(), before);
        }
    });
}

/// Changes the data as if a release without tags of lists had written it.
const FORGET: &str = "\
    UPDATE revision SET tag = NULL, candidates_tag = NULL, statuses_tag = NULL, vacancies_tag = NULL, \
    credits_tag = NULL";

#[test]
fn data_without_tags_is_imported_to_and_damaged_records_of_each_kind_are_found() {
    on_each_database(|database| {
        let check = || output(database, &["check"]);
        account(database, "acme");
        run(database, &["demo-data", "--account", "acme"]);
        execute(database, FORGET);
        run(database, &["demo-data", "--account", "acme", "--seed", "8"]);
        assert_eq!(String::from_utf8(check().stdout).unwrap(), "no damage found\n");
        for (damage, kind) in [
            ("candidate SET record = replace(record, '\"id\":', '\"di\":')", "candidates"),
            ("vacancy SET record = replace(record, '\"id\":\"', '\"id\":\"1')", "vacancies"),
            ("account SET credits = substr(credits, 2)", "credit balances"),
        ] {
            execute(database, &format!("UPDATE {damage}"));
            let output = check();
            assert_eq!(output.status.code(), Some(3));
            let (text, found) =
                (error(&output), "that are not stored in the form that responses send: ");
            assert!(text.contains(&format!("damage: {kind} {found}")), "{text}");
        }
    });
}
