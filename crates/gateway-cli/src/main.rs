//! The `gateway` program: candidates, vacancies and credits in a terminal or a file.

use std::process::ExitCode;

use gateway_cli_core::Program;

mod check;
#[cfg(feature = "demo")]
mod demo;
mod generated;

use crate::generated::commands::OperationCommand;

fn main() -> ExitCode {
    let program = Program::new("gateway", env!("CARGO_PKG_VERSION"))
        .about("Candidates, vacancies and SMS credits of a recruitment gateway")
        .examples(&[
            "candidates list --vacancy-id 101 --status Shortlist",
            "candidates list --output-file candidates.csv --excel",
            "credits get -o json",
        ])
        .api_examples(&[
            "vacancies/list",
            "candidates/list -f vacancy_id=101 -f 'status=On hold'",
            "credits/get --include",
        ])
        .contract(check::CONTRACT);
    #[cfg(feature = "demo")]
    let program = program.demo(demo::DEMO);
    #[cfg(feature = "mirror")]
    return gateway_cli_core::run_with_mirror::<OperationCommand>(&program);
    #[cfg(not(feature = "mirror"))]
    gateway_cli_core::run::<OperationCommand>(&program)
}
