//! The requests of a call.

use bytes::Bytes;
use gateway_model_core::{Auth, Query, SecretPlace};
use gateway_transport::{Instant, RedactedTarget, Request};
use http::header::{ACCEPT, AUTHORIZATION, USER_AGENT};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Uri};

use crate::base_url::BaseUrl;
use crate::limit::{Limit, LimitKind};
use crate::token::Tokens;
use crate::{AccessToken, CallOptions, Error};

/// The headers of every request of a client, without the token.
#[derive(Debug)]
pub(crate) struct Headers {
    accept: HeaderValue,
    pub(crate) user_agent: HeaderValue,
}

impl Headers {
    /// Panics if a value is not a valid header; call it in a constant, so that the build fails instead.
    pub(crate) const fn new(accept: &'static str, user_agent: &'static str) -> Self {
        Self {
            accept: HeaderValue::from_static(accept),
            user_agent: HeaderValue::from_static(user_agent),
        }
    }
}

/// The part that all requests of a call share: everything except the tokens and the deadline.
#[derive(Clone, Debug)]
pub(crate) struct Draft<'a> {
    headers: &'a Headers,
    base_url: &'a BaseUrl,
    auth: Auth,
    options: Option<&'a CallOptions>,
    query: Query,
    /// The URL, with a placeholder for each secret.
    target: Uri,
}

impl<'a> Draft<'a> {
    /// Checks that the URL of a call is valid.
    pub(crate) fn new(
        headers: &'a Headers,
        base_url: &'a BaseUrl,
        auth: Auth,
        options: Option<&'a CallOptions>,
        query: Query,
    ) -> Result<Self, Error> {
        let target = Url::of(auth, |_| PLACEHOLDER.to_owned()).target(base_url, &query)?;
        Ok(Self { headers, base_url, auth, options, query, target })
    }

    /// Starts this limit of the client now, or the limit that the options of the call set in its place.
    pub(crate) fn limit(&self, now: Instant, of_client: LimitKind) -> Limit {
        let Some(options) = self.options else { return Limit::since(now, of_client) };
        let limit = Limit::since(now, options.timeout.map_or(of_client, LimitKind::OwnTimeout));
        match options.deadline {
            Some(deadline) => limit.or_earlier(Limit::since(now, LimitKind::OwnDeadline(deadline))),
            None => limit,
        }
    }

    /// Returns the URL, with a placeholder for each secret.
    pub(crate) fn target(&self) -> &Uri {
        &self.target
    }

    /// Returns the request that a person may see: with a placeholder for each secret in the URL.
    pub(crate) fn redacted(&self, tokens: &Tokens) -> Result<Request, Error> {
        let extra = self.options.map(|options| &options.headers);
        // With room for one more header, which a transport layer may add.
        let mut headers = HeaderMap::with_capacity(4 + extra.map_or(0, HeaderMap::len));
        headers.insert(ACCEPT, self.headers.accept.clone());
        headers.insert(USER_AGENT, self.headers.user_agent.clone());
        for (name, value) in extra.into_iter().flatten() {
            headers.insert(name.clone(), value.clone());
        }
        match self.auth {
            Auth::Bearer => {
                if let Some(token) = tokens.get(0) {
                    headers.insert(AUTHORIZATION, token.header());
                }
            }
            auth => {
                for (index, secret) in auth.secrets().iter().enumerate() {
                    if let (SecretPlace::Header, Some(token)) = (secret.place(), tokens.get(index))
                    {
                        let name = HeaderName::try_from(secret.name()).map_err(|error| {
                            Error::config("the name of a secret is not a header name")
                                .because(error)
                        })?;
                        headers.insert(name, token.plain_header()?);
                    }
                }
            }
        }

        let mut request = Request::new(Bytes::new());
        *request.method_mut() = Method::GET;
        *request.uri_mut() = self.target.clone();
        *request.headers_mut() = headers;
        Ok(request)
    }

    /// Returns the request with these tokens. Every request of the client is created here.
    pub(crate) fn request(&self, tokens: &Tokens) -> Result<Request, Error> {
        let mut request = self.redacted(tokens)?;
        let url = Url::of(self.auth, |index| {
            let mut text = String::new();
            tokens.get(index).into_iter().for_each(|token: &AccessToken| token.encode(&mut text));
            text
        });
        if !url.is_empty() {
            let target = url.target(self.base_url, &self.query)?;
            let redacted = std::mem::replace(request.uri_mut(), target);
            request.extensions_mut().insert(RedactedTarget::new(redacted));
        }
        Ok(request)
    }
}

/// The secrets in a URL, percent-encoded, or their placeholders.
#[derive(Default)]
struct Url {
    path: String,
    /// Each with a leading `&`.
    query: String,
}

impl Url {
    /// Returns the secrets in the URL of a call; `text` returns the one with this index.
    fn of(auth: Auth, text: impl Fn(usize) -> String) -> Self {
        let mut url = Self::default();
        for (index, secret) in auth.secrets().iter().enumerate() {
            match secret.place() {
                SecretPlace::Path => url.path = text(index),
                SecretPlace::Query => {
                    url.query.extend(["&", secret.name(), "=", &text(index)]);
                }
                _ => {}
            }
        }
        url
    }

    fn is_empty(&self) -> bool {
        self.path.is_empty() && self.query.is_empty()
    }

    fn target(&self, base_url: &BaseUrl, query: &Query) -> Result<Uri, Error> {
        if self.is_empty() {
            return base_url.target(query.path(), query.as_str());
        }
        let pairs = [query.as_str(), &self.query].concat();
        let pairs = pairs.strip_prefix('&').unwrap_or(&pairs);
        base_url.target_with(&self.path, query.path(), pairs)
    }
}

/// The text in place of a secret.
pub(crate) const PLACEHOLDER: &str = "REDACTED";
