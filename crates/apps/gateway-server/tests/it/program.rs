//! The program `gateway-server`, run as a process: commands, messages, exit codes and signals.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::process::{Served, acme, program, run};
use crate::support::{call, get};

#[test]
fn a_revoked_token_is_refused_and_no_token_is_in_the_database() {
    let (directory, database, token) = acme();
    let served = Served::start(&database, &[]);
    assert_eq!(get(&served.base_url, &token, "method=credits/get").status, 200);
    let list = run(&database, &["token", "list", "--account", "acme"]);
    assert!(list.contains("valid") && list.contains("test") && !list.contains(&token), "{list}");
    let id = list.lines().nth(1).unwrap().split(' ').next().unwrap().to_owned();
    run(&database, &["token", "revoke", "--account", "acme", &id]);
    // A revoked token gets exactly the same response as an unknown one.
    let stable = |token: &str| {
        let response = get(&served.base_url, token, "method=credits/get");
        let lines = response
            .head
            .lines()
            .filter(|line| !line.starts_with("x-request-id") && !line.starts_with("date"));
        (lines.collect::<Vec<_>>().join("\n"), response.body)
    };
    assert_eq!(stable(&token), stable("gwt_never"));
    drop(served);
    for name in ["a.db", "a.db-wal"] {
        let bytes = std::fs::read(directory.path().join(name)).unwrap_or_default();
        let found = bytes.windows(token.len()).any(|window| window == token.as_bytes());
        assert!(!found, "{name} holds the token");
        assert!(!bytes.windows(20).any(|window| window == &token.as_bytes()[4..24]), "{name}");
    }
}

/// The server remembers tokens and balances between two commits, which other processes make.
#[test]
fn the_first_request_after_another_process_changed_something_sees_it() {
    let (directory, database, token) = acme();
    let served = Served::start(&database, &[]);
    let credits = || get(&served.base_url, &token, "method=credits/get");
    let file = directory.path().join("credits.json");
    for number in ["1.00", "2.00", "3.00"] {
        std::fs::write(&file, format!("{{\"credits_number\":\"{number}\",\"currency\":\"CHF\"}}"))
            .unwrap();
        run(&database, &["import", "--account", "acme", file.to_str().unwrap()]);
        for _ in 0..3 {
            assert!(credits().text().contains(number), "{}", credits().text());
        }
    }
    run(&database, &["delete", "account", "acme", "--yes"]);
    assert_eq!(credits().status, 401);
}

#[test]
fn an_interrupt_before_the_address_is_printed_stops_the_server() {
    let directory = tempfile::tempdir().unwrap();
    let database = directory.path().join("a.db");
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap();
    drop(free);
    // The server cannot print its address, because the buffers of its standard output are full.
    let (mut reader, mut full) = UnixStream::pair().unwrap();
    full.set_nonblocking(true).unwrap();
    while full.write_all(&[b' '; 4096]).is_ok() {}
    full.set_nonblocking(false).unwrap();
    let mut child = program()
        .args(["serve", "--log-level", "warn", "--listen", &address.to_string(), "--database"])
        .arg(&database)
        .stdout(OwnedFd::from(full))
        .spawn()
        .unwrap();
    let started = Instant::now();
    while TcpStream::connect(address).is_err() {
        assert!(child.try_wait().unwrap().is_none(), "the server has ended");
        assert!(started.elapsed() < Duration::from_secs(60), "the server does not listen");
        std::thread::yield_now();
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let mut printed = Vec::new();
    reader.read_to_end(&mut printed).unwrap();
    assert!(String::from_utf8(printed).unwrap().trim_start().starts_with("listening on http://"));
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn the_demo_prints_two_shell_exports_and_ends_on_a_signal() {
    for signal in ["-TERM", "-INT"] {
        let mut child = program()
            .args(["serve", "--demo", "--listen", "127.0.0.1:0"])
            // The demo ignores a database from the environment.
            .env("GATEWAY_DATABASE", "/nowhere/a.db")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut value = |name: &str| {
            let mut line = String::new();
            out.read_line(&mut line).unwrap();
            let value = line.trim_end().strip_prefix(&format!("export {name}='")).unwrap();
            value.strip_suffix('\'').unwrap().to_owned()
        };
        let (base_url, token) = (value("GATEWAY_BASE_URL"), value("GATEWAY_TOKEN"));
        assert_eq!(call(&base_url, &token, "GET", "method=vacancies/list", "").status, 200);
        let ops = crate::support::Ops::default();
        let served = Served { child, out, base_url, ops, token };
        served.signal(signal);
        let mut served = served;
        assert_eq!(served.child.wait().unwrap().code(), Some(0));
        let mut rest = String::new();
        served.out.read_line(&mut rest).unwrap();
        assert_eq!((rest.as_str(), served.token.len()), ("", 47));
    }
}
