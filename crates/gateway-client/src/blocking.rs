//! The blocking client: the same methods and the same policy, without `async`.

use gateway_model::service::RecruitmentGateway;
#[doc(no_inline)]
pub use methodical_client::blocking::Records;

/// A blocking client for one account of the service. Use this in code without `async`.
pub type Client = methodical_client::blocking::Client<RecruitmentGateway>;

/// Builds a [`Client`]; [`methodical_client::ClientBuilder`] describes the settings.
pub type ClientBuilder = methodical_client::blocking::ClientBuilder<RecruitmentGateway>;
