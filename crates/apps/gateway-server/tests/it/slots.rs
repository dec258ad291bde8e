//! The slots of connections and responses: clients that take many leave room for others.

use std::io::{BufRead as _, Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::process::{Served, account, run};
use crate::support::{call, exchange, get, parse};

/// A server with two accounts whose lists are larger than the buffers of the system.
struct Large {
    served: Served,
    ops: String,
    tokens: [String; 2],
    _directory: TempDir,
}

impl Large {
    fn start(flags: &[&str]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let database = directory.path().join("a.db").to_str().unwrap().to_owned();
        let tokens = ["one", "two"].map(|name| {
            let token = account(&database, name);
            run(&database, &["demo-data", "--account", name, "--candidates", "40000"]);
            token
        });
        let flags = [flags, &["--ops-listen", "127.0.0.1:0"]].concat();
        let mut served = Served::start(&database, &flags);
        let mut line = String::new();
        served.out.read_line(&mut line).unwrap();
        let ops = line.trim().strip_prefix("health and metrics on http://").unwrap().to_owned();
        Self { served, ops, tokens, _directory: directory }
    }

    /// Asks for a whole list and reads no more than the status.
    fn begin_list(&self, token: &str, headers: &str) -> (u16, TcpStream) {
        let address = self.served.base_url.strip_prefix("http://").unwrap();
        let request = format!(
            "GET /c/oauth/v1?method=candidates/list HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\n{headers}\r\n"
        );
        let mut socket = TcpStream::connect(address).unwrap();
        socket.set_read_timeout(Some(GENEROUS)).unwrap();
        socket.write_all(request.as_bytes()).unwrap();
        let mut head = [0; 12];
        socket.read_exact(&mut head).unwrap();
        (std::str::from_utf8(&head[9..]).unwrap().parse().unwrap(), socket)
    }

    fn metric(&self, name: &str) -> u64 {
        let response = parse(&exchange(&self.ops, b"GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n"));
        let mut lines = response.text().lines().filter_map(|line| line.split_once(' '));
        lines.find(|(other, _)| *other == name).unwrap().1.parse().unwrap()
    }

    fn wait_until_none_is_in_flight(&self) {
        let begun = Instant::now();
        while self.metric("gateway_requests_in_flight") > 0 {
            assert!(begun.elapsed() < GENEROUS, "responses are still in flight");
        }
    }
}

#[test]
fn slow_lists_of_one_account_leave_room_for_others() {
    let large = Large::start(&["--connections", "44"]);
    let [one, two] = &large.tokens;
    let base = &large.served.base_url;
    let (statuses, slow): (Vec<u16>, Vec<TcpStream>) =
        (0..40).map(|_| large.begin_list(one, "")).unzip();
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 5, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 429).count(), 35, "{statuses:?}");
    let refused = get(base, one, "method=candidates/list");
    assert_eq!((refused.status, refused.header("retry-after")), (429, Some("1")));
    assert_eq!(refused.json()["type"], "urn:gateway:problem:too-many-responses");
    // The other account, and the small calls of this one.
    for (token, query) in
        [(two, "method=credits/get"), (two, "method=candidates/list"), (one, "method=credits/get")]
    {
        assert_eq!(get(base, token, query).status, 200, "{query}");
    }
    drop(slow);
    large.wait_until_none_is_in_flight();
    assert_eq!(get(base, one, "method=candidates/list").status, 200);
}

#[test]
fn behind_a_proxy_the_open_requests_of_a_client_are_limited() {
    let large = Large::start(&["--trusted-proxy", "127.0.0.1", "--connections-per-address", "2"]);
    let [token, _] = &large.tokens;
    let base = &large.served.base_url;
    let (client, other) = ("X-Forwarded-For: 192.0.2.1\r\n", "X-Forwarded-For: 192.0.2.2\r\n");
    let slow = [large.begin_list(token, client), large.begin_list(token, client)];
    assert_eq!(slow.each_ref().map(|(status, _)| *status), [200; 2]);
    let ask = |headers: &str| call(base, token, "GET", "method=credits/get", headers);
    let refused = ask(client);
    assert_eq!((refused.status, refused.header("retry-after")), (503, Some("1")));
    assert_eq!(refused.json()["type"], "urn:gateway:problem:too-many-connections");
    // Another client, and a proxy that does not name its clients.
    assert_eq!([ask(other).status, ask("").status], [200; 2]);
    drop(slow);
    large.wait_until_none_is_in_flight();
    assert_eq!(ask(client).status, 200);
}

/// Maximum time of any step here, on the slowest machine.
const GENEROUS: Duration = Duration::from_secs(30);
