//! The peer of a case, for one call.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;
use std::{io, thread};

use gateway_testkit::certificates::Authority;
use gateway_testkit::raw_server::{Connection, Next, RawRequest, RawServer};
use socket2::{Domain, Socket, Type};

use super::case::{End, Peer, Script};

/// The certificate authority that the clients of these tests trust.
pub(super) static AUTHORITY: LazyLock<Authority> = LazyLock::new(|| Authority::new().unwrap());

/// A peer that runs until it is dropped.
pub(super) enum Running {
    Server(RawServer),
    Sockets(Sockets),
    /// An address that accepts no connection.
    Absent(Absent),
}

impl Running {
    pub(super) fn start(peer: &Peer) -> Self {
        match peer {
            Peer::Server(script) | Peer::Named(script) | Peer::Proxy(_, script) => {
                Self::Server(RawServer::start(play(script.clone())).unwrap())
            }
            Peer::Secure(certificate, script) => {
                let identity = certificate(&AUTHORITY).unwrap();
                Self::Server(RawServer::start_tls(&identity, play(script.clone())).unwrap())
            }
            Peer::InPlaceOfTls(act) | Peer::InPlaceOfHttp(act) => {
                Self::Sockets(Sockets::start(*act))
            }
            Peer::Nobody | Peer::NoProxy | Peer::Unknown => Self::Absent(Absent::new(false)),
            Peer::BlackHole => Self::Absent(Absent::new(true)),
        }
    }

    pub(super) fn address(&self) -> SocketAddr {
        match self {
            Self::Server(server) => server.address(),
            Self::Sockets(sockets) => sockets.address,
            Self::Absent(absent) => absent.address,
        }
    }

    /// Returns the number of accepted connections.
    pub(super) fn connections(&self) -> usize {
        match self {
            Self::Server(server) => server.progress().connections,
            Self::Sockets(sockets) => sockets.connections.load(Ordering::Acquire),
            Self::Absent(_) => 0,
        }
    }

    /// Returns the parsed requests.
    pub(super) fn requests(&self) -> Vec<RawRequest> {
        match self {
            Self::Server(server) => server.progress().requests,
            Self::Sockets(_) | Self::Absent(_) => Vec::new(),
        }
    }
}

/// Returns a handler that plays the script. It counts the requests of each connection.
fn play(script: Script) -> impl Fn(&RawRequest, &mut Connection) -> Next + Send + Sync + 'static {
    let turns = Mutex::new(BTreeMap::<usize, usize>::new());
    move |request, connection| match &script {
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
        Script::Turns(answers) => {
            let mut turns = turns.lock().unwrap();
            let turn = turns.entry(request.connection).or_default();
            *turn += 1;
            connection.send(answers.split_at(*turn).0.last().unwrap());
            if *turn == answers.len() { Next::Close } else { Next::KeepAlive }
        }
    }
}

fn close(connection: &mut Connection, end: End) -> Next {
    match end {
        End::Fin => return Next::Close,
        End::Rst => return Next::Reset,
        End::Hang => {
            connection.wait_for_close(PATIENCE);
        }
        End::Cut => connection.cut(),
    }
    Next::Close
}

/// A server of raw connections. It counts them and handles each on a thread.
pub(super) struct Sockets {
    address: SocketAddr,
    connections: Arc<AtomicUsize>,
    is_over: Arc<AtomicBool>,
}

impl Sockets {
    fn start(act: fn(TcpStream)) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let (connections, is_over) = (Arc::default(), Arc::default());
        let sockets = Self { address, connections, is_over };
        let (connections, is_over) =
            (Arc::clone(&sockets.connections), Arc::clone(&sockets.is_over));
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if is_over.load(Ordering::Acquire) {
                    return;
                }
                connections.fetch_add(1, Ordering::Release);
                thread::spawn(move || act(stream));
            }
        });
        sockets
    }
}

impl Drop for Sockets {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Release);
        // The accepting thread checks the flag after each connection; this is the last one.
        drop(TcpStream::connect(self.address));
    }
}

/// Reads until the peer closes.
pub(super) fn drain(mut stream: TcpStream) {
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    // The peer may close in any way.
    drop(io::copy(&mut stream, &mut io::sink()));
}

/// A reserved address at which no connection succeeds.
pub(super) struct Absent {
    address: SocketAddr,
    _socket: Socket,
    _queue: Vec<TcpStream>,
}

impl Absent {
    /// Binds an address at which the system refuses connections or, if it is silent, drops connection attempts, because
    /// the queue of the listener is full.
    fn new(is_silent: bool) -> Self {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        socket.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into()).unwrap();
        let address = socket.local_addr().unwrap().as_socket().unwrap();
        let mut queue = Vec::new();
        if is_silent {
            socket.listen(0).unwrap();
            let wait = Duration::from_millis(100);
            while let Ok(stream) = TcpStream::connect_timeout(&address, wait) {
                queue.push(stream);
                assert!(queue.len() < 64, "this system never stops queueing connections");
            }
        }
        Self { address, _socket: socket, _queue: queue }
    }
}

/// Maximum time that a peer waits for its client.
const PATIENCE: Duration = Duration::from_secs(5);

/// The pause between two pieces of [`Script::Drips`].
pub(super) const DRIP: Duration = Duration::from_millis(20);
