//! PostgreSQL, and the lower bound of a first sync: one COPY of the same rows into a table with the same indexes.

use std::io::{BufWriter, Write as _};

use methodical_mirror::Mirror;
use methodical_mirror::connector::{Connector, Options};
use postgres::{Client, NoTls};

use crate::cost::{Started, cpu};
use crate::results::{Reference, Results};
use crate::service::DATE;
use crate::{cluster, source, syncs};

pub(crate) fn run(results: &mut Results, size: u64) {
    let Some(database) = cluster::database() else { return };
    let mut client = Client::connect(&database.url, NoTls).unwrap();
    bare_copy(results, size, &mut client);
    let connector = Connector::new(&database.url, Options::new("sync")).unwrap();
    let open = || Mirror::open_postgres(&connector, "mirror", &source()).unwrap();
    // The process of the session began with the mirror.
    let process = || {
        let mut client = Client::connect(&database.url, NoTls).unwrap();
        let process = "SELECT max(pid)::text FROM pg_stat_activity WHERE application_name = 'sync'";
        let process: String = client.query_one(process, &[]).unwrap().get(0);
        cpu(&process)
    };
    syncs(results, size, "PostgreSQL", BARE, open, process);
    let bytes = "SELECT pg_total_relation_size('mirror.person')";
    let bytes: i64 = client.query_one(bytes, &[]).unwrap().get(0);
    results.note(format!(
        "PostgreSQL, {size} records: the table and its indexes have {} MiB.",
        bytes >> 20
    ));
}

fn bare_copy(results: &mut Results, size: u64, client: &mut Client) {
    client
        .batch_execute(
            "CREATE TABLE person (key bigint PRIMARY KEY, id text COLLATE \"C\" NOT NULL UNIQUE, hash bytea, \
             state text, misses integer, shape bigint, name text, email text, phone text, date text, site_id text, \
             site_name text, type text, extra text, nulls text, first_seen timestamptz, changed_at timestamptz, \
             missing_since timestamptz, gone_at timestamptz)",
        )
        .unwrap();
    let process: String = client.query_one("SELECT pg_backend_pid()::text", &[]).unwrap().get(0);
    let (before, started) = (cpu(&process), Started::now());
    let mut copy =
        BufWriter::with_capacity(1 << 20, client.copy_in("COPY person FROM STDIN").unwrap());
    for id in 1..=size {
        writeln!(
            copy,
            "{id}\t{id}\t\\\\x070707070707070707070707070707070707070707070707\tpresent\t0\t1\tPerson Number {id}\tperson{id}@example.com\t\
             +31 20 {id:07}\t{DATE}\t3\tNorthwind Jobs\tperson\t\\N\t\\N\t{DATE}\t{DATE}\t\\N\t\\N"
        )
        .unwrap();
    }
    copy.into_inner().map_err(std::io::IntoInnerError::into_error).unwrap().finish().unwrap();
    let (cost, database) = (started.end(), cpu(&process) - before);
    results.add(size, BARE, &cost, database, Reference::None);
}

const BARE: &str = "PostgreSQL: bare COPY";
