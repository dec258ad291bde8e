//! The hosts: the real server behind a front that sometimes answers in its place, and a host that must never receive a
//! token.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, UNIX_EPOCH};

use fastrand::Rng;
use gateway_server::{Clock, Config, Server, UnboundServer, UnixTime};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::account::Account;
use crate::network::Network;
use crate::pipe::Pipe;
use crate::vault::PREFIX;
use crate::world::World;

/// The service as a host of the network. Clones share it.
#[derive(Clone)]
pub(crate) struct Gateway(Arc<Inner>);

struct Inner {
    world: World,
    network: Network,
    account: Account,
    front: Mutex<Front>,
    /// Maximum number of records in a page of a list.
    page: u32,
    /// Longest time before a page is read, in milliseconds.
    latency: u64,
}

struct Front {
    random: Rng,
    /// Of 100 connections: how many a front answers in place of the server.
    share: u64,
}

impl Gateway {
    /// Starts the service, and the other host.
    pub(crate) fn start(world: &World, network: &Network, account: &Account) -> Self {
        let mut random = world.fork();
        let page = *random.choice(&[3, 10, 100]).unwrap_or(&10);
        let latency = *random.choice(&[1, 20, 100]).unwrap_or(&20);
        world.note(format!("pages of {page} records, each within {latency} ms"));
        let front = Mutex::new(Front { random, share: 0 });
        let (world, network, account) = (world.clone(), network.clone(), account.clone());
        let gateway = Self(Arc::new(Inner { world, network, account, front, page, latency }));
        gateway.restart();
        let other = gateway.0.world.clone();
        gateway.0.network.start(ELSEWHERE, move |pipe| {
            tokio::spawn(listen(other.clone(), pipe));
        });
        gateway
    }

    /// Sets for how many of 100 connections a front answers the first request in place of the server.
    pub(crate) fn set_front(&self, share: u64) {
        self.0.front.lock().unwrap().share = share;
    }

    /// Stops the server as a crash does. Its memory is lost, its store is not.
    pub(crate) fn crash(&self) {
        self.0.world.note("the server crashes");
        self.0.network.stop(HOST);
    }

    /// Starts a new server over the same store.
    pub(crate) fn restart(&self) {
        self.0.world.note("the server starts");
        let (server, gateway) = (Arc::new(self.server()), Arc::downgrade(&self.0));
        self.0.network.start(HOST, move |pipe| {
            // The service owns the network, so the network does not own the service.
            if let Some(gateway) = Weak::upgrade(&gateway) {
                Self(gateway).accept(&server, pipe);
            }
        });
    }

    fn server(&self) -> UnboundServer {
        let clock = self.0.world.clone();
        let mut config = Config::default();
        (config.rate, config.burst) = (5, 10);
        config.wrong_tokens = 0;
        config.clock = Clock::from_fn(move || {
            let since = clock.date().duration_since(UNIX_EPOCH).unwrap_or_default();
            UnixTime(i64::try_from(since.as_secs()).unwrap_or(i64::MAX))
        });
        let Inner { account, page, latency, .. } = &*self.0;
        let store = account.store();
        store.limit_pages(*page);
        let (random, longest) = (Mutex::new(self.0.world.fork()), *latency);
        let latency = move || Duration::from_millis(random.lock().unwrap().u64(0..=longest));
        Server::new(config, store).unbound(latency).unwrap()
    }

    fn accept(&self, server: &Arc<UnboundServer>, pipe: Pipe) {
        let answer = {
            let mut front = self.0.front.lock().unwrap();
            let is_front = front.random.u64(0..100) < front.share;
            is_front.then(|| answer(&mut front.random, &self.0.world))
        };
        match answer {
            Some((name, answer)) => {
                self.0.world.note(format!("a front answers: {name}"));
                tokio::spawn(answer_first(pipe, answer));
            }
            None => {
                tokio::spawn(server.serve(pipe, CLIENT));
            }
        }
    }
}

/// Draws an answer of a front: its name and its bytes.
fn answer(random: &mut Rng, world: &World) -> (String, String) {
    let busy = random.u64(0..40);
    let date = world.date() + Duration::from_secs(busy);
    let login = "<html><body>Please log in</body></html>";
    let (status, headers, body) = match random.u8(0..8) {
        0 => ("429 Too Many Requests", format!("retry-after: {busy}\r\n"), ""),
        1 => {
            let date = httpdate::fmt_http_date(date);
            ("503 Service Unavailable", format!("retry-after: {date}\r\n"), "")
        }
        2 => ("302 Found", format!("location: http://{ELSEWHERE}/c/oauth/v1\r\n"), ""),
        3 => ("200 OK", "content-type: text/html\r\n".to_owned(), login),
        // Complete JSON, but not a success.
        4 => ("200 OK", JSON.to_owned(), r#"{"status":"error","result":[]}"#),
        // Without a length: only the document shows that it is truncated.
        5 => ("200 OK", JSON.to_owned(), r#"{"status":"success","result":[{"id":"1","na"#),
        6 => ("401 Unauthorized", "www-authenticate: Bearer\r\n".to_owned(), ""),
        _ => ("502 Bad Gateway", String::new(), login),
    };
    let text = format!("HTTP/1.1 {status}\r\n{headers}connection: close\r\n\r\n{body}");
    (format!("{status} {busy}"), text)
}

/// Reads a request head and answers it.
async fn answer_first(mut pipe: Pipe, answer: String) {
    let (mut head, mut part) = (Vec::new(), [0; 1024]);
    while let Ok(length @ 1..) = pipe.read(&mut part).await {
        head.extend_from_slice(part.get(..length).unwrap_or_default());
        if head.ends_with(b"\r\n\r\n") {
            let sent = pipe.write_all(answer.as_bytes()).await;
            sent.and(pipe.shutdown().await).unwrap_or_default();
            return;
        }
    }
}

/// Reads everything that arrives at another host.
async fn listen(world: World, mut pipe: Pipe) {
    let mut heard = Vec::new();
    pipe.read_to_end(&mut heard).await.unwrap_or_default();
    let text = String::from_utf8_lossy(&heard);
    world.check(!text.contains(PREFIX), || "a token was sent to another host".to_owned());
}

/// The name of the host of the service.
pub(crate) const HOST: &str = "gateway.example";

/// The name of the other host.
pub(crate) const ELSEWHERE: &str = "elsewhere.example";

const CLIENT: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 7));

const JSON: &str = "content-type: application/json\r\n";
