//! The command line.

use clap::{Parser, Subcommand};

use crate::command::api::ApiFlags;
use crate::command::auth::AuthCommand;
use crate::command::check::CheckFlags;
use crate::command::completions::CompletionsFlags;
use crate::command::config::ConfigCommand;
use crate::command::man::ManFlags;
use crate::flags::{OutputFlags, ServiceFlags};
use crate::generated::commands::OperationCommand;

/// Candidates, vacancies and SMS credits of a recruitment gateway.
#[derive(Debug, Parser)]
#[command(
    name = "gateway",
    version,
    propagate_version = true,
    after_help = AFTER_HELP,
    after_long_help = AFTER_LONG_HELP,
    disable_help_subcommand = true,
    max_term_width = 100
)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) output: OutputFlags,
    #[command(flatten)]
    pub(crate) service: ServiceFlags,
    #[command(subcommand)]
    pub(crate) command: Command,
}

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
    /// Print the manual page.
    Man(ManFlags),
    /// Print the version, and what this program was built with.
    Version,
}

/// Reads a number that the service takes as it is written.
pub(crate) fn whole_number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_foreign| "write a whole number, such as 101".to_owned())
}

const AFTER_HELP: &str = "\
Examples:
  gateway --demo candidates list                    try it, with sample data
  gateway candidates list --vacancy-id 101 --status Shortlist
  gateway candidates list --output-file candidates.csv --excel
  gateway credits get -o json

`gateway --help` says more: where the token comes from, exit codes, environment.";

const AFTER_LONG_HELP: &str = "\
Examples:
  gateway --demo candidates list
  gateway --demo candidates list --vacancy-id 101 --status Shortlist
  gateway --demo candidates list --fields id,name,portal.name --sort -date
  gateway --demo candidates list --filter portal.name=Indeed -o ndjson
  gateway --demo vacancies list -o csv
  gateway --demo api vacancies/list
  gateway --demo credits get --dry-run

Access token, from the first of these that is there:
  --token-file FILE, --token-stdin
  GATEWAY_TOKEN, GATEWAY_TOKEN_FILE
  token-command, then token-file of the profile
  what `gateway auth login` stored: in the keyring, or in a file that only you can read

Settings, from the first of these that is there (`gateway config list --origin` shows which):
  the flag
  the environment
  the profile

Environment:
  GATEWAY_BASE_URL    the base URL of the service
  GATEWAY_PROFILE     the profile
  GATEWAY_TOKEN       the access token
  GATEWAY_TOKEN_FILE  a file with the access token
  NO_COLOR            no colours
  CI                  no progress line

Exit codes:
  0    done
  1    the output could not be written, such as to a full disk
  2    usage or configuration
  3    not authorised
  4    network or timeout
  5    the service answered something that is not the contract
  6    done, but some records could not be read; standard error lists them
  129  hung up
  130  interrupted
  143  terminated";
