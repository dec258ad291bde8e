//! The command line.

use clap::{Parser, ValueEnum};

use crate::generated::commands::OperationCommand;
use crate::settings::Settings;

/// Candidates, vacancies and SMS credits of a recruitment gateway.
#[derive(Debug, Parser)]
#[command(name = "gateway", version, propagate_version = true, after_help = AFTER_HELP)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) settings: Settings,
    #[command(subcommand)]
    pub(crate) command: OperationCommand,
}

/// How answers are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Columns for a person.
    Table,
    /// One JSON document, with everything that the service sent.
    Json,
}

const AFTER_HELP: &str = "\
Examples:
  gateway --demo candidates list
  gateway candidates list --vacancy-id 101 --status Shortlist
  gateway vacancies list -o json

The access token comes from GATEWAY_TOKEN, never from a flag.

Exit codes:
  0  done
  2  usage or configuration
  3  not authorised
  4  network or timeout
  5  the service answered something that is not the contract
  6  done, but some records could not be read";
