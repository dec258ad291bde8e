//! Invalid values in the environment are refused: the program must not silently use another account.

use gateway_server::{Config, Server, Store, UnixTime};

use crate::process::Process;
use crate::run::{ClosedPort, Person, code, stderr, stdout};

#[cfg(unix)]
#[test]
fn variables_that_are_not_utf8_are_refused() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let person = Person::of_service("http://127.0.0.1:9");
    for name in ["GATEWAY_TOKEN", "GATEWAY_BASE_URL", "GATEWAY_PROFILE"] {
        let mut command = person.command(&["credits", "get"]);
        command.env(name, OsStr::from_bytes(b"gwt_\xff"));
        let output = Process::start_piped(command).end();
        let expected = format!("error: the environment variable {name} is not valid UTF-8\n");
        assert_eq!((code(&output), stderr(&output)), (2, expected.as_str()));
    }
    let mut command = person.command(&["credits", "get"]);
    let path = OsStr::from_bytes(b"/nothing/\xff");
    command.env_remove("GATEWAY_TOKEN").env("GATEWAY_TOKEN_FILE", path);
    let output = Process::start_piped(command).end();
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("does not exist"), "{}", stderr(&output));
}

#[test]
fn a_proxy_that_is_down_is_named() {
    let nobody = ClosedPort::new();
    let person = Person::of_service("http://gateway.invalid").with("HTTP_PROXY", &nobody.url());
    let output = person.run(&["credits", "get", "--allow-insecure-http"]);
    assert_eq!(code(&output), 4);
    let hint = "hint: check the base URL, and that the proxy in HTTP_PROXY runs";
    assert!(stderr(&output).contains(hint), "{}", stderr(&output));
}

/// The proxy of a company often has its own certificate authority. On macOS and Windows the system knows it.
#[cfg(target_os = "linux")]
#[test]
fn a_certificate_authority_in_ssl_cert_file_is_trusted() {
    let folder = tempfile::tempdir().unwrap();
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let (certificate, key) = (folder.path().join("certificate.pem"), folder.path().join("key.pem"));
    std::fs::write(&certificate, made.cert.pem()).unwrap();
    std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    let store = std::sync::Arc::new(Store::open(folder.path().join("a.db")).unwrap());
    let now = UnixTime(1_800_000_000);
    let account = store.create_account("acme", now).unwrap();
    let token = store.create_token(account, "", now, None).unwrap().reveal().to_owned();
    let mut config = Config::default();
    config.listen = "127.0.0.1:0".parse().unwrap();
    config.access_log = false;
    config.tls = Some((certificate.clone(), key));
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let running = runtime.block_on(Server::new(config, store).start()).unwrap();

    let base_url = format!("https://localhost:{}", running.address().port());
    let person = Person::new().with("GATEWAY_BASE_URL", &base_url).with("GATEWAY_TOKEN", &token);
    let refused = person.run(&["credits", "get"]);
    assert_eq!(code(&refused), 4);
    assert!(stderr(&refused).contains("SSL_CERT_FILE"), "{}", stderr(&refused));
    let trusted = person.with("SSL_CERT_FILE", certificate.to_str().unwrap());
    let output = trusted.run(&["credits", "get"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stdout(&output).contains("credits_number"));
}
