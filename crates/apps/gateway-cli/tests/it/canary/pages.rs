//! Every page of the dashboard: the linked ones, and the refused ones.

use std::collections::BTreeSet;

use crate::browser::{Browser, open};
use crate::canary::lines::Personal;
use crate::canary::services::fine;
use crate::canary::{PASSWORD, Sweep, TOKEN, person};
use crate::process::Process;
use crate::run::code;

/// Follows all links from the first page. Returns the paths with the heads and the bodies of the responses.
fn crawl(browser: &Browser) -> Vec<(String, String, String)> {
    let (mut known, mut waiting) = (BTreeSet::from(["/".to_owned()]), vec!["/".to_owned()]);
    let mut pages = Vec::new();
    while let Some(path) = waiting.pop() {
        let response = browser.get(&path);
        let (head, body) = response.split_once("\r\n\r\n").unwrap();
        for link in body.split("href=\"").skip(1) {
            let link = link.split('"').next().unwrap().replace("&#38;", "&");
            let link = link.split('#').next().unwrap().to_owned();
            if link.starts_with('/') && known.insert(link.clone()) {
                waiting.push(link);
            }
        }
        pages.push((path, head.to_owned(), body.to_owned()));
        assert!(pages.len() < MAX_PAGES, "the pages have no end: {known:?}");
    }
    pages
}

/// Maximum number of pages to read.
const MAX_PAGES: usize = 500;

const ARGS: &[&str] = &["dashboard", "--from", "m.db", "--no-open"];

#[test]
fn pages_show_personal_data_only_to_their_reader_and_no_secret() {
    let service = fine();
    let person = person(&service.uri(""));
    assert_eq!(code(&person.run(&["mirror", "sync", "--to", "m.db"])), 0);
    let mut sweep = Sweep::new();
    let (process, browser) = open(&person, ARGS);
    let pages = crawl(&browser);
    assert!(pages.len() >= 8, "only {} pages", pages.len());
    for (path, head, body) in &pages {
        sweep.search_text(&format!("the head of {path}"), head, Personal::Never);
        sweep.search_text(&format!("the page {path}"), body, Personal::Printed);
    }
    assert!(sweep.belonging > 3, "personal data was found {} times", sweep.belonging);

    // Refused requests, without and with the cookie. A refusal repeats nothing of the request.
    let stranger = |path: &str| browser.ask(path, &format!("Authorization: Bearer {TOKEN}"));
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
        let response = browser.get(&path);
        assert!(!response.starts_with("HTTP/1.1 5"), "{response}");
        sweep.search_text("a page that does not exist", &response, Personal::Never);
        sweep.search_text("such a page for a stranger", &stranger(&path), Personal::Never);
    }
    stop(process, &mut sweep);
    sweep.finish();
}

#[test]
fn masked_pages_show_personal_data_only_if_a_reader_asks_for_it() {
    let service = fine();
    let person = person(&service.uri(""));
    assert_eq!(code(&person.run(&["mirror", "sync", "--to", "m.db"])), 0);
    let mut sweep = Sweep::new();
    let (process, browser) = open(&person, &[ARGS, &["--mask"]].concat());
    let pages = crawl(&browser);
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
    stop(process, &mut sweep);
    sweep.finish();
}

/// Stops the dashboard, and searches everything that it printed except its link.
fn stop(process: Process, sweep: &mut Sweep) {
    process.signal(rustix::process::Signal::TERM);
    let output = process.end();
    sweep.search("the dashboard", &output, Personal::Never);
}
