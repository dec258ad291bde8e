//! Contract checks: does a service conform to the contract of the recruitment gateway?
//!
//! The checks send only GET and HEAD requests, so they are safe to run against production: about 40 requests, all with
//! small responses except the few for the list of all candidates. Each check names its source: a section of the
//! contract, a section of an RFC, or this project's decision on a point that the contract leaves open. A decision is
//! judged only with [`Profile::Reference`]; with [`Profile::Any`], its verdict is [`Verdict::Open`], which says what
//! was observed.
//!
//! All checks are derived from the spec; the code is in `methodical_testkit::contract`.
//!
//! No report contains a token, a query value or a value of a record.
//!
//! # Examples
//!
//! ```
//! use gateway_testkit::contract::{Profile, Target, Verdict, run};
//! use gateway_transport::{MemoryTransport, TransportError};
//!
//! // This transport never answers: use one with a network, such as `gateway_transport::ureq::UreqTransport`.
//! let transport = MemoryTransport::default();
//! let target = Target::new("https://gateway.example.com", "the token")?;
//! let report = run(&target, &transport, Profile::Any);
//! assert!(report.findings().iter().all(|finding| finding.verdict != Verdict::Pass));
//! println!("{report}");
//! # Ok::<(), http::Error>(())
//! ```

use gateway_transport::BlockingTransport;
pub use methodical_testkit::contract::{
    Contract, ContractCheck, Finding, Profile, Report, Source, Target, Verdict,
};

pub use crate::generated::contract::CONTRACT;

/// Sends the requests through `transport` and judges the responses.
pub fn run(target: &Target, transport: &dyn BlockingTransport, profile: Profile) -> Report {
    methodical_testkit::contract::run(&CONTRACT, target, transport, profile)
}

/// Returns all checks, by group.
///
/// ```
/// assert!(gateway_testkit::contract::checks().count() >= 60);
/// ```
pub fn checks() -> impl Iterator<Item = ContractCheck> {
    methodical_testkit::contract::checks(&CONTRACT).into_iter()
}
