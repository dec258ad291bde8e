//! Published HTTP clients and wrappers of clients as transports, each run on the conformance kit.
//!
//! Every adapter follows `docs/writing-a-transport.md`. `docs/transports.md` has the results.

pub mod adapt;
pub mod hyper_util;
pub mod isahc;
pub mod object_store;
pub mod opendal;
pub mod report;
pub mod reqwest_middleware;
