//! The cost of a sync into SQLite: time, processor time, memory, and bytes written, for generated lists.
//!
//! `cargo bench -p methodical-mirror --all-features --bench sync` prints the tables of `docs/benchmarks.md`. Arguments are
//! other lengths of the lists: `-- 20000`. A client receives each list in parts of 64 KiB from this process. Beside the syncs
//! are what they cannot do without: the client that passes the list on as NDJSON, and a bare insertion of the same rows
//! into a table with the same indexes.

#![expect(
    clippy::cast_precision_loss,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints, and stops at the first error"
)]

mod cost;
mod results;
mod service;
mod sqlite;

use std::fs::File;
use std::io::{BufWriter, Write as _};

use methodical_mirror::client::blocking;
use methodical_mirror::model::tables::{MirrorVisitor, Mirrored};
use methodical_mirror::{Mirror, Report, Source, SyncOptions};

use crate::cost::Started;
use crate::results::{LIST, Reference, Results};
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
    let mut results = Results::default();
    for &size in &sizes {
        Results::begin(size);
        generate(&mut results, size);
        list(&mut results, size);
        sqlite::run(&mut results, size);
    }
    results.print_growth(&sizes);
}

/// Creates the body, which is a part of all rows below except the bare insertions.
fn generate(results: &mut Results, size: u64) {
    let started = Started::now();
    assert!(List::Same.body(size).map(|part| part.len()).sum::<usize>() > 0);
    results.add(size, "create the list", &started.end(), 0.0, Reference::None);
}

/// Passes the list on, as `-o ndjson` does.
fn list(results: &mut Results, size: u64) {
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
    results.add(size, LIST, &started.end(), 0.0, Reference::None);
}

/// Syncs one list after the other. `database` returns the processor time of the process of the database.
fn syncs(
    results: &mut Results,
    size: u64,
    store: &str,
    bare: &'static str,
    open: impl Fn() -> Mirror,
    database: impl Fn() -> f64,
) {
    let mut sync = |name: &str, list: List, reference, expected: [u64; 4]| {
        let (mut mirror, client): (_, blocking::Client<Directory>) = (open(), list.client(size));
        let (before, started) = (database(), Started::now());
        let mut report = mirror.sync_all(&client, &SyncOptions::new()).unwrap();
        let report = report.tables.remove(0).result.unwrap();
        let (cost, database) = (started.end(), database() - before);
        let Report { added, changed, missing, gone, .. } = report;
        assert_eq!([added, changed, missing, gone], expected, "{name}");
        results.add(size, &format!("{store}: {name}"), &cost, database, reference);
    };
    let (some, absent) = (size / 200, size / 500);
    sync("first sync", List::Same, Reference::Bare(bare), [size, 0, 0, 0]);
    sync("unchanged", List::Same, Reference::List, [0; 4]);
    let changed = "0.5 % changed, 0.5 % new, 0.2 % missing";
    sync(changed, List::Changed, Reference::List, [some, some, absent, 0]);
    sync("0.2 % gone", List::Changed, Reference::List, [0, 0, 0, absent]);
}

fn source() -> Source {
    Source::new(URL, "me")
}
