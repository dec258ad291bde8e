//! A process with a low limit of open files: it accepts fewer connections, and serves those.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::Stdio;
use std::time::Duration;

use crate::process::{Served, acme, program_after};
use crate::support::request;

#[test]
fn more_connections_than_descriptors_break_no_response() {
    let (_directory, database, token) = acme();
    let mut command = program_after("ulimit -n 158");
    command.stderr(Stdio::piped());
    let mut served = Served::started_by(command, &database, &["--ops-listen", "127.0.0.1:0"]);
    let address = served.base_url.strip_prefix("http://").unwrap().to_owned();
    let request = request(&token, "method=candidates/list", "");
    let ask = |socket: &mut TcpStream| {
        socket.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        socket.write_all(request.as_bytes()).unwrap();
        let mut start = [0; 12];
        socket.read_exact(&mut start).unwrap();
        String::from_utf8(start.to_vec()).unwrap()
    };
    let mut sockets: Vec<_> = (0..30).map(|_| TcpStream::connect(&address).unwrap()).collect();
    let answers: Vec<_> = sockets.iter_mut().map(ask).collect();
    let good = answers.iter().filter(|answer| *answer == "HTTP/1.1 200").count();
    let refused = answers.iter().filter(|answer| *answer == "HTTP/1.1 503").count();
    assert_eq!((good, refused), (8, 22), "{answers:?}");
    assert_eq!(served.ops.get("/healthz").text(), "ok\n");
    served.signal("-TERM");
    drop(sockets);
    let mut log = String::new();
    served.child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
    let line: serde_json::Value = serde_json::from_str(&log).unwrap();
    assert_eq!(line["event"], "connections_limited");
    let detail = line["detail"].as_str().unwrap();
    assert!(detail.starts_with("serving at most 8 connections, not 10000: "), "{detail}");
    assert!(detail.contains("158 files") && detail.contains("--connections"), "{detail}");
}
