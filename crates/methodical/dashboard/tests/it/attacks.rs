//! Requests from attackers: from other sites and hosts, with used links, hostile values or odd paths, and in floods.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use methodical_dashboard::Dashboard;
use methodical_dashboard::mirror::Mirror;
use rustls::crypto::ring;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::browser::Browser;
use crate::gallery::Gallery;
use crate::sample::{Sample, three_days};

/// After a redirect, a browser would not send the cookie, because the navigation began in a file.
#[test]
fn a_link_that_a_file_opens_is_answered_with_a_page() {
    let (dashboard, _folder) = three_days().dashboard();
    let browser = Browser::start(dashboard);
    let entered = browser.get(&format!("{}?from=file", browser.first));
    assert_eq!((entered.status, entered.header("location")), (200, None));
    assert!(entered.body.contains(r#"<meta http-equiv="refresh" content="0; url=/">"#));
    assert!(entered.header("set-cookie").unwrap().contains("SameSite=Strict"));
    let again = browser.get(&format!("{}?from=file", browser.first));
    assert_eq!((again.status, again.header("set-cookie")), (403, None));
}

#[test]
fn nothing_is_shown_without_the_cookie() {
    let (dashboard, _folder) = three_days().dashboard();
    let browser = Browser::start(dashboard);
    for path in ["/", "/records?of=photo", "/record?of=photo&id=1", "/changes", "/health", "/none"]
    {
        let response = browser.get(path);
        assert_eq!(response.status, 403, "{path}");
        assert!(!response.body.contains("Harbour") && !response.body.contains("Sea"), "{path}");
    }
    for path in ["/enter/", "/enter/x", "/enter/%00", "/enter/../enter/x"] {
        assert!(matches!(browser.get(path).status, 403 | 404), "{path}");
    }
    let Browser { address, first, .. } = &browser;
    for cookie in ["dashboard-1=x", "=", "; ;", &first.replace("/enter/", "x="), "dashboard="] {
        let request = format!("GET / HTTP/1.1\r\nHost: {address}\r\nCookie: {cookie}\r\n\r\n");
        assert_eq!(browser.send(&request).status, 403, "{cookie}");
    }
}

#[test]
fn the_first_url_works_once() {
    let (dashboard, _folder) = three_days().dashboard();
    let mut browser = Browser::start(dashboard);
    let Browser { address, first, .. } = &browser;
    // A preview requests only the head.
    let head = browser.send(&format!("HEAD {first} HTTP/1.1\r\nHost: {address}\r\n\r\n"));
    assert_eq!((head.status, head.header("set-cookie")), (403, None));
    let response = browser.get(first);
    let cookie = response.header("set-cookie").unwrap().to_owned();
    assert!(cookie.ends_with("; Path=/; HttpOnly; SameSite=Strict"), "{cookie}");
    let again = browser.get(first);
    assert_eq!((again.status, again.header("set-cookie")), (403, None));
    browser.cookie = cookie.split(';').next().unwrap().to_owned();
    assert_eq!(browser.get(&browser.first).status, 303);
    assert!(browser.page("/funnel").contains("Harbour"));
}

#[test]
fn another_host_or_origin_is_refused() {
    let (dashboard, _folder) = three_days().dashboard();
    let browser = Browser::start(dashboard).log_in();
    let Browser { address, cookie, .. } = &browser;
    let port = address.port();
    let status = |target: &str, headers: &str| {
        let request = format!("GET {target} HTTP/1.1\r\n{headers}Cookie: {cookie}\r\n\r\n");
        browser.send(&request).status
    };
    let good = format!("Host: {address}\r\n");
    assert_eq!(status("/", &good), 200);
    assert_eq!(status("/", &format!("Host: LocalHost:{port}\r\n")), 200);
    assert_eq!(status("/", &format!("{good}Origin: http://{address}\r\n")), 200);
    for headers in [
        String::new(),
        "Host: \r\n".to_owned(),
        "Host: attacker.example\r\n".to_owned(),
        format!("Host: attacker.example:{port}\r\n"),
        "Host: 127.0.0.1\r\n".to_owned(),
        format!("Host: {address}.attacker.example\r\n"),
        format!("Host: {address}@attacker.example\r\n"),
        format!("{good}Host: attacker.example\r\n"),
        format!("Host: attacker.example\r\n{good}"),
    ] {
        assert!(matches!(status("/", &headers), 400 | 421), "{headers}");
    }
    assert_eq!(status(&format!("http://attacker.example:{port}/"), &good), 421);
    for origin in
        ["null", "https://attacker.example", "http://attacker.example:80", "http://localhost"]
    {
        assert_eq!(status("/", &format!("{good}Origin: {origin}\r\n")), 403, "{origin}");
    }
    let two = format!("{good}Origin: http://{address}\r\nOrigin: http://{address}\r\n");
    assert_eq!(status("/", &two), 403);
}

#[test]
fn only_get_and_head_are_answered() {
    let (dashboard, _folder) = three_days().dashboard();
    let browser = Browser::start(dashboard).log_in();
    let Browser { address, cookie, .. } = &browser;
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "BREW"] {
        let request = format!(
            "{method} / HTTP/1.1\r\nHost: {address}\r\nCookie: {cookie}\r\nContent-Length: 0\r\n\r\n"
        );
        let response = browser.send(&request);
        assert!(matches!(response.status, 400 | 405), "{method}");
    }
    let head =
        browser.send(&format!("HEAD / HTTP/1.1\r\nHost: {address}\r\nCookie: {cookie}\r\n\r\n"));
    assert_eq!((head.status, &*head.body), (200, ""));
}

#[test]
fn every_response_has_the_headers_that_forbid_everything_else() {
    let (dashboard, _folder) = three_days().dashboard();
    let browser = Browser::start(dashboard).log_in();
    for path in ["/", "/none", "/style.css", "/icon.svg", "/enter/x", "/record?of=photo&id=none"] {
        let response = browser.get(path);
        for (name, value) in [
            (
                "content-security-policy",
                "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; \
                 base-uri 'none'",
            ),
            ("cache-control", "no-store"),
            ("referrer-policy", "no-referrer"),
            ("x-frame-options", "DENY"),
            ("x-content-type-options", "nosniff"),
        ] {
            assert_eq!(response.header(name), Some(value), "{path} {name}");
        }
        assert!(
            !response.body.contains("<script") && !response.body.contains("style=\""),
            "{path}"
        );
    }
}

#[test]
fn hostile_values_stay_text() {
    let corpus = [
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "' onmouseover='alert(1)",
        "</title></main><svg/onload=alert(1)>",
        "javascript:alert(1)",
        "{{ 7*7 }} {% raw %} ${7*7}",
        "&lt;script&gt; &#60;b&#62;",
        "\u{202e}txt.exe\u{2066}",
        "a/../../etc/passwd?of=album&id=1#x",
        "<!--",
        "]]>",
        "\u{0}\r\nSet-Cookie: a=b",
    ];
    // No identity has U+0000.
    let ids: Vec<String> = corpus.iter().map(|one| one.replace('\0', "")).collect();
    let photos: Vec<(&str, &str)> = ids.iter().map(|id| &**id).zip(corpus).collect();
    let albums: Vec<(&str, &str)> = photos.clone();
    let marks: Vec<(&str, &str, Option<&str>)> =
        ids.iter().zip(corpus).map(|(id, mark)| (&**id, &**id, Some(mark))).collect();
    let fewer: Vec<(&str, &str)> = photos.iter().skip(1).copied().collect();
    let (dashboard, _folder) = Sample::new()
        .sync(&[], &[], &[])
        .sync(&photos, &albums, &marks)
        .sync(&fewer, &albums, &marks)
        .dashboard();
    let browser = Browser::start(dashboard.named("<script>")).log_in();
    let mut paths: Vec<String> = [
        "/",
        "/funnel",
        "/records?of=photo",
        "/records?of=album",
        "/changes",
        "/duplicates",
        "/health",
    ]
    .map(str::to_owned)
    .to_vec();
    for path in paths.clone() {
        let page = browser.page(&path);
        let targets = page.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
        let targets = targets.filter(|target| target.starts_with('/'));
        paths.extend(targets.map(|target| target.replace("&#38;", "&")));
    }
    for one in corpus {
        let bytes: Vec<String> = one.bytes().map(|byte| format!("%{byte:02x}")).collect();
        let encoded = bytes.concat();
        for path in [
            format!("/records?of=photo&q={encoded}"),
            format!("/records?of=photo&group={encoded}&value={encoded}"),
        ] {
            paths.push(path);
        }
        for path in [format!("/records?of={encoded}"), format!("/records?of=photo&sort={encoded}")]
        {
            let body = browser.get(&path).body;
            assert!(!body.contains("<script") && !body.contains("<img"), "{path}\n{body}");
        }
    }
    paths.sort();
    paths.dedup();
    assert!(paths.len() > 80, "{}", paths.len());
    for path in paths {
        let page = browser.page(&path);
        for wrong in ["<script", "<img", "<svg/", "' onmouseover='", "href=\"javascript", "<!--"] {
            assert!(!page.contains(wrong), "{wrong} {path}\n{page}");
        }
        if path != "/style.css" && path != "/icon.svg" {
            assert_eq!(page.matches("</main>").count(), 1, "{path}");
        }
    }
}

#[test]
fn odd_paths_and_queries_are_refused() {
    let (dashboard, _folder) = three_days().dashboard();
    let browser = Browser::start(dashboard).log_in();
    for (path, status) in [
        ("/../Cargo.toml", 404),
        ("/..%2f..%2fetc/passwd", 404),
        ("//style.css", 404),
        ("/style.css/", 404),
        ("/records", 404),
        ("/records?of=mirror_meta", 404),
        ("/records?of=photo_album", 404),
        ("/records?of=photo&state=forgotten", 400),
        ("/records?of=photo&sort=size", 400),
        ("/records?of=photo&after=1%20OR%201", 400),
        ("/records?of=photo&after=99999999999999999999", 400),
        // The row may have been removed since the previous page. The records after it follow.
        ("/records?of=photo&after=77", 200),
        ("/records?of=album&group=7", 400),
        ("/record?of=photo", 404),
        ("/changes?before=x", 400),
        ("/funnel?from=-1", 200),
        ("/funnel?from=99999999", 200),
        ("/duplicates?from=-1", 200),
        ("/duplicates?from=18446744073709551615", 400),
        ("/changes?from=none&to=none", 200),
        ("/?days=15", 400),
        ("/records?of=photo&since=1%20OR%201", 400),
        ("/records?of=photo&waiting=x", 400),
        ("/records?of=photo&waiting=7&sort=title", 400),
        ("/changes?kind=x", 400),
        ("/changes?since=2026-11-31", 400),
        ("/changes?group=none", 200),
        ("/addresses?of=photo", 404),
        ("/records?of=photo&of=album", 200),
        ("/records?of=photo&q=%ff%fe", 200),
        ("/records?of=photo&q=%", 200),
        ("/record?of=photo&id=%00", 404),
        ("/record?of=photo&id=..%2F..%2Fetc%2Fpasswd", 404),
        ("/record?of=photo&id=%2e%2e%2f", 404),
        ("/record?of=photo&id=1%00", 404),
        ("/record?of=photo&id=1'%20OR%20'1'='1", 404),
        ("/record?of=photo&id=%ff", 404),
        ("/record?of=photo%00&id=1", 404),
        ("/record?of=..&id=1", 404),
        ("/record%2f?of=photo&id=1", 404),
        ("/%2e%2e/%2e%2e/etc/passwd", 404),
        ("/records/../../etc/passwd", 404),
        ("/style.css%00.html", 404),
        ("/enter", 404),
        ("/download?of=../photo&as=csv", 404),
        ("/download?of=photo&as=../../etc/passwd", 404),
    ] {
        let response = browser.get(path);
        assert_eq!(response.status, status, "{path}\n{}", response.body);
    }
    // If a parameter is given twice, the last value counts everywhere.
    let twice = browser.page("/record?of=album&of=photo&id=7&id=1");
    assert!(twice.contains("Sea at night") && !twice.contains("Harbour</h1>"), "{twice}");
    assert_eq!(browser.get(&format!("/?q={}", "a".repeat(8200))).status, 414);
    assert!(matches!(browser.get(&format!("/?q={}", "a".repeat(100_000))).status, 414 | 431));
}

#[test]
fn more_connections_than_the_maximum_wait() {
    let (dashboard, _folder) = three_days().dashboard();
    let browser = Browser::start(dashboard).log_in();
    let flood: Vec<_> = (0..256).map(|_| TcpStream::connect(browser.address).unwrap()).collect();
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        let browser = &browser;
        scope.spawn(move || sender.send(browser.get("/health").status));
        assert!(receiver.recv_timeout(Duration::from_millis(300)).is_err());
        drop(flood);
        assert_eq!(receiver.recv_timeout(Duration::from_secs(60)), Ok(200));
    });
}

