//! A call of the checks: where its parameters are, and whether it is a GET or a POST.

use methodical_model::{BodyFormat, Place};
use serde_json::{Map, Value};

use crate::contract::description::{Contract, Post};
use crate::encoded::encoded;

/// The part of a call after the path of the service, and its body.
pub(super) struct Call {
    /// The text after the path of the service.
    pub(super) path: String,
    /// The query without `?`.
    pub(super) query: String,
    /// The body of a POST; `None` for a GET.
    pub(super) body: Option<(BodyFormat, String)>,
}

impl Contract {
    /// Returns a call. `suffix` follows the path of the service. If its query begins with `=` and the name of an operation,
    /// the call names the operation as the service wants it; the parameters follow, each with a leading `&`.
    pub(super) fn call(&self, suffix: &str) -> Call {
        let (before, query) = suffix.split_once('?').unwrap_or((suffix, ""));
        let Some(named) = query.strip_prefix('=') else {
            return self.sent(before.to_owned(), String::new(), query, None);
        };
        let (select, params) = named.split_once('&').unwrap_or((named, ""));
        let mut path = before.to_owned();
        if self.dispatch.place() == Place::Path {
            path.extend(["/", select]);
        }
        let selectors = self.dispatch.values(select).map(|(name, value)| format!("{name}={value}"));
        let constants = self.dispatch.every_call().iter();
        let constants = constants.map(|(name, value)| format!("{name}={}", encoded(value)));
        let fixed = selectors.chain(constants).collect::<Vec<_>>().join("&");
        let post = self.operation(select).and_then(|operation| operation.post.as_ref());
        self.sent(path, fixed, params, post)
    }

    fn sent(&self, path: String, fixed: String, params: &str, post: Option<&Post>) -> Call {
        let form = |text| Some((BodyFormat::Form, text));
        let (query, body) = match post {
            _ if self.dispatch.place() == Place::Form => {
                (String::new(), form(joined(&fixed, params)))
            }
            None => (joined(&fixed, params), None),
            Some(Post { format: BodyFormat::Json, .. }) => {
                (fixed, post.map(|post| (BodyFormat::Json, post.json(params))))
            }
            Some(_) => (fixed, form(params.to_owned())),
        };
        Call { path, query, body }
    }
}

impl Post {
    /// Returns parameters as a JSON object.
    fn json(&self, params: &str) -> String {
        let pairs = params.split('&').filter_map(|pair| pair.split_once('='));
        let members = pairs.map(|(name, value)| {
            let text = decoded(value);
            let value = if self.literals.contains(&name) {
                serde_json::from_str(&text).unwrap_or(Value::String(text))
            } else {
                Value::String(text)
            };
            let is_list = self.lists.contains(&name);
            (name.to_owned(), if is_list { Value::Array(vec![value]) } else { value })
        });
        Value::Object(members.collect::<Map<_, _>>()).to_string()
    }
}

/// Joins two lists of parameters, each of which may be empty.
pub(super) fn joined(one: &str, other: &str) -> String {
    let separator = if one.is_empty() || other.is_empty() { "" } else { "&" };
    format!("{one}{separator}{other}")
}

/// Returns the text of a percent-encoded value. Encodings that are not valid stay as they are.
fn decoded(value: &str) -> String {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let hex = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        let byte = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()).filter(|_| first == b'%');
        bytes.push(byte.unwrap_or(first));
        rest = byte.and_then(|_| after.get(2..)).unwrap_or(after);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
