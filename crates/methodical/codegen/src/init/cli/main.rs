//! The program `«name»`: calls «title» from a terminal.

use std::process::ExitCode;

use methodical_cli::Program;

#[cfg(feature = "demo")]
mod demo;
#[allow(clippy::enum_variant_names, reason = "operations may have similar names")]
mod generated;

use crate::generated::commands::OperationCommand;

fn main() -> ExitCode {
    let program = Program {
        about: "«title»",
        #[cfg(feature = "demo")]
        demo: Some(demo::DEMO),
        ..Program::new("«name»", env!("CARGO_PKG_VERSION"))
    };
    methodical_cli::run::<OperationCommand>(&program)
}
