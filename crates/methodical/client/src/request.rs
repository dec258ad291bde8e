//! The requests of a call.

use std::borrow::Cow;
use std::time::Duration;

use bytes::Bytes;
use gateway_transport::{Instant, Redacted, Request};
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, USER_AGENT};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Uri};
use methodical_model::{Auth, BodyFormat, Query, SecretPlace};

use crate::base_url::BaseUrl;
use crate::time::{Limit, OF_OPTIONS, Timeout};
use crate::token::Tokens;
use crate::{AccessToken, CallOptions, Error};

/// The headers that a client sends with every request, without the token.
#[derive(Debug)]
pub(crate) struct Headers {
    accept: HeaderValue,
    user_agent: HeaderValue,
}

impl Headers {
    /// Panics if a value is not a valid header value. Call this in a `const`, so that the build fails instead.
    pub(crate) const fn new(accept: &'static str, user_agent: &'static str) -> Self {
        Self {
            accept: HeaderValue::from_static(accept),
            user_agent: HeaderValue::from_static(user_agent),
        }
    }
}

/// The common part of a call's requests: everything except the tokens and the deadline.
#[derive(Clone, Debug)]
pub(crate) struct Draft<'a> {
    headers: &'a Headers,
    base_url: &'a BaseUrl,
    auth: Auth,
    options: Option<&'a CallOptions>,
    pub(crate) query: Query,
    /// The URL, with a placeholder for each secret.
    pub(crate) target: Uri,
}

impl<'a> Draft<'a> {
    /// Creates the draft of a call. Fails if the call's URL is invalid.
    pub(crate) fn new(
        headers: &'a Headers,
        base_url: &'a BaseUrl,
        auth: Auth,
        options: Option<&'a CallOptions>,
        query: Query,
    ) -> Result<Self, Error> {
        let target = Secrets::placeholders(auth).target(base_url, &query)?;
        Ok(Self { headers, base_url, auth, options, query, target })
    }

    /// Returns a limit that starts now: the timeout in the call's options, or else `limit`, which `timeout` describes.
    pub(crate) fn limit(&self, now: Instant, limit: Duration, timeout: Timeout) -> Limit {
        match self.options.and_then(|options| options.timeout) {
            Some(own) => Limit::after(now, own, OF_OPTIONS),
            None => Limit::after(now, limit, timeout),
        }
    }

    /// Returns the request in a form that may be shown: without its deadline, and with a placeholder for each secret in
    /// the URL and the body.
    pub(crate) fn redacted(&self, tokens: &Tokens) -> Result<Request, Error> {
        self.build(tokens, self.target.clone(), &Secrets::placeholders(self.auth))
    }

    /// Returns the request with these tokens. If the URL or the body contains a secret, the request's extensions
    /// contain the [`Redacted`] form.
    pub(crate) fn request(&self, tokens: &Tokens) -> Result<Request, Error> {
        let secrets = Secrets::new(self.auth, |index| {
            let mut text = String::new();
            tokens.get(index).into_iter().for_each(|token: &AccessToken| token.encode(&mut text));
            text
        });
        if secrets.are_elsewhere() {
            return self.build(tokens, self.target.clone(), &secrets);
        }
        let mut request =
            self.build(tokens, secrets.target(self.base_url, &self.query)?, &secrets)?;
        let body = match self.query.format() {
            Some(_) => self.body(&Secrets::placeholders(self.auth)),
            None => Bytes::new(),
        };
        request.extensions_mut().insert(Redacted::new(self.target.clone(), body));
        Ok(request)
    }

