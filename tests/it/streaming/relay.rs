//! A TCP relay that counts the bytes of the server.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// Relays connections to a server, and counts the bytes that the server sends. Its threads end with the test process.
pub(super) struct Relay {
    address: SocketAddr,
    returned: Arc<AtomicU64>,
}

impl Relay {
    pub(super) fn to(server: SocketAddr) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let returned = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&returned);
        thread::spawn(move || {
            for client in listener.incoming() {
                let (client, server) = (client.unwrap(), TcpStream::connect(server).unwrap());
                let (to_server, to_client) =
                    (server.try_clone().unwrap(), client.try_clone().unwrap());
                thread::spawn(move || pass(client, to_server, &AtomicU64::new(0)));
                let count = Arc::clone(&count);
                thread::spawn(move || pass(server, to_client, &count));
            }
        });
        Self { address, returned }
    }

    pub(super) fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the number of bytes that the server has sent and the sockets of the client have accepted.
    pub(super) fn returned(&self) -> u64 {
        self.returned.load(Ordering::Relaxed)
    }
}

/// Relays bytes until one of the two sides closes.
fn pass(mut from: TcpStream, mut to: TcpStream, count: &AtomicU64) {
    let mut buffer = [0; 16 * 1024];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        if to.write_all(buffer.split_at(length).0).is_err() {
            break;
        }
        count.fetch_add(u64::try_from(length).unwrap(), Ordering::Relaxed);
    }
    // This ends the other direction, too, which may have closed them already.
    let _closed = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
}
