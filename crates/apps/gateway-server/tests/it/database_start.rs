//! A PostgreSQL that is not there yet when the server starts, several hosts, and a pooler between both.

use std::io::{BufRead as _, BufReader, Read as _};
use std::net::TcpStream;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::cluster::{self, Cluster};
use crate::encrypted::{free_port, prepare};
use crate::process::{Served, account, error, program, run};
use crate::support::get;

/// A cluster on a TCP port, with user `u` and database `d`.
fn cluster(port: u16) -> Option<Cluster> {
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
        cluster::skip("PostgreSQL was not found; run .ci/postgres");
    }
    cluster
}

fn url(port: u16) -> String {
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
    let mut served = Served::started_by(command, &url, &[]);
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
    served.signal("-TERM");
    let mut log = String::new();
    served.child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
    assert!(log.contains("\"event\":\"database_connection_lost\",\"cause\":"), "{log}");
    assert!(!log.contains("canary") && !log.contains("database_unavailable"), "{log}");
}

/// Starts `PgBouncer` in front of a cluster, and returns it with the URL of the database.
fn pooler(directory: &Path, cluster: u16, mode: &str) -> Option<(Pooler, String)> {
    if !Path::new(PGBOUNCER).exists() {
        eprintln!("SKIPPED: PgBouncer was not found; run .ci/postgres");
        return None;
    }
    let port = free_port();
    let settings = format!(
        "[databases]\nd = host=127.0.0.1 port={cluster} user=u password=canary\n\
         [pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n\
         auth_type = any\npool_mode = {mode}\ndefault_pool_size = 20\n"
    );
    let file = directory.join("pgbouncer.ini");
    std::fs::write(&file, settings).unwrap();
    let child = cluster::shell()
        .args(["-c", RUN, "sh", PGBOUNCER])
        .arg(&file)
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .unwrap();
    let running = Pooler(child);
    let started = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(started.elapsed() < Duration::from_secs(30), "PgBouncer does not listen");
        std::thread::yield_now();
    }
    Some((running, url(port)))
}

/// A process of `PgBouncer`. As with a cluster, a shell stops it when this process ends.
struct Pooler(Child);

impl Drop for Pooler {
    fn drop(&mut self) {
        // Closes the pipe first.
        drop(self.0.wait());
    }
}

const RUN: &str = r#""$1" -q "$2" & read -r _; kill $!; wait"#;

const PGBOUNCER: &str = "/usr/sbin/pgbouncer";

#[test]
fn a_pooler_in_session_mode_is_transparent() {
    let port = free_port();
    let Some(cluster) = cluster(port) else { return };
    let Some((_pooler, url)) = pooler(cluster.directory.path(), port, "session") else { return };
    let token = account(&url, "acme");
    run(&url, &["demo-data", "--account", "acme"]);
    let served = Served::start(&url, &[]);
    for method in ["candidates/list", "vacancies/list", "credits/get"] {
        let response = get(&served.base_url, &token, &format!("method={method}"));
        assert_eq!(response.status, 200, "{method}");
    }
    assert!(run(&url, &["check"]).contains("no damage"));
}

#[test]
fn a_pooler_in_transaction_mode_is_refused_with_a_reason() {
    let port = free_port();
    let Some(cluster) = cluster(port) else { return };
    let Some((_pooler, url)) = pooler(cluster.directory.path(), port, "transaction") else {
        return;
    };
    account(&url, "acme");
    // The session still has the statements of a command before. Another command has other numbers for its statements.
    let list = || program().args(["account", "list", "--database", &url]).output().unwrap();
    let output = (0..3).map(|_| list()).find(|output| !output.status.success()).unwrap();
    let text = error(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("set its pool mode to session"), "{text}");
}

#[test]
fn a_running_server_moves_to_the_next_host() {
    let port = free_port();
    let Some(cluster) = cluster(port) else { return };
    let first = pooler(cluster.directory.path(), port, "session");
    let Some((pooler, first)) = first else { return };
    let both = first.replace("/d", &format!(",127.0.0.1:{port}/d"));
    let token = account(&both, "acme");
    let served = Served::start(&both, &[]);
    let status = || get(&served.base_url, &token, "method=credits/get").status;
    assert_eq!(status(), 200);
    drop(pooler);
    assert_eq!(status(), 200);
}
