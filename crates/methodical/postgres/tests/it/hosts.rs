//! Several hosts, and hosts that do not answer.

use std::net::TcpListener;
use std::time::Duration;

use methodical_postgres::{Connector, ErrorKind};

use crate::encrypted::free_port;
use crate::{accepted, cluster};

/// A peer that the kernel connects, and that never answers.
fn silent() -> (TcpListener, u16) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    (listener, port)
}

#[test]
fn debug_shows_hosts_and_no_password() {
    let url = "postgres://u:canary@a,b:6000/d?sslmode=disable";
    let connector = Connector::new(url, "test").unwrap();
    assert_eq!(format!("{connector:?}"), r#"Connector { hosts: "a:5432, b:6000", .. }"#);
}

#[test]
fn a_wait_has_an_end() {
    let (_listener, port) = silent();
    for port in [port, free_port()] {
        let url = format!("postgres://u:canary@127.0.0.1:{port}/d?connect_timeout=1");
        let connector = Connector::new(&url, "test").unwrap();
        let error =
            connector.open_waiting(Duration::from_secs(1), |_notice| {}).map(drop).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unreachable);
    }
}

/// Each of them keeps a thread and a socket.
#[test]
fn attempts_without_an_answer_are_limited() {
    let (listener, port) = silent();
    let url = format!("postgres://u:canary@127.0.0.1:{port}/d?connect_timeout=1");
    let connector = Connector::new(&url, "test").unwrap();
    std::thread::scope(|scope| {
        for _ in 0..64 {
            scope.spawn(|| connector.open().map(drop).unwrap_err());
        }
    });
    let error = connector.open().map(drop).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unreachable);
    assert!(
        error.to_string().ends_with("too many earlier attempts are still waiting; try later"),
        "{error}"
    );
    listener.set_nonblocking(true).unwrap();
    let connections: Vec<_> = listener.incoming().map_while(Result::ok).collect();
    assert_eq!(connections.len(), 64);
    drop(connections);
    // When it ends, another attempt is allowed.
    let is_full = || connector.open().map(drop).unwrap_err().to_string().contains("too many");
    while is_full() {
        std::thread::yield_now();
    }
}

/// Uses the default `sslmode=prefer`, because PostgreSQL has no TLS over a socket.
#[test]
fn a_socket_is_used_without_tls() {
    let Some(database) = cluster::database() else { return };
    accepted(&database.url);
}
