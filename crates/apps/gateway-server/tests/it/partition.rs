//! A database that becomes unreachable without an error, as after a network cable is pulled.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gateway_server::{Config, Server};
use postgres::config::Host;

use crate::cluster;
use crate::process::{account, open};
use crate::support::{Ops, get};

/// A connection to a database that can be cut.
struct Wire {
    url: String,
    cut: Arc<AtomicBool>,
}

impl Wire {
    fn to(database: &str) -> Self {
        let config: postgres::Config = database.parse().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let user = config.get_user().unwrap();
        let password = config.get_password().map_or(String::new(), |password| {
            format!(":{}", String::from_utf8(password.to_vec()).unwrap())
        });
        let name = config.get_dbname().unwrap();
        let url = format!("postgres://{user}{password}@127.0.0.1:{port}/{name}");
        let cut = Arc::new(AtomicBool::new(false));
        let is_cut = Arc::clone(&cut);
        std::thread::spawn(move || {
            let mut held = Vec::new();
            for near in listener.incoming() {
                let near = near.unwrap();
                if is_cut.load(Ordering::SeqCst) {
                    // Accepted but never answered.
                    held.push(near);
                    continue;
                }
                let port = config.get_ports().first().copied().unwrap_or(5432);
                match &config.get_hosts()[0] {
                    Host::Tcp(host) => {
                        let far = TcpStream::connect((host.as_str(), port)).unwrap();
                        join(near, far.try_clone().unwrap(), far, &is_cut);
                    }
                    Host::Unix(directory) => {
                        let path = directory.join(format!(".s.PGSQL.{port}"));
                        let far = UnixStream::connect(path).unwrap();
                        join(near, far.try_clone().unwrap(), far, &is_cut);
                    }
                }
            }
        });
        Self { url, cut }
    }

    fn cut(&self) {
        self.cut.store(true, Ordering::SeqCst);
    }
}

fn join<S: Read + Write + Send + 'static>(near: TcpStream, from: S, to: S, cut: &Arc<AtomicBool>) {
    pass(near.try_clone().unwrap(), to, Arc::clone(cut));
    pass(from, near, Arc::clone(cut));
}

/// Passes bytes on until either side closes. After the cut, both ends stay open and no bytes pass.
fn pass(
    mut from: impl Read + Send + 'static,
    mut to: impl Write + Send + 'static,
    cut: Arc<AtomicBool>,
) {
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
    let Some(database) = cluster::database() else { return };
    let wire = Wire::to(&database.url);
    let token = account(&wire.url, "acme");
    let store = open(&wire.url);
    let limit = Duration::from_secs(1);
    let mut config = Config::default();
    config.listen = "127.0.0.1:0".parse().unwrap();
    config.ops_listen = Some(config.listen);
    (config.readers, config.statement_timeout) = (1, limit);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let server = Server::new(config, Arc::new(store.with_statement_budget(limit)));
    let running = runtime.block_on(server.start()).unwrap();
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
