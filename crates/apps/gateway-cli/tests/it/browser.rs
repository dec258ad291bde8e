//! A running dashboard, and a browser that has opened its link.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use crate::process::Process;
use crate::run::Person;

/// A browser with the cookie of a dashboard.
pub(crate) struct Browser {
    host: String,
    cookie: String,
}

impl Browser {
    /// Opens the first URL.
    pub(crate) fn enter(url: &str) -> Self {
        let (host, path) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
        let mut browser = Self { host: host.to_owned(), cookie: String::new() };
        let entered = browser.get(&format!("/{path}"));
        let cookie = entered.split("set-cookie: ").nth(1).unwrap().split(';').next().unwrap();
        cookie.clone_into(&mut browser.cookie);
        browser
    }

    /// Returns the head and the body of a response. A workbook is not text.
    pub(crate) fn get(&self, path: &str) -> String {
        self.ask(path, &format!("Cookie: {}", self.cookie))
    }

    /// Returns the head and the body of the response to a request with this header instead of the cookie.
    pub(crate) fn ask(&self, path: &str, header: &str) -> String {
        let host = &self.host;
        let mut stream = TcpStream::connect(host).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let head = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n{header}\r\n");
        write!(stream, "{head}Connection: close\r\n\r\n").unwrap();
        let mut response = Vec::new();
        stream.read_to_end(&mut response).unwrap();
        String::from_utf8_lossy(&response).into_owned()
    }
}

/// Starts a dashboard. Returns its first URL.
pub(crate) fn start(person: &Person, args: &[&str]) -> (Process, String) {
    let process = person.start(args);
    let mut url = String::new();
    BufReader::new(process.child().take_stdout().unwrap()).read_line(&mut url).unwrap();
    (process, url.trim().to_owned())
}

/// Starts a dashboard, and opens it.
pub(crate) fn open(person: &Person, args: &[&str]) -> (Process, Browser) {
    let (process, url) = start(person, args);
    let browser = Browser::enter(&url);
    (process, browser)
}
