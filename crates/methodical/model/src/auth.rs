//! How a call is authenticated.

/// How a call is authenticated.
///
/// # Examples
///
/// ```
/// use methodical_model::{Auth, Secret, SecretPlace, Service};
///
/// struct Photos;
///
/// impl Service for Photos {
///     const NAME: &'static str = "photos";
///     const API_VERSION: &'static str = "v2";
///     const PATH: &'static str = "/api/v2";
///     const SELECTOR: &'static str = "action";
///     const ACCEPT: &'static str = "application/json";
///     const AUTH: Auth = Auth::Secrets(&[Secret::new("api_key", SecretPlace::Query)]);
/// }
///
/// assert_eq!(Photos::AUTH.secrets()[0].name(), "api_key");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Auth {
    /// Calls are not authenticated.
    None,
    /// A bearer token in the header `Authorization` (RFC 6750).
    Bearer,
    /// Secrets, each in another place.
    Secrets(&'static [Secret]),
}

impl Auth {
    /// Returns the secrets of every call; none for a bearer token.
    #[must_use]
    pub const fn secrets(self) -> &'static [Secret] {
        match self {
            Self::Secrets(secrets) => secrets,
            Self::None | Self::Bearer => &[],
        }
    }
}

/// A secret of every call, such as an API key: its name and its place, not its value.
///
/// ```
/// use methodical_model::{Secret, SecretPlace};
///
/// let key = Secret::new("x-api-key", SecretPlace::Header);
/// assert_eq!((key.name(), key.place()), ("x-api-key", SecretPlace::Header));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Secret {
    name: &'static str,
    place: SecretPlace,
}

impl Secret {
    /// Creates a secret from its name and its place.
    #[must_use]
    pub const fn new(name: &'static str, place: SecretPlace) -> Self {
        Self { name, place }
    }

    /// Returns the name of the parameter or header. For a secret in the path, it is only a name for people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// Returns the place in a request.
    #[must_use]
    pub const fn place(self) -> SecretPlace {
        self.place
    }
}

/// The place of a secret in a request.
///
/// ```
/// # use methodical_model::SecretPlace;
/// let in_the_url = |place| matches!(place, SecretPlace::Query | SecretPlace::Path);
/// assert!(in_the_url(SecretPlace::Path) && !in_the_url(SecretPlace::Header));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SecretPlace {
    /// A query parameter, after all others.
    Query,
    /// A parameter of the form in the body, after all others.
    Form,
    /// A header.
    Header,
    /// The text `{secret}` in [`Service::PATH`](crate::Service::PATH).
    Path,
}
