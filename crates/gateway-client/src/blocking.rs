//! The blocking client: the same methods and the same policy, without `async`.

#[doc(inline)]
pub use methodical_client::blocking::Records;

pub use crate::generated::blocking::{Client, ClientBuilder};
