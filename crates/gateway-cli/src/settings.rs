//! Which service is asked, and how the answer is printed.

use clap::Args;
use gateway_client::{AccessToken, blocking};

use crate::args::Format;
use crate::failure::Failure;

/// The flags of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of every command")]
pub(crate) struct Settings {
    /// The base URL of the service, such as `https://gateway.example.com`.
    #[arg(long, global = true, value_name = "URL", env = "GATEWAY_BASE_URL")]
    base_url: Option<String>,

    /// Print as this format.
    #[arg(short, long, global = true, value_name = "FORMAT", default_value = "table")]
    pub(crate) output: Format,

    /// Ask a sample service that runs only for this command.
    #[cfg(feature = "demo")]
    #[arg(long, global = true)]
    demo: bool,
}

/// Where a client sends its calls. What it holds lives as long as the calls.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) client: blocking::Client,
    #[cfg(feature = "demo")]
    _demo: Option<gateway_server::demo::Demo>,
}

impl Settings {
    /// Makes the client, and starts the sample service if it is asked for.
    pub(crate) fn connect(&self) -> Result<Connection, Failure> {
        #[cfg(feature = "demo")]
        if self.demo {
            let demo = gateway_server::demo::start().map_err(|error| {
                Failure::usage(format!("the sample service does not start: {error}"))
            })?;
            let client = client(demo.base_url(), demo.token())?;
            return Ok(Connection { client, _demo: Some(demo) });
        }
        let base_url = self.base_url.as_deref().filter(|url| !url.is_empty()).ok_or_else(|| {
            Failure::usage(format!("no base URL: set GATEWAY_BASE_URL or --base-url{OR_DEMO}"))
        })?;
        let token =
            std::env::var(TOKEN).ok().filter(|token| !token.is_empty()).ok_or_else(|| {
                Failure::usage(format!("no access token: set GATEWAY_TOKEN{OR_DEMO}"))
            })?;
        Ok(Connection {
            client: client(base_url, token.trim_end())?,
            #[cfg(feature = "demo")]
            _demo: None,
        })
    }
}

fn client(base_url: &str, token: &str) -> Result<blocking::Client, Failure> {
    Ok(blocking::Client::builder(base_url).token(AccessToken::new(token)?).build()?)
}

const TOKEN: &str = "GATEWAY_TOKEN";

const OR_DEMO: &str =
    if cfg!(feature = "demo") { ", or try --demo for a sample service" } else { "" };
