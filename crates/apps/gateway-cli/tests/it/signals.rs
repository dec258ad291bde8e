//! Signals: temporary files are removed, the terminal is restored, and ignored signals stay ignored.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::process::Command;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use gateway_testkit::raw_server::{Connection, Next, RawServer};
use rustix::process::Signal;

use crate::files::names;
use crate::process::Process;
use crate::run::{Person, code, stderr};

const HEAD: &[u8] =
    b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n[{\"id\":\"1\"}";

/// Starts a list with an output file, and waits for the request: the temporary file exists then.
fn half_a_list(person: &Person, server: &RawServer, command: Command) -> Process {
    let program = Process::start_piped(command);
    assert!(server.wait_until(Duration::from_secs(30), |seen| !seen.requests.is_empty()));
    assert_eq!(names(person).len(), 1);
    program
}

#[test]
fn a_signal_removes_the_temporary_file() {
    for (signal, expected, said) in [
        (Signal::HUP, 129, "warning: hung up; nothing was written\n"),
        (Signal::INT, 130, "warning: interrupted; nothing was written\n"),
        (Signal::TERM, 143, "warning: terminated; nothing was written\n"),
    ] {
        if signal == Signal::HUP && !cfg!(target_os = "linux") {
            continue;
        }
        let server = RawServer::start(|_, connection: &mut Connection| {
            connection.send(HEAD);
            connection.wait_for_close(Duration::from_secs(60));
            Next::Close
        })
        .unwrap();
        let person = Person::of_service(&server.uri(""));
        let command = person.command(&["vacancies", "list", "--output-file", "v.csv"]);
        let program = half_a_list(&person, &server, command);
        program.signal(signal);
        let output = program.end();
        assert_eq!((code(&output), stderr(&output)), (expected, said));
        assert_eq!(names(&person), [""; 0]);
    }
}

/// The command runs in its own process group, so a terminal does not send the signal to it.
#[test]
fn a_signal_ends_a_running_token_command() {
    let person = Person::new();
    let pipe = person.home.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    // A child of the command holds the pipe open too.
    let script = format!("exec 3>'{}'; echo running >&3; sleep 66; echo gwt_x", pipe.display());
    let script = shlex::try_join(["sh", "-c", &script]).unwrap();
    for (key, value) in [("base-url", "https://gateway.example.com"), ("token-command", &script)] {
        assert_eq!(code(&person.run(&["config", "set", key, value])), 0);
    }
    let program = Process::start_piped(person.command(&["credits", "get"]));
    let (sender, read) = sync_channel(0);
    thread::spawn(move || {
        let mut pipe = BufReader::new(File::open(&pipe).unwrap());
        // The end of the pipe is an empty line.
        for _ in 0..2 {
            let mut line = String::new();
            pipe.read_line(&mut line).unwrap();
            sender.send(line).unwrap();
        }
    });
    assert_eq!(read.recv_timeout(Duration::from_secs(30)).unwrap(), "running\n");
    program.signal(Signal::INT);
    assert_eq!(read.recv_timeout(Duration::from_secs(30)).unwrap(), "");
    let output = program.end();
    assert_eq!((code(&output), stderr(&output)), (130, "warning: interrupted\n"));
}

/// As with `nohup`, where the program outlives its terminal.
#[test]
fn a_signal_that_was_ignored_before_stays_ignored() {
    let (go_on, wait) = sync_channel(0);
    let wait = Arc::new(Mutex::new(wait));
    let server = RawServer::start(move |_, connection: &mut Connection| {
        connection.send(HEAD);
        wait.lock().unwrap().recv_timeout(Duration::from_secs(60)).unwrap();
        connection.send(b"]");
        Next::Close
    })
    .unwrap();
    let person = Person::of_service(&server.uri(""));
    let command = person.command(&[]);
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' HUP; exec \"$0\" vacancies list --output-file v.csv"]);
    shell.arg(command.get_program()).current_dir(person.home.path());
    shell.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let program = half_a_list(&person, &server, shell);
    program.signal(Signal::HUP);
    go_on.send(()).unwrap();
    let output = program.end();
    assert_eq!((code(&output), stderr(&output)), (0, ""));
    assert_eq!(names(&person), ["v.csv"]);
}

/// On a terminal, `--token-stdin` asks for the token.
#[cfg(target_os = "linux")]
#[test]
fn a_token_from_a_person_is_not_shown() {
    use crate::terminal::Running;

    let person = Person::new().with("GATEWAY_BASE_URL", "https://gateway.example.com");
    let login = person.command(&["auth", "login", "--unchecked", "--token-stdin"]);
    let mut running = Running::start_below_shell(&login);
    running.read_to("Access token (not shown): ");
    assert!(!running.is_usual());
    running.press("gwt_typed\n");
    let seen = running.read_to("exit code 0\r\n");
    assert!(running.is_usual() && !seen.contains("gwt_"), "{seen}");
    running.press("\n");
    running.end();
}

#[cfg(target_os = "linux")]
#[test]
fn the_terminal_is_restored_after_the_prompt() {
    use crate::terminal::Running;

    let person = Person::new();
    let login = person.command(&["auth", "login", "--unchecked"]);
    let asked = || {
        let mut running = Running::start_below_shell(&login);
        running.read_to("Access token of profile default (not shown): ");
        assert!(!running.is_usual());
        running
    };

    let mut running = asked();
    running.press("gwt_half\u{3}");
    let seen = running.read_to("exit code 130\r\n");
    assert!(running.is_usual());
    assert!(seen.contains("interrupted\r\n") && !seen.contains("gwt_"), "{seen}");
    running.press("\n");
    running.end();

    // Longer than a line that a terminal accepts.
    let token = format!("gwt_{}", "x".repeat(5000));
    let mut running = asked();
    running.press(&format!("{token}\n"));
    let seen = running.read_to("exit code 0\r\n");
    assert!(running.is_usual());
    assert!(seen.starts_with("\r\n") && !seen.contains("gwt_"), "{seen}");
    running.press("\n");
    running.end();
    let stored = std::fs::read_to_string(person.config().join("gateway/tokens.toml")).unwrap();
    assert!(stored.contains(&token));
}
