//! A database that becomes unreachable without an error, as after a network cable is pulled.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::database_start::{cluster, url};
use crate::encrypted::free_port;
use crate::front::serve;
use crate::process::{account, open};
use crate::support::{Ops, get};

/// A connection to a database that a test can cut.
struct Wire {
    port: u16,
    cut: Arc<AtomicBool>,
}

impl Wire {
    fn to(database: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let cut = Arc::new(AtomicBool::new(false));
        let is_cut = Arc::clone(&cut);
        std::thread::spawn(move || {
            let mut held = Vec::new();
            for near in listener.incoming().map(Result::unwrap) {
                if is_cut.load(Ordering::SeqCst) {
                    // Accepted but never answered.
                    held.push(near);
                    continue;
                }
                let far = TcpStream::connect(("127.0.0.1", database)).unwrap();
                pass(near.try_clone().unwrap(), far.try_clone().unwrap(), Arc::clone(&is_cut));
                pass(far, near, Arc::clone(&is_cut));
            }
        });
        Self { port, cut }
    }

    fn cut(&self) {
        self.cut.store(true, Ordering::SeqCst);
    }
}

/// Passes bytes on until either side closes. After the cut, both ends stay open and no bytes pass.
fn pass(mut from: TcpStream, mut to: TcpStream, cut: Arc<AtomicBool>) {
    std::thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(length @ 1..) = from.read(&mut bytes) {
            if !cut.load(Ordering::SeqCst) && to.write_all(&bytes[..length]).is_err() {
                return;
            }
        }
    });
}

#[test]
fn an_unreachable_database_blocks_neither_requests_nor_shutdown() {
    let port = free_port();
    let Some(_cluster) = cluster(port) else { return };
    let wire = Wire::to(port);
    let token = account(&url(wire.port), "acme");
    let store = open(&url(wire.port));
    let limit = Duration::from_secs(1);
    let (running, runtime) = serve(store.with_statement_budget(limit), |config| {
        (config.readers, config.statement_timeout) = (1, limit);
    });
    let ops = Ops(running.ops_address().unwrap().to_string());
    let base_url = running.base_url();
    assert_eq!(get(&base_url, &token, "method=credits/get").status, 200);
    assert_eq!(ops.readiness(), (200, "ready\n".to_owned()));
    wire.cut();
    // The first request waits for the database, and the next ones for its reader.
    for problem in ["storage-unavailable", "overloaded", "overloaded"] {
        let response = get(&base_url, &token, "method=credits/get");
        assert_eq!(response.status, 503);
        assert_eq!(response.json()["type"], format!("urn:gateway:problem:{problem}"));
        assert_eq!(response.header("retry-after"), Some("1"));
    }
    assert_eq!(ops.readiness(), (503, "the database does not respond\n".to_owned()));
    let stopped = async { tokio::time::timeout(Duration::from_secs(30), running.stop()).await };
    assert_eq!(runtime.block_on(stopped), Ok(true), "the server still waits for the database");
    // As the program does: a thread may wait for the database.
    runtime.shutdown_timeout(limit);
}