#[test]
fn the_first_url_survives_other_methods() {
    let (dashboard, _folder) = three_days().dashboard();
    let browser = Browser::start(dashboard);
    let Browser { address, first, .. } = &browser;
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "HEAD"] {
        let request =
            format!("{method} {first} HTTP/1.1\r\nHost: {address}\r\nContent-Length: 0\r\n\r\n");
        let response = browser.send(&request);
        assert!(matches!(response.status, 403 | 405), "{method} {}", response.status);
        assert_eq!(response.header("set-cookie"), None, "{method}");
    }
    let foreign =
        format!("GET {first} HTTP/1.1\r\nHost: {address}\r\nOrigin: http://evil.example\r\n\r\n");
    assert_eq!(browser.send(&foreign).status, 403);
    assert!(browser.log_in().page("/funnel").contains("Harbour"));
}

#[test]
fn another_interface_needs_tls_or_a_proxy() {
    let dashboard = || Dashboard::of::<Gallery>(Mirror::in_memory().unwrap());
    let everywhere = "0.0.0.0:0".parse().unwrap();
    let error = dashboard().listen(everywhere).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot listen on 0.0.0.0:0: others could read the records in transit; use TLS or a loopback address, or name the \
         host of a proxy"
    );
    let behind = dashboard().behind_proxy("board.example.com");
    let mut browser = Browser::start_at(behind, "https://board.example.com");
    let ask = |browser: &Browser, path: &str, host: &str| {
        let cookie = &browser.cookie;
        browser.send(&format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n\r\n"))
    };
    assert_eq!(ask(&browser, "/", &browser.address.to_string()).status, 421);
    let entered = ask(&browser, &browser.first, "board.example.com");
    let cookie = entered.header("set-cookie").unwrap().to_owned();
    assert!(cookie.ends_with("; Secure"), "{cookie}");
    browser.cookie = cookie.split(';').next().unwrap().to_owned();
    assert_eq!(ask(&browser, "/", "board.example.com").status, 200);
}

