//! `gateway-server serve`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;
use tokio::signal::unix::{SignalKind, signal};

use super::print;
use crate::config::Config;
use crate::error::{Error, ErrorKind};
use crate::server::{RunningServer, Server};
use crate::store::sqlite::SqliteStore;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Serve sample data from a temporary database, and print a URL and a token for the shell.
    #[arg(long, conflicts_with = "database")]
    demo: bool,

    /// Where to listen; port 0 takes a free one.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,

    /// The database file. It is made if it does not exist.
    #[arg(long, value_name = "FILE", env = "GATEWAY_DATABASE")]
    database: Option<PathBuf>,
}

pub(super) fn run(arguments: Arguments) -> Result<(), Error> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(serve(arguments))
}

async fn serve(arguments: Arguments) -> Result<(), Error> {
    let config = Config { listen: arguments.listen, ..Config::default() };
    // Before the address is printed: who has read it may send the signal.
    let mut terminate = signal(SignalKind::terminate())?;
    let (running, directory) = if arguments.demo {
        let (running, token, directory) = crate::demo::serve(config).await?;
        print(&exports(&running, token.reveal()))?;
        (running, Some(directory))
    } else {
        let database = arguments.database.ok_or_else(|| {
            let help = "no database: set --database FILE or GATEWAY_DATABASE, or try --demo";
            Error::new(ErrorKind::Config, help)
        })?;
        let running = Server::new(config, SqliteStore::open(database)?).start().await?;
        print(&format!("listening on {}\n", running.base_url()))?;
        (running, None)
    };
    tokio::select! {
        _signal = terminate.recv() => {}
        interrupted = tokio::signal::ctrl_c() => interrupted?,
    }
    // A second signal does not wait for answers.
    tokio::select! {
        _drained = running.stop() => {}
        _signal = terminate.recv() => {}
        interrupted = tokio::signal::ctrl_c() => interrupted?,
    }
    drop(directory);
    Ok(())
}

/// Two lines for `eval "$(…)"`. Neither value can hold a quote: one is an address, the other base64url.
fn exports(running: &RunningServer, token: &str) -> String {
    format!("export GATEWAY_BASE_URL='{}'\nexport GATEWAY_TOKEN='{token}'\n", running.base_url())
}
