//! Large published HTTP clients as transports, each run on the conformance kit.
//!
//! `docs/transports.md` has the results.

pub mod isahc;
pub mod object_store;
pub mod opendal;
