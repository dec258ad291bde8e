//! Runs the program without the configuration of this machine.

use std::fmt::Write as _;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use gateway_testkit::raw_server::{Connection, Next, RawRequest, RawServer};
use socket2::{Domain, Socket, Type};
use tempfile::TempDir;

use crate::process::Process;

/// A user of the program, with a temporary home folder.
pub(crate) struct Person {
    pub(crate) home: TempDir,
    variables: Vec<(String, String)>,
}

impl Person {
    /// Creates a person without settings.
    pub(crate) fn new() -> Self {
        Self { home: tempfile::tempdir().unwrap(), variables: Vec::new() }
    }

    /// Creates a person with a base URL and a token in the environment.
    pub(crate) fn of_service(base_url: &str) -> Self {
        Self::new().with("GATEWAY_BASE_URL", base_url).with("GATEWAY_TOKEN", TOKEN)
    }

    /// Adds an environment variable.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Simulates a terminal with this number of columns.
    pub(crate) fn on_terminal(self, columns: u16) -> Self {
        self.with("GATEWAY_FORCE_TTY", &columns.to_string()).with("NO_COLOR", "1")
    }

    /// Returns the command without running it.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gateway"));
        command
            .args(args)
            .env_clear()
            .env("XDG_CONFIG_HOME", self.config())
            .env("XDG_DATA_HOME", self.home.path().join("data"))
            .env("TMPDIR", self.home.path())
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            // The path to which a program built with coverage writes its counts.
            .envs(std::env::var_os("LLVM_PROFILE_FILE").map(|file| ("LLVM_PROFILE_FILE", file)))
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .current_dir(self.home.path())
            .stdin(Stdio::null());
        command
    }

    /// Returns the folder for the settings of all programs.
    pub(crate) fn config(&self) -> std::path::PathBuf {
        self.home.path().join("config")
    }

    /// Runs the program.
    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.start(args).end()
    }

    /// Runs the program with the words of this line.
    pub(crate) fn run_line(&self, line: &str) -> Output {
        self.run(&line.split(' ').collect::<Vec<_>>())
    }

    /// Runs the program with this standard input.
    pub(crate) fn run_with(&self, input: &str, args: &[&str]) -> Output {
        let mut command = self.command(args);
        command.stdin(Stdio::piped());
        Process::start_piped(command).end_with(input.as_bytes())
    }

    /// Starts the program, with pipes for what it prints.
    pub(crate) fn start(&self, args: &[&str]) -> Process {
        Process::start_piped(self.command(args))
    }

    /// Runs the program. Returns the transcript that a person would see.
    pub(crate) fn see(&self, args: &[&str]) -> String {
        self.show(args, &self.run(args))
    }

    /// Returns the transcript that a person would see.
    pub(crate) fn show(&self, args: &[&str], output: &Output) -> String {
        let quoted = |arg: &&str| {
            let plain = !arg.is_empty() && !arg.contains([' ', '\'', '&']);
            if plain { (*arg).to_owned() } else { format!("'{arg}'") }
        };
        let args: Vec<String> = args.iter().map(quoted).collect();
        let mut shown = format!("$ gateway {}\n", args.join(" "));
        shown.push_str(std::str::from_utf8(&output.stdout).unwrap());
        for line in std::str::from_utf8(&output.stderr).unwrap().lines() {
            writeln!(shown, "stderr: {line}").unwrap();
        }
        writeln!(shown, "exit code {}", output.status.code().unwrap()).unwrap();
        assert!(!shown.contains(TOKEN), "the token is shown: {shown}");
        let agent = concat!("gateway-client/", env!("CARGO_PKG_VERSION"));
        shown.replace(&path(self.home.path()), "~").replace(agent, "gateway-client/VERSION")
    }
}

/// A port that is reserved while this exists, and on which no service listens.
pub(crate) struct ClosedPort(Socket);

impl ClosedPort {
    /// Reserves a port.
    pub(crate) fn new() -> Self {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        socket.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into()).unwrap();
        Self(socket)
    }

    /// Returns a base URL with this port.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.0.local_addr().unwrap().as_socket().unwrap())
    }
}

/// Starts a service that answers every request with this JSON.
pub(crate) fn serve(body: impl Into<Vec<u8>>) -> RawServer {
    let body = body.into();
    RawServer::start(move |_, connection: &mut Connection| {
        connection.respond("content-type: application/json\r\n", &body);
        Next::Close
    })
    .unwrap()
}

/// Starts a service that answers every request with this status, these header lines and this body.
pub(crate) fn serve_with(
    status: &'static str,
    headers: impl AsRef<[u8]> + Send + Sync + 'static,
    body: &'static str,
) -> RawServer {
    RawServer::start(move |_, connection: &mut Connection| {
        // Announced, so that the client does not reuse a connection that is about to close.
        let close = format!("connection: close\r\ncontent-length: {}\r\n\r\n", body.len());
        connection.send(format!("HTTP/1.1 {status}\r\n").as_bytes());
        connection.send(headers.as_ref());
        connection.send((close + body).as_bytes());
        Next::Close
    })
    .unwrap()
}

/// Starts a service without candidates, whose vacancies and whose balance depend on the number of the request. The last
/// of each is repeated.
pub(crate) fn serve_account(
    vacancies: &'static [&'static str],
    balances: &'static [&'static str],
) -> RawServer {
    let asked = [const { AtomicUsize::new(0) }; 2];
    RawServer::start(move |request: &RawRequest, connection: &mut Connection| {
        let next = |asked: &AtomicUsize, all: &'static [&'static str]| {
            let number = asked.fetch_add(1, Ordering::Relaxed);
            *all.get(number).or_else(|| all.last()).unwrap()
        };
        let [of_vacancies, of_balances] = &asked;
        let body = if request.target().contains("method=vacancies/list") {
            next(of_vacancies, vacancies)
        } else if request.target().contains("method=credits/get") {
            next(of_balances, balances)
        } else {
            r#"{"status":"success","result":[]}"#
        };
        connection.respond("content-type: application/json\r\n", body.as_bytes());
        Next::Close
    })
    .unwrap()
}

/// A balance of the account.
pub(crate) const BALANCE: &str = r#"{"credits_number":"12.50","currency":"EUR"}"#;

/// The head of a list whose length is not announced.
pub(crate) const LIST_HEAD: &[u8] =
    b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n";

/// Returns the exit code of a program that was not killed.
pub(crate) fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

/// Returns standard output as text.
pub(crate) fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

/// Returns standard error as text.
pub(crate) fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

fn path(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

/// A token that no output may contain.
pub(crate) const TOKEN: &str = "gwt_CANARY0123456789";
