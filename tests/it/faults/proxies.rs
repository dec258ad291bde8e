//! Proxies that fail, or that answer instead of the service.

use super::case::{End, Group, Peer, Script, fault, plays};

pub(super) fn proxies() -> Group {
    let refusal = "HTTP/1.1 407 CANARY\r\nproxy-authenticate: Basic realm=\"CANARY\"\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
    let page = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 13\r\nconnection: close\r\n\r\nCANARY person";
    let mut cases = vec![fault("proxy refuses the connection", Peer::NoProxy)];
    // For `http`, reqwest sends the request to the proxy; ureq opens a tunnel (CONNECT), as for `https`.
    for scheme in ["http", "https"] {
        for (name, script) in [
            ("proxy requires credentials", plays(refusal)),
            ("proxy answers with an HTML page", plays(page)),
            ("proxy closes the connection", Script::Plays(Vec::new(), End::Fin)),
        ] {
            cases.push(fault(format!("{name}, {scheme}"), Peer::Proxy(scheme, script)));
        }
        let silent = Script::Plays(Vec::new(), End::Hang);
        let name = format!("proxy is silent, {scheme}");
        cases.push(fault(name, Peer::Proxy(scheme, silent)).waits());
    }
    Group { name: "proxies", cases }
}
