//! The blocking client: the same methods and the same policy, without `async`.

#[doc(inline)]
pub use gateway_client_core::blocking::Records;

pub use crate::generated::blocking::{Client, ClientBuilder};
