//! The commands `gateway-server serve`, and `gateway-server health`: a probe for images that contain no other program.

use std::convert::Infallible;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use clap::parser::ValueSource;
use clap::{ArgMatches, Args};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use sd_notify::NotifyState;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tracing_subscriber::filter::LevelFilter;

use crate::cli::database::{exposed, open, warn_if_exposed};
use crate::cli::settings::{Settings, refuse_former};
use crate::cli::{note_notice, print};
use crate::config::Config;
use crate::error::{Error, ErrorKind, with_causes};
use crate::log::Log;
use crate::server::{RunningServer, Server};
use crate::store::Store;
#[cfg(feature = "opentelemetry")]
use crate::traces;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Serve sample data from memory, and print a URL and a token as shell exports.
    #[arg(long)]
    demo: bool,
    /// Validate the settings, the certificates and the database, and exit.
    #[arg(long, conflicts_with = "demo")]
    check: bool,
    #[command(flatten)]
    settings: Settings,
}

/// Refuses `--demo` together with `--database`. A database from the environment is ignored: other commands use it.
pub(super) fn check(matches: &ArgMatches) -> Result<(), clap::Error> {
    let given = matches.value_source("database") == Some(ValueSource::CommandLine);
    if matches.get_flag("demo") && given {
        let text = "the argument '--demo' cannot be used with '--database <FILE|URL>'";
        return Err(clap::Error::raw(clap::error::ErrorKind::ArgumentConflict, text));
    }
    Ok(())
}

/// Serves until a signal stops the server. Invalid settings are an error; later failures are logged.
pub(super) fn run(arguments: Arguments) -> Result<ExitCode, Error> {
    let Arguments { demo, check, settings } = arguments;
    refuse_former()?;
    if SystemTime::now() < UNIX_EPOCH {
        // `hyper` panics when it writes the date of a response.
        let text = "the system clock is set before 1970; correct it";
        return Err(Error::new(ErrorKind::Config, text));
    }
    let config = settings.config();
    #[cfg(feature = "opentelemetry")]
    let export = traces::Export::from_environment()?;
    #[cfg(feature = "opentelemetry")]
    let config =
        Config { on_end: if export.is_some() { Some(traces::export) } else { None }, ..config };
    if check {
        validate(&settings, &config)?;
        return Ok(ExitCode::SUCCESS);
    }
    // Users who try the demo read its output.
    let usual = if demo { LevelFilter::WARN } else { LevelFilter::INFO };
    let level = settings.log_level.unwrap_or(usual);
    let log = Log::install(level)?;
    let config = Config { log_lines_dropped: log.dropped(), ..config };
    let served = open_and_serve(demo, &settings, config);
    #[cfg(feature = "opentelemetry")]
    export.iter().for_each(traces::Export::stop);
    if let Err(error) = &served {
        if level == LevelFilter::OFF {
            note_notice(&with_causes(error));
        }
        tracing::error!(event = "failed", cause = with_causes(error));
    }
    log.wait(LOG_FLUSH);
    Ok(served.map_or_else(|error| ExitCode::from(error.kind().exit_code()), |()| ExitCode::SUCCESS))
}

/// Opens the certificates and the database, which must exist, as a server does.
fn validate(settings: &Settings, config: &Config) -> Result<(), Error> {
    crate::server::acceptor(config)?;
    open(settings.database.as_deref(), false, Duration::ZERO, note_notice)?.health()?;
    warn_if_exposed([settings.tls_key.as_deref(), settings.database.as_deref().map(Path::new)]);
    print("the settings, the certificates and the database are valid\n")
}

