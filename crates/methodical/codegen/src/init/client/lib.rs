//! Client of «title», async and blocking. Both have one method for each operation.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod generated;

pub use methodical_client::*;
pub use «model_rust» as model;

pub use crate::generated::client::{Client, ClientBuilder};

/// The blocking client.
pub mod blocking {
    pub use methodical_client::blocking::*;

    pub use crate::generated::blocking::{Client, ClientBuilder};
}
