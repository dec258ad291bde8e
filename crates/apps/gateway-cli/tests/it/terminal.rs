//! Runs the program on a pseudoterminal, which it must recognize as a terminal.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::process::{Command, ExitStatus};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use gateway_testkit::raw_server::{Connection, Next, RawRequest, RawServer};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

use crate::process::Process;
use crate::run::{Person, serve, stderr};

/// A program that runs on a new terminal.
pub(crate) struct Running {
    program: Process,
    screen: File,
}

impl Running {
    /// Starts the command, with the terminal as its standard input, output and error.
    pub(crate) fn start(command: Command) -> Self {
        Self::start_at(command, 80)
    }

    /// Starts the command in a terminal with this number of columns; with 0, the terminal does not know its size.
    pub(crate) fn start_at(command: Command, columns: u16) -> Self {
        Self::start_with(columns, |_| command)
    }

    /// Starts a command that is created from the name of its terminal.
    pub(crate) fn start_with(columns: u16, command: impl FnOnce(&str) -> Command) -> Self {
        let screen = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&screen).unwrap();
        unlockpt(&screen).unwrap();
        let name = ptsname(&screen, Vec::new()).unwrap();
        let device = || {
            let path = OsStr::from_bytes(name.as_bytes());
            File::options().read(true).write(true).open(path).unwrap()
        };
        let rows = if columns == 0 { 0 } else { 24 };
        let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(device(), size).unwrap();
        let mut command = command(name.to_str().unwrap());
        command.stdin(device()).stdout(device()).stderr(device());
        // The command is dropped, and with it our ends of the device: only the program has it open.
        Self { program: Process::start(command), screen: screen.into() }
    }

    /// Starts the command from a shell that controls the terminal, so that the command has `/dev/tty`.
    ///
    /// The shell prints the exit code of the command and waits for Enter: the end of its session could discard output.
    #[cfg(target_os = "linux")]
    pub(crate) fn start_below_shell(command: &Command) -> Self {
        let mut session = Command::new("setsid");
        let script = "trap : INT HUP; \"$0\" \"$@\"; echo \"exit code $?\"; read enter";
        session.args(["--ctty", "sh", "-c", script]).env_clear();
        session.arg(command.get_program()).args(command.get_args());
        session.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        session.current_dir(command.get_current_dir().unwrap());
        Self::start(session)
    }

    /// Reads the output up to this text.
    #[track_caller]
    pub(crate) fn read_to(&mut self, text: &str) -> String {
        let mut seen = Vec::new();
        while !seen.ends_with(text.as_bytes()) {
            let mut byte = [0];
            let read = self.screen.read(&mut byte).unwrap_or(0);
            assert_ne!(read, 0, "it ended after {:?}", String::from_utf8_lossy(&seen));
            seen.extend(byte);
        }
        String::from_utf8(seen).unwrap()
    }

    /// Types these keys.
    pub(crate) fn press(&mut self, keys: &str) {
        self.screen.write_all(keys.as_bytes()).unwrap();
    }

    /// Returns whether the terminal echoes typed keys and passes them on line by line.
    pub(crate) fn is_usual(&self) -> bool {
        let usual = LocalModes::ECHO | LocalModes::ICANON;
        tcgetattr(&self.screen).unwrap().local_modes.contains(usual)
    }

    /// Returns the program, to send it a signal.
    pub(crate) fn program(&self) -> &Process {
        &self.program
    }

    /// Waits until the program ends. Returns its status and the rest of its output.
    pub(crate) fn end(mut self) -> (ExitStatus, String) {
        let mut seen = Vec::new();
        // When the last process closes the device, Linux reports an error, and other systems the end.
        drop(self.screen.read_to_end(&mut seen));
        (self.program.wait(), String::from_utf8(seen).unwrap())
    }
}

#[test]
fn a_terminal_is_recognized_by_its_name_and_without_a_size() {
    for format in ["table", "json", "ndjson", "csv", "raw"] {
        let server = serve(r#"[{"id":"\u001b[2Jred"}]"#);
        let person = Person::of_service(&server.uri("")).with("NO_COLOR", "1");
        let ask = ["vacancies", "list", "-o", format];
        let (status, seen) = Running::start_at(person.command(&ask), 0).end();
        assert!(status.success() && !seen.contains('\u{1b}'), "{format}: {seen:?}");
        // The terminal's name is the path of a device, which a file must not replace.
        let by_name = |name: &str| person.command(&[&ask[..], &["--output-file", name]].concat());
        let (status, seen) = Running::start_with(80, by_name).end();
        assert!(status.success() && !seen.contains('\u{1b}'), "{format}: {seen:?}");
        assert!(seen.contains("[2J") && !seen.contains("wrote"), "{format}: {seen:?}");
    }
}

#[test]
fn a_terminal_without_a_size_shows_a_table() {
    let server = serve(r#"[{"id":"1"}]"#);
    let person = Person::of_service(&server.uri("")).with("NO_COLOR", "1");
    let list = ["vacancies", "list"];
    let by_name = |name: &str| person.command(&[&list[..], &["--output-file", name]].concat());
    let expected = "ID  PROJECT\r\n1\r\n\r\n1 vacancy\r\n";
    assert_eq!(Running::start_at(person.command(&list), 0).end().1, expected);
    assert_eq!(Running::start_with(80, by_name).end().1, expected);
}

#[test]
fn a_slow_sync_shows_its_progress() {
    let is_seen = Arc::new((Mutex::new(false), Condvar::new()));
    let for_server = Arc::clone(&is_seen);
    let server = RawServer::start(move |request: &RawRequest, connection: &mut Connection| {
        let target = request.target();
        let body = if target.contains("method=vacancies/list") {
            r#"[{"id":"1"},{"id":"2"},{"id":"3"}]"#
        } else if target.contains("method=credits/get") {
            r#"{"credits_number":"12.50","currency":"EUR"}"#
        } else {
            if target.contains("vacancy_id=") {
                // The service is slow until the progress line has appeared.
                let (is_seen, changed) = &*for_server;
                let slow = |is_seen: &mut bool| !*is_seen;
                let is_seen = is_seen.lock().unwrap();
                drop(changed.wait_timeout_while(is_seen, SLOW, slow).unwrap());
            }
            r#"{"status":"success","result":[]}"#
        };
        connection.respond("content-type: application/json\r\n", body.as_bytes());
        Next::Close
    });
    let server = server.unwrap();
    let person = Person::of_service(&server.uri("")).with("NO_COLOR", "1");
    let sync = ["mirror", "sync", "--concurrency", "1"];
    let mut running = Running::start(person.command(&sync));
    running.read_to("vacancy: requested 1 of 3");
    *is_seen.0.lock().unwrap() = true;
    is_seen.1.notify_all();
    let (status, seen) = running.end();
    assert!(status.success() && seen.contains("\r\u{1b}[K"), "{seen:?}");

    *is_seen.0.lock().unwrap() = false;
    let (status, seen) = Running::start(person.command(&[&sync[..], &["-q"]].concat())).end();
    assert!(status.success() && !seen.contains("requested"), "{seen:?}");

    let to_file = person.with("GATEWAY_FORCE_TTY", "120").with("NO_COLOR", "1").run(&sync);
    assert!(to_file.status.success() && !stderr(&to_file).contains('\u{1b}'), "{to_file:?}");
}

/// Time of a slow response: longer than the delay of the progress.
const SLOW: Duration = Duration::from_secs(1);
