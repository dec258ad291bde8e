//! PostgreSQL, and the lower bound of a first sync: one COPY of the same rows into a table with the same indexes.

use std::cell::Cell;
use std::io::{BufWriter, Write as _};

use gateway_mirror::Mirror;
use gateway_mirror::connector::{Connector, Options};
use postgres::{Client, NoTls};

use crate::cost::{Cost, cpu};
use crate::{DATE, cluster, source, syncs};

pub(crate) fn run(size: u64) {
    let Some(database) = cluster::database() else { return };
    let mut client = Client::connect(&database.url, NoTls).unwrap();
    bare_copy(&mut client, size);
    let connector = Connector::new(&database.url, Options::new("sync")).unwrap();
    let wal = Cell::new(wal_of(&database.url));
    let open = || {
        let mirror = Mirror::open_postgres(&connector, "mirror", &source()).unwrap();
        wal.set(wal_of(&database.url));
        mirror
    };
    // The process of the session began with the mirror.
    let also = || {
        let written = wal_of(&database.url) - wal.get();
        let mut client = Client::connect(&database.url, NoTls).unwrap();
        let process = "SELECT max(pid)::text FROM pg_stat_activity WHERE application_name = 'sync'";
        let process: String = client.query_one(process, &[]).unwrap().get(0);
        format!(", database: {:.2} s CPU, {} MiB WAL", cpu(&process), written >> 20)
    };
    syncs(size, "PostgreSQL", open, also);
    let bytes = "SELECT pg_total_relation_size('mirror.person')";
    let bytes: i64 = client.query_one(bytes, &[]).unwrap().get(0);
    println!("{size:>9}  table and indexes: {} MB", bytes >> 20);
}

fn bare_copy(client: &mut Client, size: u64) {
    client
        .batch_execute(
            "CREATE TABLE person (key bigint PRIMARY KEY, id text COLLATE \"C\" NOT NULL UNIQUE, hash bytea, \
             state text, misses integer, shape bigint, name text, email text, phone text, date text, site_id text, \
             site_name text, type text, extra text, nulls text, first_seen timestamptz, changed_at timestamptz, \
             missing_since timestamptz, gone_at timestamptz)",
        )
        .unwrap();
    let process: String = client.query_one("SELECT pg_backend_pid()::text", &[]).unwrap().get(0);
    let (cost, before) = (Cost::start(), cpu(&process));
    let mut copy =
        BufWriter::with_capacity(1 << 20, client.copy_in("COPY person FROM STDIN").unwrap());
    for id in 1..=size {
        writeln!(
            copy,
            "{id}\t{id}\t\\\\x07070707070707070707070707070707\tpresent\t0\t1\tPerson Number {id}\tperson{id}@example.com\t\
             +31 20 {id:07}\t{DATE}\t3\tNorthwind Jobs\tperson\t\\N\t\\N\t{DATE}\t{DATE}\t\\N\t\\N"
        )
        .unwrap();
    }
    copy.into_inner().map_err(std::io::IntoInnerError::into_error).unwrap().finish().unwrap();
    let database = cpu(&process) - before;
    cost.print(size, "PostgreSQL: bare COPY", &format!(", database: {database:.2} s CPU"));
}

/// Returns the position in the write-ahead log, in bytes.
fn wal_of(url: &str) -> i64 {
    let mut client = Client::connect(url, NoTls).unwrap();
    let position = "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint";
    client.query_one(position, &[]).unwrap().get(0)
}
