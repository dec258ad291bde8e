//! A server with sample data, and connections to it.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use gateway_server::{
    Config, DemoData, ImportMode, RunningServer, Server, Store, TokenDigest, UnixTime,
};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};

/// The token of the sample account.
pub const TOKEN: &str = "gwt_fuzz";

struct Running {
    runtime: Runtime,
    server: RunningServer,
}

thread_local! {
    static RUNNING: Running = Running::start();
}

impl Running {
    fn start() -> Self {
        let store = Store::in_memory().expect("a database in memory");
        let account = store.create_account("sample", UnixTime(0)).unwrap();
        store.add_token(account, &TokenDigest::of(TOKEN), "fuzz", UnixTime(0), None).unwrap();
        let data = DemoData { candidates: 3, seed: 7 };
        store.import(account, ImportMode::Commit, &mut |stage| data.fill(stage)).unwrap();
        let mut config = Config::default();
        config.listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        (config.rate, config.wrong_tokens, config.readers) = (0, 0, 1);
        // The tasks of both sides alternate, so that a piece is read before the next one is written.
        let runtime = Builder::new_current_thread().enable_all().event_interval(1).build().unwrap();
        let server = runtime.block_on(Server::new(config, Arc::new(store)).start()).unwrap();
        Self { runtime, server }
    }
}

/// Sends the pieces one after another, and returns what the server sends until it closes the connection.
pub fn exchange(pieces: &[&[u8]]) -> Vec<u8> {
    RUNNING.with(|running| {
        let address = running.server.address();
        let connection = async {
            let mut socket = TcpStream::connect(address).await.unwrap();
            socket.set_nodelay(true).unwrap();
            for piece in pieces {
                // The server may have refused earlier bytes.
                if socket.write_all(piece).await.is_err() {
                    break;
                }
                for _ in 0..4 {
                    tokio::task::yield_now().await;
                }
            }
            let mut received = Vec::new();
            if let Err(error) = socket.read_to_end(&mut received).await {
                panic!("after {} bytes: {error}", received.len());
            }
            received
        };
        let limited = async { tokio::time::timeout(Duration::from_secs(5), connection).await };
        running.runtime.block_on(limited).expect("the server neither answers nor closes")
    })
}
