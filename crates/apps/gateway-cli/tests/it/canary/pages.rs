//! Every page of the dashboard: those that its pages link to, and those that it refuses.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use crate::canary::lines::Personal;
use crate::canary::services::fine;
use crate::canary::{PASSWORD, Sweep, TOKEN, person};
use crate::process::Process;
use crate::run::code;

/// A dashboard that runs, and a browser of it.
struct Browser {
    process: Process,
    address: String,
    cookie: String,
}

impl Browser {
    fn start(person: &crate::run::Person, flags: &[&str]) -> Self {
        let args = [&["dashboard", "--from", "m.db", "--no-open"], flags].concat();
        let process = person.start(&args);
        let mut line = String::new();
        let mut out = BufReader::new(process.child().take_stdout().unwrap());
        out.read_line(&mut line).unwrap();
        let url = line.trim().strip_prefix("http://").unwrap();
        let (address, first) = url.split_once('/').unwrap();
        let mut browser = Self { process, address: address.to_owned(), cookie: String::new() };
        let (head, _) = browser.get(&format!("/{first}"));
        let cookie = head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
        browser.cookie = cookie.split(';').next().unwrap().to_owned();
        browser
    }

    /// Returns the head and the body of a response.
    fn get(&self, path: &str) -> (String, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let Self { address, cookie, .. } = self;
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {address}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut response = Vec::new();
        stream.read_to_end(&mut response).unwrap();
        // A workbook is not text, and its parts are compressed, so nothing is found in it.
        let response = String::from_utf8_lossy(&response);
        let (head, body) = response.split_once("\r\n\r\n").unwrap();
        (head.to_owned(), body.to_owned())
    }

    /// Follows all links from the first page. Returns the paths with their responses.
    fn crawl(&self) -> Vec<(String, String, String)> {
        let (mut known, mut waiting) = (BTreeSet::from(["/".to_owned()]), vec!["/".to_owned()]);
        let mut pages = Vec::new();
        while let Some(path) = waiting.pop() {
            let (head, body) = self.get(&path);
            for link in body.split("href=\"").skip(1) {
                let link = link.split('"').next().unwrap().replace("&#38;", "&");
                let link = link.split('#').next().unwrap().to_owned();
                if link.starts_with('/') && known.insert(link.clone()) {
                    waiting.push(link);
                }
            }
            pages.push((path, head, body));
            assert!(pages.len() < MAX_PAGES, "the pages have no end: {known:?}");
        }
        pages
    }
}

/// Maximum number of pages to read.
const MAX_PAGES: usize = 500;

#[test]
fn pages_show_personal_data_only_to_their_reader_and_no_secret() {
    let service = fine();
    let person = person(&service.uri(""));
    assert_eq!(code(&person.run(&["mirror", "sync", "--to", "m.db"])), 0);
    let mut sweep = Sweep::new();
    let browser = Browser::start(&person, &[]);
    let pages = browser.crawl();
    assert!(pages.len() >= 8, "only {} pages", pages.len());
    for (path, head, body) in &pages {
        sweep.search_text(&format!("the head of {path}"), head, Personal::Never);
        sweep.search_text(&format!("the page {path}"), body, Personal::Printed);
    }
    assert!(sweep.belonging > 3, "personal data was found {} times", sweep.belonging);

    // Refused requests, without and with the cookie. A refusal repeats nothing of the request.
    let address = browser.address.clone();
    let stranger = |path: &str| {
        let mut stream = TcpStream::connect(&address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let head =
            format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {TOKEN}\r\n");
        stream.write_all(format!("{head}Connection: close\r\n\r\n").as_bytes()).unwrap();
        let mut response = Vec::new();
        stream.read_to_end(&mut response).unwrap();
        String::from_utf8(response).unwrap()
    };
    for (path, ..) in &pages {
        sweep.search_text(&format!("{path} for a stranger"), &stranger(path), Personal::Never);
    }
    for path in [
        format!("/{TOKEN}"),
        format!("/enter/{TOKEN}"),
        format!("/records/candidate/{TOKEN}"),
        format!("/changes?before={TOKEN}"),
        format!("/health?{PASSWORD}={TOKEN}"),
        format!("/{}", PASSWORD.repeat(200)),
    ] {
        let (head, body) = browser.get(&path);
        assert!(!head.starts_with("HTTP/1.1 5"), "{head}");
        sweep.search_text("a page that does not exist", &(head + &body), Personal::Never);
        sweep.search_text("such a page for a stranger", &stranger(&path), Personal::Never);
    }
    stop(browser, &mut sweep);
    sweep.finish();
}

#[test]
fn masked_pages_show_personal_data_only_if_a_reader_asks_for_it() {
    let service = fine();
    let person = person(&service.uri(""));
    assert_eq!(code(&person.run(&["mirror", "sync", "--to", "m.db"])), 0);
    let mut sweep = Sweep::new();
    let browser = Browser::start(&person, &["--mask"]);
    let pages = browser.crawl();
    let asked = |path: &str| path.contains("&personal=1");
    assert!(pages.iter().any(|(path, ..)| path.starts_with("/download")), "no download");
    for (path, head, body) in &pages {
        let belongs = if asked(path) { Personal::Printed } else { Personal::Never };
        sweep.search_text(&format!("the head of {path}"), head, Personal::Never);
        sweep.search_text(&format!("the masked page {path}"), body, belongs);
    }
    assert_eq!(sweep.belonging, 3, "the name, the e-mail address and the phone number");
    let masked = pages.iter().find(|(path, ..)| path == "/record?of=candidate&id=7");
    let (_, _, body) = masked.unwrap();
    assert_eq!(body.matches(r#"<span class="hidden">hidden</span>"#).count(), 3, "{body}");
    stop(browser, &mut sweep);
    sweep.finish();
}

/// Stops the dashboard, and searches what it has printed besides its link.
fn stop(browser: Browser, sweep: &mut Sweep) {
    browser.process.signal(rustix::process::Signal::TERM);
    let output = browser.process.end();
    sweep.search("the dashboard", &output, Personal::Never);
}
