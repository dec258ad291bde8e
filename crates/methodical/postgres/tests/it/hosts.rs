//! Several hosts, and hosts that do not answer.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::mpsc::channel;
use std::time::Duration;

use methodical_postgres::{Connector, ErrorKind};

use crate::cluster;
use crate::connection::{accepted, connect, refused};
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

/// Returns the error of a connection to a peer that reads a message of 8 bytes, answers, and reads on or closes.
fn answered(answer: &'static [u8], parameters: &str) -> String {
    let (listener, port) = silent();
    let peer = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.read_exact(&mut [0; 8]).unwrap();
        stream.write_all(answer).unwrap();
        // Reads what the connector sends next: a close with unread bytes would be a reset.
        let mut next = [0; 1024];
        drop(stream.read(&mut next));
    });
    let text = refused(&format!("postgres://u:canary@127.0.0.1:{port}/d?{parameters}"));
    peer.join().unwrap();
    text
}

#[test]
fn a_peer_that_is_not_a_postgresql_is_explained() {
    let text = answered(b"HTTP/1.1 400 Bad Request", "sslmode=prefer");
    assert!(text.contains("127.0.0.1"), "{text}");
    let text = answered(b"N", "sslmode=prefer");
    assert!(text.ends_with("the server closed the connection"), "{text}");
    let text = answered(b"S", "sslmode=require");
    assert!(text.ends_with("; the TLS handshake may have failed"), "{text}");
}

#[test]
fn debug_shows_hosts_and_no_password() {
    let url = "postgres://u:canary@a,b:6000/d?sslmode=disable";
    let connector = Connector::new(url, "test", |_notice| {}).unwrap();
    assert_eq!(format!("{connector:?}"), r#"Connector { hosts: "a:5432, b:6000" }"#);
}

/// The peer closes the first connection, as a database that starts. The second one reaches the database.
#[test]
fn the_end_of_a_wait_is_announced() {
    let Some(server) = plain() else { return };
    let (listener, port) = silent();
    let target = server.port;
    let relay = std::thread::spawn(move || {
        drop(listener.accept().unwrap());
        let (client, _) = listener.accept().unwrap();
        let database = TcpStream::connect(("127.0.0.1", target)).unwrap();
        let ends = (client.try_clone().unwrap(), database.try_clone().unwrap());
        let back = std::thread::spawn(move || forward(database, ends.0));
        forward(client, ends.1);
        back.join().unwrap();
    });
    let (sender, notices) = channel();
    let url = format!("postgres://u:canary@127.0.0.1:{port}/d");
    let notice = move |text: &str| sender.send(text.to_owned()).unwrap();
    let connector = Connector::new(&url, "test", notice).unwrap();
    drop(connector.open_waiting(Duration::from_secs(60)).unwrap());
    relay.join().unwrap();
    drop(connector);
    let notices: Vec<_> = notices.iter().collect();
    assert_eq!(notices.len(), 2, "{notices:?}");
    assert!(notices[0].starts_with("waiting up to 60 s for the database: "), "{notices:?}");
    assert!(notices[1].starts_with("connected to the database after "), "{notices:?}");
}

/// Copies until the end, and passes the end on.
fn forward(mut from: TcpStream, mut to: TcpStream) {
    drop(std::io::copy(&mut from, &mut to));
    drop(to.shutdown(Shutdown::Write));
}

#[test]
fn a_wait_has_an_end() {
    let (_listener, port) = silent();
    for port in [port, free_port()] {
        let url = format!("postgres://u:canary@127.0.0.1:{port}/d");
        let connector = Connector::new(&url, "test", |_notice| {}).unwrap();
        let error = connector.open_waiting(Duration::from_secs(1)).map(drop).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unreachable);
        assert!(error.to_string().ends_with("; gave up after 1 s"), "{error}");
    }
}

/// The time limit is that of the start: a connection may be idle, and a statement may take longer.
#[test]
fn an_open_connection_has_no_time_limit() {
    let Some(server) = plain() else { return };
    let url = format!("postgres://u:canary@127.0.0.1:{}/d?connect_timeout=1", server.port);
    let mut client = Connector::new(&url, "test", |_notice| {}).unwrap().open().unwrap();
    client.batch_execute("SELECT pg_sleep(2)").unwrap();
}

#[test]
fn a_host_that_refuses_is_skipped() {
    let ports = [free_port(), free_port()];
    let url = |last: u16| format!("postgres://u:canary@127.0.0.1:{},127.0.0.1:{last}/d", ports[0]);
    let text = connect(&url(ports[1])).0.unwrap_err().to_string();
    assert!(text.contains("Connection refused"), "{text}");
    assert!(ports.iter().all(|port| text.contains(&port.to_string())), "{text}");
    let Some(server) = plain() else { return };
    accepted(&url(server.port));
}

/// With the default `sslmode=prefer`: PostgreSQL has no TLS over a socket.
#[test]
fn a_socket_is_used_without_tls() {
    let Some(database) = cluster::database() else { return };
    accepted(&database.url);
}
