//! The cost of a sync into SQLite: time, CPU time, memory, and bytes written, for generated lists.
//!
//! `cargo bench -p methodical-mirror --all-features --bench sync` prints the tables of `docs/benchmarks.md`. Arguments
//! set other lengths of the lists: `-- 20000`. A client receives each list in parts of 64 KiB from this process. For
//! comparison, the tables also have the steps that a sync cannot avoid: a client that passes the list on as NDJSON, and
//! a bare insertion of the same rows into a table with the same indexes.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints its results, and stops at the first error"
)]

mod bare;
mod cost;
mod service;

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use methodical_mirror::model::tables::{MirrorVisitor, Mirrored};
use methodical_mirror::{Mirror, Report, Source, SyncOptions};

use crate::bare::bare_insert;
use crate::cost::{Cost, Started};
use crate::service::{Directory, List, ListPersons, PERSON, URL};

impl Mirrored for Directory {
    fn visit(visitor: &mut impl MirrorVisitor<Self>) {
        visitor.list(&PERSON, ListPersons);
    }
}

fn main() {
    let mut sizes: Vec<u64> = std::env::args().filter_map(|text| text.parse().ok()).collect();
    if sizes.is_empty() {
        sizes = vec![10_000, 100_000, 1_000_000];
    }
    for size in sizes {
        let folder = tempfile::tempdir().unwrap();
        println!("\n| {size} records | time | CPU | ratio | peak memory | written |");
        println!("|---|--:|--:|--:|--:|--:|");
        // All rows below, except the bare insertion, include this body.
        let started = Started::now();
        assert!(List::Same.body(size).map(|part| part.len()).sum::<usize>() > 0);
        row("create the list", &started.end(), None);
        let list = row("list as NDJSON", &list(size), None);
        let bare = bare_insert(size, &folder.path().join("bare.db"));
        let bare = row("bare insert", &bare, None);
        let path = folder.path().join("mirror.db");
        syncs(size, &path, (list, "list"), (bare, "bare"));
        println!("\nThe file of {size} records has {} MiB.", path.metadata().unwrap().len() >> 20);
    }
}

/// CPU time for comparison, in seconds, and its name.
type Reference = (f64, &'static str);

/// Prints a row of the table. Returns the CPU time.
fn row(name: &str, cost: &Cost, reference: Option<Reference>) -> f64 {
    let ratio = reference.map(|(cpu, of)| format!("{:.2} × the {of}", cost.cpu / cpu));
    let (memory, written) = (cost.memory >> 20, cost.written >> 20);
    println!(
        "| {name} | {:.2} s | {:.2} s | {} | {memory} MiB | {written} MiB |",
        cost.time,
        cost.cpu,
        ratio.unwrap_or_default()
    );
    cost.cpu
}

/// Passes the list on, as `-o ndjson` does.
fn list(size: u64) -> Cost {
    let client = List::Same.client(size);
    let mut out = BufWriter::with_capacity(64 << 10, File::create("/dev/null").unwrap());
    let started = Started::now();
    let mut records = client.stream(&ListPersons).unwrap();
    let mut write = |json: &str| {
        out.write_all(json.as_bytes()).and_then(|()| out.write_all(b"\n")).unwrap();
    };
    while let Some(entry) = records.next_json_with(|_, json| write(json)) {
        entry.unwrap();
    }
    out.flush().unwrap();
    started.end()
}

fn syncs(size: u64, path: &Path, unchanged: Reference, first: Reference) {
    let sync = |name: &str, list: List, reference, expected: [u64; 4]| {
        let mut mirror = Mirror::open(path, &Source::new(URL, "me")).unwrap();
        let (client, started) = (list.client(size), Started::now());
        let mut report = mirror.sync_all(&client, &SyncOptions::default()).unwrap();
        let report = report.tables.remove(0).result.unwrap();
        let cost = started.end();
        let Report { added, changed, missing, gone, .. } = report;
        assert_eq!([added, changed, missing, gone], expected, "{name}");
        row(name, &cost, Some(reference));
    };
    let (some, absent) = (size / 200, size / 500);
    sync("first sync", List::Same, first, [size, 0, 0, 0]);
    sync("unchanged", List::Same, unchanged, [0; 4]);
    let changed = "0.5 % changed, 0.5 % new, 0.2 % missing";
    sync(changed, List::Changed, unchanged, [some, some, absent, 0]);
    sync("0.2 % gone", List::Changed, unchanged, [0, 0, 0, absent]);
}
