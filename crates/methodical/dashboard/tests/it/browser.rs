//! A dashboard in a thread, and a client that sends any request.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::thread::JoinHandle;
use std::time::Duration;

use methodical_dashboard::{Dashboard, Listening, Stopper};

/// A dashboard that answers until it is dropped.
pub(crate) struct Browser {
    pub(crate) address: SocketAddr,
    /// The path of the first URL.
    pub(crate) first: String,
    /// The cookie of the session, after `log_in`.
    pub(crate) cookie: String,
    stopper: Stopper,
    thread: Option<JoinHandle<()>>,
}

/// A response.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Response {
    /// Returns the value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(one, _)| one.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

impl Browser {
    /// Starts a dashboard.
    pub(crate) fn start(dashboard: Dashboard) -> Self {
        Self::start_at(dashboard, "")
    }

    /// Starts a dashboard that readers reach at an origin; if it is empty, at the dashboard's address.
    pub(crate) fn start_at(dashboard: Dashboard, origin: &str) -> Self {
        let listening = dashboard.listen("127.0.0.1:0".parse().unwrap()).unwrap();
        let (address, url, stopper) = (listening.address(), listening.url(), listening.stopper());
        let own = format!("http://{address}");
        let origin = if origin.is_empty() { &own } else { origin };
        let first = url.strip_prefix(origin).unwrap().to_owned();
        let thread = std::thread::spawn(|| Listening::run(listening).unwrap());
        Self { address, first, cookie: String::new(), stopper, thread: Some(thread) }
    }

    /// Opens the first URL.
    pub(crate) fn log_in(mut self) -> Self {
        let response = self.get(&self.first);
        assert_eq!((response.status, response.header("location")), (303, Some("/")));
        let cookie = response.header("set-cookie").unwrap().split(';').next().unwrap();
        cookie.clone_into(&mut self.cookie);
        self
    }

    pub(crate) fn get(&self, path: &str) -> Response {
        let Self { address, cookie, .. } = self;
        self.send(&format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nCookie: {cookie}\r\n\r\n"))
    }

    /// Sends the login form. Returns the response; `log_in_as` also stores its cookie.
    pub(crate) fn try_log_in(&self, name: &str, password: &str) -> Response {
        let address = self.address;
        self.post(&format!("Host: {address}\r\nOrigin: http://{address}\r\n"), name, password)
    }

    pub(crate) fn post(&self, headers: &str, name: &str, password: &str) -> Response {
        let cookie = &self.cookie;
        let form = format!("to=/funnel&name={name}&password={password}");
        let kind = "Content-Type: application/x-www-form-urlencoded";
        self.send(&format!(
            "POST /login HTTP/1.1\r\n{headers}Cookie: {cookie}\r\n{kind}\r\nContent-Length: {}\r\n\r\n{form}",
            form.len()
        ))
    }

    pub(crate) fn log_in_as(mut self, name: &str, password: &str) -> Self {
        let response = self.try_log_in(name, password);
        assert_eq!((response.status, response.header("location")), (303, Some("/funnel")));
        let cookie = response.header("set-cookie").unwrap().split(';').next().unwrap();
        cookie.clone_into(&mut self.cookie);
        self
    }

    /// Returns the text of a page that must exist.
    pub(crate) fn page(&self, path: &str) -> String {
        let response = self.get(path);
        assert_eq!(response.status, 200, "{path}\n{}", response.body);
        response.body
    }

    /// Sends a request unchanged, and reads the response.
    pub(crate) fn send(&self, request: &str) -> Response {
        self.send_bytes(request.replacen("\r\n\r\n", "\r\nConnection: close\r\n\r\n", 1).as_bytes())
    }

    /// Sends bytes, and reads the response. A connection that is closed without one has the status 0.
    pub(crate) fn send_bytes(&self, request: &[u8]) -> Response {
        let mut stream = self.connect();
        // The server may refuse the request before its end.
        let _closed = stream.write_all(request);
        let mut response = Vec::new();
        let read = stream.read_to_end(&mut response);
        assert!(read.is_ok() || !response.is_empty(), "{read:?}");
        let response = String::from_utf8(response).unwrap();
        let (head, body) = response.split_once("\r\n\r\n").unwrap_or((&response, ""));
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or_default();
        Response { status, head: head.to_owned(), body: body.to_owned() }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.stopper.stop();
        let ended = self.thread.take().unwrap().join();
        assert!(ended.is_ok() || std::thread::panicking());
    }
}