    /// Builds a request. Every request of the client is created here.
    fn build(&self, tokens: &Tokens, target: Uri, secrets: &Secrets) -> Result<Request, Error> {
        let extra = self.options.map(|options| &options.headers);
        // Leaves room for one more header, which a transport layer may add.
        let mut headers = HeaderMap::with_capacity(4 + extra.map_or(0, HeaderMap::len));
        headers.insert(ACCEPT, self.headers.accept.clone());
        headers.insert(USER_AGENT, self.headers.user_agent.clone());
        for (name, value) in extra.into_iter().flatten() {
            headers.insert(name.clone(), value.clone());
        }
        match self.auth {
            Auth::Bearer => {
                if let Some(token) = tokens.first() {
                    headers.insert(AUTHORIZATION, token.header.clone());
                }
            }
            auth => {
                for (index, secret) in auth.secrets().iter().enumerate() {
                    if let (SecretPlace::Header, Some(token)) = (secret.place(), tokens.get(index))
                    {
                        let name = HeaderName::try_from(secret.name()).map_err(|error| {
                            Error::config("the name of a secret is not a valid header name")
                                .because(error)
                        })?;
                        headers.insert(name, token.plain_header()?);
                    }
                }
            }
        }

        let mut request = Request::new(Bytes::new());
        if let Some(format) = self.query.format() {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(format.media_type()));
            *request.method_mut() = Method::POST;
            *request.body_mut() = self.body(secrets);
        }
        *request.uri_mut() = target;
        *request.headers_mut() = headers;
        Ok(request)
    }

    fn body(&self, secrets: &Secrets) -> Bytes {
        match self.query.format() {
            Some(BodyFormat::Form) => {
                appended(self.query.body(), &secrets.form).into_owned().into()
            }
            _ => Bytes::copy_from_slice(self.query.body().as_bytes()),
        }
    }
}

/// The secrets in a URL or a form, percent-encoded, or their placeholders.
#[derive(Default)]
struct Secrets {
    path: String,
    /// Pairs, each with a leading `&`.
    query: String,
    /// Pairs, each with a leading `&`.
    form: String,
}

impl Secrets {
    fn placeholders(auth: Auth) -> Self {
        Self::new(auth, |_| PLACEHOLDER.to_owned())
    }

    /// Returns the secrets of a call. `text` returns the secret with the given index, percent-encoded.
    fn new(auth: Auth, text: impl Fn(usize) -> String) -> Self {
        let mut secrets = Self::default();
        for (index, secret) in auth.secrets().iter().enumerate() {
            match secret.place() {
                SecretPlace::Path => secrets.path = text(index),
                SecretPlace::Query => {
                    secrets.query.extend(["&", secret.name(), "=", &text(index)]);
                }
                SecretPlace::Form => {
                    secrets.form.extend(["&", secret.name(), "=", &text(index)]);
                }
                _ => {}
            }
        }
        secrets
    }

    /// Returns whether neither the URL nor the form contains a secret.
    fn are_elsewhere(&self) -> bool {
        self.path.is_empty() && self.query.is_empty() && self.form.is_empty()
    }

    fn target(&self, base_url: &BaseUrl, query: &Query) -> Result<Uri, Error> {
        base_url.target(&self.path, query.path(), &appended(query.as_str(), &self.query))
    }
}

/// Appends `others`, each of which begins with `&`, to `pairs`.
fn appended<'a>(pairs: &'a str, others: &'a str) -> Cow<'a, str> {
    match (pairs, others) {
        (pairs, "") => pairs.into(),
        ("", others) => others.trim_start_matches('&').into(),
        (pairs, others) => [pairs, others].concat().into(),
    }
}

/// The placeholder for a secret.
pub(crate) const PLACEHOLDER: &str = "REDACTED";

#[cfg(test)]
mod tests {
    use super::{Secrets, appended};

    #[test]
    fn a_secret_in_any_place_of_the_request_is_noticed() {
        assert!(Secrets::default().are_elsewhere());
        let text = || "/k3y".to_owned();
        for secrets in [
            Secrets { path: text(), ..Secrets::default() },
            Secrets { query: text(), ..Secrets::default() },
            Secrets { form: text(), ..Secrets::default() },
        ] {
            assert!(!secrets.are_elsewhere());
        }
    }

    #[test]
    fn pairs_are_joined_with_one_separator() {
        assert_eq!(appended("a=1", "&b=2&c=3"), "a=1&b=2&c=3");
        assert_eq!(appended("", "&b=2&c=3"), "b=2&c=3");
        assert_eq!(appended("a=1", ""), "a=1");
    }
}
