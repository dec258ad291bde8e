//! The pause between SIGTERM and the end of accepting connections.

use std::time::{Duration, Instant};

use crate::process::{Served, acme};
use crate::support::get;

#[test]
fn a_stopping_server_accepts_requests_until_the_pause_ends() {
    let (_directory, database, token) = acme();
    let flags = ["--ops-listen", "127.0.0.1:0", "--drain-pause", "600"];
    let mut served = Served::start(&database, &flags);
    let ops = served.ops.clone();
    assert_eq!(ops.readiness(), (200, "ready\n".into()));
    served.signal("-TERM");
    let begun = Instant::now();
    while ops.readiness() != (503, "stopping\n".into()) {
        assert!(begun.elapsed() < GENEROUS, "still ready");
    }
    for _ in 0..3 {
        assert_eq!(get(&served.base_url, &token, "method=credits/get").status, 200);
    }
    // A second signal ends the pause.
    served.signal("-TERM");
    let ended = loop {
        if let Some(status) = served.child.try_wait().unwrap() {
            break status;
        }
        assert!(begun.elapsed() < GENEROUS, "still running");
        std::thread::yield_now();
    };
    assert!(ended.success());
}

/// Maximum time of any step here, on the slowest machine.
const GENEROUS: Duration = Duration::from_secs(30);
