//! Several hosts, and hosts that do not answer.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::time::{Duration, Instant};

use gateway_postgres::ErrorKind;

use crate::cluster;
use crate::connection::{accepted, connect, connector};
use crate::encrypted::{Authority, Encrypted, free_port};

/// A peer that the kernel connects, and that never answers.
fn silent() -> (TcpListener, u16) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    (listener, port)
}

fn plain() -> Option<Encrypted> {
    Encrypted::start(None, &Authority::new("ours"), "host all all all scram-sha-256")
}

#[test]
fn a_silent_host_is_skipped() {
    let Some(server) = plain() else { return };
    let (_listener, port) = silent();
    for parameters in ["sslmode=disable", "sslmode=prefer"] {
        let hosts = format!("127.0.0.1:{port},127.0.0.1:{}", server.port);
        let started = Instant::now();
        accepted(&format!("postgres://u:canary@{hosts}/d?connect_timeout=1&{parameters}"));
        let taken = started.elapsed();
        assert!((Duration::from_secs(1)..Duration::from_secs(20)).contains(&taken), "{taken:?}");
    }
}

#[test]
fn a_host_that_is_silent_during_the_handshake_is_skipped() {
    let Some(server) = plain() else { return };
    let (listener, port) = silent();
    let peer = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.read_exact(&mut [0; 8]).unwrap();
        stream.write_all(b"S").unwrap();
        // Until the connector closes the connection.
        stream.read_to_end(&mut Vec::new()).unwrap();
    });
    let hosts = format!("127.0.0.1:{port},127.0.0.1:{}", server.port);
    accepted(&format!("postgres://u:canary@{hosts}/d?connect_timeout=1"));
    peer.join().unwrap();
}

#[test]
fn the_wait_is_shared_between_the_hosts() {
    let Some(server) = plain() else { return };
    let (_listener, port) = silent();
    let url = format!("postgres://u:canary@127.0.0.1:{port},127.0.0.1:{}/d", server.port);
    let connector = connector(&url, |_notice| {}).unwrap();
    let limit = Duration::from_secs(4);
    drop(connector.open_waiting(Duration::from_secs(30), limit).unwrap());
}

#[test]
fn a_wait_has_an_end() {
    let (_listener, port) = silent();
    for port in [port, free_port()] {
        let url = format!("postgres://u:canary@127.0.0.1:{port}/d");
        let connector = connector(&url, |_notice| {}).unwrap();
        let limit = Duration::from_secs(1);
        let error = connector.open_waiting(Duration::from_secs(30), limit).map(drop).unwrap_err();
        assert_eq!((error.kind(), error.waited()), (ErrorKind::Unreachable, Some(limit)));
        assert!(error.to_string().ends_with("; gave up after 1 s"), "{error}");
    }
}

/// The time limit is that of the start: a connection may be idle, and a statement may take longer.
#[test]
fn an_open_connection_has_no_time_limit() {
    let Some(server) = plain() else { return };
    let url = format!("postgres://u:canary@127.0.0.1:{}/d?connect_timeout=1", server.port);
    let connector = connector(&url, |_notice| {}).unwrap();
    let mut client = connector.open(Duration::ZERO).unwrap();
    client.batch_execute("SELECT pg_sleep(2)").unwrap();
}

#[test]
fn the_failure_of_each_host_is_reported() {
    let url = format!("postgres://u:canary@127.0.0.1:{},127.0.0.1:{}/d", free_port(), free_port());
    let text = connect(&url).0.unwrap_err().to_string();
    assert_eq!(text.matches("Connection refused").count(), 2, "{text}");
}

/// With the default `sslmode=prefer`: PostgreSQL has no TLS over a socket.
#[test]
fn a_socket_is_used_without_tls() {
    let Some(database) = cluster::database() else { return };
    accepted(&database.url);
}
