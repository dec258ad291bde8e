//! The cost of a small call, with a token and 1 KB of JSON to decode, compared with direct use of reqwest.
//!
//! `cargo bench -p gateway-client --bench call` prints the table; with `-- --write` it also goes to
//! `docs/benchmarks.md`. Times are the CPU time of the client's thread; the server runs on other threads.

#![expect(
    clippy::cast_precision_loss,
    clippy::expect_used,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints to the terminal and stops at the first failure"
)]

#[path = "../../gateway-model/benches/support/document.rs"]
mod document;
#[path = "../../gateway-model/benches/support/measure.rs"]
mod measure;

use std::fmt::Write as _;
use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use gateway_client::model::GetCredits;
use gateway_client::transport::reqwest::ReqwestTransport;
use gateway_client::transport::{Options, Proxy};
use gateway_client::{AccessToken, Client};
use serde::Deserialize;
use tokio::runtime::Builder;
use tokio::task::LocalSet;

use crate::measure::{median, now};

fn main() -> ExitCode {
    // Without a crypto provider the bare client cannot be created.
    rustls::crypto::ring::default_provider().install_default().expect("no provider yet");
    let base_url = serve();
    let (bare, ours) = (bare(&base_url), ours(&base_url));
    let mut text =
        "| client | calls at a time | bare | ours | ratio |\n|---|--:|--:|--:|--:|\n".to_owned();
    for concurrency in [1, 64] {
        // The first requests open the connections.
        for subject in [&bare, &ours] {
            subject(concurrency);
        }
        let rounds = (0..ROUNDS).map(|round| {
            // Every second round is reversed, so that neither subject always runs second.
            if round % 2 == 0 {
                let bare = bare(concurrency);
                (bare, ours(concurrency))
            } else {
                let ours = ours(concurrency);
                (bare(concurrency), ours)
            }
        });
        let rounds: Vec<_> = rounds.collect();
        let bare = median(rounds.iter().map(|(bare, _)| *bare));
        let ours = median(rounds.iter().map(|(_, ours)| *ours));
        let ratio = median(rounds.iter().map(|(bare, ours)| ours / bare));
        let figures = format!("{bare:.1} µs | {ours:.1} µs | ×{ratio:.3}");
        writeln!(text, "| reqwest, async | {concurrency} | {figures} |")
            .expect("a string takes all");
    }
    document::publish("call", &text)
}

/// Sends [`REQUESTS`] requests, this many concurrently. Returns the CPU time of each, in microseconds.
type Subject = Box<dyn Fn(usize) -> f64>;

/// Runs one task for each concurrent call, all on this thread.
fn subject<F: AsyncFn() -> usize + Clone + 'static>(call: F) -> Subject {
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    Box::new(move |concurrency| {
        let tasks = LocalSet::new();
        for _ in 0..concurrency {
            let call = call.clone();
            tasks.spawn_local(async move {
                for _ in 0..REQUESTS / concurrency {
                    assert_eq!(call().await, LENGTH);
                }
            });
        }
        let start = now();
        runtime.block_on(tasks);
        now().saturating_sub(start).as_secs_f64() * 1e6 / REQUESTS as f64
    })
}

fn bare(base_url: &str) -> Subject {
    let client = reqwest::Client::builder()
        .connect_timeout(CONNECT)
        .read_timeout(IDLE)
        .redirect(reqwest::redirect::Policy::none())
        .pool_max_idle_per_host(64)
        .no_proxy()
        .build()
        .expect("a client");
    let address: Arc<str> = format!("{base_url}/c/oauth/v1").into();
    subject(async move || {
        let request = client.get(&*address).query(&[("method", "credits/get")]).bearer_auth(TOKEN);
        let request = request.header("accept", "application/json").timeout(LIMIT);
        let response = request.send().await.unwrap().error_for_status().unwrap();
        let body = response.bytes().await.unwrap();
        let Plain { credits_number, currency } = serde_json::from_slice(&body).unwrap();
        credits_number.len() + currency.len()
    })
}

fn ours(base_url: &str) -> Subject {
    // All connections are kept open, so that none is opened during the measurement.
    let options = Options::default().proxy(Proxy::Never).pool_max_idle(64);
    let options = options.connect_timeout(CONNECT).idle_timeout(IDLE);
    let client = Client::builder(base_url)
        .token(AccessToken::new(TOKEN).expect("a token"))
        .transport(ReqwestTransport::new(&options).expect("a transport"))
        .build()
        .expect("a client");
    subject(async move || {
        let credits = client.send(&GetCredits::new()).await.unwrap();
        credits.credits_number.as_str().len() + credits.currency.as_str().len()
    })
}

#[derive(Deserialize)]
struct Plain {
    credits_number: String,
    currency: String,
}

/// Serves until the program ends, and returns the base URL. Each response has an object of 1 KB.
fn serve() -> String {
    let object = r#"{"credits_number":"1250.50","currency":"EUR","note":""#;
    let padding = "x".repeat(BODY - object.len() - r#""}"#.len());
    let response: Arc<str> = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncache-control: no-store\r\n\
         content-length: {BODY}\r\ndate: Fri, 20 Nov 2026 10:00:00 GMT\r\n\r\n{object}{padding}\"}}"
    )
    .into();
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let address = listener.local_addr().expect("it has an address");
    thread::spawn(move || {
        for stream in listener.incoming() {
            let response = Arc::clone(&response);
            thread::spawn(move || answer_all(stream?, &response));
        }
    });
    format!("http://{address}")
}

/// Answers requests one after another. Clients do not pipeline.
fn answer_all(mut stream: TcpStream, response: &str) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut buffer = [0; 4096];
    let mut filled = 0;
    loop {
        let count = stream.read(buffer.get_mut(filled..).unwrap_or_default())?;
        if count == 0 {
            return Ok(());
        }
        filled += count;
        if buffer.get(..filled).is_some_and(|request| request.ends_with(b"\r\n\r\n")) {
            stream.write_all(response.as_bytes())?;
            filled = 0;
        }
    }
}

const TOKEN: &str = "0123456789abcdef0123456789abcdef";
const CONNECT: Duration = Duration::from_secs(5);
const IDLE: Duration = Duration::from_secs(20);
const LIMIT: Duration = Duration::from_secs(30);
const BODY: usize = 1024;
/// Total length of the two strings of the balance.
const LENGTH: usize = 10;
const ROUNDS: usize = 41;
const REQUESTS: usize = 64 * 32;
