//! The cost of a sync into SQLite and PostgreSQL: time, processor time, memory, and bytes written, for lists of generated records.
//!
//! `cargo bench -p gateway-mirror --all-features --bench sync -- 100000 1000000`

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints, and stops at the first error"
)]

#[cfg(feature = "postgres019")]
#[path = "../../../gateway-postgres/tests/it/cluster.rs"]
#[expect(clippy::print_stderr, reason = "the tests of another crate share it")]
mod cluster;
mod cost;
#[cfg(feature = "postgres019")]
mod postgresql;
mod sqlite;

use std::fmt::Write as _;

use gateway_mirror::model::{Column, Table};
use gateway_mirror::{Mirror, Report, Rules, Source};

use crate::cost::Cost;

const PERSON: Table = Table::new(
    "person",
    "id",
    &[
        Column::text(&["id"]),
        Column::text(&["name"]).personal(),
        Column::text(&["email"]).personal(),
        Column::text(&["phone"]).personal(),
        Column::text(&["date"]),
        Column::text(&["site", "id"]),
        Column::text(&["site", "name"]),
        Column::text(&["type"]),
    ],
);

fn main() {
    let sizes: Vec<u64> = std::env::args().filter_map(|text| text.parse().ok()).collect();
    println!(
        "{:>9}  {:38} {:>8} {:>8} {:>11} {:>11}",
        "records", "work", "time", "CPU", "peak RSS", "written"
    );
    for size in if sizes.is_empty() { vec![100_000] } else { sizes } {
        generate(size);
        sqlite::run(size);
        #[cfg(feature = "postgres019")]
        postgresql::run(size);
    }
}

/// Creates the JSON texts, which every sync below does, too.
fn generate(size: u64) {
    let cost = Cost::start();
    let (mut json, mut bytes) = (String::new(), 0);
    for (id, version) in same(size) {
        record(&mut json, id, version);
        bytes += json.len();
    }
    cost.print(size, "create the JSON alone", "");
    assert!(bytes > 0);
}

/// Syncs one list after the other.
fn syncs(size: u64, store: &str, open: impl Fn() -> Mirror, also: impl Fn() -> String) {
    let sync = |name: &str, list: &mut dyn Iterator<Item = (u64, u64)>| {
        let mut mirror = open();
        let cost = Cost::start();
        let mut run = mirror.begin("persons/list", &PERSON, Rules::new()).unwrap();
        let mut json = String::new();
        for (id, version) in list {
            record(&mut json, id, version);
            run.record(&json).unwrap();
        }
        let report = run.finish().unwrap();
        cost.print(size, &format!("{store}: {name}"), &also());
        let Report { added, changed, unchanged, missing, gone, .. } = report;
        println!(
            "           {added} added, {changed} changed, {unchanged} unchanged, {missing} missing, {gone} gone"
        );
    };
    sync("first", &mut same(size));
    sync("unchanged", &mut same(size));
    // 0.5 % changed, 0.2 % absent, 0.5 % new; then the absent ones are gone.
    let changed = || {
        let known = same(size).filter(|(id, _)| id % 500 != 250);
        let known = known.map(|(id, _)| (id, u64::from(id % 200 == 7)));
        known.chain((size + 1..=size + size / 200).map(|id| (id, 0)))
    };
    sync("0.5 % changed, 0.5 % new", &mut changed());
    sync("0.2 % gone", &mut changed());
    sync("in another order", &mut changed().collect::<Vec<_>>().into_iter().rev());
}

fn same(size: u64) -> impl Iterator<Item = (u64, u64)> {
    (1..=size).map(|id| (id, 0))
}

fn source() -> Source {
    Source::new("https://gateway.example.com", "me")
}

fn record(json: &mut String, id: u64, version: u64) {
    json.clear();
    write!(
        json,
        r#"{{"id":"{id}","name":"Person Number {id}","email":"person{id}@example.com","phone":"+31 20 {id:07}","date":"{DATE}","site":{{"id":"3","name":"Northwind Jobs"}},"type":"person","version":{version}}}"#
    )
    .unwrap();
}

const DATE: &str = "2024-03-31 02:30:00";
