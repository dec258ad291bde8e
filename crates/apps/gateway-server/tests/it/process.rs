//! The program `gateway-server` as a process: commands that end, and servers.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStdout, Command, Output, Stdio};

/// Returns the program, without settings from the environment of the tests.
pub(crate) fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gateway-server"));
    for (name, _) in std::env::vars()
        .filter(|(name, _)| name.starts_with("GATEWAY_") || name.starts_with("OTEL_"))
    {
        command.env_remove(name);
    }
    command
}

/// Runs a command on a database and returns its output.
pub(crate) fn run(database: &str, arguments: &[&str]) -> String {
    let output = program().args(arguments).args(["--database", database]).output().unwrap();
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
    pub(crate) token: String,
}

impl Served {
    /// Starts the program on a database and waits until it prints its address.
    pub(crate) fn start(database: &str, arguments: &[&str]) -> Self {
        Self::started_by(program(), database, arguments)
    }

    /// Does the same with a command that the test has prepared.
    pub(crate) fn started_by(mut command: Command, database: &str, arguments: &[&str]) -> Self {
        // Only tests of the log want more in their output.
        if !arguments.contains(&"--log-level") {
            command.env("GATEWAY_LOG_LEVEL", "warn");
        }
        let mut child = command
            .args(["serve", "--listen", "127.0.0.1:0", "--rate", "0", "--database", database])
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        let base_url = line.trim().strip_prefix("listening on ").unwrap().to_owned();
        Self { child, out, base_url, token: String::new() }
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

/// Creates an account with a token and returns the token.
pub(crate) fn account(database: &str, name: &str) -> String {
    run(database, &["account", "create", name, "--token", "test"]).trim().to_owned()
}
