//! Certificates that are reloaded while the server runs.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConnection, StreamOwned};

use crate::http2_client::trusting;
use crate::process::{Served, account, program};
use crate::support::parse;

/// Sends a request that trusts this certificate only, and returns the status.
fn ask(base_url: &str, trusted: &CertificateDer<'static>) -> std::io::Result<u16> {
    let name = ServerName::try_from("localhost").unwrap();
    let client = ClientConnection::new(Arc::new(trusting(trusted)), name).unwrap();
    let socket = TcpStream::connect(base_url.strip_prefix("https://").unwrap()).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let mut stream = StreamOwned::new(client, socket);
    stream.write_all(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes)?;
    Ok(parse(&bytes).status)
}

#[test]
fn sighup_reloads_certificates() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (certificate, key, database) = (path("certificate.pem"), path("key.pem"), path("a.db"));
    let made = || rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let (first, second) = (made(), made());
    std::fs::write(&certificate, first.cert.pem()).unwrap();
    std::fs::write(&key, first.signing_key.serialize_pem()).unwrap();
    account(&database, "acme");
    let mut command = program();
    command.stderr(Stdio::piped());
    let files = ["--tls-certificate", &certificate, "--tls-key", &key, "--log-level", "info"];
    let mut served = Served::started_by(command, &database, &files);
    let mut messages = BufReader::new(served.child.stderr.take().unwrap());
    let mut reload = |served: &Served| {
        served.signal("-HUP");
        let lines = messages.by_ref().lines().map(Result::unwrap);
        lines.into_iter().find(|line| line.contains("certificates_")).unwrap()
    };
    assert_eq!(ask(&served.base_url, first.cert.der()).unwrap(), 404);
    // While the files are invalid or do not match, the old certificate stays in use.
    for (text, problem) in [
        (String::new(), "certificate.pem: it has no certificate".to_owned()),
        (second.cert.pem(), format!("cannot use {key}: it cannot be used with the certificate in")),
    ] {
        std::fs::write(&certificate, text).unwrap();
        let line = reload(&served);
        assert!(line.contains(&problem), "{line}");
    }
    assert_eq!(ask(&served.base_url, first.cert.der()).unwrap(), 404);
    std::fs::write(&key, second.signing_key.serialize_pem()).unwrap();
    let line = reload(&served);
    assert!(line.contains("certificates_renewed"), "{line}");
    assert_eq!(ask(&served.base_url, second.cert.der()).unwrap(), 404);
    ask(&served.base_url, first.cert.der()).unwrap_err();
}
