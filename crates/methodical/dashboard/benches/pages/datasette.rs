//! Datasette on the file of the mirror.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::fill::TEAMS;
use crate::load::{Load, Times};

/// Measures the pages that are closest to those of the dashboard.
pub(crate) fn pages(file: &Path, size: u64) {
    let Some(program) = std::env::var_os("DATASETTE") else {
        println!("\nDatasette was not measured: DATASETTE is not set.");
        return;
    };
    // A free port, because Datasette does not print the one that it takes.
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let server = Command::new(program)
        .args(["serve", "--host", "127.0.0.1", "--port", &address.port().to_string()])
        .args([
            "--setting",
            "sql_time_limit_ms",
            "20000",
            "--setting",
            "facet_time_limit_ms",
            "20000",
        ])
        .arg(file)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let _server = Server(server.unwrap());
    let mut load = connect(address);
    println!("\n| Datasette: page | p50 | p95 | p99 | first byte, p95 |\n|---|--:|--:|--:|--:|");
    let each = |count: u64, path: &dyn Fn(u64) -> String| -> Vec<String> {
        (1..=count).map(|number| path(number * 7_919 % size + 1)).collect()
    };
    let board = "select+team_id,status,count(*),min(mirror_changed_at)+from+person_team\
                 +where+mirror_state='present'+group+by+team_id,status+limit+800";
    for (name, paths) in [
        ("Counts of teams by status", each(20, &|_| format!("/mirror?sql={board}"))),
        ("Persons", each(50, &|_| "/mirror/person?_sort_desc=mirror_key".to_owned())),
        ("Persons, by name", each(20, &|_| "/mirror/person?_sort=name".to_owned())),
        ("Persons, deep page", each(50, &|id| format!("/mirror/person?_next={id}"))),
        (
            "Members of a team",
            each(20, &|id| format!("/mirror/person_team?team_id={}", id % TEAMS + 1)),
        ),
        ("One person", each(50, &|id| format!("/mirror/person/{id}"))),
        (
            "Search that finds one",
            each(10, &|id| format!("/mirror/person?email__contains=person{id}@")),
        ),
    ] {
        let mut times = Times::default();
        for path in paths {
            times.add(load.get(&path));
        }
        times.print(name);
    }
}

/// Waits until the server accepts connections.
fn connect(address: SocketAddr) -> Load {
    let started = Instant::now();
    while TcpStream::connect(address).is_err() {
        assert!(started.elapsed() < Duration::from_secs(60), "Datasette does not start");
        std::thread::park_timeout(Duration::from_millis(100));
    }
    Load::to(address)
}

/// A server that ends when it is dropped.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ended = self.0.kill().and_then(|()| self.0.wait());
    }
}
