//! Proxies of the environment: which requests use them, and which never do.
use std::env;
use std::process::Command;

use gateway_transport::{Options, Proxy, TransportErrorKind};
use methodical_testkit::raw_server::{Next, RawRequest, RawServer};

use crate::{adapters, fetch};

/// The adapter resolves the proxy's name; the proxy resolves the target's.
#[test]
fn a_proxy_is_used_only_for_other_machines() {
    let (proxy, here) = (answering(b"by proxy"), answering(b"direct"));
    run("behind_a_proxy", &proxy, &[("NO_PROXY", "direct.invalid"), (HERE, &here.uri(""))]);

    let asked: Vec<_> = proxy.progress().requests.iter().map(RawRequest::line).collect();
    let in_full = OTHER_MACHINES.map(|host| vec![format!("GET http://{host}/list HTTP/1.1")]);
    let by_tunnel = OTHER_MACHINES
        .map(|host| vec![format!("CONNECT {host}:80 HTTP/1.1"), "GET /list HTTP/1.1".to_owned()]);
    assert_eq!(asked, [in_full, by_tunnel].concat().concat());
}

/// Runs in a separate process for the test above.
#[test]
#[ignore = "started in a separate process by another test"]
fn behind_a_proxy() {
    let Ok(here) = env::var(HERE) else { return };
    let (_, port) = here.rsplit_once(':').unwrap();
    for transport in adapters(&Options::default()) {
        for host in OTHER_MACHINES {
            let target = format!("http://{host}/list");
            assert_eq!(fetch(&*transport, &target).unwrap(), "by proxy", "{target}");
        }
        for host in ["127.0.0.1", "localhost", "LocalHost"] {
            let target = format!("http://{host}:{port}/");
            assert_eq!(fetch(&*transport, &target).unwrap(), "direct", "{target}");
        }
        // No server listens there, but the request must not go to the proxy either.
        for host in ["http://127.9.9.9", "http://[::1]", "http://a.localhost", "https://127.9.9.9"]
        {
            let target = format!("{host}:{port}/");
            assert_ne!(fetch(&*transport, &target).ok(), Some("by proxy".into()), "{target}");
        }
        let error = fetch(&*transport, "http://direct.invalid/").unwrap_err();
        assert_eq!(error.kind(), TransportErrorKind::Resolve);
    }
}

#[test]
fn an_explicit_proxy_is_used_with_its_password() {
    let (proxy, here) = (answering(b"by proxy"), answering(b"direct"));
    let address = format!("http://user:p%40ss@{}", proxy.address());
    let options = Options::default().proxy(Proxy::server(&address).unwrap());
    for transport in adapters(&options) {
        assert_eq!(fetch(&*transport, "http://gateway.invalid/list").unwrap(), "by proxy");
        assert_eq!(fetch(&*transport, &here.uri("/")).unwrap(), "direct");
    }
    let requests = proxy.progress().requests;
    for request in requests.iter().filter(|request| request.target() != "/list") {
        assert_eq!(request.header("proxy-authorization"), [b"Basic dXNlcjpwQHNz"]);
    }
    let lines: Vec<_> = requests.iter().map(RawRequest::line).collect();
    let in_full = "GET http://gateway.invalid/list HTTP/1.1";
    assert_eq!(lines, [in_full, "CONNECT gateway.invalid:80 HTTP/1.1", "GET /list HTTP/1.1"]);
}

/// In a CGI program, `HTTP_PROXY` is the caller's header `proxy`.
#[test]
fn a_cgi_program_uses_no_proxy() {
    let proxy = answering(b"by proxy");
    run("within_cgi", &proxy, &[("REQUEST_METHOD", "GET")]);
    assert_eq!(proxy.progress().connections, 0);
}

/// Runs in a separate process for the test above.
#[test]
#[ignore = "started in a separate process by another test"]
fn within_cgi() {
    if env::var_os("REQUEST_METHOD").is_some() {
        for transport in adapters(&Options::default()) {
            let error = fetch(&*transport, "http://gateway.invalid/list").unwrap_err();
            assert_eq!(error.kind(), TransportErrorKind::Resolve);
        }
    }
}

/// Runs a test of this file in a process whose environment names a proxy. All tests of one process share its
/// environment.
#[track_caller]
fn run(test: &str, proxy: &RawServer, variables: &[(&str, &str)]) {
    let mut child = Command::new(env::current_exe().unwrap());
    child.args([&format!("proxy::{test}"), "--exact", "--ignored"]);
    for name in ["ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"] {
        child.env_remove(name).env_remove(name.to_lowercase());
    }
    let address = proxy.uri_by_name("");
    child.env("HTTP_PROXY", &address).env("https_proxy", &address).envs(variables.iter().copied());
    let ended = child.output().unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stdout));
}

/// Starts a server that is also a proxy. It sends the same response for every host.
fn answering(body: &'static [u8]) -> RawServer {
    RawServer::start(move |request, connection| {
        if request.method() == "CONNECT" {
            connection.send(b"HTTP/1.1 200 OK\r\n\r\n");
        } else {
            connection.respond("", body);
        }
        Next::KeepAlive
    })
    .unwrap()
}

/// Hosts other than this machine, some with similar names.
const OTHER_MACHINES: [&str; 5] =
    ["gateway.invalid", "localhost.invalid", "not-localhost", "127.0.0.1.invalid", "[::2]"];

/// Variable that holds the address of a server on this machine.
const HERE: &str = "GATEWAY_TEST_SERVER";
