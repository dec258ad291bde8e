//! Readers with passwords: sessions, guesses, rights, and the log.

use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, UNIX_EPOCH};

use methodical_dashboard::Readers;

use crate::browser::Browser;
use crate::sample::three_days;

const PASSWORD: &str = "correct-horse-battery";

/// A dashboard with the reader `ana`, who sees everything, and `ben`, who sees no personal values.
struct Team {
    browser: Browser,
    readers: Arc<Mutex<Readers>>,
    /// Seconds since 1970.
    now: Arc<AtomicU64>,
    log: Log,
    _folder: tempfile::TempDir,
}

/// The contents of the log.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Team {
    fn new() -> Self {
        let mut readers = Readers::default();
        readers.add("ana", PASSWORD, false).unwrap();
        readers.add("ben", PASSWORD, true).unwrap();
        let (readers, now) =
            (Arc::new(Mutex::new(readers)), Arc::new(AtomicU64::new(1_793_700_000)));
        let (current, clock, log) = (Arc::clone(&readers), Arc::clone(&now), Log::default());
        let (dashboard, folder) = three_days().dashboard();
        let dashboard = dashboard
            .readers(move || current.lock().unwrap().clone())
            .with_clock(move || UNIX_EPOCH + Duration::from_secs(clock.load(Ordering::Relaxed)))
            .access_log(log.clone());
        Self { browser: Browser::start(dashboard), readers, now, log, _folder: folder }
    }

    /// Logs `name` in.
    fn of(name: &str) -> Self {
        let mut team = Self::new();
        team.browser = team.browser.log_in_as(name, PASSWORD);
        team
    }

    fn pass(&self, seconds: u64) {
        self.now.fetch_add(seconds, Ordering::Relaxed);
    }

    /// Returns where a page leads: to a login, or nowhere.
    fn redirect(&self, path: &str) -> Option<String> {
        self.browser.get(path).header("location").map(str::to_owned)
    }
}

