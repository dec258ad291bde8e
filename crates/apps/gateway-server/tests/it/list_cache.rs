//! Disk space of cached lists while many clients ask concurrently.

use std::io::{BufRead as _, Read as _};
use std::process::Stdio;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::process::{Served, account, program, run};
use crate::support::{exchange, get, parse};

/// Returns the bytes in the open files of a process that have no name.
fn unnamed_bytes(process: u32) -> u64 {
    let Ok(descriptors) = std::fs::read_dir(format!("/proc/{process}/fd")) else { return 0 };
    let is_unnamed = |path: &std::path::Path| {
        std::fs::read_link(path)
            .is_ok_and(|target| target.to_string_lossy().ends_with(" (deleted)"))
    };
    // A file may disappear in the meantime.
    descriptors
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| is_unnamed(path))
        .filter_map(|path| Some(std::fs::metadata(path).ok()?.len()))
        .sum()
}

/// Returns the size of a candidate of the sample data in a list. It depends on the fields in the spec.
fn bytes_per_candidate() -> usize {
    let demo = gateway_server::demo::start().unwrap();
    let list = get(demo.base_url(), demo.token(), "method=candidates/list");
    list.body.len() / list.json()["result"].as_array().unwrap().len()
}

#[test]
fn cached_lists_stay_within_their_limit() {
    let directory = tempfile::tempdir().unwrap();
    let database = directory.path().join("a.db").to_str().unwrap().to_owned();
    let token = account(&database, "acme");
    let limit = 1024 * 1024;
    let candidates = (limit * 3 / 4 / bytes_per_candidate()).to_string();
    run(&database, &["demo-data", "--account", "acme", "--candidates", &candidates]);
    let served = Served::start(&database, &["--list-cache", "1"]);
    let list = || get(&served.base_url, &token, "method=candidates/list").body;
    let whole = list();
    assert!(
        whole.len() > limit / 2 && whole.len() < limit,
        "must fit once but not twice: {}",
        whole.len()
    );
    let done = AtomicU32::new(0);
    let most = std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..6 {
                    assert!(list() == whole, "the list differs");
                }
                done.fetch_add(1, Ordering::SeqCst);
            });
        }
        let mut most = 0;
        while done.load(Ordering::SeqCst) < 8 {
            most = most.max(unnamed_bytes(served.child.id()));
            std::thread::yield_now();
        }
        most
    });
    assert!(most <= limit as u64, "{most} bytes");
    if std::path::Path::new("/proc/self/fd").exists() {
        assert_eq!(unnamed_bytes(served.child.id()), whole.len() as u64, "one list is cached");
    }
}

/// On a connection without TLS, the system sends the file.
#[test]
fn a_cached_list_has_the_same_bytes_with_its_length_and_between_other_responses() {
    let directory = tempfile::tempdir().unwrap();
    let database = directory.path().join("a.db").to_str().unwrap().to_owned();
    let token = account(&database, "acme");
    run(&database, &["demo-data", "--account", "acme", "--candidates", "20000"]);
    let served = Served::start(&database, &[]);
    let get = |query| get(&served.base_url, &token, query);
    let (whole, credits) = (get("method=candidates/list"), get("method=credits/get"));
    assert_eq!(whole.header("content-length"), None);
    for _ in 0..3 {
        let list = get("method=candidates/list");
        assert!(list.body == whole.body, "the list differs");
    }
    let length = whole.body.len().to_string();
    assert_eq!(get("method=candidates/list").header("content-length"), Some(&*length));

    let request = |method, connection| {
        format!(
            "GET /c/oauth/v1?method={method} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\n\
             Connection: {connection}\r\n\r\n"
        )
    };
    let pipelined = [
        request("candidates/list", "keep-alive"),
        request("credits/get", "keep-alive"),
        request("candidates/list", "keep-alive"),
        request("candidates/list", "close"),
    ];
    let address = served.base_url.strip_prefix("http://").unwrap();
    let mut bytes = exchange(address, pipelined.concat().as_bytes());
    for expected in [&whole, &credits, &whole, &whole] {
        let response = parse(&bytes);
        let length: usize = response.header("content-length").unwrap().parse().unwrap();
        assert!(response.body[..length] == expected.body, "{}", response.head);
        bytes = response.body[length..].to_vec();
    }
    assert!(bytes.is_empty());
}

#[test]
fn a_folder_that_cannot_be_written_is_logged_once_and_counted() {
    let directory = tempfile::tempdir().unwrap();
    let database = directory.path().join("a.db").to_str().unwrap().to_owned();
    let token = account(&database, "acme");
    run(&database, &["demo-data", "--account", "acme", "--candidates", "3000"]);
    let mut command = program();
    command.env("TMPDIR", directory.path().join("missing")).stderr(Stdio::piped());
    let mut served = Served::started_by(command, &database, &["--ops-listen", "127.0.0.1:0"]);
    let mut line = String::new();
    served.out.read_line(&mut line).unwrap();
    let ops = line.trim().strip_prefix("health and metrics on http://").unwrap().to_owned();
    // A list is cached when it is asked for again.
    for _ in 0..4 {
        let list = get(&served.base_url, &token, "method=candidates/list");
        assert_eq!(list.json()["result"].as_array().unwrap().len(), 3000);
    }
    let metrics = parse(&exchange(&ops, b"GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n"));
    let line = "gateway_list_cache_failures_total 3";
    assert!(metrics.text().lines().any(|other| other == line), "{}", metrics.text());
    served.signal("-TERM");
    let mut log = String::new();
    served.child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
    assert_eq!(log.matches("list_cache_failed").count(), 1, "{log}");
    assert!(log.contains("missing") && log.contains("No such file"), "{log}");
}
