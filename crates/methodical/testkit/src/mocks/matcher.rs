//! The conditions of a mock.

use std::borrow::Cow;

use methodical_model::{BodyFormat, Dispatch, Place};
use serde_json::{Map, Value};
use wiremock::{Match, Request};

/// The conditions of a mock.
#[derive(Clone)]
pub(super) struct Matcher {
    pub(super) path: &'static str,
    pub(super) dispatch: Dispatch,
    pub(super) select: &'static str,
    /// The format of the body, if the operation is a POST.
    pub(super) post: Option<BodyFormat>,
    /// The parameters and their values; `None` for a parameter that the call must not have.
    pub(super) given: Vec<(Cow<'static, str>, Option<String>)>,
    /// The number of parameters in each list.
    pub(super) counts: Vec<(&'static str, usize)>,
    pub(super) token: Option<String>,
}

impl Match for Matcher {
    fn matches(&self, request: &Request) -> bool {
        let (query, body) = (query(request), self.body(request));
        let is_post = self.post.is_some() || self.dispatch.place() == Place::Form;
        let named = if self.dispatch.place() == Place::Form { &body } else { &query };
        let given = if is_post { &body } else { &query };
        request.method.as_str() == if is_post { "POST" } else { "GET" }
            && self.is_target(request.url.path())
            && self.dispatch.values(self.select).all(|(name, value)| has(named, name, value))
            && self.dispatch.every_call().iter().all(|(name, value)| has(named, name, value))
            && self.given.iter().all(|(name, value)| match value {
                Some(value) => has(given, name, value),
                None => !given.iter().any(|(given, _)| given == name),
            })
            && self.counts.iter().all(|(name, count)| values(given, name) <= *count)
            && self.token.as_ref().is_none_or(|token| {
                let sent = request.headers.get("authorization");
                sent.is_some_and(|sent| *sent == format!("Bearer {token}"))
            })
    }
}

impl Matcher {
    /// Returns the parameters in the body.
    fn body(&self, request: &Request) -> Pairs {
        if self.post == Some(BodyFormat::Json) {
            return json(&request.body);
        }
        // A form has the syntax of a query.
        let mut url = request.url.clone();
        url.set_query(str::from_utf8(&request.body).ok());
        url.query_pairs().into_owned().collect()
    }

    /// Returns whether this is the path of a call, with any secret.
    fn is_target(&self, path: &str) -> bool {
        let target = match self.dispatch.place() {
            Place::Path => format!("{}/{}", self.path, self.select),
            _ => self.path.to_owned(),
        };
        let Some((before, after)) = target.split_once("{secret}") else { return path == target };
        let secret = path.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
        secret.is_some_and(|secret| !secret.is_empty() && !secret.contains('/'))
    }
}

/// Parameters with their values.
type Pairs = Vec<(String, String)>;

/// Returns the parameters in the query.
fn query(request: &Request) -> Pairs {
    request.url.query_pairs().into_owned().collect()
}

/// Returns the members of a JSON object, with lists expanded to their elements.
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

/// Returns the number of values of a list, in any style.
fn values(pairs: &Pairs, name: &str) -> usize {
    let is_of_list = |given: &str| {
        let rest = given.strip_prefix(name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
    };
    pairs.iter().filter(|(given, _)| is_of_list(given)).count()
}
