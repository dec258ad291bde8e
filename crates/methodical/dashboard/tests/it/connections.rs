//! Many connections.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use crate::browser::Browser;
use crate::sample::three_days;

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
