//! The program `gateway-server`.

use std::process::ExitCode;

fn main() -> ExitCode {
    gateway_server::cli::main()
}
