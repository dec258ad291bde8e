//! A proxy stands between the client and the service, and has a mind of its own.

use super::case::{End, Group, Peer, Script, fault, plays};

pub(super) fn proxies() -> Group {
    let refusal = "HTTP/1.1 407 CANARY\r\nproxy-authenticate: Basic realm=\"CANARY\"\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
    let page = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 13\r\nconnection: close\r\n\r\nCANARY person";
    let mut cases = vec![fault("a proxy that refuses", Peer::NoProxy)];
    // For `http`, reqwest hands the request to the proxy; ureq has it connected (CONNECT), as for `https`.
    for scheme in ["http", "https"] {
        for (name, script) in [
            ("a proxy that asks for credentials", plays(refusal)),
            ("a proxy with a page of its own", plays(page)),
            ("a proxy that closes", Script::Plays(Vec::new(), End::Fin)),
        ] {
            cases.push(fault(format!("{name}, {scheme}"), Peer::Proxy(scheme, script)));
        }
        let silent = Script::Plays(Vec::new(), End::Hang);
        let name = format!("a proxy that says nothing, {scheme}");
        cases.push(fault(name, Peer::Proxy(scheme, silent)).waits());
    }
    Group { name: "proxies", cases }
}
