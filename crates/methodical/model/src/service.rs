//! A service: what all its operations share.

use crate::{Auth, Dispatch};

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
///     const NAME: &'static str = "photos";
///     const API_VERSION: &'static str = "v2";
///     const PATH: &'static str = "/api/v2";
///     const SELECTOR: &'static str = "action";
///     const ACCEPT: &'static str = "application/json";
/// }
/// ```
pub trait Service: 'static {
    /// The name of the service in kebab case, such as `photo-archive`.
    const NAME: &'static str;

    /// The version segment of the service's address, such as `v1`.
    const API_VERSION: &'static str;

    /// The URL path that all operations share, appended to the base URL. A secret in the path replaces `{secret}`.
    const PATH: &'static str;

    /// The parameter that selects the operation, such as `method`; the first one if there are two, and empty if
    /// the path selects the operation.
    const SELECTOR: &'static str;

    /// The value of the `Accept` header of every call.
    const ACCEPT: &'static str;

    /// The value of the `User-Agent` header of every call: the name and version of the client.
    const USER_AGENT: &'static str = concat!("methodical-client/", env!("CARGO_PKG_VERSION"));

    /// How a call names its operation, and the parameters that every call has. Default: the query parameter
    /// [`SELECTOR`](Self::SELECTOR), and no other.
    const DISPATCH: Dispatch = Dispatch::query(&[Self::SELECTOR]);

    /// How a call is authenticated. Default: a bearer token.
    const AUTH: Auth = Auth::Bearer;
}
