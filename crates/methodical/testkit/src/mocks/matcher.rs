//! The conditions of a mock.

use methodical_model::{BodyFormat, Query};
use serde_json::{Map, Value};
use wiremock::{Match, Request};

/// The conditions of a mock.
#[derive(Clone)]
pub(super) struct Matcher {
    /// The path of the service, in which `{secret}` stands for any secret.
    pub(super) path: &'static str,
    /// The call to match; `None` matches no call.
    pub(super) query: Option<Query>,
    /// The names of the secrets, which a call may send as additional parameters.
    pub(super) secrets: Vec<&'static str>,
    /// Whether a call must not have other parameters. Secrets are always allowed.
    pub(super) is_exact: bool,
    pub(super) token: Option<String>,
}

impl Match for Matcher {
    fn matches(&self, request: &Request) -> bool {
        let Some(query) = &self.query else { return false };
        let in_query = |text: &str| form(request, text);
        let in_body = |body: &[u8]| match query.format() {
            Some(BodyFormat::Json) => json(body),
            _ => form(request, str::from_utf8(body).unwrap_or_default()),
        };
        let sent = request.url.query().unwrap_or_default();
        request.method.as_str() == if query.format().is_some() { "POST" } else { "GET" }
            && self.is_target(request.url.path(), query.path())
            && self.fits(in_query(query.as_str()), in_query(sent))
            && self.fits(in_body(query.body().as_bytes()), in_body(&request.body))
            && self.token.as_ref().is_none_or(|token| {
                let sent = request.headers.get("authorization");
                sent.is_some_and(|sent| *sent == format!("Bearer {token}"))
            })
    }
}

impl Matcher {
    /// Returns whether a call has the wanted parameters, ignoring others if allowed. A list must match exactly.
    fn fits(&self, mut wanted: Pairs, mut sent: Pairs) -> bool {
        let is_wanted = |name: &str| wanted.iter().any(|(one, _)| list_of(one) == list_of(name));
        let is_secret = |name: &str| self.secrets.contains(&name);
        sent.retain(|(name, _)| if self.is_exact { !is_secret(name) } else { is_wanted(name) });
        wanted.sort();
        sent.sort();
        sent == wanted
    }

    /// Returns whether `path` is the service's path followed by `select`, with any secret in place of `{secret}`.
    fn is_target(&self, path: &str, select: &str) -> bool {
        let target = format!("{}{select}", self.path);
        let Some((before, after)) = target.split_once("{secret}") else { return path == target };
        let secret = path.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
        secret.is_some_and(|secret| !secret.is_empty() && !secret.contains('/'))
    }
}

/// Parameters with their values.
type Pairs = Vec<(String, String)>;

/// Returns the parameters in a query or in a form, which have the same syntax.
fn form(request: &Request, text: &str) -> Pairs {
    let mut url = request.url.clone();
    url.set_query(Some(text));
    url.query_pairs().into_owned().collect()
}

/// Returns the fields of a JSON object, with lists expanded to their elements.
fn json(body: &[u8]) -> Pairs {
    let members: Map<String, Value> = serde_json::from_slice(body).unwrap_or_default();
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let values = members.into_iter().flat_map(|(name, value)| match value {
        Value::Array(values) => values.iter().map(|one| (name.clone(), text(one))).collect(),
        one => vec![(name, text(&one))],
    });
    values.collect()
}

/// Returns the name of the list that a parameter such as `id[]` or `id[0]` belongs to, or else the parameter's name.
fn list_of(name: &str) -> &str {
    let is_index =
        |rest: &str| rest.trim_end_matches(']').bytes().all(|byte| byte.is_ascii_digit());
    name.rsplit_once('[').filter(|(_, rest)| is_index(rest)).map_or(name, |(list, _)| list)
}
