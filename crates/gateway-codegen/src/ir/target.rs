//! The targets of calls: paths and queries.

use crate::ir::{
    Auth, BodyFormat, Example, ITEM, Operation, Param, Place, SECRET, SecretPlace, Service,
};
use crate::text::{json_string, percent_encoded};

impl Service {
    /// Returns the path of an operation: `/c/oauth/v1`.
    pub fn path_of(&self, operation: &Operation) -> String {
        match self.dispatch.place {
            Place::Query | Place::Form => self.path.clone(),
            Place::Path => format!("{}/{}", self.path, operation.select),
        }
    }

    /// Returns the query of an operation and the body of its POST, with these parameters as wire text.
    pub fn request_of(
        &self,
        operation: &Operation,
        params: &[(&Param, String)],
    ) -> (String, String) {
        let pairs = params.iter().flat_map(|(param, text)| param.pairs(text));
        let fixed = self.dispatch.pairs(operation);
        match operation.post.map(|post| post.format) {
            None => (joined_pairs(fixed.into_iter().chain(pairs)), String::new()),
            Some(BodyFormat::Form) if self.dispatch.place == Place::Form => {
                (String::new(), joined_pairs(fixed.into_iter().chain(pairs)))
            }
            Some(BodyFormat::Form) => (joined_pairs(fixed), joined_pairs(pairs)),
            Some(BodyFormat::Json) => {
                let members = params.iter().map(|(param, text)| param.member(text));
                let members: Vec<_> = members.collect();
                (joined_pairs(fixed), format!("{{{}}}", members.join(",")))
            }
        }
    }

    /// Returns the method, the path and the query of an operation without parameters:
    /// `GET /c/oauth/v1?method=photos/list`.
    pub fn target_of(&self, operation: &Operation) -> String {
        let (query, body) = self.request_of(operation, &[]);
        let target = joined(&self.path_of(operation), &query);
        match operation.post {
            None => format!("GET {target}"),
            Some(_) if self.dispatch.place == Place::Form => format!("POST {target} {body}"),
            Some(_) => format!("POST {target}"),
        }
    }

    /// Returns the arguments of `curl` for an example with shell variables in place of the secrets: the
    /// headers, the URL without the base, and the body. `variable` returns the whole name of a variable.
    pub(crate) fn with_variables(
        &self,
        operation: &Operation,
        example: &Example,
        variable: impl Fn(&str) -> String,
    ) -> (Vec<String>, String, String) {
        let mut headers = Vec::new();
        let (mut path, mut pairs) = (self.path_of(operation), vec![example.query.clone()]);
        let mut form = vec![example.sent.clone()];
        if self.auth == Auth::Bearer {
            headers.push(format!("Authorization: Bearer ${}", variable("TOKEN")));
        }
        for (index, secret) in self.auth.secrets().iter().enumerate() {
            let name = secret.name.to_ascii_uppercase();
            let name = name.replace(|c: char| !c.is_ascii_alphanumeric(), "_");
            let ending = if index == 0 { "TOKEN".to_owned() } else { format!("SECRET_{name}") };
            let value = format!("${}", variable(&ending));
            match secret.place {
                SecretPlace::Query => pairs.push(format!("{}={value}", secret.name)),
                SecretPlace::Form => form.push(format!("{}={value}", secret.name)),
                SecretPlace::Header => headers.push(format!("{}: {value}", secret.name)),
                SecretPlace::Path => path = path.replace(SECRET, &value),
            }
        }
        pairs.retain(|pair| !pair.is_empty());
        form.retain(|pair| !pair.is_empty());
        (headers, joined(&path, &pairs.join("&")), form.join("&"))
    }
}

impl Param {
    /// Returns the parameter as it is sent in a query or a form.
    fn pairs(&self, text: &str) -> Vec<String> {
        let pair = |name: &str, value: &str| {
            format!("{}={}", percent_encoded(name), percent_encoded(value))
        };
        let Some(style) = self.list else { return vec![pair(&self.wire, text)] };
        let items = self.items(text);
        if let Some(separator) = style.separator() {
            return vec![pair(&self.wire, &items.join(separator))];
        }
        let items = items.into_iter().enumerate();
        items.map(|(index, item)| pair(&style.name(&self.wire, index), item)).collect()
    }

    /// Returns the type in Rust, by its bare name.
    pub fn rust_type(&self) -> String {
        let ty = self.ty.rust();
        if self.list.is_some() { format!("Vec<{ty}>") } else { ty }
    }

    /// Returns the values in the wire text of an example: those of a list, or the only one.
    pub fn items<'a>(&self, text: &'a str) -> Vec<&'a str> {
        if self.list.is_some() { text.split(ITEM).collect() } else { vec![text] }
    }

    /// Returns the parameter as a member of a JSON object.
    fn member(&self, text: &str) -> String {
        format!("{}:{}", json_string(&self.wire), self.json(text))
    }

    /// Returns a value in JSON.
    fn json(&self, text: &str) -> String {
        let one = |text: &str| {
            if self.ty.is_json_literal() { text.to_owned() } else { json_string(text) }
        };
        if self.list.is_none() {
            return one(text);
        }
        let items: Vec<_> = self.items(text).into_iter().map(one).collect();
        format!("[{}]", items.join(","))
    }
}

fn joined_pairs(pairs: impl IntoIterator<Item = String>) -> String {
    pairs.into_iter().collect::<Vec<_>>().join("&")
}

/// Returns a path with its query, which may be empty.
pub(crate) fn joined(path: &str, query: &str) -> String {
    if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
}
