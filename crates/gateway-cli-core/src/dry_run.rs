//! Dry runs: a request as a `curl` command.

use gateway_client_core::transport::Request;
use http::header::AUTHORIZATION;

use crate::escape::printable;
use crate::name::{Name, Variable};

/// Returns the command that sends this request with all its headers. A shell variable replaces the access token, and
/// `REDACTED` any other value that may be a secret.
pub(crate) fn curl(program: Name, request: &Request) -> String {
    let token = Variable::Token.of(program);
    let mut command = "curl -sS".to_owned();
    for (name, value) in request.headers() {
        let header = if name == AUTHORIZATION {
            format!("\"{name}: Bearer ${token}\"")
        } else if value.is_sensitive() {
            quoted(&format!("{name}: REDACTED"))
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

#[cfg(test)]
mod tests {
    use gateway_client_core::model::RawQuery;
    use gateway_client_core::transport::MemoryTransport;
    use gateway_client_core::{AccessToken, CallOptions, blocking};

    use super::curl;
    use crate::name::Name;
    use crate::photos::Photos;

    #[test]
    fn a_header_of_the_call_is_named_without_its_value() {
        let client = blocking::Client::<Photos>::builder("https://h")
            .token(AccessToken::new("CANARY").unwrap())
            .call_options(CallOptions::new().header("x-tenant", "CANARY").unwrap())
            .transport(MemoryTransport::default())
            .build()
            .unwrap();
        let request = client.request(&RawQuery::new("photos/list")).unwrap();
        let command = curl(Name::new("photos"), &request);
        assert!(command.contains("-H 'x-tenant: REDACTED'"), "{command}");
        assert!(!command.contains("CANARY"), "{command}");
    }
}
