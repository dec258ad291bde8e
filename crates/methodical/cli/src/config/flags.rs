//! The service flags, which every command takes.

use std::path::PathBuf;

use clap::{ArgAction, Args};
use methodical_client::AccessToken;

use crate::number::seconds;

/// The service to call, and the token to call it with.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Service")]
pub(crate) struct ServiceFlags {
    /// Base URL of the service (or `{PROGRAM}_BASE_URL`).
    #[arg(long, global = true, value_name = "URL")]
    pub(crate) base_url: Option<String>,

    /// Profile with the settings to use (or `{PROGRAM}_PROFILE`).
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) profile: Option<String>,

    /// Read the access token from a file that only you can read; `-` is standard input (or `{PROGRAM}_TOKEN_FILE`).
    #[arg(long, global = true, value_name = "FILE", conflicts_with = "token_stdin")]
    pub(crate) token_file: Option<PathBuf>,

    /// Read the access token from standard input.
    #[arg(long, global = true)]
    pub(crate) token_stdin: bool,

    /// Allow unencrypted http to remote hosts (exposes the token).
    #[arg(long, global = true)]
    pub(crate) allow_insecure_http: bool,

    /// Time limit for each call, including its retries.
    ///
    /// Default: 60 s for a call including its retries, 30 s for each attempt, one hour for a list until its last record,
    /// and 20 s without any byte from the service. `check` applies the limit to each of its requests. Connecting may take
    /// 5 s in each attempt, regardless of this limit.
    #[arg(long, global = true, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<u64>,

    /// The mirror to read in place of the service. Its flag exists only in programs that can have one.
    #[arg(skip)]
    pub(crate) from: Option<String>,

    /// The token in the configuration of a connector.
    #[arg(skip)]
    pub(crate) configured_token: Option<AccessToken>,

    /// Maximum size of one record of a list [default: 1]. Larger records are skipped.
    #[arg(long, global = true, value_name = "MIB", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) record_limit: Option<u16>,
}

/// How to call the service.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Service")]
pub(crate) struct CallFlags {
    /// Whether the sample service is used. Its flag exists only in programs that have one.
    #[arg(skip)]
    pub(crate) demo: bool,

    /// Do not request compressed responses. They are never requested from a service on this machine.
    #[arg(long, global = true)]
    pub(crate) no_compression: bool,

    /// Print the request as a `curl` command and send nothing.
    #[arg(long, global = true)]
    pub(crate) dry_run: bool,

    /// Log requests and responses to standard error, with sizes and times; -vv adds the headers. Tokens are never logged.
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub(crate) verbose: u8,
}
