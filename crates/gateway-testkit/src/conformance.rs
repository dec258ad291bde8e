//! Checks that any transport can be run against.
//!
//! The contract of a transport is in the documentation of `gateway_transport`. This kit has a check for each part of it:
//! what goes out, what comes in, bodies, memory, errors, time, cancellation, runtimes, connections, TLS, and what no
//! error may tell. Each check is a function in [`checks`], whose documentation says what it looks at, why, and where the
//! standard says so. The peer is a [raw server](crate::raw_server) on 127.0.0.1; nothing leaves the machine.
//!
//! # Examples
//!
//! One test for each check, in a file of your `tests/` folder. The factory makes your transport; what it cannot do, by
//! nature and not for want of work, is skipped with a reason, which the test prints:
//!
//! ```
//! use gateway_testkit::conformance::{Setup, Subject};
//! use gateway_transport::TransportError;
//! # use gateway_transport::MemoryTransport as MyTransport;
//!
//! fn subject(setup: &Setup) -> Result<Subject, TransportError> {
//!     // Take `setup.connect_timeout`, `setup.idle_timeout` and `setup.root` into your client here.
//!     Ok(Subject::blocking(MyTransport::default()).without_tls("my client is built without TLS"))
//! }
//!
//! gateway_testkit::conformance_tests!(subject, skip = [
//!     "connection.is_reused": "my client opens a connection for each request",
//! ]);
//! # fn main() {}
//! ```
//!
//! Or all of them as a list:
//!
//! ```no_run
//! # use gateway_testkit::conformance::{Setup, Subject, run};
//! # fn subject(_: &Setup) -> Result<Subject, gateway_transport::TransportError> { unimplemented!() }
//! for report in run(subject, &[]) {
//!     println!("{report}");
//! }
//! ```
//!
//! # Stability
//!
//! A new check is a minor version. Run the kit with an exact version if a new check must not fail your build.

pub mod checks;
mod kit;
mod outcome;
mod peer;
mod registry;
mod run;
mod subject;

pub use self::kit::{Answer, Kit};
pub use self::outcome::{Outcome, Stop};
pub use self::registry::{CHECKS, Check};
pub use self::run::{Failed, Report, Verdict, run, run_one, test};
pub use self::subject::{Factory, Setup, Subject};