#[test]
fn a_reader_logs_in_with_a_cookie_that_scripts_and_other_sites_cannot_use() {
    let team = Team::new();
    let login = team.browser.page("/login");
    assert!(login.contains(r#"action="/login" method="post""#), "{login}");
    // With `no-referrer`, the form would have the origin `null`.
    let policy = team.browser.get("/login");
    assert_eq!(policy.header("referrer-policy"), Some("same-origin"));
    assert!(policy.header("content-security-policy").unwrap().starts_with("default-src 'none'"));
    assert_eq!(
        team.redirect("/record?of=photo&id=1").unwrap(),
        "/login?to=%2Frecord%3Fof%3Dphoto%26id%3D1"
    );
    let entered = team.browser.try_log_in("ana", PASSWORD);
    let cookie = entered.header("set-cookie").unwrap();
    assert!(cookie.ends_with("; Path=/; HttpOnly; SameSite=Strict"), "{cookie}");
    let team = Team::of("ana");
    let page = team.browser.page("/records?of=photo");
    assert!(page.contains("Sea at night") && page.contains("ana <a href=\"/logout\">"), "{page}");
}

#[test]
fn a_login_leads_only_to_a_path_of_this_dashboard() {
    let team = Team::new();
    let address = team.browser.address;
    for (to, expected) in [
        ("%2Fhealth", "/health"),
        ("%2F%2Fattacker.example", "/"),
        ("%2F%5Cattacker.example", "/"),
        ("%2F%09%2Fattacker.example", "/"),
        ("https%3A%2F%2Fattacker.example", "/"),
        ("", "/"),
    ] {
        let form = format!("name=ana&password={PASSWORD}&to={to}");
        let response = team.browser.send(&format!(
            "POST /login HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\nContent-Length: {}\r\n\
             Content-Type: application/x-www-form-urlencoded\r\n\r\n{form}",
            form.len()
        ));
        assert_eq!((response.status, response.header("location")), (303, Some(expected)), "{to}");
    }
}

#[test]
fn a_session_from_before_the_login_is_not_taken_over() {
    let mut team = Team::new();
    let name = format!("dashboard-{}", team.browser.address.port());
    let planted = format!("{name}={}", "a".repeat(64));
    team.browser.cookie.clone_from(&planted);
    let response = team.browser.try_log_in("ana", PASSWORD);
    let cookie = response.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    assert_ne!(cookie, planted);
    assert!(team.redirect("/").is_some(), "the planted cookie works");
    // A second login ends the session of the first.
    team.browser.cookie.clone_from(&cookie);
    let again = team.browser.try_log_in("ana", PASSWORD);
    assert_ne!(again.header("set-cookie").unwrap().split(';').next().unwrap(), cookie);
    assert!(team.redirect("/").is_some(), "the earlier session works");
}

#[test]
fn a_session_ends_after_an_hour_without_a_request_and_after_twelve_hours() {
    let team = Team::of("ana");
    for _ in 0..13 {
        team.pass(50 * 60);
        assert_eq!(team.redirect("/health"), None);
    }
    // 10 h 50 min have passed.
    team.pass(59 * 60);
    assert_eq!(team.redirect("/health"), None);
    team.pass(11 * 60 + 1);
    assert!(team.redirect("/health").is_some());
    let team = Team::of("ana");
    team.pass(3600);
    assert!(team.redirect("/health").is_some());
}

#[test]
fn a_session_ends_with_the_logout_the_reader_and_the_password() {
    let team = Team::of("ana");
    let ended = team.browser.get("/logout");
    assert_eq!((ended.status, ended.header("location")), (303, Some("/login")));
    assert!(team.redirect("/").is_some());
    let team = Team::of("ana");
    team.readers.lock().unwrap().remove("ana");
    assert!(team.redirect("/").is_some());
    let team = Team::of("ana");
    team.readers.lock().unwrap().add("ana", "another-password", false).unwrap();
    assert!(team.redirect("/").is_some());
}

#[test]
fn guesses_are_limited_by_name_and_by_address() {
    let team = Team::new();
    for _ in 0..10 {
        assert_eq!(team.browser.try_log_in("ana", "wrong-password").status, 401);
    }
    // Even the right password is refused, or it could be guessed.
    let limited = team.browser.try_log_in("ana", PASSWORD);
    assert_eq!((limited.status, limited.header("retry-after")), (429, Some("900")));
    team.pass(15 * 60);
    assert_eq!(team.browser.try_log_in("ana", PASSWORD).status, 303);
    let team = Team::new();
    for number in 0..30 {
        assert_eq!(team.browser.try_log_in(&format!("name{number}"), "x").status, 401);
    }
    assert_eq!(team.browser.try_log_in("ben", PASSWORD).status, 429);
}

#[test]
fn an_unknown_name_is_answered_as_a_wrong_password() {
    let team = Team::new();
    let [known, unknown] =
        ["ana", "nobody"].map(|name| team.browser.try_log_in(name, "wrong-password"));
    assert_eq!((known.status, unknown.status), (401, 401));
    assert_eq!(known.body, unknown.body);
}

#[test]
fn a_login_needs_the_host_and_the_origin_of_the_dashboard() {
    let team = Team::new();
    let address = team.browser.address;
    let host = format!("Host: {address}\r\n");
    for (headers, status) in [
        (host.clone(), 403),
        (format!("{host}Origin: null\r\n"), 403),
        (format!("{host}Origin: https://attacker.example\r\n"), 403),
        (format!("{host}Origin: http://{address}\r\nOrigin: http://{address}\r\n"), 403),
        (format!("Host: attacker.example\r\nOrigin: http://{address}\r\n"), 421),
        (format!("{host}Origin: http://{address}\r\n"), 303),
    ] {
        assert_eq!(team.browser.post(&headers, "ana", PASSWORD).status, status, "{headers}");
    }
    let long = "x".repeat(5_000);
    assert_eq!(team.browser.try_log_in("ana", &long).status, 413);
    let other = team.browser.send(&format!(
        "POST / HTTP/1.1\r\n{host}Origin: http://{address}\r\nContent-Length: 3\r\n\r\na=b"
    ));
    assert_eq!(other.status, 405);
}

#[test]
fn a_reader_without_the_right_finds_no_personal_value() {
    let team = Team::of("ben");
    for path in [
        "/",
        "/records?of=photo",
        "/records?of=photo&group=7",
        "/record?of=photo&id=1",
        "/record?of=photo&id=1&personal=1",
        "/changes",
        "/duplicates",
        "/funnel",
    ] {
        let page = team.browser.page(path);
        assert!(!page.contains("Sea at night") && !page.contains("Lake"), "{path}\n{page}");
        assert!(!page.contains("personal=1") && !page.contains("sort=title"), "{path}");
    }
    // The results of a search and the order would reveal the values.
    for path in ["/records?of=photo&q=Sea", "/records?of=photo&sort=title"] {
        assert_eq!(team.browser.get(path).status, 400, "{path}");
    }
    assert_eq!(team.browser.get("/records?of=album&q=Alps").status, 200);
}

#[test]
fn the_log_has_readers_and_pages_without_personal_values() {
    let team = Team::of("ana");
    team.browser.page("/records?of=photo&q=Lake");
    team.browser.get("/Lake");
    team.browser.get("/enter/Lake");
    let log = String::from_utf8(team.log.0.lock().unwrap().clone()).unwrap();
    let lines: Vec<&str> = log.lines().map(|line| line.split_once("Z ").unwrap().1).collect();
    let expected =
        ["ana POST /login 303", "ana GET /records 200", "ana GET other 404", "ana GET other 303"];
    assert_eq!(lines, expected);
    assert!(log.starts_with("2026-11-03T"), "{log}");
}

#[test]
fn readers_need_a_plain_name_and_a_long_password_and_their_text_is_checked() {
    let mut readers = Readers::default();
    for (name, password) in [("", PASSWORD), ("a b", PASSWORD), ("a\n", PASSWORD), ("ana", "short")]
    {
        assert!(readers.add(name, password, false).is_err(), "{name:?}");
    }
    readers.add("ana@example.com", PASSWORD, true).unwrap();
    let text = readers.to_string();
    assert!(text.starts_with("ana@example.com mask $argon2id$v=19$m=47104,t=1,p=1$"), "{text}");
    assert!(!format!("{readers:?}").contains("argon2"));
    for wrong in
        ["ana", "ana all x", "ana some $argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAA$AAAAAAAAAAAAAAAA"]
    {
        assert!(Readers::parse(wrong).is_err(), "{wrong}");
    }
}
