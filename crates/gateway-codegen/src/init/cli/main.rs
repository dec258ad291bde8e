//! The program `«name»`: calls «title» from a terminal.

use std::process::ExitCode;

use gateway_cli_core::Program;

#[cfg(feature = "demo")]
mod demo;
mod generated;

use crate::generated::commands::OperationCommand;

fn main() -> ExitCode {
    let program = Program::new("«name»", env!("CARGO_PKG_VERSION")).about(«about»);
    #[cfg(feature = "demo")]
    let program = program.demo(demo::DEMO);
    gateway_cli_core::run::<OperationCommand>(&program)
}
