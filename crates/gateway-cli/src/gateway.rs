//! The description of the `gateway` program.

use gateway_testkit::contract;

use crate::contract::Contract;
use crate::program::Program;

/// The description of the `gateway` program.
pub(crate) const PROGRAM: Program = {
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
        .contract(Contract { run: contract::run, requests: 40, reference: "gateway-server" });
    #[cfg(feature = "demo")]
    let program = program.demo(crate::sample::DEMO);
    program
};
