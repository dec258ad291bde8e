//! Contract checks, which test whether a service conforms to its spec.
//!
//! The generator derives a description of the service from the spec: the operations and their parameters, the form of
//! each response, and the fields of each record. The checks cover the whole description.
//!
//! The checks send GET and HEAD requests, and a POST only for operations that the spec marks as idempotent. If no such
//! POST exists, the checks are safe to run against production. Only requests for whole lists have large responses. A
//! service refuses a request with a status or, if the spec has an envelope, with a failure in the body. Each check
//! names its source: a section of the contract or of an RFC, or a decision about a point that the contract leaves open.
//! A decision can fail only with [`Profile::Reference`]. With [`Profile::Any`], its verdict is [`Verdict::Open`].
//!
//! Reports contain no tokens, query values or record values.
//!
//! # Examples
//!
//! ```
//! use methodical_testkit::contract::{Profile, Target, Verdict, run};
//! # use methodical_model::Service;
//! # use methodical_testkit::contract::Contract;
//! # struct Photos;
//! # impl Service for Photos {
//! #     const PATH: &'static str = "/api";
//! #     const SELECTOR: &'static str = "action";
//! #     const ACCEPT: &'static str = "application/json";
//! # }
//! # static CONTRACT: Contract = Contract::of::<Photos>();
//!
//! // `CONTRACT` is generated from the spec. This transport never answers: use one with a network.
//! let transport = gateway_transport::MemoryTransport::default();
//! let target = Target::new("https://gateway.example.com", "the token")?;
//! let report = run(&CONTRACT, &target, &transport, Profile::Any);
//! assert!(report.findings().iter().all(|finding| finding.verdict != Verdict::Pass));
//! println!("{report}");
//! # Ok::<(), http::Error>(())
//! ```

mod checks;
pub(crate) mod description;
mod evidence;
mod exchange;
mod record;
mod report;
mod target;
#[cfg(test)]
mod tests;

pub use self::checks::{ContractCheck, Source};
pub use self::description::Contract;
pub use self::report::{Finding, Profile, Report, checks, run};
pub use self::target::Target;
pub use crate::outcome::Verdict;
