//! The commands of the program. Those of the service's operations are generated.

use clap::Subcommand;

use crate::command::api::ApiFlags;
use crate::command::auth::AuthCommand;
use crate::command::check::CheckFlags;
use crate::command::completions::CompletionsFlags;
use crate::command::config::ConfigCommand;
use crate::command::help::HelpFlags;
use crate::command::man::ManFlags;
use crate::config::flags::ServiceFlags;
use crate::failure::Failure;
use crate::generated::commands::OperationCommand;
use crate::output::flags::OutputFlags;
use crate::screen::Screen;
use crate::session::Session;

mod api;
mod auth;
mod check;
mod completions;
mod config;
mod find;
mod help;
mod man;
mod print;
mod version;

/// What the program can do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[command(flatten)]
    Operation(OperationCommand),
    /// Ask by a method name of your own: whatever the service knows, as it comes.
    Api(ApiFlags),
    /// Store, look at and remove the access token of a profile.
    #[command(subcommand)]
    Auth(AuthCommand),
    /// Look at and change settings.
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Check whether the service keeps its contract, with some forty requests that change nothing.
    ///
    /// Each check names its source: a section of the service text or of an RFC, or a decision about what the text leaves
    /// open, which is only reported unless --strict is given. Exit code 5 when a check fails.
    Check(CheckFlags),
    /// Print the completions of a shell.
    Completions(CompletionsFlags),
    /// Print the help of a command.
    Help(HelpFlags),
    /// Print the manual page.
    Man(ManFlags),
    /// Print the version, and what this program was built with.
    Version,
}

/// Runs a command. `program` has all commands and flags, for the commands that show them.
pub(crate) fn run(
    command: Command,
    service: &ServiceFlags,
    output: &OutputFlags,
    screen: Screen,
    program: clap::Command,
) -> Result<(), Failure> {
    let session = || Session::open(service, output, screen);
    match command {
        Command::Operation(operation) => operation.run(&session()?),
        Command::Api(flags) => api::run(&session()?, flags),
        Command::Check(flags) => check::run(&session()?, &flags),
        Command::Auth(command) => auth::run(command, service, output, screen),
        Command::Config(command) => config::run(command, service, output, screen),
        Command::Completions(flags) => completions::run(&flags, program, output),
        Command::Help(flags) => help::run(&flags, program, output, screen),
        Command::Man(flags) => man::run(&flags, program, output),
        Command::Version => version::run(output, screen),
    }
}
