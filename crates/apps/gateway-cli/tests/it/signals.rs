//! Signals: unfinished files never get their name and are removed later, and the terminal is restored.

use std::fs::File;
use std::process::Command;
use std::time::{Duration, SystemTime};

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
fn after_a_signal_nothing_has_the_name_of_the_output() {
    for (signal, expected, said) in
        [(Signal::INT, 130, "warning: interrupted\n"), (Signal::TERM, 143, "warning: terminated\n")]
    {
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
        let [left] = &names(&person)[..] else { panic!("{:?}", names(&person)) };
        assert!(left.starts_with(".gateway-"), "{left}");
        // The next output in the folder removes it.
        let old = SystemTime::now() - Duration::from_secs(25 * 3600);
        let left = File::options().write(true).open(person.home.path().join(left)).unwrap();
        left.set_modified(old).unwrap();
        let next = person.run(&["--demo", "credits", "get", "--output-file", "c.json"]);
        assert_eq!((code(&next), names(&person)), (0, vec!["c.json".to_owned()]));
    }
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

    let person = Person::new().with("GATEWAY_BASE_URL", "https://gateway.example.com");
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

    // Longer than the longest line that a terminal accepts.
    let mut running = asked();
    running.press(&format!("gwt_{}\n", "x".repeat(5000)));
    let seen = running.read_to("exit code 2\r\n");
    assert!(running.is_usual() && seen.contains("longer than a terminal line"), "{seen}");
    running.press("\n");
    running.end();
}