#[test]
fn tls_serves_the_names_of_its_certificate_and_nothing_without_it() {
    let folder = tempfile::tempdir().unwrap();
    let names = ["board.example.com", "*.example.org"].map(str::to_owned);
    let certificate = rcgen::generate_simple_self_signed(names).unwrap();
    let files = ["certificate.pem", "key.pem"].map(|name| folder.path().join(name));
    std::fs::write(&files[0], certificate.cert.pem()).unwrap();
    std::fs::write(&files[1], certificate.signing_key.serialize_pem()).unwrap();
    let (dashboard, _mirror) = three_days().dashboard();
    let dashboard = dashboard.tls(&files[0], &files[1]).unwrap();
    let listening = dashboard.listen("0.0.0.0:0".parse().unwrap()).unwrap();
    let (port, stopper) = (listening.address().port(), listening.stopper());
    let origin = format!("https://board.example.com:{port}");
    let first = listening.url().strip_prefix(&origin).unwrap().to_owned();
    let server = thread::spawn(|| listening.run().unwrap());
    let address = SocketAddr::from(([127, 0, 0, 1], port));
    let mut roots = RootCertStore::empty();
    roots.add(certificate.cert.der().clone()).unwrap();
    let client = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let client = Arc::new(client);
    let ask = |path: &str, host: &str, headers: &str| {
        let name = ServerName::try_from("board.example.com").unwrap();
        let connection = ClientConnection::new(Arc::clone(&client), name).unwrap();
        let mut stream = StreamOwned::new(connection, TcpStream::connect(address).unwrap());
        let head = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n");
        stream.write_all(format!("{head}{headers}\r\n").as_bytes()).unwrap();
        let mut response = Vec::new();
        // The server closes the connection without the alert of TLS.
        let _cut = stream.read_to_end(&mut response);
        String::from_utf8(response).unwrap()
    };
    let host = format!("board.example.com:{port}");
    let entered = ask(&first, &host, "");
    let cookie = entered.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
    assert!(cookie.ends_with("; Path=/; HttpOnly; SameSite=Strict; Secure"), "{cookie}");
    let cookie = format!("Cookie: {}\r\n", cookie.split(';').next().unwrap());
    assert!(ask("/funnel", &host, &cookie).contains("Harbour"));
    for (host, status) in [
        (format!("team.example.org:{port}"), "200"),
        (format!("a.team.example.org:{port}"), "421"),
        (format!(".example.org:{port}"), "421"),
        ("board.example.com".to_owned(), "421"),
        (format!("attacker.example:{port}"), "421"),
    ] {
        let response = ask("/funnel", &host, &cookie);
        assert!(response.starts_with(&format!("HTTP/1.1 {status}")), "{host}\n{response}");
    }
    let mut plain = TcpStream::connect(address).unwrap();
    write!(plain, "GET /funnel HTTP/1.1\r\nHost: {host}\r\n{cookie}\r\n").unwrap();
    let mut response = Vec::new();
    let _reset = plain.read_to_end(&mut response);
    assert!(!response.starts_with(b"HTTP"), "{}", String::from_utf8_lossy(&response));
    stopper.stop();
    server.join().unwrap();
}
