//! Wrong tokens: limited for each client, and looked up where they delay no other client.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use gateway_server::{AccountId, Config, RunningServer, Server, Store, TokenDigest};

use crate::store::NOW;
use crate::support::{Response, call, get};

/// A server with one thread for connections, and an account with two tokens.
struct Guessed {
    running: RunningServer,
    store: Arc<Store>,
    looked_up: Arc<AtomicU64>,
    account: AccountId,
    tokens: [String; 2],
    begun: Receiver<()>,
    allow: SyncSender<()>,
    _runtime: tokio::runtime::Runtime,
}

impl Guessed {
    fn start(change: impl FnOnce(&mut Config)) -> Self {
        let store = Store::in_memory().unwrap();
        let account = store.create_account("a", NOW).unwrap();
        let tokens = ["one", "two"].map(|label| {
            store.create_token(account, label, NOW, None).unwrap().reveal().to_owned()
        });
        let (report, begun) = sync_channel(2);
        let (allow, allowed) = sync_channel(2);
        let allowed = Mutex::new(allowed);
        let looked_up = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&looked_up);
        // The look-up of `gwt_slow` ends when the test allows it.
        let store = Arc::new(store.observed(move |token| {
            count.fetch_add(1, Ordering::Relaxed);
            if *token == TokenDigest::of("gwt_slow") {
                report.send(()).unwrap();
                allowed.lock().unwrap().recv_timeout(GENEROUS).unwrap();
            }
        }));
        let mut config = Config::default();
        config.listen = "127.0.0.1:0".parse().unwrap();
        config.rate = 0;
        change(&mut config);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let server = Server::new(config, Arc::clone(&store));
        let running = runtime.block_on(server.start()).unwrap();
        Self { running, store, looked_up, account, tokens, begun, allow, _runtime: runtime }
    }

    fn get(&self, token: &str) -> Response {
        get(&self.running.base_url(), token, "method=credits/get")
    }

    fn looked_up(&self) -> u64 {
        self.looked_up.load(Ordering::Relaxed)
    }
}

#[test]
fn wrong_tokens_of_an_address_are_limited_before_the_database_is_asked() {
    let server = Guessed::start(|config| config.wrong_tokens = 3);
    let [used, unused] = &server.tokens;
    assert_eq!(server.get(used).status, 200);
    for n in 0..3 {
        assert_eq!(server.get(&format!("gwt_wrong{n}")).status, 401);
    }
    let before = server.looked_up();
    let refused = server.get("gwt_wrong3");
    assert_eq!(refused.status, 429);
    assert_eq!(refused.json()["type"], "urn:gateway:problem:too-many-wrong-tokens");
    let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=20).contains(&wait), "{wait}");
    // The server cannot know that this token is valid.
    assert_eq!(server.get(unused).status, 429);
    assert_eq!(server.looked_up(), before);
    // A token that was used before asks the database, which decides.
    assert_eq!(server.get(used).status, 200);
    assert_eq!(server.looked_up(), before + 1);
    let id = TokenDigest::of(used).id();
    assert!(server.store.revoke_token(server.account, &id, NOW).unwrap());
    assert_eq!(server.get(used).status, 401);
    assert_eq!(server.get(used).status, 429);
    assert_eq!(server.looked_up(), before + 2);
}

#[test]
fn behind_a_proxy_wrong_tokens_count_for_the_client() {
    let server = Guessed::start(|config| {
        config.wrong_tokens = 2;
        config.trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
    });
    let guess = |headers: &str| {
        call(&server.running.base_url(), "gwt_wrong", "GET", "method=credits/get", headers).status
    };
    let client = "X-Forwarded-For: 192.0.2.1\r\n";
    assert_eq!([guess(client), guess(client), guess(client)], [401, 401, 429]);
    // Addresses that the client adds have no effect.
    assert_eq!(guess("X-Forwarded-For: 6.6.6.6, 192.0.2.1\r\n"), 429);
    assert_eq!(guess("X-Forwarded-For: 192.0.2.2\r\n"), 401);
    // Nor can a client hide: all hidden clients of a proxy share a limit. Without an address, the proxy has no limit.
    let hidden = "X-Forwarded-For: unknown\r\n";
    assert_eq!([guess(hidden), guess(hidden), guess(hidden)], [401, 401, 429]);
    assert_eq!([guess(""), guess(""), guess("")], [401; 3]);
}

#[test]
fn slow_lookups_of_wrong_tokens_delay_no_other_request() {
    let server = Guessed::start(|config| config.readers = 2);
    let [token, _] = &server.tokens;
    assert_eq!(server.get(token).status, 200);
    let base = server.running.base_url();
    std::thread::scope(|scope| {
        // As many as there are readers, and more than there are threads for connections.
        let guess = || get(&base, "gwt_slow", "method=credits/get").status;
        let guesses = [(); 2].map(|()| scope.spawn(guess));
        for _ in 0..2 {
            server.begun.recv_timeout(GENEROUS).unwrap();
        }
        assert_eq!(server.get(token).status, 200);
        for _ in 0..2 {
            server.allow.send(()).unwrap();
        }
        assert_eq!(guesses.map(|guess| guess.join().unwrap()), [401; 2]);
    });
}

/// Maximum time of any step here, on the slowest machine.
const GENEROUS: Duration = Duration::from_secs(30);
