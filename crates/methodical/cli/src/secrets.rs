//! The secrets that the program sent. No message shows them, even if a service repeats them.

use std::borrow::Cow;
use std::sync::Mutex;

use methodical_client::transport::{Redacted, Request};
use percent_encoding::percent_decode_str;

use crate::lock::lock;

/// Remembers the secrets of a request that is about to be sent.
pub(crate) fn remember(request: &Request) {
    for value in request.headers().values().filter(|value| value.is_sensitive()) {
        // The scheme of `Authorization` is not a secret.
        let text = value.to_str().unwrap_or_default();
        add(text.rsplit(' ').next().unwrap_or_default());
    }
    if Redacted::is_needed(request) {
        add_differences(&request.uri().to_string(), &Redacted::target(request).to_string());
        let [body, redacted] = [request.body(), Redacted::body(request)];
        add_differences(&String::from_utf8_lossy(body), &String::from_utf8_lossy(redacted));
    }
}

/// Replaces the secrets in a text.
pub(crate) fn without_secrets(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    for secret in lock(&SENT).iter() {
        if text.contains(secret) {
            text = Cow::Owned(text.replace(secret, "(redacted)"));
        }
    }
    text
}

/// Adds the parts of a URL or a form that its redacted copy replaces, encoded and decoded.
fn add_differences(text: &str, redacted: &str) {
    let parts =
        |text: &str| text.split(['/', '?', '&', '=']).map(str::to_owned).collect::<Vec<_>>();
    for (secret, _) in parts(text).iter().zip(parts(redacted)).filter(|(one, other)| *one != other)
    {
        add(secret);
        add(&percent_decode_str(secret).decode_utf8_lossy());
    }
}

fn add(secret: &str) {
    let mut sent = lock(&SENT);
    if secret.len() < MIN_LENGTH || sent.iter().any(|known| known == secret) {
        return;
    }
    if sent.len() == MAX_SECRETS {
        sent.remove(0);
    }
    sent.push(secret.to_owned());
}

/// The secrets, oldest first.
static SENT: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Minimum length of a secret, in bytes. Messages without a shorter text would be unreadable.
const MIN_LENGTH: usize = 4;

/// Maximum number of secrets. A process that runs for long gets new tokens.
const MAX_SECRETS: usize = 16;

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use methodical_client::transport::{Redacted, Request};

    use super::{remember, without_secrets};

    #[test]
    fn secrets_of_each_place_are_replaced() {
        let mut request = Request::new("user=anna&key=se%2Bcret-1".into());
        *request.uri_mut() = "https://host/botsecret-2/list?key=secret-3&a=plain".parse().unwrap();
        let target = "https://host/REDACTED/list?key=REDACTED&a=plain".parse().unwrap();
        request.extensions_mut().insert(Redacted::new(target, "user=anna&key=REDACTED".into()));
        for (name, value) in [("authorization", "Bearer secret-4"), ("x-key", "secret-5")] {
            let mut value = HeaderValue::from_static(value);
            value.set_sensitive(true);
            request.headers_mut().insert(name, value);
        }
        remember(&request);
        let text = "se%2Bcret-1 se+cret-1 botsecret-2 secret-3 Bearer secret-4 secret-5";
        let shown = "(redacted) (redacted) (redacted) (redacted) Bearer (redacted) (redacted)";
        assert_eq!(without_secrets(text), shown);
        assert_eq!(without_secrets("anna host list plain"), "anna host list plain");
    }
}
