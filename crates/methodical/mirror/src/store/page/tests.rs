//! Checks the query plans of the pages that a dashboard shows.

use methodical_model::tables::{Column, Table};
use rusqlite::{StatementStatus, params_from_iter};

use super::{Order, Paging};
use crate::fields::Shape;
use crate::guard::Rules;
use crate::mirror::{Mirror, Source};
use crate::store::Store;
use crate::store::filter::Filter;
use crate::store::rows::State;

/// Right after a sync, when all rows have the same times, a page reads its rows from an index.
#[test]
fn a_page_reads_few_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mirror.db");
    fill(&mut Mirror::open(&path, &Source::new("https://photos.example.com", "me")).unwrap());
    let store = Store::open(&path, None).unwrap();
    let connection = &store.connection;
    for (name, table, filter, paging) in views() {
        let shape = Shape::of(table).unwrap();
        let statements = store.statements(table.name(), &shape, &filter, &paging);
        let (selects, values) = statements.unwrap().unwrap();
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

const PHOTO: Table = Table::new(
    "photo",
    "id",
    &[Column::text(&["id"]), Column::text(&["title"]).personal(), Column::integer(&["size"])],
);

const PLACEMENT: Table = Table::new(
    "photo_album",
    "id",
    &[
        Column::text(&["id"]),
        Column::integer(&["album_id"]),
        Column::text(&["photo_id"]),
        Column::text(&["status"]),
    ],
);

/// The columns of the placements, as a recovery stores them.
const RECOVERED: &str = r#"{"photo_album":{"group":{"column":"album_id","table":"photo"},
    "member":{"column":"photo_id","table":"photo"},"value":"status"}}"#;

/// Number of records in each table.
const SIZE: usize = 20_000;

/// Number of records on a page.
const LIMIT: usize = 50;

/// Fills a mirror by one sync of each table, so that all times are equal, and creates the indexes.
fn fill(mirror: &mut Mirror) {
    let mut run = mirror.begin("photos/list", &PHOTO, Rules::default()).unwrap();
    for id in 0..SIZE {
        let json = format!(r#"{{"id":"{id}","title":"Title {}"}}"#, id % 7);
        run.record(&json).unwrap();
    }
    run.finish().unwrap();
    let mut run = mirror.begin("recovery/photo_album", &PLACEMENT, Rules::default()).unwrap();
    for id in 0..SIZE {
        let (album, status) = (id % 2, ["\"new\"", "\"sold\"", "null"][id / 2 % 3]);
        let json = format!(
            r#"{{"id":"{album}/{id}","album_id":{album},"photo_id":"{id}","status":{status}}}"#
        );
        run.record(&json).unwrap();
    }
    run.finish().unwrap();
    let orders = [Order::FirstSeen, Order::Changed, Order::Text("title".to_owned())];
    mirror.index("photo", &orders).unwrap();
    mirror.store().set_note("recovered", RECOVERED).unwrap();
    mirror.index("photo_album", &[]).unwrap();
}

/// A page: its name, its table, the selected records, and its order.
type View = (String, &'static Table, Filter, Paging);

/// Returns first and deep pages in each order and direction: for all states, for one, and for the members of a group.
fn views() -> Vec<View> {
    let present = Filter::new().state(State::Present);
    let of_group = present.clone().column("album_id", "1");
    let filters = [
        ("all photos", &PHOTO, Filter::new()),
        ("present photos", &PHOTO, present.clone()),
        ("missing photos", &PHOTO, Filter::new().state(State::Missing)),
        ("members", &PLACEMENT, of_group.clone()),
        ("members with a value", &PLACEMENT, of_group.clone().column("status", "sold")),
        ("members without a value", &PLACEMENT, of_group.one_of("status", &[None])),
        ("groups of a member", &PLACEMENT, present.column("photo_id", "10001")),
    ];
    let mut views = Vec::new();
    for (name, table, filter) in filters {
        let orders = [Order::FirstSeen, Order::Changed, Order::Text("title".to_owned())];
        let orders = if *table == PHOTO { &orders[..] } else { &orders[1..2] };
        for order in orders {
            for (after, is_descending) in
                [(None, false), (None, true), (Some(10_000), false), (Some(10_000), true)]
            {
                let order = order.clone();
                let paging = Paging { order, is_descending, after, ..Paging::new(LIMIT) };
                let name = format!("{name}, {paging:?}");
                views.push((name, table, filter.clone(), paging));
            }
        }
    }
    views
}
