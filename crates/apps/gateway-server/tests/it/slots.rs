//! The limits on connections and responses: clients that take many leave room for others, even in a process with a low
//! limit of open files.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::Stdio;
use std::time::Duration;

use crate::process::{Served, account, acme, program, program_after};
use crate::support::{begin_list, get, request};

#[test]
fn slow_lists_of_one_account_leave_room_for_others() {
    // The lists are larger than the system's buffers.
    let flags = ["--connections", "44"];
    let (served, directory) = Served::filled(program(), 40_000, &flags);
    let database = directory.path().join("a.db").to_str().unwrap().to_owned();
    let (one, two) = (&served.token, &account(&database, "two"));
    let base = &served.base_url;
    let (statuses, slow): (Vec<u16>, Vec<TcpStream>) =
        (0..40).map(|_| begin_list(base, one, "")).unzip();
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 5, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 429).count(), 35, "{statuses:?}");
    let refused = get(base, one, "method=candidates/list");
    assert_eq!((refused.status, refused.header("retry-after")), (429, Some("1")));
    assert_eq!(refused.json()["type"], "urn:gateway:problem:too-many-responses");
    // The other account, and small calls of this one.
    for (token, query) in
        [(two, "method=credits/get"), (two, "method=candidates/list"), (one, "method=credits/get")]
    {
        assert_eq!(get(base, token, query).status, 200, "{query}");
    }
    drop(slow);
    served.ops.wait_for("gateway_requests_in_flight 0");
    assert_eq!(get(base, one, "method=candidates/list").status, 200);
}

#[test]
fn more_connections_than_descriptors_break_no_response() {
    let (_directory, database, token) = acme();
    let mut command = program_after("ulimit -n 158");
    command.stderr(Stdio::piped());
    let served = Served::started_by(command, &database, &["--ops-listen", "127.0.0.1:0"]);
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
    drop(sockets);
    let log = served.stop();
    let line: serde_json::Value = serde_json::from_str(&log).unwrap();
    assert_eq!(line["event"], "connections_limited");
    let detail = line["detail"].as_str().unwrap();
    assert!(detail.starts_with("serving at most 8 connections, not 10000: "), "{detail}");
    assert!(detail.contains("158 files") && detail.contains("--connections"), "{detail}");
}
