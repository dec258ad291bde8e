//! Faults: killed imports, full disks, and signals under load.

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use gateway_server::Store;

use crate::process::{Served, account, acme, error, output, program, program_after, run};
use crate::support::{Response, get, parse, request};

/// Returns candidates as lines of NDJSON. Their name is the batch.
fn batch(number: usize, count: usize) -> String {
    let mut lines = String::new();
    for id in number * 100_000..number * 100_000 + count {
        writeln!(lines, "{{\"id\":\"{id}\",\"name\":\"batch {number}\"}}").unwrap();
    }
    lines
}

fn names(response: &Response) -> Vec<String> {
    let json = response.json();
    let list = json["result"].as_array().unwrap();
    list.iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect()
}

/// Twenty imports, each killed at a different moment: while it reads, merges or commits. The input is a pipe, so that
/// the test knows how far the program has read.
#[test]
fn a_killed_import_is_complete_or_absent() {
    const SIZE: usize = 1_000;
    let (directory, database, token) = acme();
    let mut acknowledged = Vec::new();
    for round in 0..20 {
        let pipe = directory.path().join(format!("{round}.ndjson"));
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let mut child = program()
            .args(["import", "--account", "acme", "--database", &database])
            .arg(&pipe)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = batch(round, SIZE);
        let mut input = std::fs::OpenOptions::new().write(true).open(&pipe).unwrap();
        // Rounds 0 to 9 write only part of the input. Later rounds write all of it, and kill the program when the log
        // of the database has reached a certain length.
        let part = if round < 10 { lines.len() * round / 10 } else { lines.len() };
        input.write_all(&lines.as_bytes()[..part]).unwrap();
        if round >= 10 {
            drop(input);
            let wanted = (round as u64 - 10) * 15_000;
            let wal = || std::fs::metadata(format!("{database}-wal")).map_or(0, |file| file.len());
            let before = wal();
            while child.try_wait().unwrap().is_none() && wal() < before.min(wanted) + wanted {
                std::thread::yield_now();
            }
        }
        child.kill().unwrap();
        let output = child.wait_with_output().unwrap();
        if String::from_utf8(output.stdout).unwrap().contains(&format!("candidates: {SIZE} new")) {
            acknowledged.push(round);
        }
        let start = Instant::now();
        let served = Served::start(&database, &[]);
        assert_eq!(get(&served.base_url, &token, "method=credits/get").status, 200);
        assert!(start.elapsed() < Duration::from_secs(10), "restart took {:?}", start.elapsed());
        let list = names(&get(&served.base_url, &token, "method=candidates/list"));
        for number in 0..=round {
            let found = list.iter().filter(|name| **name == format!("batch {number}")).count();
            assert!(found == 0 || found == SIZE, "batch {number} is incomplete: {found}");
            assert!(found == SIZE || !acknowledged.contains(&number), "batch {number} is lost");
        }
        drop(served);
        assert!(run(&database, &["check"]).contains("no damage"));
    }
    println!("{} of 20 imports were acknowledged before they were killed", acknowledged.len());
}

/// A file system of 2 MiB. Unmounted when this is dropped.
struct Tmpfs<'d>(&'d Path);

impl<'d> Tmpfs<'d> {
    fn mount(at: &'d Path) -> Option<Self> {
        let status = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=2m", "tmpfs"])
            .arg(at)
            .stderr(Stdio::null())
            .status();
        status.is_ok_and(|status| status.success()).then_some(Self(at))
    }
}

impl Drop for Tmpfs<'_> {
    fn drop(&mut self) {
        drop(Command::new("umount").arg("--lazy").arg(self.0).status());
    }
}

