//! The sample service of `--demo`, which runs in this process.

use std::error::Error as _;

use gateway_server::demo::{self, DemoHistory};
use methodical_cli::client::AccessToken;
use methodical_cli::{Demo, Failure, SampleHistory, SampleService};

/// The sample service, with examples for the help.
pub(crate) const DEMO: Demo = Demo {
    start,
    examples: &[
        "candidates list",
        "candidates list --vacancy-id 101 --status Shortlist",
        "candidates list --fields id,name,portal.name --sort -date",
        "candidates list --filter portal.name=Indeed -o ndjson",
        "vacancies list -o csv",
        "credits get --dry-run",
    ],
};

fn start() -> Result<SampleService, Failure> {
    let demo = demo::start().map_err(|error: gateway_server::Error| {
        let failure = Failure::usage("cannot start the sample service");
        match error.source() {
            Some(cause) => failure.because(cause.to_string()),
            None => failure.because(error.to_string()),
        }
    })?;
    let (base_url, token) = (demo.base_url().to_owned(), AccessToken::new(demo.token())?);
    let days = demo.history();
    let set_day = move |day| {
        days.set_day(day).map_err(|error| {
            Failure::usage("cannot change the sample data").because(error.to_string())
        })
    };
    let values = DemoHistory::STATUSES;
    let history = SampleHistory { days: DemoHistory::DAYS, values, set_day: Box::new(set_day) };
    Ok(SampleService { base_url, token, history: Some(history), guard: Box::new(demo) })
}
