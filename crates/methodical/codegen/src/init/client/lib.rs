//! Client of «title», async and blocking: `client.send(&query)` calls an operation.

#![cfg_attr(docsrs, feature(doc_cfg))]

pub use methodical_client::*;
pub use «model_rust» as model;

/// An async client for one account of the service.
pub type Client = methodical_client::Client<model::service::«marker»>;

/// Builds a [`Client`].
pub type ClientBuilder = methodical_client::ClientBuilder<model::service::«marker»>;

/// The blocking client.
pub mod blocking {
    pub use methodical_client::blocking::*;

    use crate::model::service::«marker»;

    /// A client for one account of the service, for code without `async`.
    pub type Client = methodical_client::blocking::Client<«marker»>;

    /// Builds a [`Client`].
    pub type ClientBuilder = methodical_client::blocking::ClientBuilder<«marker»>;
}
