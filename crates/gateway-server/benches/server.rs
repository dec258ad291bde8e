//! Throughput and memory of the server, compared with a minimal axum handler: `cargo bench -p gateway-server`.
//!
//! Everything runs on one machine over loopback, each server in a separate process. `GATEWAY_BENCH_CANDIDATES` sets the
//! length of the list (default 1,000,000).

#![expect(
    clippy::cast_precision_loss,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints its figures and panics on the first error"
)]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::routing::get;

fn main() {
    match std::env::var("GATEWAY_BENCH_ROLE").as_deref() {
        Ok("axum") => return axum_server(),
        Ok("measure") => {}
        // Ten thousand connections need as many file descriptors, in this process and in the servers, which inherit the
        // limit.
        _ => {
            let program = std::env::current_exe().unwrap();
            let status = Command::new("sh")
                .args(["-c", "ulimit -n $(ulimit -Hn); exec \"$0\" \"$@\""])
                .arg(program)
                .args(std::env::args().skip(1))
                .env("GATEWAY_BENCH_ROLE", "measure")
                .status();
            assert!(status.unwrap().success());
            return;
        }
    }
    let candidates = std::env::var("GATEWAY_BENCH_CANDIDATES").unwrap_or_else(|_| "1000000".into());
    let directory = tempfile::tempdir().unwrap();
    let database = directory.path().join("bench.db").to_str().unwrap().to_owned();
    command(&database, &["account", "create", "bench"]);
    let start = Instant::now();
    command(&database, &["demo-data", "--account", "bench", "--candidates", &candidates]);
    let size = std::fs::metadata(&database).unwrap().len() / 1_000_000;
    println!(
        "{candidates} candidates imported in {:.1} s; the file has {size} MB",
        start.elapsed().as_secs_f64()
    );
    let token = command(&database, &["token", "create", "--account", "bench"]).trim().to_owned();

    // `cargo bench … -- small idle` runs only these two parts.
    let named: Vec<String> =
        std::env::args().skip(1).filter(|name| !name.starts_with('-')).collect();
    let wanted = |name: &str| named.is_empty() || named.iter().any(|one| one == name);
    if wanted("lists") {
        lists(&database, &token, directory.path());
    }
    if wanted("small") {
        small_responses(&database, &token);
    }
    if wanted("slow") {
        slow_readers(&database, &token);
    }
    if wanted("hostile") {
        hostile_clients(&database, &token);
    }
    if wanted("idle") {
        idle_connections(&database, &token);
    }
}

/// Measures the whole `candidates/list`, from the database and from the list cache, and the same bytes from memory
/// through axum.
fn lists(database: &str, token: &str, directory: &std::path::Path) {
    let file = directory.join("list.json");
    let plain = Server::start(database, &["--list-cache", "0"]);
    let (bytes, body) = plain.list(token, true);
    std::fs::write(&file, &body).unwrap();
    drop(body);
    let axum = Server::axum(file.to_str().unwrap());
    let mut rates: [Vec<f64>; 5] = Default::default();
    for _ in 0..5 {
        let fresh = Server::start(database, &["--list-cache", "4096"]);
        let before = fresh.memory("VmRSS:");
        rates[0].push(axum.rate(""));
        rates[1].push(plain.rate(token));
        rates[2].push(fresh.rate(token));
        rates[3].push(fresh.rate(token));
        rates[4].push(fresh.rate(token));
        let growth = fresh.memory("VmHWM:").saturating_sub(before);
        println!("  growth of the resident memory over three lists: {growth} KiB");
    }
    let [axum, plain, first, second, cached] = rates.map(median);
    println!("list of {} MB, MB/s (medians of 5): axum from memory {axum:.0}", bytes / 1_000_000);
    for (name, rate) in [
        ("no cache", plain),
        ("first", first),
        ("second, being cached", second),
        ("cached", cached),
    ] {
        println!("  {name}: {rate:.0} = {:.0} % of axum", 100.0 * rate / axum);
    }
}

/// Measures `credits/get`, including the check of the token, and a constant body through axum.
fn small_responses(database: &str, token: &str) {
    let ours = Server::start(database, &[]);
    let axum = Server::axum("");
    let mut rates: [Vec<f64>; 2] = Default::default();
    for _ in 0..3 {
        rates[0].push(axum.requests(token, 16).0);
        rates[1].push(ours.requests(token, 16).0);
    }
    let [axum, ours] = rates.map(median);
    println!(
        "small responses, requests/s (medians of 3, 16 connections): axum {axum:.0}, credits/get {ours:.0} = {:.0} %",
        100.0 * ours / axum
    );
}

