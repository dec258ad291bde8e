//! How a call is authenticated.

use crate::ir::Doc;

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
    pub doc: Doc,
}

/// The place of a secret in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecretPlace {
    /// A query parameter, after all others.
    Query,
    /// A parameter of the form in the body, after all others.
    Form,
    /// A header.
    Header,
    /// The text [`SECRET`] in the path of the service.
    Path,
}

/// The text in the path of a service that a secret replaces.
pub const SECRET: &str = "{secret}";

impl SecretPlace {
    /// Returns the word in a spec.
    pub fn word(self) -> &'static str {
        match self {
            Self::Query => "query",
            Self::Form => "form",
            Self::Header => "header",
            Self::Path => "path",
        }
    }
}

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
