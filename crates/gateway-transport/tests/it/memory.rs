//! Every adapter streams a body of 256 MiB in little memory. With `--nocapture`, the tests print the growth.
use std::io::Read as _;
use std::process::Command;
use std::{env, fs};

use gateway_transport::bridge::{OffThread, OnThread};
use gateway_transport::reqwest::ReqwestTransport;
use gateway_transport::tower::{ServiceTransport, TransportService};
use gateway_transport::ureq::UreqTransport;
use gateway_transport::{BlockingTransport, Deadline, Options, Proxy, Request, Transport};
use methodical_testkit::raw_server::{Next, RawServer};

#[test]
fn a_long_body_needs_little_memory() {
    for adapter in ["reqwest", "ureq", "OnThread<reqwest>", "OffThread<ureq>", "tower<reqwest>"] {
        check(adapter);
    }
}

/// Serves a long body, and measures a process that contains only the reader.
#[track_caller]
fn check(adapter: &str) {
    let server = RawServer::start(|_, connection| {
        connection.send(format!("HTTP/1.1 200 OK\r\ncontent-length: {LENGTH}\r\n\r\n").as_bytes());
        connection.flood(&vec![b' '; BLOCK], LENGTH);
        Next::Close
    })
    .unwrap();
    let child = Command::new(env::current_exe().unwrap())
        .args(["memory::reader", "--exact", "--ignored", "--nocapture"])
        .envs([(ADAPTER, adapter), (TARGET, &server.uri("/long"))])
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success(), "{output}{}", String::from_utf8_lossy(&child.stderr));
    let growth = output.lines().find_map(|line| line.split_once(GROWTH)).unwrap().1;
    let growth: u64 = growth.trim().parse().unwrap();
    println!("{adapter}: peak memory grew by {growth} KiB");
    assert!(growth < 8 * 1024, "peak memory grew by {growth} KiB");
}

/// The reader of the tests above, in a separate process.
#[test]
#[ignore = "started in a separate process by the other tests"]
fn reader() {
    let (Ok(adapter), Ok(target)) = (env::var(ADAPTER), env::var(TARGET)) else { return };
    let request = http::Request::get(target)
        .extension(Deadline::after(std::time::Duration::from_secs(280)))
        .body("".into())
        .unwrap();
    let options = Options::default().proxy(Proxy::Never);
    let over_reqwest = || ReqwestTransport::new(&options).unwrap();
    let over_ureq = || UreqTransport::new(&options).unwrap();
    match adapter.as_str() {
        "reqwest" => read_async(&over_reqwest(), request),
        "ureq" => read_blocking(&over_ureq(), request),
        "OnThread<reqwest>" => read_blocking(&OnThread::new(over_reqwest()).unwrap(), request),
        "OffThread<ureq>" => read_async(&OffThread::new(over_ureq()), request),
        "tower<reqwest>" => {
            let service = TransportService::new(over_reqwest());
            read_async(&ServiceTransport::<_>::new(service), request);
        }
        other => panic!("unknown adapter {other}"),
    }
}

fn read_async(transport: &impl Transport, request: Request) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut body = transport.send(request).await.unwrap().into_body();
        let mut read = Reading::default();
        while let Some(chunk) = body.chunk().await.unwrap() {
            read.count(chunk.len());
        }
        read.finish();
    });
}

fn read_blocking(transport: &impl BlockingTransport, request: Request) {
    let mut body = transport.send(request).unwrap().into_body();
    let mut read = Reading::default();
    let mut buffer = vec![0; BLOCK];
    loop {
        match body.read(&mut buffer).unwrap() {
            0 => break,
            count => read.count(count),
        }
    }
    read.finish();
}

/// The number of bytes read so far, and the memory in use after the first chunk.
#[derive(Default)]
struct Reading {
    read: usize,
    before: Option<u64>,
}

impl Reading {
    fn count(&mut self, bytes: usize) {
        self.read += bytes;
        // Measured after the first chunk, when one-time costs, such as the threads of a runtime, are in.
        self.before.get_or_insert_with(|| memory("VmRSS:"));
    }

    fn finish(self) {
        assert_eq!(self.read, LENGTH);
        println!("{GROWTH}{}", memory("VmHWM:").saturating_sub(self.before.unwrap()));
    }
}

/// Returns the memory figure `name` of this process, in KiB.
fn memory(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

const LENGTH: usize = 256 << 20;
const BLOCK: usize = 64 * 1024;

const ADAPTER: &str = "GATEWAY_TEST_ADAPTER";
const TARGET: &str = "GATEWAY_TEST_TARGET";
const GROWTH: &str = "KiB of growth: ";
