//! Many requests and connections, and slow ones.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::PoisonError;

use crate::browser::Browser;
use crate::login::HASHING;
use crate::sample::three_days;

#[test]
fn ten_thousand_requests_are_all_answered_and_nothing_is_left() {
    let _alone = HASHING.write().unwrap_or_else(PoisonError::into_inner);
    let (dashboard, _folder) = three_days().dashboard();
    let browser = Browser::start(dashboard).log_in();
    let before = resident();
    std::thread::scope(|scope| {
        for worker in 0..10 {
            let browser = &browser;
            scope.spawn(move || {
                // One connection each, as a browser has it; some requests are refused.
                let path = ["/style.css", "/none", "/health", "/icon.svg", "/enter/x"][worker % 5];
                let status = ["200", "404", "200", "200", "303"][worker % 5];
                let statuses = browser.send_many(path, 1000);
                assert!(statuses.iter().all(|one| one == status), "{path} {statuses:?}");
                assert_eq!(statuses.len(), 1000);
            });
        }
    });
    let growth = resident().saturating_sub(before);
    assert!(growth < 200 * 1024, "{growth} KiB");
    assert!(browser.page("/funnel").contains("Harbour"));
}

#[test]
fn slow_readers_and_writers_do_not_stop_others() {
    let (dashboard, _folder) = three_days().dashboard();
    let browser = Browser::start(dashboard).log_in();
    let Browser { address, cookie, .. } = &browser;
    let slow: Vec<TcpStream> = (0..40)
        .map(|number| {
            let mut stream = TcpStream::connect(address).unwrap();
            let whole = format!("GET / HTTP/1.1\r\nHost: {address}\r\nCookie: {cookie}\r\n\r\n");
            // Half of them never end their request; the others never read the response.
            let sent = if number % 2 == 0 { whole.len() / 2 } else { whole.len() };
            stream.write_all(&whole.as_bytes()[..sent]).unwrap();
            stream
        })
        .collect();
    for _ in 0..5 {
        assert!(browser.page("/funnel").contains("Harbour"));
    }
    drop(slow);
    assert!(browser.page("/health").contains("Photo"));
}

#[test]
fn connections_of_others_do_not_keep_the_reader_out() {
    let (dashboard, _folder) = three_days().dashboard();
    let browser = Browser::start(dashboard).log_in();
    let Browser { address, cookie, .. } = &browser;
    let mut reader = browser.keep_alive();
    assert_eq!(reader.status("/health"), "200");
    // More than the server keeps: half of a head, nothing, or an answered request without the cookie.
    let mut others: Vec<TcpStream> = (0..400)
        .map(|number| {
            let mut stream = TcpStream::connect(address).unwrap();
            let head = format!("GET /style.css HTTP/1.1\r\nHost: {address}\r\n");
            let whole = format!("{head}Cookie: {cookie}x\r\n\r\n");
            let sent = [&*head, "", &whole][number % 3];
            // The server may have closed it.
            let _closed = stream.write_all(sent.as_bytes());
            stream
        })
        .collect();
    assert!(browser.page("/funnel").contains("Harbour"));
    // The connection of the reader is older than all of them, and is still open.
    assert_eq!(reader.status("/health"), "200");
    let oldest = others[0].read(&mut [0]);
    assert!(matches!(oldest, Ok(0) | Err(_)), "the oldest one is open");
}

/// Returns the resident memory of this process in KiB; 0 where the system does not tell it.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or_default()
}
