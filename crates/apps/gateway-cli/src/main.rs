//! The `gateway` program: candidates, vacancies and credits in a terminal or a file.

use std::process::ExitCode;

fn main() -> ExitCode {
    gateway_cli::run(&gateway_cli::program())
}
