//! Invalid values in the environment are refused: the program must not silently use another account or another route.

use crate::process::Process;
use crate::run::{ClosedPort, Person, code, stderr};

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
fn an_invalid_proxy_is_refused() {
    let get = ["credits", "get", "--allow-insecure-http"];
    for name in ["HTTP_PROXY", "http_proxy", "ALL_PROXY"] {
        for address in ["garbage://", "socks5://127.0.0.1:1080", "http://user:secret@:1"] {
            let person = Person::of_service("http://gateway.invalid").with(name, address);
            let output = person.run(&get);
            let said = stderr(&output);
            assert_eq!(code(&output), 2, "{said}");
            let expected = format!(
                "error: the environment variable {name} is not the address of an http proxy"
            );
            assert!(said.starts_with(&expected) && !said.contains("secret"), "{said}");
        }
    }
    // Calls that do not use the proxy need no valid address.
    let nobody = ClosedPort::new();
    let person = Person::of_service(&nobody.url()).with("HTTP_PROXY", "garbage://");
    assert_eq!(code(&person.run(&["credits", "get"])), 4);
    let person = Person::of_service("http://gateway.invalid").with("HTTP_PROXY", "garbage://");
    assert_eq!(code(&person.with("NO_PROXY", ".invalid").run(&get)), 4);
}

#[test]
fn a_proxy_that_is_down_is_named() {
    let nobody = ClosedPort::new();
    let person = Person::of_service("http://gateway.invalid").with("HTTP_PROXY", &nobody.url());
    let output = person.run(&["credits", "get", "--allow-insecure-http"]);
    assert_eq!(code(&output), 4);
    let hint = "hint: check that the proxy in HTTP_PROXY is running";
    assert!(stderr(&output).contains(hint), "{}", stderr(&output));
}
