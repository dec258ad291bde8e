//! The request of a dry run, as a `curl` command.

use gateway_client::transport::Request;
use http::header::AUTHORIZATION;

use crate::config::origin::TOKEN;
use crate::escape::printable;

/// Returns the command that sends this request, with a shell variable in place of the access token.
pub(crate) fn curl(request: &Request) -> String {
    let mut command = "curl -sS".to_owned();
    for (name, value) in request.headers() {
        let header = if name == AUTHORIZATION {
            format!("\"{name}: Bearer ${TOKEN}\"")
        } else {
            quoted(&format!("{name}: {}", String::from_utf8_lossy(value.as_bytes())))
        };
        command = format!("{command} -H {header}");
    }
    format!("{command} {}", quoted(&request.uri().to_string()))
}

/// Quotes a word for a shell.
fn quoted(word: &str) -> String {
    // A quotation mark ends the quoting of the shell.
    format!("'{}'", printable(&word.replace('\'', "'\\''")))
}
