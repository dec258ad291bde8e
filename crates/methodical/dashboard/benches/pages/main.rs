//! The time of each page over a mirror of many records, in SQLite and PostgreSQL, and beside Datasette on the same file.
//!
//! `cargo bench -p methodical-dashboard --bench pages` prints the tables of `docs/benchmarks/dashboard.md`. An argument is another
//! number of records, and `postgres` leaves out the rest: `-- 100000 postgres`. Real syncs fill the mirrors. Datasette is
//! measured if `DATASETTE` is the path of its program.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints, and stops at the first error"
)]

#[path = "../../../postgres/tests/it/cluster.rs"]
#[expect(clippy::print_stderr, dead_code, reason = "the tests of another crate share it")]
mod cluster;
#[path = "../../../mirror/benches/sync/cost.rs"]
#[expect(dead_code, reason = "the benchmark of another crate shares it")]
mod cost;
mod datasette;
mod fill;
mod load;
#[path = "../../../mirror/benches/sync/service.rs"]
#[expect(dead_code, reason = "the benchmark of another crate shares it")]
mod service;

use std::time::Instant;

use methodical_dashboard::Dashboard;
use methodical_dashboard::mirror::connector::{Connector, Options};
use methodical_dashboard::mirror::{Mirror, Source};

use crate::cost::Started;
use crate::load::{Load, Times};
use crate::service::{Directory, URL};

fn main() {
    let size = std::env::args().find_map(|text| text.parse().ok()).unwrap_or(1_000_000);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mirror.db");
    let source = Source::new(URL, "me");
    if !std::env::args().any(|text| text == "postgres") {
        pages(
            "SQLite",
            size,
            || Mirror::open(&path, &source).unwrap(),
            || {
                let mut file = std::fs::File::open(&path).unwrap();
                std::io::copy(&mut file, &mut std::io::sink()).unwrap();
            },
        );
        let length = std::fs::metadata(&path).unwrap().len();
        println!("\nThe file has {} MiB with the indexes.", length >> 20);
        datasette::pages(&path, size);
    }
    drop(folder);
    let Some(server) = cluster::Cluster::start_with(&[("settings.conf", SETTINGS)]) else { return };
    let connector = Connector::new(&server.url(), Options::new("pages")).unwrap();
    let open = || Mirror::open_postgres(&connector, "mirror", &source).unwrap();
    pages("PostgreSQL", size, open, || {
        let mut client = postgres::Client::connect(&server.url(), postgres::NoTls).unwrap();
        client.batch_execute(PREWARM).unwrap();
    });
}

/// The default of PostgreSQL is 128 MB, for any machine.
const SETTINGS: &str = "shared_buffers = '2GB'\nmax_wal_size = '4GB'\n";

/// Reads all tables and indexes of a mirror into the memory of the database.
const PREWARM: &str = "CREATE EXTENSION IF NOT EXISTS pg_prewarm; SELECT pg_prewarm(oid) FROM pg_class \
    WHERE relnamespace = 'mirror'::regnamespace AND relkind IN ('r', 'i')";

/// Fills a mirror and measures its pages. `warm` reads all of it into memory.
fn pages(store: &str, size: u64, open: impl Fn() -> Mirror, warm: impl Fn()) {
    let mut syncs = fill::Syncs::new(open(), size);
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
    println!("\n| {store}: page | p50 | p95 | p99 | first byte, p95 |\n|---|--:|--:|--:|--:|");
    let mut first = Times::default();
    for round in 0..5 {
        // The first sync of each round changes a placement, the others only the titles of groups.
        if round == 0 {
            syncs.next_day();
        } else {
            syncs.groups();
        }
        // The server closes a connection that was idle during a long sync.
        load = load.again();
        first.add(load.get("/"));
    }
    first.print("Board, first request after a sync");
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
