//! `gateway-server serve`.

use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::parser::ValueSource;
use clap::{ArgMatches, Args};
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::cli::settings::Settings;
use crate::cli::{complain, descriptors, note, open_or_make, print};
use crate::config::Config;
use crate::error::Error;
use crate::server::{RunningServer, Server};
use crate::store::Store;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Serve sample data from a temporary database, and print a URL and a token for the shell.
    #[arg(long)]
    demo: bool,
    /// Read settings from a TOML file; its keys are the names of the flags.
    #[arg(long, value_name = "FILE", env = "GATEWAY_CONFIG")]
    config: Option<PathBuf>,
    /// Print the effective configuration and serve nothing.
    #[arg(long)]
    print_config: bool,
    #[command(flatten)]
    settings: Settings,
}

/// Refuses `--demo` beside `--database`. A database that only stands in the environment is for the other commands.
pub(super) fn check(matches: &ArgMatches) -> Result<(), clap::Error> {
    let given = matches.value_source("database") == Some(ValueSource::CommandLine);
    if matches.get_flag("demo") && given {
        let text = "the argument '--demo' cannot be used with '--database <FILE|URL>'";
        return Err(clap::Error::raw(clap::error::ErrorKind::ArgumentConflict, text));
    }
    Ok(())
}

pub(super) fn run(arguments: Arguments) -> Result<(), Error> {
    let Arguments { demo, config: file, print_config, settings } = arguments;
    let settings = match file {
        Some(file) => settings.or(Settings::from_file(&file)?),
        None => settings,
    };
    if print_config {
        return print(&settings.show(&settings.config()?));
    }
    let mut config = settings.config()?;
    if let Some(text) = descriptors::fit(&mut config)? {
        note(&format!("gateway-server: {text}"));
    }
    // Before there is a runtime: opening a database blocks.
    let budget = config.statement_timeout;
    let store = if demo { None } else { Some(open_or_make(settings.database.as_deref(), budget)?) };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let served = runtime.block_on(serve(store, config));
    // What still waits for a database that does not answer would otherwise hold the process up for as long.
    runtime.shutdown_timeout(LEAVE_WITHIN);
    served
}

/// Serves the store, or sample data if there is none.
async fn serve(store: Option<Arc<dyn Store>>, mut config: Config) -> Result<(), Error> {
    // Before the address is printed: who has read it may send the signal.
    let mut terminate = signal(SignalKind::terminate())?;
    // Without certificates this one means what it means to any other program.
    let hangup = config.tls.is_some().then(|| signal(SignalKind::hangup())).transpose()?;
    let (running, directory) = if let Some(store) = store {
        let running = Server::new(config, store).start().await?;
        print(&format!("listening on {}\n", running.base_url()))?;
        if let Some(address) = running.ops_address() {
            print(&format!("health and metrics on http://{address}\n"))?;
        }
        (running, None)
    } else {
        config.access_log = false;
        let (running, token, directory) = crate::demo::serve(config).await?;
        print(&exports(&running, token.reveal()))?;
        (running, Some(directory))
    };
    tokio::select! {
        asked = asked_to_stop(&mut terminate) => asked?,
        never = renew(&running, hangup) => match never {},
    }
    // A second signal does not wait for answers.
    tokio::select! {
        _drained = running.stop() => {}
        asked = asked_to_stop(&mut terminate) => asked?,
    }
    drop(directory);
    Ok(())
}

/// Reads the certificates again whenever it is asked to.
async fn renew(running: &RunningServer, hangup: Option<Signal>) -> Infallible {
    if let Some(mut hangup) = hangup {
        while hangup.recv().await.is_some() {
            match running.renew_certificates() {
                Ok(()) => note("gateway-server: the certificates were read again"),
                Err(error) => complain(&error),
            }
        }
    }
    std::future::pending().await
}

async fn asked_to_stop(terminate: &mut Signal) -> Result<(), Error> {
    tokio::select! {
        _signal = terminate.recv() => {}
        interrupted = tokio::signal::ctrl_c() => interrupted?,
    }
    Ok(())
}

/// Two lines for `eval "$(…)"`. Neither value can hold a quote: one is an address, the other base64url.
fn exports(running: &RunningServer, token: &str) -> String {
    format!("export GATEWAY_BASE_URL='{}'\nexport GATEWAY_TOKEN='{token}'\n", running.base_url())
}

/// A thread that is reading has so long to end. Nothing is lost with it: the service only reads.
const LEAVE_WITHIN: Duration = Duration::from_secs(1);
