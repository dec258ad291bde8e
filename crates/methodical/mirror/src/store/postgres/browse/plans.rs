//! The query plans of pages.

use ::postgres::types::Type;
use methodical_postgres::{Connector, Options};

use crate::browse::views::{self, LIMIT};
use crate::mirror::Mirror;
use crate::source::Source;
use crate::store::postgres::link::{Parameter, Session};
use crate::store::postgres::rows::get;
use crate::store::postgres::{PostgresStore, browse, changes};

#[path = "../../../../../postgres/tests/it/cluster.rs"]
mod cluster;

/// Directly after a sync, whose rows all have the same times, and before the first statistics, no step of a plan has more rows
/// than the page.
#[test]
fn a_page_reads_few_rows() {
    let Some(database) = cluster::database() else { return };
    let connector = Connector::new(&database.url, Options::new("plans")).unwrap();
    let source = Source::new("https://photos.example.com", "me");
    views::fill(&mut Mirror::open_postgres(&connector, "mirror", &source).unwrap());
    let mut store = PostgresStore::open(&connector, "mirror", None).unwrap();
    for (name, table, filter, paging) in views::views() {
        let described = store.table(table.name()).unwrap();
        let plan = store.call(move |session, schema| {
            let (of, page) = ((schema, table.name()), (LIMIT + 1, paging.after));
            let select = browse::statement(of, &described, &filter, &paging, page)?.unwrap();
            explained(session, &select.sql, &select.parameters())
        });
        assert_narrow(&name, &plan.unwrap());
    }
    for is_of_one in [false, true] {
        let plan = store.call(move |session, schema| {
            let parameters: [Parameter<'_>; 4] = [
                (&10_000_i64, Type::INT8),
                (&50_i64, Type::INT8),
                (&"photo", Type::TEXT),
                (&"7", Type::TEXT),
            ];
            explained(session, &changes::latest_of(schema, is_of_one), &parameters)
        });
        assert_narrow("the latest changes", &plan.unwrap());
    }
}

fn explained(
    session: &mut Session,
    sql: &str,
    parameters: &[Parameter<'_>],
) -> Result<Vec<String>, crate::error::Error> {
    session.begin_in_order()?;
    let explain = format!("EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) {sql}");
    let plan = session.query(&explain, parameters);
    session.roll_back();
    plan?.iter().map(|row| get(row, 0)).collect()
}

fn assert_narrow(name: &str, plan: &[String]) {
    let rows = |line: &String| {
        let rows = line.split("actual rows=").nth(1)?.split(' ').next()?;
        rows.parse::<f64>().ok()
    };
    let is_narrow = plan.iter().filter_map(rows).all(|rows| rows <= ROWS);
    let plan = plan.join("\n");
    assert!(is_narrow && !plan.contains("Rows Removed"), "{name}\n{plan}");
    assert!(plan.contains("Index"), "{name}\n{plan}");
    // An index whose first column has no condition would be read from its begin to its end.
    let is_late = |line: &str| line.contains("Filter:") && line.contains("mirror_state");
    assert!(!plan.lines().any(is_late), "{name}\n{plan}");
}

/// Maximum number of rows of a step: those of a page, and the one that begins the next page.
const ROWS: f64 = 51.0;
