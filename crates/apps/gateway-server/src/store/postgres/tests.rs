//! Checks the query plans of the statements that answer requests or clean up.

use std::time::Duration;

use super::DIALECT;
use crate::config::UnixTime;
use crate::demo_data::DemoData;
use crate::store::{CandidateFilter, ImportMode, Store, deletion, read};

#[path = "../../../../../methodical/postgres/tests/it/cluster.rs"]
mod cluster;

/// No statement may scan a table, for any value, right after an import.
#[test]
fn every_list_uses_an_index() {
    let Some(database) = cluster::database() else { return };
    let store = Store::connect(&database.url, true, Duration::ZERO, |_notice| {}).unwrap();
    let now = UnixTime(1_800_000_000);
    for name in ["a", "b"] {
        let account = store.create_account(name, now).unwrap();
        let data = DemoData { candidates: 10_000, seed: 1 };
        store.import(account, ImportMode::Commit, &mut |stage| data.fill(stage)).unwrap();
    }
    let mut client = ::postgres::Client::connect(&database.url, ::postgres::NoTls).unwrap();
    let counts = "SELECT relname::text, reltuples::bigint FROM pg_class \
                  WHERE relname IN ('vacancy', 'candidate', 'application')";
    for row in client.query(counts, &[]).unwrap() {
        let (table, rows): (String, i64) = (row.get(0), row.get(1));
        assert!(rows > 0, "the import has left {table} without statistics");
    }
    client.batch_execute("SET plan_cache_mode = force_generic_plan").unwrap();
    let list = |filter| read::candidates(&DIALECT, &filter).unwrap().0;
    let of_vacancy = CandidateFilter::Vacancy(101);
    let and_status = CandidateFilter::Status(101, "New".to_owned());
    for (name, sql, parameters, index) in [
        ("all", list(CandidateFilter::All), "1, -1, 1, 512", "candidate_pkey"),
        ("of a vacancy", list(of_vacancy), "1, -1, 1, 512, 101", "candidate_pkey"),
        ("and status", list(and_status), "1, -1, 1, 512, 101, 'New'", "application_by_status"),
        ("clean-up", deletion::COLLECT[1].to_owned(), "1, 1", "candidate_superseded"),
    ] {
        let sql = sql.replace('?', "$");
        client.batch_execute(&format!("PREPARE q AS {sql}")).unwrap();
        let explain = format!("EXPLAIN (COSTS OFF) EXECUTE q({parameters})");
        let rows = client.query(&explain, &[]).unwrap();
        let plan: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
        let plan = plan.join("\n");
        client.batch_execute("DEALLOCATE q").unwrap();
        assert!(plan.contains(index), "{name}:\n{plan}");
        for table in ["candidate", "application"] {
            assert!(!plan.contains(&format!("Seq Scan on {table}")), "{name}:\n{plan}");
        }
    }
}
