//! The page of a gauge, over samples of real syncs.

use std::time::{Duration, UNIX_EPOCH};

use methodical_dashboard::Dashboard;
use methodical_dashboard::mirror::{Mirror, SyncOptions};

use crate::browser::Browser;
use crate::gallery::{Gallery, Server};
use crate::sample::DAY;

/// Samples an amount of storage on each of these days, and opens the dashboard on day 4.
fn opened(amounts: &[(u64, &str)]) -> Browser {
    let server = Server::start();
    server.state().put("7", "1", "New");
    let at = |day: u64| UNIX_EPOCH + Duration::from_secs(1_793_520_000 + day * DAY);
    let mut mirror = Mirror::in_memory().unwrap();
    for &(day, free) in amounts {
        free.clone_into(&mut server.state().free);
        mirror = mirror.with_clock(move || at(day));
        server.sync(&mut mirror, &SyncOptions::new()).unwrap();
    }
    Browser::start(Dashboard::of::<Gallery>(mirror).with_clock(move || at(4))).log_in()
}

#[test]
fn a_gauge_shows_its_amounts_its_pace_and_the_days_left() {
    let browser = opened(&[(0, "100"), (1, "90.5"), (2, "81"), (4, "62")]);
    let page = browser.page("/gauge?of=storage");
    for expected in [
        "<strong>62 GB</strong>",
        "<strong>9.5 GB</strong>",
        "<strong>6</strong>",
        "Storage from 2026-11-01 to 2026-11-05: 100 GB at first, 62 GB at last, at most 100 GB",
        "M0.0 0.0H250.0V28.5H500.0V57.0H1000.0V114.0",
    ] {
        assert!(page.contains(expected), "{expected}\n{page}");
    }
    let health = browser.page("/health");
    assert!(health.contains("The last sync of each table was complete."), "{health}");
    assert_eq!(browser.get("/gauge?of=credit").status, 404);
}

#[test]
fn amounts_of_zero_are_a_line_at_the_bottom() {
    let page = opened(&[(0, "0.00"), (4, "0")]).page("/gauge?of=storage");
    for expected in ["M0.0 300.0H1000.0V300.0", "at most 0 GB"] {
        assert!(page.contains(expected), "{expected}\n{page}");
    }
}
