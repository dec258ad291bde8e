//! A relay that counts what it passes on.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// Passes connections on to a server, and counts the bytes that come back, on threads that end with the test.
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

    /// How many bytes the server has sent that the client has taken, or its sockets for it.
    pub(super) fn returned(&self) -> u64 {
        self.returned.load(Ordering::Relaxed)
    }
}

/// Passes bytes on until one of the two sides is gone.
fn pass(mut from: TcpStream, mut to: TcpStream, count: &AtomicU64) {
    let mut buffer = [0; 16 * 1024];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        if to.write_all(buffer.split_at(length).0).is_err() {
            break;
        }
        count.fetch_add(u64::try_from(length).unwrap(), Ordering::Relaxed);
    }
    // The other direction ends, too, and whoever was faster has closed them already.
    let _closed = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
}
