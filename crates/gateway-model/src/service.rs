//! Constants of the whole service (sections 4 and 9 of the contract).

pub use crate::generated::service::{ACCEPT, API_VERSION, NAME, PATH, SELECTOR};