#[test]
fn a_full_disk_fails_the_import_and_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    let Some(_tmpfs) = Tmpfs::mount(directory.path()) else {
        eprintln!("SKIPPED: cannot mount a file system of 2 MiB (needs root)");
        return;
    };
    let database = directory.path().join("a.db").to_str().unwrap().to_owned();
    let token = account(&database, "acme");
    let elsewhere = tempfile::tempdir().unwrap();
    let write = |name: &str, text: String| {
        let path = elsewhere.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    run(&database, &["import", "--account", "acme", &write("small.ndjson", batch(1, 100))]);
    let served = Served::start(&database, &[]);
    let before = get(&served.base_url, &token, "method=candidates/list").body;
    let big = write("big.ndjson", batch(2, 50_000));
    for _ in 0..2 {
        let output = output(&database, &["import", "--account", "acme", &big]);
        assert_eq!(output.status.code(), Some(1));
        assert!(error(&output).contains("the disk is full"), "{}", error(&output));
        let after = get(&served.base_url, &token, "method=candidates/list");
        assert_eq!((after.status, &after.body), (200, &before));
    }
    // A smaller import succeeds on the same disk without a restart.
    let report =
        run(&database, &["import", "--account", "acme", &write("next.ndjson", batch(3, 50))]);
    assert!(report.contains("candidates: 50 new"), "{report}");
    assert_eq!(names(&get(&served.base_url, &token, "method=candidates/list")).len(), 150);
    assert!(run(&database, &["check"]).contains("no damage"));
}

/// Creates an account, and checks that it exists exactly if the command printed it. Returns the error of the command.
#[track_caller]
fn create_account(mut command: Command, database: &str, name: &str) -> Option<String> {
    let created = command.args(["account", "create", name, "--database", database]).output();
    let created = created.unwrap();
    let listed = output(database, &["account", "list"]);
    let exists =
        listed.status.success() && String::from_utf8(listed.stdout).unwrap().contains(name);
    assert_eq!(created.status.success(), exists, "{name}: {}", error(&created));
    if exists {
        return None;
    }
    assert_eq!((created.status.code(), &*created.stdout), (Some(1), &b""[..]), "{name}");
    Some(error(&created))
}

/// SQLite returns the row of an insertion before it commits it.
#[test]
fn an_account_that_was_not_committed_is_not_printed() {
    let (_directory, database, _token) = acme();
    // The log stays while this process has the database open, and grows up to the limit.
    let _open = Store::open_existing(&database).unwrap();
    // The signal would end the process before it sees the error.
    let limited = || program_after("trap '' XFSZ; ulimit -f 256");
    let results: Vec<_> = (0..20)
        .map(|number| create_account(limited(), &database, &format!("one-{number}")))
        .collect();
    assert!(results[0].is_none());
    let text = results[19].as_ref().unwrap();
    let expected = "cannot create the account: the disk reports an error, or a file size limit";
    assert!(text.contains(expected), "{text}");
    assert!(create_account(program(), &database, "last").is_none());
    assert!(run(&database, &["check"]).contains("no damage"));
}

/// Sends requests until a connection is refused or closed. Every response that has begun must be complete.
fn ask_until_the_end(base_url: &str, token: &str, query: &str) -> u32 {
    let address = base_url.strip_prefix("http://").unwrap();
    let request = request(token, query, "Connection: close\r\n");
    let mut responses = 0;
    loop {
        let Ok(mut socket) = TcpStream::connect(address) else { return responses };
        let mut bytes = Vec::new();
        let sent = socket.write_all(request.as_bytes());
        let read = socket.read_to_end(&mut bytes);
        if bytes.is_empty() {
            // Accepted by the system but not by the server: a missing response is not a truncated one.
            return responses;
        }
        sent.unwrap();
        read.unwrap();
        let response = parse(&bytes);
        assert_eq!(response.status, 200);
        assert!(response.text().ends_with("]}"), "a truncated response");
        responses += 1;
    }
}

#[test]
fn a_signal_under_load_truncates_no_response() {
    let (_directory, database, token) = acme();
    run(&database, &["demo-data", "--account", "acme", "--candidates", "20000"]);
    let mut served = Served::start(&database, &[]);
    let started = AtomicU32::new(0);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..6)
            .map(|_| {
                scope.spawn(|| {
                    assert_eq!(get(&served.base_url, &token, "method=credits/get").status, 200);
                    started.fetch_add(1, Ordering::SeqCst);
                    ask_until_the_end(&served.base_url, &token, "method=candidates/list")
                })
            })
            .collect();
        while started.load(Ordering::SeqCst) < 6 {
            std::thread::yield_now();
        }
        // After one more list, the threads are in the middle of theirs.
        drop(get(&served.base_url, &token, "method=candidates/list"));
        served.signal("-TERM");
        let responses: u32 = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
        println!("{responses} complete responses around the signal");
    });
    assert_eq!(served.child.wait().unwrap().code(), Some(0));
}
