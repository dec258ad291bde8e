//! A service: what its operations share, how a call selects its operation, and how a call is authenticated.

/// A service, as a type: the constants that all its operations share.
///
/// A generated crate has one such type. Clients use it to accept only operations of their service.
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

    /// The parameter that selects the operation, such as `method`. If there are two, this is the first one; if the path
    /// selects the operation, this is empty.
    const SELECTOR: &'static str;

    /// The value of the `Accept` header of every call.
    const ACCEPT: &'static str;

    /// The value of the `User-Agent` header of every call: the name and version of the client.
    const USER_AGENT: &'static str = concat!("methodical-client/", env!("CARGO_PKG_VERSION"));

    /// How a call selects its operation, and the parameters that every call has. Default: the query parameter
    /// [`SELECTOR`](Self::SELECTOR), and no other.
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
    /// The query.
    Query,
    /// The form in the body, so every call is a POST.
    Form,
    /// The last segments of the path.
    Path,
}

impl Dispatch {
    /// Creates a dispatch by one or two query parameters. If there are two, the first `/` in the name of a method
    /// separates their values.
    #[must_use]
    pub const fn query(selectors: &'static [&'static str]) -> Self {
        Self { place: Place::Query, selectors, constants: &[] }
    }

    /// Creates a dispatch by these parameters of a form, which is the body of a POST. The constants are part of the
    /// form.
    #[must_use]
    pub const fn form(selectors: &'static [&'static str]) -> Self {
        Self { place: Place::Form, ..Self::query(selectors) }
    }

    /// Creates a dispatch by path: the name of the method is appended to [`Service::PATH`].
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

    /// Returns the names of the parameters that name the operation; none if the path does.
    #[must_use]
    pub const fn selectors(&self) -> &'static [&'static str] {
        self.selectors
    }

    /// Returns the parameters that every call has, with their values.
    #[must_use]
    pub const fn every_call(&self) -> &'static [(&'static str, &'static str)] {
        self.constants
    }

    /// Returns the selectors, with the values that select an operation.
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
    /// Returns the secrets of every call; none for a bearer token.
    #[must_use]
    pub const fn secrets(self) -> &'static [Secret] {
        match self {
            Self::Secrets(secrets) => secrets,
            Self::None | Self::Bearer => &[],
        }
    }
}

/// A secret sent with every call, such as an API key: its name and its place, not its value.
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
    /// A header.
    Header,
    /// The text `{secret}` in [`Service::PATH`](crate::Service::PATH).
    Path,
}
