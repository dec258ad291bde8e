//! The response time of each page, over a mirror of many records.
//!
//! `cargo bench -p methodical-dashboard --bench pages` prints the tables of `docs/benchmarks.md`. An argument sets
//! another number of records: `-- 100000`. Real syncs fill the mirror.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints its results, and stops at the first error"
)]

#[path = "../../../mirror/benches/sync/cost.rs"]
#[expect(dead_code, reason = "the benchmark of another crate shares it")]
mod cost;
mod fill;
mod load;
#[path = "../../../mirror/benches/sync/service.rs"]
#[expect(dead_code, reason = "the benchmark of another crate shares it")]
mod service;

use std::time::Instant;

use methodical_dashboard::Dashboard;
use methodical_dashboard::mirror::{Mirror, Source, queries};

use crate::cost::Started;
use crate::load::{Load, Times};
use crate::service::{Directory, URL};

fn main() {
    let size = std::env::args().find_map(|text| text.parse().ok()).unwrap_or(1_000_000);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mirror.db");
    let source = Source::new(URL, "me");
    let open = || Mirror::open(&path, &source).unwrap();
    // As a recovery stores it.
    let note = || {
        let recovered = r#"{"person_team":{"group":{"column":"team_id","table":"team"},
            "member":{"column":"person_id","table":"person"},"value":"status"}}"#;
        let insert = "INSERT INTO mirror_note (name, text) VALUES ('recovered', ?1)";
        rusqlite::Connection::open(&path).unwrap().execute(insert, (recovered,)).unwrap();
    };
    pages("SQLite", size, open, note, || {
        let mut file = std::fs::File::open(&path).unwrap();
        std::io::copy(&mut file, &mut std::io::sink()).unwrap();
    });
    let length = std::fs::metadata(&path).unwrap().len();
    println!("\nThe file has {} MiB with the indexes.", length >> 20);
}

/// Fills a mirror and measures its pages. `warm` reads all of it into memory.
fn pages(store: &str, size: u64, open: impl Fn() -> Mirror, note: impl Fn(), warm: impl Fn()) {
    let mut syncs = fill::Syncs::new(open(), size);
    note();
    syncs.first();
    let mut dashboard = Dashboard::of::<Directory>(open());
    let started = Instant::now();
    dashboard.index().unwrap();
    println!(
        "\n{store}, {size} records: the indexes took {:.1} s.",
        started.elapsed().as_secs_f64()
    );
    syncs.next_day();
    drop(dashboard);
    let started = Started::now();
    let dashboard = Dashboard::of::<Directory>(open());
    let listening = dashboard.listen("127.0.0.1:0".parse().unwrap()).unwrap();
    let (address, url, stopper) = (listening.address(), listening.url(), listening.stopper());
    let server = std::thread::spawn(|| listening.run().unwrap());
    let mut load = Load::log_in(address, &url);
    println!("\n| {store}: page | p50 | p95 | p99 |\n|---|--:|--:|--:|");
    let mirror = open();
    for (name, has_medians) in
        [("Board, as `gateway board` reads it", false), ("Board, as the funnel reads it", true)]
    {
        let mut times = Times::default();
        for _ in 0..BOARDS {
            let started = Instant::now();
            let board = queries::board(&mirror, fill::PLACEMENT.name(), &[], has_medians).unwrap();
            times.add(started.elapsed());
            assert_eq!(board.groups.len() as u64, fill::TEAMS);
        }
        times.print(name);
    }
    drop(mirror);
    let mut first = Times::default();
    for round in 0..5 {
        // The first sync of each round changes a placement, the others only the titles of groups.
        if round == 0 {
            syncs.next_day();
        } else {
            syncs.groups();
        }
        // The server closes connections that were idle during a long sync.
        load = load.again();
        first.add(load.get("/funnel"));
    }
    first.print("Funnel, first request after a sync");
    warm();
    load = load.again();
    for (name, paths) in load::paths(size) {
        let mut times = Times::default();
        for path in paths {
            times.add(load.get(&path));
        }
        times.print(name);
    }
    println!("\nThe peak of the resident memory is {} MiB.", started.end().memory >> 20);
    drop(load);
    stopper.stop();
    server.join().unwrap();
}

/// Number of times that a board is read in each way.
const BOARDS: usize = 100;
