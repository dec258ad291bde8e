//! Starts servers as processes, and measures them with clients.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

pub(crate) struct Server {
    child: Child,
    address: String,
}

impl Server {
    pub(crate) fn start(database: &str, more: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gateway-server"));
        command.args(["serve", "--listen", "127.0.0.1:0", "--rate", "0"]);
        Self::spawn(command.args(["--database", database]).args(more))
    }

    pub(crate) fn axum(database: &str) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        Self::spawn(
            command.env("GATEWAY_BENCH_ROLE", "axum").env("GATEWAY_BENCH_DATABASE", database),
        )
    }

    pub(crate) fn spawn(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().rsplit('/').next().unwrap().to_owned();
        Self { child, address }
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let socket = TcpStream::connect(&self.address).unwrap();
        socket.set_nodelay(true).unwrap();
        socket
    }

    /// Returns a memory statistic of the process, in KiB.
    pub(crate) fn memory(&self, what: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(what)).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }

    /// Returns the CPU time of the process and its children so far, in microseconds.
    pub(crate) fn cpu(&self) -> f64 {
        let own = self.child.id().to_string();
        let children = std::fs::read_to_string(format!("/proc/{own}/task/{own}/children"));
        let children = children.unwrap_or_default();
        let ticks = children.split_whitespace().chain([&*own]).map(|process| {
            let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
            let after_name = stat.rsplit(')').next().unwrap();
            let fields: Vec<_> = after_name.split_whitespace().collect();
            // Time in user mode and in the system.
            fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap()
        });
        ticks.sum::<f64>() * MICROSECONDS_PER_TICK
    }

    /// Reads the whole list, and returns its length in bytes.
    pub(crate) fn list(&self, token: &str) -> u64 {
        let mut socket = self.connect();
        let request = request("candidates/list", token, "close").replace("HTTP/1.1", "HTTP/1.0");
        socket.write_all(request.as_bytes()).unwrap();
        let mut piece = vec![0; 256 * 1024];
        let mut bytes = 0;
        loop {
            let length = socket.read(&mut piece).unwrap();
            if length == 0 {
                return bytes;
            }
            bytes += length as u64;
        }
    }

    /// Returns the rate at which the whole list is read, in MB/s.
    pub(crate) fn rate(&self, token: &str) -> f64 {
        let start = Instant::now();
        self.list(token) as f64 / 1e6 / start.elapsed().as_secs_f64()
    }

    /// Requests the credits over `connections` connections for two seconds. Returns requests per second, p99 in
    /// milliseconds, and the server's CPU time per request in microseconds.
    pub(crate) fn requests(&self, token: &str, connections: usize) -> (f64, f64, f64) {
        let cpu = self.cpu();
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
        let cpu = (self.cpu() - cpu) / times.len() as f64;
        (rate, times[times.len() * 99 / 100], cpu)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(Command::new("kill").arg(self.child.id().to_string()).status());
        drop(self.child.wait());
    }
}

/// Linux reports CPU times in hundredths of a second.
const MICROSECONDS_PER_TICK: f64 = 10_000.0;

pub(crate) fn request(method: &str, token: &str, connection: &str) -> String {
    format!(
        "GET /c/oauth/v1?method={method} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\nConnection: {connection}\r\n\r\n"
    )
}

/// Sends a request and reads its short response, up to the closing brace of the body. Returns its length.
pub(crate) fn ask(socket: &mut TcpStream, request: &str, buffer: &mut [u8]) -> usize {
    socket.write_all(request.as_bytes()).unwrap();
    let mut length = 0;
    while !buffer[..length].ends_with(b"}") {
        let read = socket.read(&mut buffer[length..]).unwrap();
        assert!(read > 0, "closed: {}", String::from_utf8_lossy(&buffer[..length]));
        length += read;
    }
    assert!(buffer.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&buffer[..length]));
    length
}

pub(crate) fn command(database: &str, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_gateway-server"))
        .args(arguments)
        .args(["--database", database])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[expect(
    clippy::disallowed_methods,
    reason = "sets the pace of a slow client; does not wait for an event"
)]
pub(crate) fn pause(duration: Duration) {
    std::thread::sleep(duration);
}
