//! The conditions of a mock, and how a request differs from them.

use std::fmt::Write as _;
use std::sync::Arc;

use gateway_model_core::{Dispatch, Place};
use wiremock::{Match, Request};

/// The conditions of a mock. Its mock and the answer to unmatched calls share them.
#[derive(Debug)]
pub(super) struct Matcher {
    pub(super) path: &'static str,
    pub(super) dispatch: Dispatch,
    pub(super) select: &'static str,
    /// The parameters with the value of each; `None` if the call must not have it.
    pub(super) given: Vec<(&'static str, Option<String>)>,
    pub(super) token: Option<String>,
}

impl Matcher {
    /// Returns how a request differs from the conditions, without a value of it; nothing if it matches.
    pub(super) fn differences(&self, request: &Request) -> Vec<String> {
        if request.method.as_str() != "GET" {
            return vec!["another HTTP method".to_owned()];
        }
        let is_of_operation = request.url.path() == self.target()
            && self.dispatch.values(self.select).all(|(name, value)| has(request, name, value));
        if !is_of_operation {
            return vec!["another operation".to_owned()];
        }
        let constants = self.dispatch.every_call().iter();
        let constants = constants.filter(|(name, value)| !has(request, name, value));
        let mut differences: Vec<_> =
            constants.map(|(name, _)| format!("`{name}` differs")).collect();
        for (name, value) in &self.given {
            let is_present = request.url.query_pairs().any(|(given, _)| given == *name);
            let difference = match value {
                Some(value) if has(request, name, value) => continue,
                None if !is_present => continue,
                Some(_) if is_present => "differs",
                Some(_) => "is absent",
                None => "is present",
            };
            differences.push(format!("`{name}` {difference}"));
        }
        if let Some(token) = &self.token {
            match request.headers.get("authorization") {
                None => differences.push("there is no token".to_owned()),
                Some(given) if given.as_bytes() == format!("Bearer {token}").as_bytes() => {}
                Some(_) => differences.push("the token differs".to_owned()),
            }
        }
        differences
    }

    /// Describes the conditions, without a value.
    pub(super) fn description(&self) -> String {
        let names = |with: bool| {
            let given = self.given.iter().filter(|(_, value)| value.is_some() == with);
            given.map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
        };
        let mut text = self.select.to_owned();
        for (word, names) in [("with", names(true)), ("without", names(false))] {
            if !names.is_empty() {
                _ = write!(text, " {word} {names}");
            }
        }
        if self.token.is_some() {
            text.push_str(" with a token");
        }
        text
    }

    /// Returns whether the value of a parameter is part of the name of an operation, or the same for every call.
    pub(super) fn is_public(&self, name: &str) -> bool {
        self.dispatch.selectors().contains(&name)
            || self.dispatch.every_call().iter().any(|(constant, _)| *constant == name)
    }

    fn target(&self) -> String {
        match self.dispatch.place() {
            Place::Path => format!("{}/{}", self.path, self.select),
            _ => self.path.to_owned(),
        }
    }
}

fn has(request: &Request, name: &str, value: &str) -> bool {
    request.url.query_pairs().any(|pair| pair.0 == name && pair.1 == value)
}

/// The conditions as those of a `wiremock` mock.
pub(super) struct Conditions(pub(super) Arc<Matcher>);

impl Match for Conditions {
    fn matches(&self, request: &Request) -> bool {
        self.0.differences(request).is_empty()
    }
}
