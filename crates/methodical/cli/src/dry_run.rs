//! Dry runs: a request as a `curl` command.

use http::Method;
use http::header::AUTHORIZATION;
use methodical_client::model::{Auth, SecretPlace};
use methodical_client::transport::Request;

use crate::escape::printable;
use crate::name::{Name, Variable, secret_variable};

/// Returns the command that sends this request with all its headers. A shell variable replaces the access token and each
/// secret, and `REDACTED` any other value that may be a secret.
pub(crate) fn curl(program: Name, auth: Auth, request: &Request) -> String {
    let token = Variable::Token.of(program);
    let secrets = auth.secrets().iter().enumerate().map(|(index, secret)| {
        let variable =
            if index == 0 { token.clone() } else { secret_variable(program, secret.name()) };
        (secret, variable)
    });
    let secrets: Vec<_> = secrets.collect();
    let mut command = "curl -sS".to_owned();
    for (name, value) in request.headers() {
        let header = if name == AUTHORIZATION && auth == Auth::Bearer {
            format!("\"{name}: Bearer ${token}\"")
        } else if let Some((_, variable)) = secrets.iter().find(|(secret, _)| {
            secret.place() == SecretPlace::Header
                && name.as_str().eq_ignore_ascii_case(secret.name())
        }) {
            format!("\"{name}: ${variable}\"")
        } else if value.is_sensitive() {
            quoted(&format!("{name}: REDACTED"))
        } else {
            quoted(&format!("{name}: {}", String::from_utf8_lossy(value.as_bytes())))
        };
        command = format!("{command} -H {header}");
    }
    let mut url = quoted(&request.uri().to_string());
    let mut body = quoted(&String::from_utf8_lossy(request.body()));
    // The shell replaces a variable only outside of single quotes. The secrets are the last parameters.
    for (secret, variable) in secrets.iter().rev() {
        let pair = format!("{}={PLACEHOLDER}", secret.name());
        let last = |text: &str| text.rfind(&pair).map(|at| at + pair.len() - PLACEHOLDER.len());
        let (found, text) = match secret.place() {
            SecretPlace::Query => (last(&url), &mut url),
            SecretPlace::Form => (last(&body), &mut body),
            SecretPlace::Path => (url.find(PLACEHOLDER), &mut url),
            _ => continue,
        };
        if let Some(at) = found {
            text.replace_range(at..at + PLACEHOLDER.len(), &format!("'\"${variable}\"'"));
        }
    }
    if request.method() == Method::POST {
        // The option makes the request a POST.
        command = format!("{command} --data-raw {body}");
    }
    format!("{command} {url}")
}

/// The text in place of a secret in the URL of a dry run.
const PLACEHOLDER: &str = "REDACTED";

/// Quotes a word for a shell.
fn quoted(word: &str) -> String {
    // A shell has no escape for this character within single quotes.
    format!("'{}'", printable(&word.replace('\'', "'\\''")))
}

#[cfg(test)]
mod tests {
    use methodical_client::model::{Auth, BodyFormat, RawQuery, Secret, SecretPlace, Service};
    use methodical_client::transport::MemoryTransport;
    use methodical_client::{AccessToken, CallOptions, blocking};

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
        let command = curl(Name::new("photos"), Auth::Bearer, &request);
        assert!(command.contains("-H 'x-tenant: REDACTED'"), "{command}");
        assert!(!command.contains("CANARY"), "{command}");
    }

    struct Shop;

    impl Service for Shop {
        const NAME: &'static str = "shop";
        const API_VERSION: &'static str = "v1";
        const PATH: &'static str = "/rest/{secret}/v1";
        const SELECTOR: &'static str = "method";
        const ACCEPT: &'static str = "application/json";
        const AUTH: Auth = Auth::Secrets(&[
            Secret::new("api_key", SecretPlace::Query),
            Secret::new("x-user", SecretPlace::Header),
            Secret::new("account", SecretPlace::Path),
            Secret::new("pin", SecretPlace::Form),
        ]);
    }

    #[test]
    fn variables_replace_the_secrets() {
        let canary = |text: &str| AccessToken::secret(format!("CANARY-{text}")).unwrap();
        let client = blocking::Client::<Shop>::builder("https://h")
            .token(canary("key"))
            .secret("x-user", canary("user"))
            .secret("account", canary("account"))
            .secret("pin", canary("pin"))
            .transport(MemoryTransport::default())
            .build()
            .unwrap();
        let query = RawQuery::new("items/list").pair("name", "it's");
        let command = curl(Name::new("my-shop"), Shop::AUTH, &client.request(&query).unwrap());
        let (_, url) = command.split_once(" 'https://").unwrap();
        assert_eq!(
            url,
            "h/rest/'\"$MY_SHOP_SECRET_ACCOUNT\"'/v1?method=items/list&name=it%27s&api_key='\"$MY_SHOP_TOKEN\"''"
        );
        assert!(command.contains(r#" -H "x-user: $MY_SHOP_SECRET_X_USER" "#), "{command}");
        assert!(!command.contains("CANARY"), "{command}");
        let query = RawQuery::new("items/add").pair("name", "REDACTED").post(BodyFormat::Form);
        let command = curl(Name::new("my-shop"), Shop::AUTH, &client.request(&query).unwrap());
        let form = r#" --data-raw 'name=REDACTED&pin='"$MY_SHOP_SECRET_PIN"'' "#;
        assert!(command.contains(form), "{command}");
        assert!(!command.contains("CANARY"), "{command}");
    }
}
