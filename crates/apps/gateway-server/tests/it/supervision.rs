//! The messages to systemd, and the probe `gateway-server health`.

use std::io::ErrorKind;
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::process::{Served, acme, error, program};

const UNIT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/packaging/gateway-server.service");

/// Receives the messages of a server to systemd.
struct Supervisor(UnixDatagram);

impl Supervisor {
    fn listen(path: &Path) -> Self {
        let socket = UnixDatagram::bind(path).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        Self(socket)
    }

    fn next(&self) -> String {
        let mut bytes = [0; 256];
        loop {
            match self.0.recv(&mut bytes) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => {
                    return String::from_utf8_lossy(&bytes[..read.unwrap()]).trim_end().to_owned();
                }
            }
        }
    }
}

#[test]
fn systemd_learns_when_the_server_is_ready_and_stopping() {
    let (directory, database, _token) = acme();
    let path = directory.path().join("notify");
    let supervisor = Supervisor::listen(&path);
    let mut command = program();
    command.env("NOTIFY_SOCKET", &path);
    let mut served = Served::started_by(command, &database, &[]);
    assert_eq!(supervisor.next(), "READY=1");
    served.signal("-TERM");
    assert_eq!(supervisor.next(), "STOPPING=1");
    assert!(served.child.wait().unwrap().success());
}

#[test]
fn the_probe_fails_when_the_server_is_not_ready() {
    let (_directory, database, _token) = acme();
    let mut served = Served::start(&database, &["--ops-listen", "127.0.0.1:0"]);
    let address = &served.ops.0;
    let probe =
        |address: &str| program().args(["health", "--ops-listen", address]).output().unwrap();
    let output = probe(address);
    assert!(output.status.success(), "{}", error(&output));
    let everywhere = address.replace("127.0.0.1", "0.0.0.0");
    assert!(probe(&everywhere).status.success());
    served.signal("-TERM");
    assert!(served.child.wait().unwrap().success());
    let output = probe(address);
    assert_eq!(output.status.code(), Some(1));
    assert!(error(&output).contains("cannot reach the server on 127.0.0.1:"), "{}", error(&output));
}

/// Checks the unit with the tools of systemd where they exist.
#[test]
fn the_unit_is_valid_and_hardened() {
    let analyze = |arguments: &[&str]| Command::new("systemd-analyze").args(arguments).output();
    if analyze(&["--version"]).is_err() {
        eprintln!("skipped: systemd-analyze is not installed");
        return;
    }
    // The program of the unit must exist for `verify`.
    let directory = tempfile::tempdir().unwrap();
    let unit = directory.path().join("gateway-server.service");
    let text = std::fs::read_to_string(UNIT).unwrap();
    let installed = "/usr/local/bin/gateway-server";
    assert!(text.contains(installed));
    std::fs::write(&unit, text.replace(installed, env!("CARGO_BIN_EXE_gateway-server"))).unwrap();
    let unit = unit.to_str().unwrap();
    let output = analyze(&["verify", "--man=no", unit]).unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{}", error(&output));
    // The exposure that systemd computes, in tenths: from 0 to 100.
    let output = analyze(&["security", "--offline=true", "--threshold=15", unit]).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
