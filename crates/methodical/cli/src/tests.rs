//! A small service with a program, for unit tests.

use clap::Subcommand;
use methodical_client::model::tables::{MirrorVisitor, Mirrored};
use methodical_client::model::{DecodeError, Operation, Query, RawJson, RawQuery, Service};
use methodical_testkit::contract::Contract;

use crate::failure::Failure;
use crate::program::{Demo, Example, OperationCommands, Program, SampleService};
use crate::session::Session;

/// The service.
pub(crate) struct Photos;

impl Service for Photos {
    const PATH: &'static str = "/api/v1";
    const SELECTOR: &'static str = "method";
    const ACCEPT: &'static str = "application/json";
}

/// No list has records with an identity, so there is nothing to mirror.
impl Mirrored for Photos {
    fn visit(_: &mut impl MirrorVisitor<Self>) {}
}

/// Reads the totals.
pub(crate) struct GetTotals;

impl Operation for GetTotals {
    type Service = Photos;
    type Output = RawJson;

    const METHOD: &'static str = "totals/get";

    fn query(&self) -> Result<Query, DecodeError> {
        RawQuery::<Photos>::new(Self::METHOD).query()
    }
}

/// The commands of the service.
#[derive(Debug, Subcommand)]
pub(crate) enum Commands {
    /// Print the totals of {program}.
    Totals,
}

impl OperationCommands for Commands {
    type Service = Photos;
    type Probe = GetTotals;

    const EXAMPLE: Example = Example::new("totals", "totals/get", "photos,albums");

    fn probe() -> GetTotals {
        GetTotals
    }

    fn run(self, _session: &Session<Photos>) -> Result<(), Failure> {
        Ok(())
    }
}

/// A program with nothing but a name and a version.
pub(crate) const SMALL: Program = Program::new("photos", "1.2.3");

/// A program with everything.
pub(crate) const LARGE: Program = Program {
    about: "Photos and albums",
    examples: &["totals -o json"],
    demo: Some(Demo { start, examples: &["totals"] }),
    contract: Some((&CONTRACT, "photos-server")),
    ..SMALL
};

fn start() -> Result<SampleService, Failure> {
    Err(Failure::usage("unit tests start no service"))
}

static CONTRACT: Contract = Contract::of::<Photos>();
