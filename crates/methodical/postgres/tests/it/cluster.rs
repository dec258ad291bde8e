//! A real PostgreSQL for the tests: the one in `GATEWAY_TEST_POSTGRES`, or a temporary cluster that the tests of a
//! process share.
//!
//! Without either, a test that needs one prints `SKIPPED` and passes; with `GATEWAY_REQUIRE_POSTGRES` set, it fails.

use std::fs::Permissions;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

use tempfile::TempDir;

/// An empty database for one test.
pub(crate) struct Database {
    pub(crate) url: String,
}

/// Creates a database, or prints why it cannot.
pub(crate) fn database() -> Option<Database> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    // Never dropped: the shell of the cluster stops it when this process ends.
    static SHARED: LazyLock<Option<Cluster>> = LazyLock::new(Cluster::start);
    let named = std::env::var("GATEWAY_TEST_POSTGRES").ok();
    let Some(server) = named.or_else(|| SHARED.as_ref().map(Cluster::url)) else {
        skip("PostgreSQL was not found; run `.ci/system postgresql` or set GATEWAY_TEST_POSTGRES");
        return None;
    };
    let mut client = postgres::Client::connect(&server, postgres::NoTls).unwrap();
    let version: String = client.query_one("SHOW server_version", &[]).unwrap().get(0);
    let name = format!("t{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    client.batch_execute(&format!("CREATE DATABASE {name}")).unwrap();
    println!("ran on PostgreSQL {version}");
    let (host, rest) = server.rsplit_once('/').unwrap();
    let options = rest.split_once('?').map_or(String::new(), |(_, options)| format!("?{options}"));
    Some(Database { url: format!("{host}/{name}{options}") })
}

/// Prints why a test is skipped. With `GATEWAY_REQUIRE_POSTGRES` set, fails.
pub(crate) fn skip(reason: &str) {
    let required = std::env::var_os("GATEWAY_REQUIRE_POSTGRES").is_some();
    assert!(!required, "GATEWAY_REQUIRE_POSTGRES is set, but {reason}");
    eprintln!("SKIPPED: {reason}");
}

/// A cluster in a temporary directory that listens on a socket there and nowhere else.
///
/// A shell starts it and waits for the end of its standard input, which is a pipe from this process. The pipe closes
/// when the cluster is dropped, and also when this process is killed: the shell then stops the cluster.
pub(crate) struct Cluster {
    pub(crate) directory: TempDir,
    shell: Child,
}

impl Cluster {
    pub(crate) fn start() -> Option<Self> {
        Self::start_with(&[])
    }

    /// Starts a cluster with files in its directory. `settings.conf` is added to its settings, and `pg_hba.conf`
    /// replaces the one of the cluster.
    pub(crate) fn start_with(files: &[(&str, &str)]) -> Option<Self> {
        let programs = programs("initdb")?;
        let directory = tempfile::Builder::new().prefix("gateway-pg-").tempdir().unwrap();
        for (name, text) in files {
            let path = directory.path().join(name);
            std::fs::write(&path, text).unwrap();
            std::fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        }
        if is_root() {
            let mut command = Command::new("chown");
            command.args(["-R", "postgres"]).arg(directory.path());
            assert!(command.status().unwrap().success());
        }
        let mut command = shell();
        let mut shell = command
            .args(["-c", RUN, "sh"])
            .arg(programs)
            .arg(directory.path())
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // A separate group, so that Ctrl-C in a terminal ends only this process.
            .process_group(0)
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(shell.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n", "the cluster did not start; its log is on standard error");
        Some(Self { directory, shell })
    }

    pub(crate) fn url(&self) -> String {
        let socket = self.directory.path().to_str().unwrap().replace('/', "%2F");
        format!("postgres://postgres@{socket}/postgres")
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // Closes the pipe first.
        drop(self.shell.wait());
    }
}

/// Returns a shell of a user that PostgreSQL accepts: it refuses to run as root.
pub(crate) fn shell() -> Command {
    if !is_root() {
        return Command::new("sh");
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups", "sh"]);
    command
}

/// Runs a cluster with the programs in `$1` and its files in `$2` until standard input ends.
const RUN: &str = r#"
PATH=$1:$PATH data=$2/data log=$2/log
if initdb -D "$data" -U postgres -A trust --no-sync -E UTF8 --locale=C >"$log" 2>&1 &&
    echo "listen_addresses = ''" >>"$data/postgresql.conf" &&
    if [ -e "$2/settings.conf" ]; then cat "$2/settings.conf" >>"$data/postgresql.conf"; fi &&
    if [ -e "$2/pg_hba.conf" ]; then cp "$2/pg_hba.conf" "$data"; fi &&
    pg_ctl -D "$data" -w -l "$log" start >>"$log" 2>&1 \
        -o "-c unix_socket_directories=$2 -c max_connections=300 -c fsync=off -c autovacuum=off"; then
    echo ready
    read -r _
    pg_ctl -D "$data" -m immediate stop >/dev/null 2>&1
else
    cat "$log" >&2
fi
rm -rf "$2"
"#;

/// Returns the program directory of the newest PostgreSQL that has the program `with`.
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

pub(crate) fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output().unwrap();
    output.stdout == b"0\n"
}
