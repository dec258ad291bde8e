//! Measures one well-behaved client beside many others.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::process::{Server, ask, median, pause, request};

/// Measures `credits/get` alone, and while 8 clients read the list in gzip as fast as they can and 32 clients read it
/// at about 1 MB/s each.
pub(crate) fn beside_lists(database: &str, token: &str) {
    let server = Server::start(database, &[]);
    let mut ratios = Vec::new();
    for _ in 0..5 {
        let (alone, p99_alone, _) = server.requests(token, 4);
        let over = AtomicBool::new(false);
        let (rate, p99, _) = std::thread::scope(|scope| {
            let (server, over) = (&server, &over);
            for number in 0..40 {
                scope.spawn(move || {
                    while !over.load(Ordering::Relaxed) {
                        read_list(server, token, number < 8, over);
                    }
                });
            }
            pause(Duration::from_secs(1));
            let result = server.requests(token, 4);
            over.store(true, Ordering::Relaxed);
            result
        });
        println!(
            "  credits/get alone: {alone:.0}/s, p99 {p99_alone:.2} ms; beside lists: {rate:.0}/s, p99 {p99:.2} ms"
        );
        ratios.push(p99 / p99_alone);
    }
    println!(
        "p99 of credits/get beside 8 gzip and 32 slow lists: {:.1} times of alone (median of 5); server at most {} MB",
        median(ratios),
        server.memory("VmHWM:") / 1024
    );
}

/// Reads a list: compressed and fast, or plain and slowly.
fn read_list(server: &Server, token: &str, is_gzip: bool, over: &AtomicBool) {
    let mut socket = server.connect();
    let mut text = request("candidates/list", token, "close");
    if is_gzip {
        text = text.replace("\r\n\r\n", "\r\nAccept-Encoding: gzip\r\n\r\n");
    }
    socket.write_all(text.as_bytes()).unwrap();
    let mut piece = vec![0; 100_000];
    while !over.load(Ordering::Relaxed) && socket.read_exact(&mut piece).is_ok() {
        if !is_gzip {
            pause(Duration::from_millis(100));
        }
    }
}

/// Measures one well-behaved client while a thousand clients request the list and never read it, and a thousand never
/// finish their request.
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

/// Measures the memory of ten thousand idle connections: never used, and kept alive after a request.
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
        // The connections are idle, but have not been closed.
        let text = request("credits/get", token, "keep-alive");
        for mut socket in idle {
            ask(&mut socket, &text, &mut vec![0; 4096]);
        }
    }
}
