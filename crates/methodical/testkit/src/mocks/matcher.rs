//! The conditions of a mock, and how a request differs from them.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::Arc;

use methodical_model::{Auth, BodyFormat, Dispatch, Place, Secret, SecretPlace};
use serde_json::{Map, Value};
use wiremock::{Match, Request};

use crate::encoded::encoded;

/// The conditions of a mock. Its mock and the answer to unmatched calls share them.
pub(super) struct Matcher {
    pub(super) path: &'static str,
    pub(super) dispatch: Dispatch,
    pub(super) auth: Auth,
    pub(super) select: &'static str,
    /// The format of the body, if the operation is a POST.
    pub(super) post: Option<BodyFormat>,
    /// The parameters with the value of each; `None` if the call must not have it.
    pub(super) given: Vec<(Cow<'static, str>, Option<String>)>,
    /// The number of parameters that each list consists of.
    pub(super) counts: Vec<(&'static str, usize)>,
    pub(super) token: Option<String>,
    /// Secrets by their names.
    pub(super) secrets: Vec<(&'static str, String)>,
}

impl Matcher {
    /// Returns how a request differs from the conditions, without a value of it; nothing if it matches.
    pub(super) fn differences(&self, request: &Request) -> Vec<String> {
        let is_method = request.method.as_str() == if self.is_post() { "POST" } else { "GET" };
        if !is_method {
            return vec!["another HTTP method".to_owned()];
        }
        let (query, body) = (query(request), self.body(request));
        let named = if self.dispatch.place() == Place::Form { &body } else { &query };
        let given = if self.is_post() { &body } else { &query };
        let path = request.url.path();
        let is_of_operation = (path == self.target() || self.secret_in(path).is_some())
            && self.dispatch.values(self.select).all(|(name, value)| has(named, name, value));
        if !is_of_operation {
            return vec!["another operation".to_owned()];
        }
        let constants = self.dispatch.every_call().iter();
        let constants = constants.filter(|(name, value)| !has(named, name, value));
        let mut differences: Vec<_> =
            constants.map(|(name, _)| format!("`{name}` differs")).collect();
        for (name, value) in &self.given {
            let is_present = given.iter().any(|(given, _)| given == name);
            let difference = match value {
                Some(value) if has(given, name, value) => continue,
                None if !is_present => continue,
                Some(_) if is_present => "differs",
                Some(_) => "is absent",
                None => "is present",
            };
            differences.push(format!("`{name}` {difference}"));
        }
        for (name, count) in &self.counts {
            let is_of_list = |given: &str| {
                let rest = given.strip_prefix(name);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
            };
            if given.iter().filter(|(given, _)| is_of_list(given)).count() > *count {
                differences.push(format!("`{name}` has more values"));
            }
        }
        if let Some(token) = &self.token {
            match request.headers.get("authorization") {
                None => differences.push("the token is missing".to_owned()),
                Some(given) if given.as_bytes() == format!("Bearer {token}").as_bytes() => {}
                Some(_) => differences.push("the token differs".to_owned()),
            }
        }
        for (name, value) in &self.secrets {
            let secret = self.auth.secrets().iter().find(|secret| secret.name() == *name);
            if !secret.is_some_and(|secret| self.has_secret(request, *secret, value)) {
                differences.push(format!("the secret `{name}` is absent or differs"));
            }
        }
        differences
    }

    /// Describes the conditions, without a value.
    pub(super) fn description(&self) -> String {
        let names = |with: bool| {
            let given = self.given.iter().filter(|(_, value)| value.is_some() == with);
            given.map(|(name, _)| &**name).collect::<Vec<_>>().join(", ")
        };
        let mut text = self.select.to_owned();
        for (word, names) in [("with", names(true)), ("without", names(false))] {
            if !names.is_empty() {
                _ = write!(text, " {word} {names}");
            }
        }
        if self.token.is_some() || !self.secrets.is_empty() {
            text.push_str(" with a token");
        }
        text
    }

    /// Returns whether the value of a parameter is part of the name of an operation, or the same for every call.
    pub(super) fn is_public(&self, name: &str) -> bool {
        self.dispatch.selectors().contains(&name)
            || self.dispatch.every_call().iter().any(|(constant, _)| *constant == name)
    }

    /// Returns the path of a call of the operation with a placeholder for the secret in it.
    pub(super) fn without_secret(&self, path: &str) -> Option<String> {
        self.secret_in(path).map(|_| self.target().replace(SECRET, "…"))
    }

    /// Returns whether the path of a call has a secret.
    pub(super) fn has_secret_in_path(&self) -> bool {
        self.path.contains(SECRET)
    }

    fn has_secret(&self, request: &Request, secret: Secret, value: &str) -> bool {
        match secret.place() {
            SecretPlace::Query => has(&query(request), secret.name(), value),
            SecretPlace::Form => has(&self.body(request), secret.name(), value),
            SecretPlace::Path => {
                // The client does not encode this character.
                let encoded = encoded(value).replace("%3A", ":");
                self.secret_in(request.url.path()) == Some(&encoded)
            }
            _ => request.headers.get(secret.name()).is_some_and(|given| given == value),
        }
    }

    fn is_post(&self) -> bool {
        self.post.is_some() || self.dispatch.place() == Place::Form
    }

    /// Returns the parameters in the body.
    fn body(&self, request: &Request) -> Pairs {
        if self.post == Some(BodyFormat::Json) {
            return json(&request.body);
        }
        form(request)
    }

    /// Returns whether the body of a call is a form.
    pub(super) fn has_form(&self) -> bool {
        self.is_post() && self.post != Some(BodyFormat::Json)
    }

    /// Returns the secret in the path of a call of the operation, percent-encoded.
    fn secret_in<'a>(&self, path: &'a str) -> Option<&'a str> {
        let target = self.target();
        let (before, after) = target.split_once(SECRET)?;
        let secret = path.strip_prefix(before)?.strip_suffix(after)?;
        (!secret.is_empty() && !secret.contains('/')).then_some(secret)
    }

    /// Returns the path of a call, with `{secret}` in place of a secret.
    fn target(&self) -> String {
        match self.dispatch.place() {
            Place::Path => format!("{}/{}", self.path, self.select),
            _ => self.path.to_owned(),
        }
    }
}

/// Parameters with their values.
pub(super) type Pairs = Vec<(String, String)>;

/// Returns the parameters in the query.
pub(super) fn query(request: &Request) -> Pairs {
    request.url.query_pairs().into_owned().collect()
}

/// Returns the parameters in a form.
pub(super) fn form(request: &Request) -> Pairs {
    // A form has the syntax of a query.
    let mut url = request.url.clone();
    url.set_query(str::from_utf8(&request.body).ok());
    url.query_pairs().into_owned().collect()
}

/// Returns the members of a JSON object, and each element of those that are lists.
fn json(body: &[u8]) -> Pairs {
    let members: Map<String, Value> = serde_json::from_slice(body).unwrap_or_default();
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let values = members.into_iter().flat_map(|(name, value)| match value {
        Value::Array(values) => values.iter().map(|one| (name.clone(), text(one))).collect(),
        one => vec![(name, text(&one))],
    });
    values.collect()
}

fn has(pairs: &Pairs, name: &str, value: &str) -> bool {
    pairs.iter().any(|pair| pair.0 == name && pair.1 == value)
}

/// The text in the path of a service that a secret replaces.
const SECRET: &str = "{secret}";

/// The conditions as those of a `wiremock` mock.
pub(super) struct Conditions(pub(super) Arc<Matcher>);

impl Match for Conditions {
    fn matches(&self, request: &Request) -> bool {
        self.0.differences(request).is_empty()
    }
}