/// Measures `credits/get` while 32 clients read the whole list at about 1 MB/s each.
fn slow_readers(database: &str, token: &str) {
    let server = Server::start(database, &[]);
    let over = AtomicBool::new(false);
    let (rate, p99) = std::thread::scope(|scope| {
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
fn hostile_clients(database: &str, token: &str) {
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
    let (rate, p99) = server.requests(token, 1);
    println!(
        "one good client with 1,000 slow readers and 1,000 slowloris: {rate:.0}/s, p99 {p99:.2} ms, server at most {} MB",
        server.memory("VmHWM:") / 1024
    );
    drop(hostile);
}

/// Measures the memory of ten thousand idle connections, never used and kept alive after a request.
fn idle_connections(database: &str, token: &str) {
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

struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(database: &str, more: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gateway-server"));
        command.args(["serve", "--listen", "127.0.0.1:0", "--rate", "0", "--access-log", "false"]);
        Self::spawn(command.args(["--database", database]).args(more))
    }

    fn axum(file: &str) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        Self::spawn(command.env("GATEWAY_BENCH_ROLE", "axum").env("GATEWAY_BENCH_FILE", file))
    }

    fn spawn(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().rsplit('/').next().unwrap().to_owned();
        Self { child, address }
    }

    fn connect(&self) -> TcpStream {
        let socket = TcpStream::connect(&self.address).unwrap();
        socket.set_nodelay(true).unwrap();
        socket
    }

    /// Returns a memory figure of the process, in KiB.
    fn memory(&self, what: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(what)).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }

    /// Reads the whole list. Returns the number of bytes, and the body if `keep` is set.
    fn list(&self, token: &str, keep: bool) -> (u64, Vec<u8>) {
        let mut socket = self.connect();
        let request = request("candidates/list", token, "close").replace("HTTP/1.1", "HTTP/1.0");
        socket.write_all(request.as_bytes()).unwrap();
        let mut piece = vec![0; 256 * 1024];
        let (mut bytes, mut body) = (0, Vec::new());
        loop {
            let length = socket.read(&mut piece).unwrap();
            if length == 0 {
                break;
            }
            bytes += length as u64;
            if keep {
                body.extend_from_slice(&piece[..length]);
            }
        }
        let head = body.windows(4).position(|window| window == b"\r\n\r\n").map_or(0, |at| at + 4);
        (bytes, body.split_off(head))
    }

    /// Returns the rate of the whole list, in MB/s.
    fn rate(&self, token: &str) -> f64 {
        let start = Instant::now();
        let (bytes, _) = self.list(token, false);
        bytes as f64 / 1e6 / start.elapsed().as_secs_f64()
    }

    /// Asks for the credits over `connections` connections for two seconds. Returns requests per second, and p99 in
    /// milliseconds.
    fn requests(&self, token: &str, connections: usize) -> (f64, f64) {
        let request = request("credits/get", token, "keep-alive");
        let count = AtomicU64::new(0);
        let start = Instant::now();
        let mut times: Vec<f64> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..connections)
                .map(|_| {
                    scope.spawn(|| {
                        let (mut socket, mut buffer) = (self.connect(), vec![0; 4096]);
                        let mut times = Vec::new();
                        while start.elapsed() < Duration::from_secs(2) {
                            let start = Instant::now();
                            ask(&mut socket, &request, &mut buffer);
                            times.push(start.elapsed().as_secs_f64() * 1e3);
                        }
                        count.fetch_add(times.len() as u64, Ordering::Relaxed);
                        times
                    })
                })
                .collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        let rate = count.into_inner() as f64 / start.elapsed().as_secs_f64();
        times.sort_by(f64::total_cmp);
        (rate, times[times.len() * 99 / 100])
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn request(method: &str, token: &str, connection: &str) -> String {
    format!(
        "GET /c/oauth/v1?method={method} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\nConnection: {connection}\r\n\r\n"
    )
}

/// Sends a request and reads its short response, up to the closing brace of the body.
fn ask(socket: &mut TcpStream, request: &str, buffer: &mut [u8]) {
    socket.write_all(request.as_bytes()).unwrap();
    let mut length = 0;
    while !buffer[..length].ends_with(b"}") {
        let read = socket.read(&mut buffer[length..]).unwrap();
        assert!(read > 0, "closed: {}", String::from_utf8_lossy(&buffer[..length]));
        length += read;
    }
    assert!(buffer.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&buffer[..length]));
}

fn command(database: &str, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_gateway-server"))
        .args(arguments)
        .args(["--database", database])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[expect(
    clippy::disallowed_methods,
    reason = "sets the pace of a slow client; does not wait for an event"
)]
fn pause(duration: Duration) {
    std::thread::sleep(duration);
}

/// Serves a body from memory in pieces of 64 KiB, and a constant body: the least that axum can do.
fn axum_server() {
    let file = std::env::var("GATEWAY_BENCH_FILE").unwrap();
    let list =
        if file.is_empty() { Bytes::new() } else { Bytes::from(std::fs::read(file).unwrap()) };
    let handler = move |axum::extract::RawQuery(query): axum::extract::RawQuery| async move {
        let headers = [("content-type", "application/json")];
        if query.is_some_and(|query| query == "method=credits/get") {
            return (headers, Body::from(r#"{"credits_number":"184.50","currency":"EUR"}"#));
        }
        (headers, Body::new(Pieces(list.clone())))
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        println!("http://{}", listener.local_addr().unwrap());
        axum::serve(listener, axum::Router::new().route("/c/oauth/v1", get(handler)))
            .await
            .unwrap();
    });
}

struct Pieces(Bytes);

impl http_body::Body for Pieces {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: std::pin::Pin<&mut Self>,
        _context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<http_body::Frame<Bytes>, Self::Error>>> {
        let length = self.0.len().min(64 * 1024);
        let piece = self.0.split_to(length);
        std::task::Poll::Ready((length > 0).then(|| Ok(http_body::Frame::data(piece))))
    }
}
