//! A service: what its operations share, how a call selects its operation, and how a call is authenticated.

/// A service, as a type that carries the constants that its operations share.
///
/// A generated crate has one such type. It ties queries to their service: a client for one service rejects queries for
/// another at compile time. Implement this trait yourself only to call a service with [`RawQuery`](crate::RawQuery).
///
/// # Examples
///
/// ```
/// # mod photos { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/photos.rs")); } use photos::*;
/// use methodical_model::Service;
///
/// struct Photos;
///
/// impl Service for Photos {
///     const PATH: &'static str = "/api/v2";
///     const SELECTOR: &'static str = "action";
///     const ACCEPT: &'static str = "application/json";
/// }
/// ```
pub trait Service: 'static {
    /// The URL path that all operations share, appended to the base URL. A secret in the path replaces `{secret}`.
    const PATH: &'static str;

    /// The parameter that selects the operation, such as `method`. If two parameters select it, this is the first. If
    /// the path selects it, this is empty.
    const SELECTOR: &'static str;

    /// The value of the `Accept` header of every call.
    const ACCEPT: &'static str;

    /// The value of the `User-Agent` header of every call: the name and version of the client.
    const USER_AGENT: &'static str = concat!("methodical-client/", env!("CARGO_PKG_VERSION"));

    /// How a call selects its operation, and the parameters that every call has. Default: only the query parameter
    /// [`SELECTOR`](Self::SELECTOR).
    const DISPATCH: Dispatch = Dispatch::query(&[Self::SELECTOR]);

    /// How a call is authenticated. Default: a bearer token.
    const AUTH: Auth = Auth::Bearer;
}

/// How a call selects its operation, and the parameters that every call has.
///
/// # Examples
///
/// ```
/// use methodical_model::{Dispatch, Operation as _, RawQuery, Service};
///
/// struct Photos;
///
/// impl Service for Photos {
///     const PATH: &'static str = "/api/v2";
///     const SELECTOR: &'static str = "module";
///     const ACCEPT: &'static str = "application/json";
///     const DISPATCH: Dispatch = Dispatch::query(&["module", "action"]).constants(&[("format", "json")]);
/// }
///
/// let query = RawQuery::<Photos>::new("albums/list").pair("owner", "7").query()?;
/// assert_eq!(query.as_str(), "module=albums&action=list&format=json&owner=7");
/// # Ok::<(), methodical_model::DecodeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dispatch {
    place: Place,
    selectors: &'static [&'static str],
    constants: &'static [(&'static str, &'static str)],
}

/// The part of a request that names the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// The query string.
    Query,
    /// The form in the body, so every call is a POST.
    Form,
    /// The end of the path.
    Path,
}

impl Dispatch {
    /// Creates a dispatch by one or two query parameters. If there are two, the first `/` in a method name separates
    /// their values.
    #[must_use]
    pub const fn query(selectors: &'static [&'static str]) -> Self {
        Self { place: Place::Query, selectors, constants: &[] }
    }

    /// Creates a dispatch by one or two parameters of a form, which is the body of a POST. The constants are in the
    /// form too.
    #[must_use]
    pub const fn form(selectors: &'static [&'static str]) -> Self {
        Self { place: Place::Form, ..Self::query(selectors) }
    }

    /// Creates a dispatch by path: the method name is appended to [`Service::PATH`].
    #[must_use]
    pub const fn path() -> Self {
        Self { place: Place::Path, selectors: &[], constants: &[] }
    }

    /// Sets the parameters that every call has, with their values.
    #[must_use]
    pub const fn constants(self, constants: &'static [(&'static str, &'static str)]) -> Self {
        Self { constants, ..self }
    }

    /// Returns the part of a request that names the operation.
    #[must_use]
    pub const fn place(&self) -> Place {
        self.place
    }

    /// Returns the parameters that name the operation; none if the path names it.
    #[must_use]
    pub const fn selectors(&self) -> &'static [&'static str] {
        self.selectors
    }

    /// Returns the parameters that every call has, with their values.
    #[must_use]
    pub const fn every_call(&self) -> &'static [(&'static str, &'static str)] {
        self.constants
    }

    /// Returns the selectors, each with the value that selects the operation `method`.
    pub fn values<'a>(&self, method: &'a str) -> impl Iterator<Item = (&'static str, &'a str)> {
        let mut rest = method;
        let last = self.selectors.len().saturating_sub(1);
        self.selectors.iter().enumerate().map(move |(index, name)| {
            let (value, more) = match rest.split_once('/') {
                Some((value, more)) if index < last => (value, more),
                _ => (rest, ""),
            };
            rest = more;
            (*name, value)
        })
    }
}

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
    /// A bearer token in the `Authorization` header (RFC 6750).
    Bearer,
    /// Secrets, each with its place in a request.
    Secrets(&'static [Secret]),
}

impl Auth {
    /// Returns the secrets sent with every call; none for a bearer token.
    #[must_use]
    pub const fn secrets(self) -> &'static [Secret] {
        match self {
            Self::Secrets(secrets) => secrets,
            Self::None | Self::Bearer => &[],
        }
    }
}

/// The name and place of a secret sent with every call, such as an API key. The value is not included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Secret {
    name: &'static str,
    place: SecretPlace,
}

impl Secret {
    /// Describes a secret by its name and its place.
    #[must_use]
    pub const fn new(name: &'static str, place: SecretPlace) -> Self {
        Self { name, place }
    }

    /// Returns the name of the parameter or header. For a secret in the path, the name is only for display.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// Returns the place of the secret in a request.
    #[must_use]
    pub const fn place(self) -> SecretPlace {
        self.place
    }
}

/// The place of a secret in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SecretPlace {
    /// A query parameter, after all others.
    Query,
    /// A parameter of the form in the body, after all others.
    Form,
    /// A request header.
    Header,
    /// The text `{secret}` in [`Service::PATH`](crate::Service::PATH).
    Path,
}
