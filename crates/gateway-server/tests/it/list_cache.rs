//! Disk space of cached lists while many clients ask concurrently.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::process::{Served, account, run};
use crate::support::get;

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
