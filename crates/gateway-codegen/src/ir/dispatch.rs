//! How a call names its operation: in parameters, or in the path.

use crate::ir::Operation;
use crate::text::percent_encoded;

/// How a call names its operation, and the parameters that every call has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dispatch {
    /// The part of the request that names the operation.
    pub place: Place,
    /// The parameters that name the operation: one or two; none if the path names it.
    pub selectors: Vec<String>,
    /// The parameters that every call has, with their values, in the order in which they are sent.
    pub constants: Vec<(String, String)>,
}

/// The part of a request that names the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The query.
    Query,
    /// The form in the body of every call.
    Form,
    /// The last segments of the path.
    Path,
}

impl Place {
    /// Returns the word in a spec.
    pub fn word(self) -> &'static str {
        match self {
            Self::Query => "query",
            Self::Form => "form",
            Self::Path => "path",
        }
    }
}

impl Dispatch {
    /// Returns whether a call names its operation in one query parameter, and has no constants.
    pub fn is_plain(&self) -> bool {
        self.place == Place::Query && self.selectors.len() == 1 && self.constants.is_empty()
    }

    /// Returns whether every call has a parameter of this name.
    pub fn sends(&self, name: &str) -> bool {
        let constants = self.constants.iter().map(|(constant, _)| constant);
        self.selectors.iter().chain(constants).any(|sent| sent == name)
    }

    /// Returns the first parameter that names the operation; empty if the path does.
    pub fn first_selector(&self) -> &str {
        self.selectors.first().map_or("", String::as_str)
    }

    /// Returns the selectors with the values that name an operation, whose first `/` separates the
    /// values of two selectors.
    pub fn values<'a>(&'a self, select: &'a str) -> Vec<(&'a str, &'a str)> {
        match self.selectors.as_slice() {
            [first, second] => {
                let (one, other) = select.split_once('/').unwrap_or((select, ""));
                vec![(first, one), (second, other)]
            }
            selectors => selectors.iter().map(|name| (name.as_str(), select)).collect(),
        }
    }

    /// Returns the parameters with which every call of an operation begins, as they are sent.
    pub fn pairs(&self, operation: &Operation) -> Vec<String> {
        let selectors = self.values(&operation.select).into_iter();
        let selectors = selectors.map(|(name, value)| format!("{name}={value}"));
        let constants = self.constants.iter();
        let constants = constants.map(|(name, value)| format!("{name}={}", percent_encoded(value)));
        selectors.chain(constants).collect()
    }
}
