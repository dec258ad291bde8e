//! The service flags that every command takes.

use std::path::PathBuf;

use clap::{ArgAction, Args};

use crate::number::seconds;

/// Which service is asked, and with which token.
#[cfg_attr(feature = "demo", expect(clippy::struct_excessive_bools, reason = "each is a flag"))]
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Service")]
pub(crate) struct ServiceFlags {
    /// The base URL of the service (or `GATEWAY_BASE_URL`).
    #[arg(long, global = true, value_name = "URL")]
    pub(crate) base_url: Option<String>,

    /// The profile with the settings to use (or `GATEWAY_PROFILE`).
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) profile: Option<String>,

    /// Read the access token from a file that only you can read; `-` is standard input (or `GATEWAY_TOKEN_FILE`).
    #[arg(long, global = true, value_name = "FILE", conflicts_with = "token_stdin")]
    pub(crate) token_file: Option<PathBuf>,

    /// Read the access token from standard input.
    #[arg(long, global = true)]
    pub(crate) token_stdin: bool,

    /// Allow plain http to another machine, over which the token can be read.
    #[arg(long, global = true)]
    pub(crate) allow_insecure_http: bool,

    /// Wait at most this long for an answer, with retries; for a list, until its last record.
    ///
    /// Without it, an answer may take 60 s, each of its attempts 30 s, and a list one hour.
    #[arg(long, global = true, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<u64>,

    /// Ask a sample service that runs only for this command.
    #[cfg(feature = "demo")]
    #[arg(long, global = true)]
    pub(crate) demo: bool,

    /// Print the request as a `curl` command and send nothing.
    #[arg(long, global = true)]
    pub(crate) dry_run: bool,

    /// Say on standard error what is sent and what comes back, how much and how fast; -vv says the headers too. Never the
    /// token.
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub(crate) verbose: u8,
}

impl ServiceFlags {
    /// Returns whether the sample service is asked.
    #[cfg_attr(
        not(feature = "demo"),
        expect(clippy::unused_self, reason = "this program has no sample service")
    )]
    pub(crate) const fn is_demo(&self) -> bool {
        #[cfg(feature = "demo")]
        let demo = self.demo;
        #[cfg(not(feature = "demo"))]
        let demo = false;
        demo
    }
}
