//! The `gateway` program as a library, for programs that extend it, such as `crates/methodical/export/program`.

#![cfg_attr(docsrs, feature(doc_cfg))]

use std::ffi::OsString;
use std::process::ExitCode;

use gateway_testkit::contract::CONTRACT;
use methodical_cli::Program;

#[cfg(feature = "demo")]
mod demo;
mod generated;

#[doc(no_inline)]
pub use methodical_cli as core;

use crate::generated::commands::OperationCommand;

/// Runs a program with the commands of the service. Call it once, in `main`.
pub fn run(program: &Program) -> ExitCode {
    methodical_cli::run::<OperationCommand>(program)
}

/// Runs a program like [`run`], but inside another process, such as Python's, and with these arguments; the first one
/// is the name of the program. Returns the exit code.
pub fn run_embedded(program: &Program, arguments: &[OsString]) -> u8 {
    methodical_cli::run_embedded::<OperationCommand>(program, arguments)
}

/// Returns the definition of the program `gateway`: its name, version, help, contract and demo.
pub const fn program() -> Program {
    Program {
        about: "Candidates, vacancies and SMS credits of a recruitment gateway",
        examples: &[
            "candidates list --vacancy-id 101 --status Shortlist",
            "candidates list --output-file candidates.xlsx",
            "credits get -o json",
        ],
        contract: Some((&CONTRACT, "gateway-server")),
        #[cfg(feature = "demo")]
        demo: Some(demo::DEMO),
        ..Program::new("gateway", env!("CARGO_PKG_VERSION"))
    }
}
