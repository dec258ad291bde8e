//! Checks for any transport.
//!
//! The documentation of `gateway_transport` is the contract of a transport. This kit checks each part of it: requests,
//! responses, bodies, memory, errors, time, cancellation, runtimes, connections, TLS and secrecy. The
//! [promise](ConformanceCheck::promise) of each check says what it demands, why, and which section of which standard
//! requires it. The peer is a [raw server](crate::raw_server) on 127.0.0.1; nothing leaves the machine.
//!
//! # Examples
//!
//! To get one test for each check, put this into a file of your `tests/` folder. The factory creates your transport.
//! A check that your client cannot pass by design is skipped with a reason, which the test prints:
//!
//! ```
//! use methodical_testkit::conformance::{Setup, Subject};
//! use gateway_transport::TransportError;
//! # use gateway_transport::MemoryTransport as MyTransport;
//!
//! fn subject(setup: &Setup) -> Result<Subject, TransportError> {
//!     // Configure your client with `setup.connect_timeout`, `setup.idle_timeout` and `setup.root` here.
//!     Ok(Subject::blocking(MyTransport::default()).without_tls("my client is built without TLS"))
//! }
//!
//! methodical_testkit::conformance_tests!(subject, skip = [
//!     "connections.connection_is_reused": "my client opens a connection for each request",
//! ]);
//! # fn main() {
//! #     let name = "connections.connection_is_reused";
//! #     assert!(methodical_testkit::conformance::CHECKS.iter().any(|check| check.name == name));
//! # }
//! ```
//!
//! To run all checks and print a list:
//!
//! ```no_run
//! # use methodical_testkit::conformance::{Setup, Subject, run};
//! # fn subject(_: &Setup) -> Result<Subject, gateway_transport::TransportError> { unimplemented!() }
//! for finding in run(subject, &[]) {
//!     println!("{finding}");
//! }
//! ```
//!
//! # Stability
//!
//! A new check is a minor version. Pin the exact version of the kit if a new check must not fail your build.

mod connections;
mod kit;
mod peer;
mod requests;
mod responses;
mod run;
mod secrecy;
mod table;
mod time;

use self::kit::Kit;
pub use self::kit::{Factory, Setup, Subject};
pub use self::run::{Failed, Finding, run, run_one, test};
pub use self::table::{CHECKS, ConformanceCheck};
pub use crate::outcome::{Outcome, Stop, Verdict};
