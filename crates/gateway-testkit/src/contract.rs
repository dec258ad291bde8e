//! Checks that any service can be held against: does it keep the contract of the recruitment gateway?
//!
//! Every check asks from outside, with GET and HEAD only, so that it may be run against production. Some forty
//! requests are sent, all small but three, which ask for the list of all candidates. Each check names what it is taken
//! from: a section of the service text, a section of an RFC, or a decision about something that the text leaves open.
//! What is left open is judged only under [`Profile::Reference`]; of any other service the checks tell what they saw.
//!
//! No token, no query value and no text of a record is in any verdict.
//!
//! # Examples
//!
//! ```
//! use gateway_testkit::contract::{Profile, Target, Verdict, run};
//! use gateway_transport::{MemoryTransport, TransportError};
//!
//! // Nobody answers here: use a transport with a network, such as `gateway_transport::ureq::UreqTransport`.
//! let transport = MemoryTransport::default();
//! let target = Target::new("https://gateway.example.com", "the token")?;
//! let report = run(&target, &transport, Profile::Any);
//! assert!(report.findings().iter().all(|finding| finding.verdict != Verdict::Pass));
//! println!("{report}");
//! # Ok::<(), http::Error>(())
//! ```

mod check;
mod checks;
mod evidence;
mod exchange;
mod render;
mod report;

pub use self::check::{Check, Source, Verdict};
pub use self::exchange::Target;
pub use self::report::{Finding, Profile, Report, checks, run};
