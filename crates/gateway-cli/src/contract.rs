//! The contract of a service, for the command `check`.

use gateway_client::transport::BlockingTransport;
use gateway_testkit::contract::{Profile, Report, Target};

/// The contract of a service, as checks of its responses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contract {
    pub(crate) run: fn(&Target, &dyn BlockingTransport, Profile) -> Report,
    /// The approximate number of requests that the checks send.
    pub(crate) requests: u32,
    /// The service that decides the points that the contract leaves open.
    pub(crate) reference: &'static str,
}
