//! A PostgreSQL that is not there yet when the server starts, and one that closes connections.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Stdio};

use crate::cluster::{self, Cluster};
use crate::encrypted::{free_port, prepare};
use crate::process::{Served, account, program};
use crate::support::get;

/// A cluster on a TCP port, with user `u` and database `d`.
pub(crate) fn cluster(port: u16) -> Option<Cluster> {
    let cluster = empty_cluster(port)?;
    prepare(&cluster, port);
    Some(cluster)
}

fn empty_cluster(port: u16) -> Option<Cluster> {
    let settings = format!("listen_addresses = '127.0.0.1'\nport = {port}\n");
    let access =
        "local all postgres trust\nhost all postgres all trust\nhost all all all scram-sha-256\n";
    let cluster = Cluster::start_with(&[("settings.conf", &settings), ("pg_hba.conf", access)]);
    if cluster.is_none() {
        cluster::skip("PostgreSQL was not found; run `.ci/system postgresql`");
    }
    cluster
}

pub(crate) fn url(port: u16) -> String {
    format!("postgres://u:canary@127.0.0.1:{port}/d")
}

/// A process that is killed when this is dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

#[test]
fn serve_waits_for_a_database_that_starts_later() {
    let port = free_port();
    let child = program()
        .args(["serve", "--listen", "127.0.0.1:0", "--database"])
        // A user and a database that every cluster has from the start.
        .arg(format!("postgres://postgres:canary@127.0.0.1:{port}/postgres"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut child = Running(child);
    let mut messages = BufReader::new(child.0.stderr.take().unwrap());
    let mut first = String::new();
    messages.read_line(&mut first).unwrap();
    let expected = format!("waiting up to 60 s for the database: 127.0.0.1:{port}: ");
    assert!(first.contains(&expected) && !first.contains("canary"), "{first}");
    let Some(_cluster) = empty_cluster(port) else { return };
    let mut line = String::new();
    BufReader::new(child.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
    if line.is_empty() {
        let mut rest = String::new();
        messages.read_to_string(&mut rest).unwrap();
        panic!("the server ended: {rest}");
    }
    assert!(line.starts_with("listening on http://"), "{line}");
}

#[test]
fn a_lost_connection_is_replaced_and_logged() {
    let port = free_port();
    let Some(_cluster) = cluster(port) else { return };
    let url = url(port);
    let token = account(&url, "acme");
    let mut command = program();
    command.stderr(Stdio::piped());
    let served = Served::started_by(command, &url, &[]);
    assert_eq!(get(&served.base_url, &token, "method=credits/get").status, 200);
    let admin = format!("postgres://postgres@127.0.0.1:{port}/postgres");
    let mut admin = postgres::Client::connect(&admin, postgres::NoTls).unwrap();
    let ended = admin
        .query(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE usename = 'u'",
            &[],
        )
        .unwrap();
    assert!(!ended.is_empty());
    assert_eq!(get(&served.base_url, &token, "method=credits/get").status, 200);
    let log = served.stop();
    assert!(log.contains("\"event\":\"database_connection_lost\",\"cause\":"), "{log}");
    assert!(!log.contains("canary") && !log.contains("\"ERROR\""), "{log}");
}
