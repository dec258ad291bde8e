//! Dry runs: a request as a `curl` command.

use gateway_client_core::transport::Request;
use http::header::AUTHORIZATION;

use crate::escape::printable;
use crate::name::{Name, Variable};

/// Returns the command that sends this request with all its headers. A shell variable replaces the access token.
pub(crate) fn curl(program: Name, request: &Request) -> String {
    let token = Variable::Token.of(program);
    let mut command = "curl -sS".to_owned();
    for (name, value) in request.headers() {
        let header = if name == AUTHORIZATION {
            format!("\"{name}: Bearer ${token}\"")
        } else {
            quoted(&format!("{name}: {}", String::from_utf8_lossy(value.as_bytes())))
        };
        command = format!("{command} -H {header}");
    }
    format!("{command} {}", quoted(&request.uri().to_string()))
}

/// Quotes a word for a shell.
fn quoted(word: &str) -> String {
    // A shell has no escape for this character within single quotes.
    format!("'{}'", printable(&word.replace('\'', "'\\''")))
}
