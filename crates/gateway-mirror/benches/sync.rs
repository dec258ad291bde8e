//! The cost of a sync into SQLite: time, processor time, memory, and bytes written, for lists of generated records.
//!
//! `cargo bench -p gateway-mirror --bench sync -- 100000 1000000`

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints, and stops at the first error"
)]

use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use gateway_mirror::model::{Column, Table};
use gateway_mirror::{Mirror, Report, Rules, Source};

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
        "{:>9}  {:26} {:>8} {:>8} {:>11} {:>11}",
        "records", "sync", "time", "CPU", "peak RSS", "written"
    );
    for size in if sizes.is_empty() { vec![100_000] } else { sizes } {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mirror.db");
        bare_insert(&folder.path().join("bare.db"), size);
        let same = || (1..=size).map(|id| (id, 0));
        run(&path, size, "first", same());
        run(&path, size, "unchanged", same());
        // 0.5 % changed, 0.2 % absent, 0.5 % new; then the absent ones are gone.
        let changed = || {
            let known = same().filter(|(id, _)| id % 500 != 250);
            let known = known.map(|(id, _)| (id, u64::from(id % 200 == 7)));
            known.chain((size + 1..=size + size / 200).map(|id| (id, 0)))
        };
        run(&path, size, "0.5 % changed, 0.5 % new", changed());
        run(&path, size, "0.2 % gone", changed());
        run(&path, size, "in another order", changed().collect::<Vec<_>>().into_iter().rev());
        println!("{:>9}  file: {} MB", size, std::fs::metadata(&path).unwrap().len() >> 20);
    }
}

fn run(path: &Path, size: u64, name: &str, list: impl Iterator<Item = (u64, u64)>) {
    let mut mirror = Mirror::open(path, &Source::new("https://gateway.example.com", "me")).unwrap();
    let cost = Cost::start();
    let mut run = mirror.begin("persons/list", &PERSON, Rules::new()).unwrap();
    let mut json = String::new();
    for (id, version) in list {
        record(&mut json, id, version);
        run.record(&json).unwrap();
    }
    let report = run.finish().unwrap();
    cost.print(size, name);
    let Report { added, changed, unchanged, missing, gone, .. } = report;
    println!(
        "           {added} added, {changed} changed, {unchanged} unchanged, {missing} missing, {gone} gone"
    );
}

/// Inserts the same rows with the same indexes, as the lower bound.
fn bare_insert(path: &Path, size: u64) {
    let database = rusqlite::Connection::open(path).unwrap();
    database
        .execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -16384; \
             CREATE TABLE person (key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, hash BLOB, state TEXT, misses INTEGER, \
             shape INTEGER, name TEXT, email TEXT, phone TEXT, date TEXT, site_id TEXT, site_name TEXT, type TEXT, \
             extra TEXT, nulls TEXT, first_seen TEXT, changed_at TEXT, missing_since TEXT, gone_at TEXT) STRICT",
        )
        .unwrap();
    let cost = Cost::start();
    database.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut insert = database
        .prepare(
            "INSERT INTO person VALUES (?1, ?2, ?3, 'present', 0, 1, ?4, ?5, ?6, ?7, ?8, ?9, 'person', NULL, NULL, ?7, ?7, \
             NULL, NULL)",
        )
        .unwrap();
    for id in 1..=size {
        let [text, name, email, phone] = [
            id.to_string(),
            format!("Person Number {id}"),
            format!("person{id}@example.com"),
            format!("+31 20 {id:07}"),
        ];
        insert
            .execute((
                id.cast_signed(),
                text,
                [7_u8; 16],
                name,
                email,
                phone,
                DATE,
                "3",
                "Northwind Jobs",
            ))
            .unwrap();
    }
    database.execute_batch("COMMIT").unwrap();
    cost.print(size, "bare insert");
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

/// The time and the counters of this process.
struct Cost {
    started: Instant,
    cpu: f64,
    written: u64,
}

impl Cost {
    fn start() -> Self {
        // Resets the peak of the memory.
        drop(std::fs::write("/proc/self/clear_refs", "5"));
        Self { started: Instant::now(), cpu: cpu(), written: written() }
    }

    fn print(&self, size: u64, name: &str) {
        println!(
            "{size:>9}  {name:26} {:>6.2} s {:>6.2} s {:>7} MiB {:>7} MiB",
            self.started.elapsed().as_secs_f64(),
            cpu() - self.cpu,
            number_in("/proc/self/status", "VmHWM:") >> 10,
            (written() - self.written) >> 20
        );
    }
}

/// Returns the processor time of this process, in seconds. The kernel counts it in hundredths.
fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = text.rsplit(") ").next().unwrap_or_default().split(' ');
    let ticks = after_name.skip(11).take(2).filter_map(|number| number.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}

/// Returns the bytes that this process has passed to write calls.
fn written() -> u64 {
    number_in("/proc/self/io", "wchar:")
}

fn number_in(path: &str, name: &str) -> u64 {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    line.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or_default()
}
