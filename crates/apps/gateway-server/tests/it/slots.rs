//! The slots of connections and responses: clients that take many leave room for others.

use std::net::TcpStream;

use tempfile::TempDir;

use crate::process::{Served, account, run};
use crate::support::{begin_list, call, get};

/// A server with two accounts whose lists are larger than the buffers of the system.
struct Large {
    served: Served,
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
        let served = Served::start(&database, &flags);
        Self { served, tokens, _directory: directory }
    }

    /// Asks for a whole list and reads no more than the status.
    fn begin_list(&self, token: &str, headers: &str) -> (u16, TcpStream) {
        begin_list(&self.served.base_url, token, headers)
    }

    fn wait_until_none_is_in_flight(&self) {
        self.served.ops.wait_for("gateway_requests_in_flight 0");
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
