//! A client that requests pages over one connection, and measures the response times.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use crate::fill::{TEAMS, team};

/// A connection with a session.
pub(crate) struct Load {
    stream: BufReader<TcpStream>,
    address: SocketAddr,
    cookie: String,
}

impl Load {
    pub(crate) fn log_in(address: SocketAddr, url: &str) -> Self {
        let mut load = Self::to(address);
        let path = url.split_once(&address.to_string()).unwrap().1;
        let head = load.exchange(path).1;
        let cookie = head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
        cookie.split(';').next().unwrap().clone_into(&mut load.cookie);
        load
    }

    fn to(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        Self { stream: BufReader::new(stream), address, cookie: "a=b".to_owned() }
    }

    /// Connects again, with the same session.
    pub(crate) fn again(self) -> Self {
        Self { cookie: self.cookie, ..Self::to(self.address) }
    }

    /// Requests a page that must exist.
    pub(crate) fn get(&mut self, path: &str) -> Duration {
        let (time, head) = self.exchange(path);
        assert!(head.starts_with("HTTP/1.1 200"), "{path}\n{head}");
        time
    }

    /// Requests a page. Also returns the head of the response.
    fn exchange(&mut self, path: &str) -> (Duration, String) {
        let Self { address, cookie, .. } = self;
        let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nCookie: {cookie}\r\n\r\n");
        let started = Instant::now();
        self.stream.get_mut().write_all(request.as_bytes()).unwrap();
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(self.stream.read_line(&mut head).unwrap() > 0);
        }
        let lower = head.to_ascii_lowercase();
        let length = lower.lines().find_map(|line| line.strip_prefix("content-length: "));
        let mut body = vec![0; length.unwrap().parse().unwrap()];
        self.stream.read_exact(&mut body).unwrap();
        (started.elapsed(), lower.replacen("http", "HTTP", 1))
    }
}

/// The response times of one kind of page.
#[derive(Default)]
pub(crate) struct Times(Vec<Duration>);

impl Times {
    pub(crate) fn add(&mut self, time: Duration) {
        self.0.push(time);
    }

    /// Prints a row of the table.
    pub(crate) fn print(&self, name: &str) {
        let mut times = self.0.clone();
        times.sort_unstable();
        let at = |percent: usize| {
            let index = (times.len() * percent).div_ceil(100).saturating_sub(1);
            let time = times.get(index).map_or(f64::NAN, Duration::as_secs_f64);
            format!("{:.1} ms", time * 1e3)
        };
        let [p50, p95, p99] = [50, 95, 99].map(at);
        println!("| {name} | {p50} | {p95} | {p99} |");
    }
}

/// Returns the pages of each kind, for a mirror of this many people.
pub(crate) fn paths(size: u64) -> Vec<(&'static str, Vec<String>)> {
    let each = |path: fn(u64, u64) -> String| -> Vec<String> {
        // Spread over all records, in an order that defeats caches.
        (1..=REQUESTS).map(|number| path(number * 7_919 % size + 1, number)).collect()
    };
    vec![
        ("Persons, newest first", each(|_, _| "/records?of=person".to_owned())),
        ("Persons, by name", each(|_, _| "/records?of=person&sort=title".to_owned())),
        (
            "Persons, deep page, newest first",
            each(|id, _| format!("/records?of=person&state=all&sort=new&after={id}")),
        ),
        (
            "Persons, deep page by last change",
            each(|id, _| format!("/records?of=person&sort=changed&after={id}")),
        ),
        (
            "Persons, deep page by name",
            each(|id, _| format!("/records?of=person&state=all&sort=-title&after={id}")),
        ),
        ("Persons that are missing", each(|_, _| "/records?of=person&state=missing".to_owned())),
        (
            "Members of a team",
            each(|_, number| format!("/records?of=person&group={}", number * 7 % TEAMS + 1)),
        ),
        (
            "Members of the largest team with a status, deep page",
            each(|id, _| format!("/records?of=person&group=1&value=New&after={id}")),
        ),
        (
            "Members of a team without a status",
            each(|_, number| format!("/records?of=person&group={}&unknown=1", number * 7 % TEAMS)),
        ),
        (
            "Members with one of two statuses",
            each(|_, _| "/records?of=person&value=New&value=Left".to_owned()),
        ),
        (
            "Members who wait",
            each(|_, _| "/records?of=person&value=New&value=Met&waiting=7".to_owned()),
        ),
        ("One person", each(|id, _| format!("/record?of=person&id={id}"))),
        ("One team", each(|id, _| format!("/record?of=team&id={}", team(id)))),
        ("Changes", each(|_, _| "/changes".to_owned())),
        ("Changes, deep page", each(|_, number| format!("/changes?before={}", number * 50))),
        ("Health", each(|_, _| "/health".to_owned())),
        (
            "Search that finds many",
            each(|_, number| format!("/records?of=person&q=number+{}", number % 10)),
        ),
        ("Search that finds one", each(|id, _| format!("/records?of=person&q=person{id}%40"))),
        (
            "Search that finds nothing",
            each(|_, number| format!("/records?of=person&q=missing{number}")),
        ),
        ("Today", each(|_, _| "/".to_owned())),
        ("Duplicates", each(|_, number| format!("/duplicates?from={}", number % 4 * 25))),
        ("Funnel", each(|_, number| format!("/funnel?from={}", number % 10 * 100))),
    ]
}

/// Number of requests for each kind of page.
const REQUESTS: u64 = 200;
