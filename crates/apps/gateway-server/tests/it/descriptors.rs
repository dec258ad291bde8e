//! A process with a low limit of open files: it accepts fewer connections, and serves those.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::process::Stdio;
use std::time::Duration;

use crate::process::{Served, acme, error, program_after, run};
use crate::support::request;

/// Sends a request and reads the first part of its response. Fails on a connection that was closed without a response.
fn ask(socket: &mut TcpStream, request: &str) -> io::Result<String> {
    socket.set_read_timeout(Some(Duration::from_secs(30)))?;
    socket.write_all(request.as_bytes())?;
    let mut bytes = vec![0; 4096];
    loop {
        match socket.read(&mut bytes) {
            // A read with a time limit is not restarted after a signal.
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            read => {
                return read.map(|length| String::from_utf8_lossy(&bytes[..length]).into_owned());
            }
        }
    }
}

#[test]
fn more_connections_than_descriptors_break_no_response() {
    let (_directory, database, token) = acme();
    run(&database, &["demo-data", "--account", "acme"]);
    let files = 208;
    let mut command = program_after(&format!("ulimit -n {files}"));
    command.stderr(Stdio::piped());
    let mut served = Served::started_by(command, &database, &["--ops-listen", "127.0.0.1:0"]);
    let address = served.base_url.strip_prefix("http://").unwrap().to_owned();
    let request = request(&token, "method=candidates/list", "");
    let mut sockets: Vec<TcpStream> =
        (0..300).map(|_| TcpStream::connect(&address).unwrap()).collect();
    let mut good = 0;
    let mut others = Vec::new();
    for (number, socket) in sockets.iter_mut().enumerate() {
        match ask(socket, &request) {
            Ok(response) if response.starts_with("HTTP/1.1 200") => good += 1,
            Ok(response) if response.contains("urn:gateway:problem:overloaded") => {
                others.push((number, "overloaded".to_owned()));
            }
            Ok(response) if !response.is_empty() => panic!("{response}"),
            closed => others.push((number, format!("{closed:?}"))),
        }
    }
    assert_eq!(served.ops.get("/healthz").text(), "ok\n");
    served.signal("-TERM");
    drop(sockets);
    let mut messages = String::new();
    served.child.stderr.take().unwrap().read_to_string(&mut messages).unwrap();
    assert_eq!(messages.lines().count(), 1, "{messages}");
    let message: serde_json::Value = serde_json::from_str(&messages).unwrap();
    assert_eq!(message["event"], "connections_limited");
    let message = message["message"].as_str().unwrap();
    let limit = message.strip_prefix("serving at most ").unwrap();
    let (limit, rest) = limit.split_once(' ').unwrap();
    assert_eq!(
        rest,
        format!(
            "connections, not 10000: the process may open {files} files; raise the limit (ulimit -n)"
        )
    );
    let limit: u32 = limit.parse().unwrap();
    assert!((1..=good).contains(&limit), "{good} responses, {limit} connections; {others:?}");
}

#[test]
fn too_few_descriptors_for_the_readers_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let database = directory.path().join("a.db");
    let mut command = program_after("ulimit -n 64");
    let output = command.args(["serve", "--database"]).arg(&database).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let text = error(&output);
    assert!(text.contains("the limit of 64 open files is too low for 8 readers"), "{text}");
}
