//! The slots of connections and responses: clients that take many leave room for others.

use std::net::TcpStream;

use tempfile::TempDir;

use crate::process::{Served, account, run};
use crate::support::{begin_list, get};

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