fn open_and_serve(demo: bool, settings: &Settings, mut config: Config) -> Result<(), Error> {
    fit_descriptors(&mut config);
    // Done before the runtime exists, because opening a database blocks.
    let notice = |text: &str| tracing::warn!(event = "database_notice", detail = text);
    let open = || open(settings.database.as_deref(), true, DATABASE_WAIT, notice);
    let store = (!demo).then(open).transpose()?.map(Arc::new);
    let database = settings.database.as_deref().filter(|_| !demo).map(Path::new);
    for text in exposed([settings.tls_key.as_deref(), database]) {
        tracing::warn!(event = "file_exposed", detail = text);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let served = runtime.block_on(serve(store, config));
    // Without a timeout, a thread that waits for an unreachable database would keep the process alive.
    runtime.shutdown_timeout(RUNTIME_SHUTDOWN);
    served
}

/// Serves `store`, or sample data if it is `None`.
async fn serve(store: Option<Arc<Store>>, mut config: Config) -> Result<(), Error> {
    let started = Instant::now();
    // Done before the address is printed, because a process that reads the address may send a signal.
    let (mut terminate, mut interrupt) =
        (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let mut stopped = async || {
        tokio::select! {
            _signal = terminate.recv() => "SIGTERM",
            _signal = interrupt.recv() => "SIGINT",
        }
    };
    let encrypted = config.tls.is_some();
    let hangup = signal(SignalKind::hangup())?;
    let (text, running) = if let Some(store) = store {
        let running = Server::new(config, store).start().await?;
        let ops = running.ops_address().map(|at| format!("health and metrics on http://{at}\n"));
        (format!("listening on {}\n{}", running.base_url(), ops.unwrap_or_default()), running)
    } else {
        config.access_log = false;
        let (running, data) = crate::demo::serve(config).await?;
        (exports(&running, data.token.reveal()), running)
    };
    tracing::info!(
        event = "started",
        version = env!("CARGO_PKG_VERSION"),
        pid = std::process::id(),
        url = running.base_url(),
        ops = running.ops_address().map(tracing::field::display),
    );
    print(&text)?;
    // A supervisor that cannot be reached will notice it anyway.
    drop(sd_notify::notify(&[NotifyState::Ready]));
    let signal = tokio::select! {
        signal = stopped() => signal,
        never = renew(&running, hangup, encrypted) => match never {},
    };
    drop(sd_notify::notify(&[NotifyState::Stopping]));
    tracing::info!(event = "stopping", signal);
    // The next signal ends the process without waiting for responses.
    let drained = tokio::select! {
        drained = running.stop() => drained,
        _signal = stopped() => false,
    };
    tracing::info!(event = "stopped", drained, uptime = started.elapsed().as_secs_f64());
    Ok(())
}

/// Reads the certificates again on every SIGHUP. Without certificates, the signal has no effect.
async fn renew(running: &RunningServer, mut hangup: Signal, encrypted: bool) -> Infallible {
    while hangup.recv().await.is_some() {
        if !encrypted {
            continue;
        }
        match running.renew_certificates() {
            Ok(()) => {
                tracing::info!(event = "certificates_renewed", detail = "new connections use them");
            }
            Err(error) => {
                tracing::error!(event = "certificates_unchanged", cause = with_causes(&error));
            }
        }
    }
    std::future::pending().await
}

/// Returns two lines for `eval "$(…)"`. A token never contains a quote, but the prefix of the URL might.
fn exports(running: &RunningServer, token: &str) -> String {
    let base_url = running.base_url().replace('\'', r"'\''");
    format!("export GATEWAY_BASE_URL='{base_url}'\nexport GATEWAY_TOKEN='{token}'\n")
}

/// Maximum wait at start for a PostgreSQL database that cannot be reached.
const DATABASE_WAIT: Duration = Duration::from_secs(60);

/// Maximum time to write the rest of the log when the program ends.
const LOG_FLUSH: Duration = Duration::from_secs(1);

/// Maximum time for blocking threads to end. Nothing is lost if they do not, because the service only reads.
const RUNTIME_SHUTDOWN: Duration = Duration::from_secs(1);

/// Raises the limit of open files as far as the system allows, and caps the number of connections to fit below it.
/// Otherwise, an additional connection could take the descriptor that the database needs to serve the others.
fn fit_descriptors(config: &mut Config) {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).unwrap_or_default();
    let Some(limit) = getrlimit(Resource::Nofile).current else { return };
    let fitting = usize::try_from(limit).unwrap_or(usize::MAX).saturating_sub(DESCRIPTORS).max(1);
    let wanted = config.connections;
    if fitting < wanted {
        config.connections = fitting;
        let detail = format!(
            "serving at most {fitting} connections, not {wanted}: the process may open only {limit} files; raise the limit (ulimit -Hn), or lower --connections"
        );
        tracing::warn!(event = "connections_limited", detail);
    }
}

/// Descriptors for everything except connections, such as the database, the listeners and refusals in progress.
const DESCRIPTORS: usize = 150;

#[derive(Debug, Args)]
pub(super) struct HealthArguments {
    /// Address that `serve` uses as --ops-listen.
    #[arg(long, value_name = "ADDR", env = "GATEWAY_OPS_LISTEN")]
    ops_listen: SocketAddr,
}

/// Succeeds if the server is ready.
pub(super) fn health(arguments: &HealthArguments) -> Result<(), Error> {
    // The system treats an unspecified address as this machine.
    let address = arguments.ops_listen;
    let response = ask(address).map_err(|error| {
        let context = format!("cannot reach the server on {address}");
        Error::caused(ErrorKind::Io, context, error)
    })?;
    let text = String::from_utf8_lossy(&response);
    if text.starts_with("HTTP/1.1 200 ") {
        return Ok(());
    }
    let reason = text.split_once("\r\n\r\n").map_or("no response", |(_head, body)| body.trim());
    Err(Error::new(ErrorKind::Io, format!("the server on {address} is not ready: {reason}")))
}

/// Returns the first bytes of the response of `/readyz`.
fn ask(address: SocketAddr) -> std::io::Result<Vec<u8>> {
    let mut socket = TcpStream::connect_timeout(&address, PROBE_TIMEOUT)?;
    socket.set_read_timeout(Some(PROBE_TIMEOUT))?;
    socket.set_write_timeout(Some(PROBE_TIMEOUT))?;
    let request = format!("GET /readyz HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    socket.write_all(request.as_bytes())?;
    let mut response = Vec::new();
    socket.take(MAX_RESPONSE).read_to_end(&mut response)?;
    Ok(response)
}

/// Timeout of connecting, and of each read. The server itself responds within two seconds.
const PROBE_TIMEOUT: Duration = Duration::from_secs(4);

/// Maximum length of a response, in bytes.
const MAX_RESPONSE: u64 = 4096;
