//! The peer of a case, for one call.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use gateway_testkit::raw_server::{Connection, Next, RawRequest, RawServer};
use socket2::{Domain, Socket, Type};

use super::case::{End, Peer, Script};

/// A peer that runs until it is dropped.
pub(super) enum Running {
    Server(RawServer),
    /// A reserved address at which the system refuses connections.
    Absent(SocketAddr, Socket),
}

impl Running {
    pub(super) fn start(peer: &Peer) -> Self {
        match peer {
            Peer::Server(script) => Self::Server(RawServer::start(play(script.clone())).unwrap()),
            Peer::Nobody | Peer::Unknown => {
                // It is bound, but does not listen.
                let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
                socket.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into()).unwrap();
                Self::Absent(socket.local_addr().unwrap().as_socket().unwrap(), socket)
            }
        }
    }

    pub(super) fn address(&self) -> SocketAddr {
        match self {
            Self::Server(server) => server.address(),
            Self::Absent(address, _socket) => *address,
        }
    }

    /// Returns the numbers of accepted connections and of parsed requests.
    pub(super) fn seen(&self) -> (usize, usize) {
        match self {
            Self::Server(server) => {
                let progress = server.progress();
                (progress.connections, progress.requests.len())
            }
            Self::Absent(..) => (0, 0),
        }
    }
}

/// Returns a handler that plays the script.
fn play(script: Script) -> impl Fn(&RawRequest, &mut Connection) -> Next + Send + Sync + 'static {
    move |_request, connection| match &script {
        Script::Plays(bytes, end) => {
            connection.send(bytes);
            close(connection, *end)
        }
        Script::Drips(first, piece) => {
            connection.send(first);
            while connection.send(piece.as_bytes()) && !connection.wait_for_close(DRIP) {}
            Next::Close
        }
        Script::Floods { first, block, times, last, end } => {
            connection.send(first);
            if connection.flood(block, block.len().saturating_mul(*times)) {
                connection.send(last);
            }
            close(connection, *end)
        }
    }
}

fn close(connection: &mut Connection, end: End) -> Next {
    match end {
        End::Fin => return Next::Close,
        End::Rst => return Next::Reset,
        End::Hang => connection.wait_for_close(PATIENCE),
    };
    Next::Close
}

/// Maximum time that a peer waits for its client.
const PATIENCE: Duration = Duration::from_secs(5);

/// The pause between two pieces of [`Script::Drips`].
pub(super) const DRIP: Duration = Duration::from_millis(20);
