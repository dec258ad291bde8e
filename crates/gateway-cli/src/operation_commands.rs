//! The commands that call the operations of a service: what generated code implements.

use clap::Subcommand;
use gateway_client::model::Operation;
use gateway_client::model::service::RecruitmentGateway;

use crate::failure::Failure;
use crate::operation::Parameters;
use crate::session::Session;

/// The commands that call the operations of a service. Generated code implements it.
pub(crate) trait OperationCommands: Subcommand {
    /// The cheapest operation, which checks whether the service accepts a token.
    type Probe: Operation<Service = RecruitmentGateway>;

    /// Names from the service, as examples in the help.
    const EXAMPLE: Example;

    /// Returns the parameters of the call that checks a token.
    fn probe() -> Parameters;

    /// Calls the service and prints the response.
    fn run(self, session: &Session) -> Result<(), Failure>;
}

/// Names from a service, as examples in the help.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Example {
    /// The words of a command, such as `albums list`.
    pub(crate) command: &'static str,
    /// A method, such as `albums/list`.
    pub(crate) method: &'static str,
    /// Some fields of a record, separated by commas, such as `id,title`.
    pub(crate) fields: &'static str,
}
