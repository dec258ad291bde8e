//! The module `front`: limits, timeouts, the ops listener, and lists that cannot be read to the end.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use gateway_server::{Config, RunningServer, Server, Store};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::store::NOW;
use crate::support::{Ops, get, request};

/// A server in this process, with one account and a token.
pub(crate) struct Here {
    pub(crate) running: RunningServer,
    pub(crate) token: String,
    _runtime: Runtime,
    pub(crate) directory: TempDir,
}

impl Here {
    pub(crate) fn start(change: impl FnOnce(&mut Config)) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(directory.path().join("t.db")).unwrap();
        let account = store.create_account("a", NOW).unwrap();
        let token = store.create_token(account, "", NOW, None).unwrap().reveal().to_owned();
        let (running, runtime) = serve(store, change);
        let here = Self { running, token, _runtime: runtime, directory };
        here.fill(3_000);
        here
    }

    /// Starts a server with a list that is larger than all buffers.
    pub(crate) fn large(change: impl FnOnce(&mut Config)) -> Self {
        let here = Self::start(change);
        here.fill(40_000);
        here
    }

    pub(crate) fn ops(&self) -> Ops {
        Ops(self.running.ops_address().unwrap().to_string())
    }

    /// Fills the account with this many candidates.
    pub(crate) fn fill(&self, candidates: u32) {
        let store = Store::open(self.directory.path().join("t.db")).unwrap();
        let account = store.account("a").unwrap();
        let data = gateway_server::DemoData { candidates, seed: 1 };
        let mode = gateway_server::ImportMode::Commit;
        store.import(account, mode, &mut |stage| data.fill(stage)).unwrap();
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let socket = TcpStream::connect(self.running.address()).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        socket
    }
}

/// Serves a store, and health and metrics, on free ports.
pub(crate) fn serve(
    store: impl Into<Arc<Store>>,
    change: impl FnOnce(&mut Config),
) -> (RunningServer, Runtime) {
    let mut config = Config::default();
    config.listen = "127.0.0.1:0".parse().unwrap();
    config.ops_listen = Some(config.listen);
    change(&mut config);
    let runtime = Runtime::new().unwrap();
    let running = runtime.block_on(Server::new(config, store.into()).start()).unwrap();
    (running, runtime)
}

#[test]
fn a_connection_above_the_limit_gets_503() {
    let here = Here::start(|config| config.connections = 1);
    let mut first = here.connect();
    // A response, and the first byte of the next head: the connection does not only wait.
    first.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\nG").unwrap();
    let mut byte = [0];
    first.read_exact(&mut byte).unwrap();
    let second = get(&here.running.base_url(), &here.token, "method=credits/get");
    assert_eq!((second.status, second.header("connection")), (503, Some("close")));
    assert_eq!(second.json()["type"], "urn:gateway:problem:overloaded");
}

#[test]
fn clients_that_never_read_do_not_block_others() {
    let here = Here::start(|config| {
        config.stall_timeout = Duration::from_millis(300);
        config.readers = 1;
        config.rate = 0;
    });
    let request = request(&here.token, "method=candidates/list", "");
    // Many clients never read, and there is one database reader: later clients are served nevertheless.
    let stalled: Vec<TcpStream> = (0..64)
        .map(|_| {
            let mut socket = here.connect();
            socket.write_all(request.as_bytes()).unwrap();
            socket
        })
        .collect();
    let base = here.running.base_url();
    for _ in 0..50 {
        assert_eq!(get(&base, &here.token, "method=candidates/list&vacancy_id=101").status, 200);
    }
    drop(stalled);
}

/// `damage.rs` has lists that are truncated later.
#[test]
fn a_list_whose_first_page_cannot_be_read_is_an_error() {
    let here = Here::start(|_config| {});
    let database = rusqlite::Connection::open(here.directory.path().join("t.db")).unwrap();
    database.execute_batch("UPDATE candidate SET record = ''").unwrap();
    let response = get(&here.running.base_url(), &here.token, "method=candidates/list");
    assert_eq!(response.status, 503);
    assert_eq!(response.json()["type"], "urn:gateway:problem:storage-corrupt");
}

#[test]
fn silent_connections_do_not_keep_a_probe_waiting() {
    let here = Here::start(|_config| {});
    let ops = here.ops();
    // More than the listener serves concurrently; the head timeout ends each of them.
    let silent: Vec<TcpStream> = (0..80).map(|_| TcpStream::connect(&ops.0).unwrap()).collect();
    assert_eq!(ops.get("/healthz").text(), "ok\n");
    for mut socket in silent {
        socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let mut rest = Vec::new();
        socket.read_to_end(&mut rest).unwrap();
        assert!(rest.is_empty() || rest.starts_with(b"HTTP/1.1 408"), "{rest:?}");
    }
}
