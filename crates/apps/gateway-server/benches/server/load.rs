//! One good client beside many others.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::process::{Server, ask, pause, request};

/// Measures `credits/get` while 32 clients read the whole list at about 1 MB/s each.
pub(crate) fn slow_readers(database: &str, token: &str) {
    let server = Server::start(database, &[]);
    let over = AtomicBool::new(false);
    let (rate, p99, _) = std::thread::scope(|scope| {
        for _ in 0..32 {
            let mut socket = server.connect();
            socket.write_all(request("candidates/list", token, "close").as_bytes()).unwrap();
            let over = &over;
            scope.spawn(move || {
                let mut piece = vec![0; 100_000];
                while !over.load(Ordering::Relaxed) && socket.read_exact(&mut piece).is_ok() {
                    pause(Duration::from_millis(100));
                }
            });
        }
        pause(Duration::from_millis(500));
        let result = server.requests(token, 16);
        over.store(true, Ordering::Relaxed);
        result
    });
    println!(
        "credits/get with 32 slow readers: {rate:.0}/s, p99 {p99:.2} ms, server at most {} MB",
        server.memory("VmHWM:") / 1024
    );
}

/// Measures one good client while a thousand clients ask for the list and never read it, and a thousand never finish
/// their request.
pub(crate) fn hostile_clients(database: &str, token: &str) {
    let server = Server::start(database, &["--connections", "20000"]);
    let half = request("credits/get", token, "close").replace("\r\n\r\n", "\r\nX-");
    let hostile: Vec<TcpStream> = (0..2000)
        .map(|number| {
            let mut socket = server.connect();
            let text = if number % 2 == 0 {
                request("candidates/list", token, "close")
            } else {
                half.clone()
            };
            socket.write_all(text.as_bytes()).unwrap();
            socket
        })
        .collect();
    let (rate, p99, _) = server.requests(token, 1);
    println!(
        "one good client with 1,000 slow readers and 1,000 slowloris: {rate:.0}/s, p99 {p99:.2} ms, server at most {} MB",
        server.memory("VmHWM:") / 1024
    );
    drop(hostile);
}

/// Measures the memory of ten thousand idle connections, never used and kept alive after a request.
pub(crate) fn idle_connections(database: &str, token: &str) {
    for used in [false, true] {
        let server = Server::start(database, &["--connections", "20000"]);
        server.requests(token, 1);
        let before = server.memory("VmRSS:");
        let idle: Vec<TcpStream> = (0..10_000)
            .map(|_| {
                let mut socket = server.connect();
                if used {
                    ask(
                        &mut socket,
                        &request("credits/get", token, "keep-alive"),
                        &mut vec![0; 4096],
                    );
                }
                socket
            })
            .collect();
        // When this request is answered, all earlier connections have been accepted.
        server.requests(token, 1);
        let each = (server.memory("VmRSS:") - before) as f64 / 10_000.0;
        let kind = if used { "kept alive" } else { "never used" };
        println!("10,000 idle connections, {kind}: {each:.1} KiB each");
        // The connections are idle and not closed.
        let text = request("credits/get", token, "keep-alive");
        for mut socket in idle {
            ask(&mut socket, &text, &mut vec![0; 4096]);
        }
    }
}
