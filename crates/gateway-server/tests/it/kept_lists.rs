//! Lists that are kept: how much of the disk they take while many ask at once.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::program::{Served, account, run};
use crate::support::get;

/// The bytes of the files of a process that have no name any more.
fn nameless(process: u32) -> u64 {
    let Ok(descriptors) = std::fs::read_dir(format!("/proc/{process}/fd")) else { return 0 };
    let is_nameless = |path: &std::path::Path| {
        std::fs::read_link(path)
            .is_ok_and(|target| target.to_string_lossy().ends_with(" (deleted)"))
    };
    // Any of them may be gone between two looks.
    descriptors
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| is_nameless(path))
        .filter_map(|path| Some(std::fs::metadata(path).ok()?.len()))
        .sum()
}

#[test]
fn kept_lists_take_no_more_of_the_disk_than_they_may() {
    let directory = tempfile::tempdir().unwrap();
    let database = directory.path().join("a.db").to_str().unwrap().to_owned();
    let token = account(&database, "acme");
    run(&database, &["demo-data", "--account", "acme", "--candidates", "4000"]);
    let served = Served::start(&database, &["--list-cache", "1"]);
    let list = || get(&served.base_url, &token, "method=candidates/list").body;
    let whole = list();
    let limit = 1024 * 1024;
    assert!(whole.len() > limit / 2 && whole.len() < limit, "two do not fit: {}", whole.len());
    let over = AtomicU32::new(0);
    let most = std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..6 {
                    assert!(list() == whole, "another list");
                }
                over.fetch_add(1, Ordering::SeqCst);
            });
        }
        let mut most = 0;
        while over.load(Ordering::SeqCst) < 8 {
            most = most.max(nameless(served.child.id()));
            std::thread::yield_now();
        }
        most
    });
    assert!(most <= limit as u64, "{most} bytes");
    if std::path::Path::new("/proc/self/fd").exists() {
        assert_eq!(nameless(served.child.id()), whole.len() as u64, "one list is kept");
    }
}
