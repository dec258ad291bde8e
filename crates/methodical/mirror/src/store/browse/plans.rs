//! The query plans of pages.

use rusqlite::{Connection, StatementStatus, params_from_iter};

use super::{expression, position, statements};
use crate::browse::views::{self, LIMIT};
use crate::fields::shape::Shape;
use crate::mirror::Mirror;
use crate::source::Source;

/// Directly after a sync, whose rows all have the same times, a page reads its rows from an index.
#[test]
fn a_page_reads_few_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mirror.db");
    views::fill(
        &mut Mirror::open(&path, &Source::new("https://photos.example.com", "me")).unwrap(),
    );
    let connection = Connection::open(&path).unwrap();
    for (name, table, filter, paging) in views::views() {
        let shape = Shape::of(table).unwrap();
        let order = expression(table.name(), &shape, &paging.order).unwrap();
        let after = paging.after;
        let after = after.map(|after| position(&connection, table.name(), &order, after).unwrap());
        let of = (table.name(), &shape);
        let (selects, values) = statements(of, &order, after, &filter, &paging).unwrap().unwrap();
        for select in selects {
            let mut plan = connection.prepare(&format!("EXPLAIN QUERY PLAN {select}")).unwrap();
            let plan = plan.query_map(params_from_iter(&values), |row| row.get::<_, String>(3));
            let plan: Vec<String> = plan.unwrap().collect::<Result<_, _>>().unwrap();
            let is_wide = |step: &String| step.starts_with("SCAN") || step.contains("TEMP B-TREE");
            assert!(!plan.iter().any(is_wide), "{name}\n{}", plan.join("\n"));
            let mut read = connection.prepare(&select).unwrap();
            let mut rows = read.query(params_from_iter(&values)).unwrap();
            for _ in 0..=LIMIT {
                if rows.next().unwrap().is_none() {
                    break;
                }
            }
            drop(rows);
            let steps = read.get_status(StatementStatus::VmStep);
            assert!(steps < 10_000, "{name}: {steps} steps\n{}", plan.join("\n"));
        }
    }
}
