//! The program `gateway-server` as a process: commands that end, and servers.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::time::Duration;

use gateway_server::Store;
use tempfile::TempDir;

use crate::cluster;
use crate::support::Ops;

const PROGRAM: &str = env!("CARGO_BIN_EXE_gateway-server");

/// Returns the program, without settings from the environment of the tests.
pub(crate) fn program() -> Command {
    without_settings(Command::new(PROGRAM))
}

fn without_settings(mut command: Command) -> Command {
    let names = std::env::vars().map(|(name, _)| name);
    for name in names.filter(|name| name.starts_with("GATEWAY_") || name.starts_with("OTEL_")) {
        command.env_remove(name);
    }
    command
}

/// Returns the program, started by another program with these arguments.
pub(crate) fn program_by(starter: &str, arguments: &[&str]) -> Command {
    let mut command = without_settings(Command::new(starter));
    command.args(arguments).arg(PROGRAM);
    command
}

/// Returns the program, started by a shell that runs this script first.
pub(crate) fn program_after(script: &str) -> Command {
    program_by("sh", &["-c", &format!("{script} && exec \"$0\" \"$@\"")])
}

/// Runs a command on a database.
pub(crate) fn output(database: &str, arguments: &[&str]) -> Output {
    program().args(arguments).args(["--database", database]).output().unwrap()
}

/// Runs a command that succeeds on a database, and returns what it printed.
pub(crate) fn run(database: &str, arguments: &[&str]) -> String {
    let output = output(database, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", error(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// Returns what a command wrote to standard error.
pub(crate) fn error(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A server process. Killed when this is dropped.
pub(crate) struct Served {
    pub(crate) child: Child,
    pub(crate) out: BufReader<ChildStdout>,
    pub(crate) base_url: String,
    pub(crate) ops: Ops,
    pub(crate) token: String,
}

impl Served {
    /// Starts the program on a database and waits until it prints its address.
    pub(crate) fn start(database: &str, arguments: &[&str]) -> Self {
        Self::started_by(program(), database, arguments)
    }

    /// Does the same with a command prepared by the test.
    pub(crate) fn started_by(mut command: Command, database: &str, arguments: &[&str]) -> Self {
        // Only tests of the log want more in their output.
        if !arguments.contains(&"--log-level") {
            command.env("GATEWAY_LOG_LEVEL", "warn");
        }
        if !arguments.contains(&"--rate") {
            command.env("GATEWAY_RATE", "0");
        }
        let child = command
            .args(["serve", "--listen", "127.0.0.1:0", "--database", database])
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Self::of(child, arguments.contains(&"--ops-listen"))
    }

    /// Waits until a server prints its address and, if it has one, the address of health and metrics.
    pub(crate) fn of(mut child: Child, has_ops: bool) -> Self {
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        let base_url = line.trim().strip_prefix("listening on ").unwrap().to_owned();
        let mut ops = Ops::default();
        if has_ops {
            line.clear();
            out.read_line(&mut line).unwrap();
            ops.0 = line.trim().strip_prefix("health and metrics on http://").unwrap().to_owned();
        }
        Self { child, out, base_url, ops, token: String::new() }
    }

    /// Starts a server on a new database with one account, and with an ops listener. Its log can be read.
    pub(crate) fn filled(mut command: Command, candidates: u32, flags: &[&str]) -> (Self, TempDir) {
        let (directory, database, token) = acme();
        let candidates = candidates.to_string();
        run(&database, &["demo-data", "--account", "acme", "--candidates", &candidates]);
        command.stderr(Stdio::piped());
        let flags = [flags, &["--ops-listen", "127.0.0.1:0"]].concat();
        let mut served = Self::started_by(command, &database, &flags);
        served.token = token;
        (served, directory)
    }

    /// Stops the server, and returns the rest of its log.
    pub(crate) fn stop(mut self) -> String {
        self.signal("-TERM");
        let mut log = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
        assert_eq!(self.child.wait().unwrap().code(), Some(0), "{log}");
        log
    }

    /// Sends a signal, such as `-TERM`.
    pub(crate) fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args([name, &pid]).status().unwrap().success());
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Runs a test on a new SQLite file and on a new PostgreSQL database.
pub(crate) fn on_each_database(mut test: impl FnMut(&str)) {
    let directory = tempfile::tempdir().unwrap();
    test(directory.path().join("a.db").to_str().unwrap());
    if let Some(database) = cluster::database() {
        test(&database.url);
    }
}

/// Creates and opens the database of a test of [`on_each_database`].
pub(crate) fn open(database: &str) -> Store {
    let is_url = database.starts_with("postgres");
    if is_url {
        Store::connect(database, true, Duration::ZERO, |_notice| {}).unwrap()
    } else {
        Store::open(database).unwrap()
    }
}

/// Runs statements on a database directly, without the program.
pub(crate) fn execute(database: &str, sql: &str) {
    if database.starts_with("postgres") {
        let mut client = postgres::Client::connect(database, postgres::NoTls).unwrap();
        client.batch_execute(sql).unwrap();
    } else {
        rusqlite::Connection::open(database).unwrap().execute_batch(sql).unwrap();
    }
}

/// Creates a database with the account `acme`. Returns its folder, its name and a token.
pub(crate) fn acme() -> (TempDir, String, String) {
    let directory = tempfile::tempdir().unwrap();
    let database = directory.path().join("a.db").to_str().unwrap().to_owned();
    let token = account(&database, "acme");
    (directory, database, token)
}

/// Creates an account with a token and returns the token.
pub(crate) fn account(database: &str, name: &str) -> String {
    run(database, &["account", "create", name, "--token", "test"]).trim().to_owned()
}
