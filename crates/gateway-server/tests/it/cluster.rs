//! A real PostgreSQL for the tests: the one that `GATEWAY_TEST_POSTGRES` names, or a throw-away cluster of our own.
//!
//! Without either, the tests that need one say so loudly and pass, unless `GATEWAY_REQUIRE_POSTGRES` is set.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use tempfile::TempDir;

/// A database of its own for one test. The cluster ends with it.
pub(crate) struct Database {
    pub(crate) url: String,
    _cluster: Option<Cluster>,
}

/// Returns an empty database on a real server, or says why there is none.
pub(crate) fn database() -> Option<Database> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let named = std::env::var("GATEWAY_TEST_POSTGRES").ok();
    let cluster = if named.is_none() { Cluster::start() } else { None };
    let Some(server) = named.or_else(|| cluster.as_ref().map(Cluster::url)) else {
        assert!(
            std::env::var_os("GATEWAY_REQUIRE_POSTGRES").is_none(),
            "GATEWAY_REQUIRE_POSTGRES is set, and there is no PostgreSQL"
        );
        eprintln!("SKIPPED: no PostgreSQL here; run .ci/postgres or set GATEWAY_TEST_POSTGRES");
        return None;
    };
    let mut client = postgres::Client::connect(&server, postgres::NoTls).unwrap();
    let version: String = client.query_one("SHOW server_version", &[]).unwrap().get(0);
    let name = format!("t{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    client.batch_execute(&format!("CREATE DATABASE {name}")).unwrap();
    println!("ran on PostgreSQL {version}");
    let (host, rest) = server.rsplit_once('/').unwrap();
    let options = rest.split_once('?').map_or(String::new(), |(_, options)| format!("?{options}"));
    Some(Database { url: format!("{host}/{name}{options}"), _cluster: cluster })
}

/// A cluster in a temporary directory that listens on a socket in it and nowhere else.
struct Cluster {
    directory: TempDir,
    programs: PathBuf,
}

impl Cluster {
    fn start() -> Option<Self> {
        let programs = programs("initdb")?;
        let directory = tempfile::Builder::new().prefix("gateway-pg-").tempdir().unwrap();
        let cluster = Self { directory, programs };
        if is_root() {
            let path = cluster.directory.path();
            assert!(Command::new("chown").arg("postgres").arg(path).status().unwrap().success());
        }
        let data = cluster.directory.path().join("data");
        cluster.run(
            "initdb",
            &[
                "-D",
                text(&data),
                "-U",
                "postgres",
                "-A",
                "trust",
                "--no-sync",
                "-E",
                "UTF8",
                "--locale=C",
            ],
        );
        let socket = cluster.directory.path();
        let options = format!(
            "-c listen_addresses= -c unix_socket_directories={} -c fsync=off",
            text(socket)
        );
        let log = socket.join("log");
        cluster
            .run("pg_ctl", &["-D", text(&data), "-w", "-l", text(&log), "-o", &options, "start"]);
        Some(cluster)
    }

    fn url(&self) -> String {
        let socket = text(self.directory.path()).replace('/', "%2F");
        format!("postgres://postgres@{socket}/postgres")
    }

    fn run(&self, program: &str, arguments: &[&str]) {
        let program = self.programs.join(program);
        // PostgreSQL refuses to run as root.
        let mut command = if is_root() {
            let mut command = Command::new("setpriv");
            command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups"]).arg(program);
            command
        } else {
            Command::new(program)
        };
        let status = command
            .args(arguments)
            .current_dir("/")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        assert!(status.unwrap().success(), "{arguments:?}");
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let data = self.directory.path().join("data");
        self.run("pg_ctl", &["-D", text(&data), "-m", "immediate", "stop"]);
    }
}

/// The directory of the newest PostgreSQL that has this program.
pub(crate) fn programs(with: &str) -> Option<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path().join("bin")))
        .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()))
        .filter(|directory| directory.join(with).exists())
        .collect();
    found.sort();
    found.pop()
}

fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output().unwrap();
    output.stdout == b"0\n"
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}
