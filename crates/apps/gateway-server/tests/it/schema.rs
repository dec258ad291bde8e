//! Databases of other releases: with another schema version, or with records from before a field was added.

use gateway_server::ErrorKind;

use crate::process::{account, error, execute, on_each_database, open, program, run};

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
                let output =
                    program().args(command).args(["--database", database]).output().unwrap();
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

/// Returns the statement that removes a field from the records of a table.
fn without(database: &str, table: &str, field: &str) -> String {
    let (table, column) =
        if table == "credits" { ("account", "credits") } else { (table, "record") };
    if database.starts_with("postgres") {
        // `json` keeps the order of the fields, which `jsonb` does not.
        return format!(
            "UPDATE {table} SET {column} = (SELECT '{{' || string_agg(to_json(key) || ':' || value, ',' ORDER BY at) \
             || '}}' FROM json_each({column}::json) WITH ORDINALITY one(key, value, at) WHERE key <> '{field}')"
        );
    }
    format!("UPDATE {table} SET {column} = json_remove({column}, '$.{field}')")
}

#[test]
fn records_from_before_a_field_was_added_are_reported() {
    on_each_database(check_without_a_field);
}

/// Imports records, removes a field from them, and checks the database with the program.
fn check_without_a_field(database: &str) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("a.ndjson");
    let records = "{\"id\":1,\"name\":\"A\",\"email\":\"a@example.org\"}\n{\"id\":2,\"name\":\"B\"}\n\
                   {\"id\":3,\"project\":\"Welder\"}\n{\"credits_number\":\"7\",\"currency\":\"EUR\"}\n";
    std::fs::write(&file, records).unwrap();
    let import = ["import", "--account", "acme", file.to_str().unwrap()];
    let check = || {
        let output = program().args(["check", "--database", database]).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
    };
    let nothing = || (0, "no damage found\n".to_owned(), String::new());
    account(database, "acme");
    run(database, &import);
    assert_eq!(check(), nothing());

    for (table, field) in [("candidate", "email"), ("vacancy", "project"), ("credits", "currency")]
    {
        execute(database, &without(database, table, field));
    }
    execute(database, FORGET);
    let (code, out, notes) = check();
    assert_eq!((code, out.as_str()), (0, "no damage found\n"), "{notes}");
    let expected = ["candidates", "vacancies", "credit balances"].map(|name| {
        let number = if name == "candidates" { 2 } else { 1 };
        format!("{name} imported before a field was added: {number}; import them again")
    });
    for line in &expected {
        assert!(notes.contains(line), "{line}: {notes}");
    }
    // The field returns with the next import of the same files. The superseded rows are not reported.
    assert!(run(database, &import).contains("candidates: 0 new, 2 changed, 0 unchanged"));
    assert_eq!(check(), nothing());

    execute(database, &without(database, "candidate", "id"));
    let (code, _, notes) = check();
    assert_eq!(code, 3, "{notes}");
    assert!(notes.contains("candidates that are not stored as responses send them"), "{notes}");
}
