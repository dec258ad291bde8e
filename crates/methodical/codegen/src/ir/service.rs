//! The whole service: how it is called, its examples and its open points.

use std::sync::Arc;

use crate::ir::{Model, Operation, RustName, ValueType};
use crate::spec::read::words;
use crate::text::percent_encoded;

/// The whole service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    /// The machine name, in kebab case: `photo-archive`.
    pub name: String,
    /// The name for people: `Photo archive`.
    pub title: String,
    /// The version of the spec, `MAJOR.MINOR.PATCH`.
    pub version: String,
    /// The version segment of the service's address: `v1`.
    pub api_version: String,
    /// The path that all operations share, without a prefix: `/c/oauth/v1`. A secret in it replaces `{secret}`.
    pub path: String,
    /// How a call names its operation, and the parameters that every call has.
    pub dispatch: Dispatch,
    /// How a call is authenticated.
    pub auth: Auth,
    /// The value of the `Accept` header.
    pub accept: String,
    /// Its description.
    pub about: About,
    /// Scalars, in order of declaration.
    pub scalars: Vec<Arc<ValueType>>,
    /// Enums, in order of declaration.
    pub enums: Vec<Arc<ValueType>>,
    /// Models, in order of declaration; a model may use one that is declared after it.
    pub models: Vec<Model>,
    /// Operations, in order of declaration.
    pub operations: Vec<Operation>,
    /// Byte-exact examples, in order of declaration.
    pub examples: Vec<Example>,
    /// Questions that the contract does not answer, by number.
    pub open_points: Vec<OpenPoint>,
}

/// A call and its response, byte for byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// The name, in kebab case; unique.
    pub name: RustName,
    /// Index into [`Service::operations`].
    pub operation: usize,
    /// The description.
    pub doc: String,
    /// The parameters with their values as wire text, not yet percent-encoded.
    /// The index points into the operation's parameters.
    pub params: Vec<(usize, String)>,
    /// The query exactly as it is sent.
    pub query: String,
    /// The body of the request exactly as it is sent; empty for a GET.
    pub sent: String,
    /// The path of the response, relative to the folder of the spec: `fixtures/credits.json`.
    pub path: String,
    /// The response itself.
    pub body: String,
    /// Positions of the records in the response that a client must reject, each alone.
    pub rejected: Vec<usize>,
    /// Whether a client must be able to read it.
    pub client: bool,
    /// Whether a server must be able to send it.
    pub server: bool,
}

impl Example {
    /// Returns whether nothing in the request is percent-encoded.
    pub fn is_plain(&self) -> bool {
        !self.query.contains('%') && !self.sent.contains('%')
    }
}

/// A question that the contract does not answer, with what the client and the server do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenPoint {
    /// The number: 1, 2, 3, …
    pub number: u32,
    /// The id: `D-date`.
    pub id: String,
    /// The question.
    pub question: String,
    /// Behavior of our libraries.
    pub client: String,
    /// Behavior of our server.
    pub server: String,
    /// The sections of the contract that the question is about.
    pub source: Source,
}

/// How the spec describes a declaration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// Sentences, with `code` between backticks. They may contain anything (quotes, comment ends, Markdown, HTML). The
    /// functions of [`text`](crate::text) escape it for the place it is written to.
    pub doc: String,
    /// The sections of the contract that describe it.
    pub source: Source,
    /// The ids of the open points about it, such as `D-date`; see [`Service::open_point`].
    pub open: Vec<String>,
}

/// The sections of the contract that a declaration follows, such as `4.1, rule 2`.
/// Empty if the spec names none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source(pub String);

impl Source {
    /// Returns a phrase that names the sections, such as `section 4.1, rule 2 of the contract`.
    pub fn phrase(&self) -> Option<String> {
        (!self.0.is_empty()).then(|| format!("section {} of the contract", self.0))
    }
}

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

words! {
    /// The part of the request that names the operation.
    pub enum Place {
        /// The selector is a query parameter.
        Query = "query",
        /// The selector is in the form of every call, which is a POST.
        Form = "form",
        /// The last segments of the path select the operation.
        Path = "path",
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

/// How a call is authenticated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Auth {
    /// Calls are not authenticated.
    None,
    /// A bearer token in the header `Authorization` (RFC 6750).
    Bearer,
    /// Secrets, at least one, each in another place.
    Secrets(Vec<Secret>),
}

/// A secret of every call, such as an API key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    /// The name of the parameter or header; for a secret in the path, a name for people.
    pub name: String,
    /// The place in a request.
    pub place: SecretPlace,
    /// The description.
    pub doc: String,
}

words! {
    /// The place of a secret in a request.
    pub enum SecretPlace {
        /// A query parameter, after all others.
        Query = "query",
        /// A parameter of the form in the body, after all others.
        Form = "form",
        /// A header.
        Header = "header",
        /// The text `{secret}` in the `path` of the service.
        Path = "path",
    }
}

/// The text in the path of a service that a secret replaces.
pub const SECRET: &str = "{secret}";

impl Auth {
    /// Returns the secrets; none for a bearer token.
    pub fn secrets(&self) -> &[Secret] {
        match self {
            Self::Secrets(secrets) => secrets,
            Self::None | Self::Bearer => &[],
        }
    }

    /// Returns a description for people, which follows "with".
    pub fn phrase(&self) -> String {
        match self {
            Self::None => "no authentication".to_owned(),
            Self::Bearer => "a bearer token".to_owned(),
            Self::Secrets(secrets) => {
                let all = secrets.iter();
                let all: Vec<_> = all
                    .map(|one| format!("the secret `{}` in the {}", one.name, one.place.word()))
                    .collect();
                all.join(" and ")
            }
        }
    }
}
