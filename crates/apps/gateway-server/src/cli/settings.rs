//! The settings of `serve`. Order of precedence: flags, environment, defaults.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, RangedU64ValueParser, TypedValueParser as _};
use clap::{ArgAction, Args, value_parser};
use ipnet::IpNet;
use tracing_subscriber::filter::LevelFilter;

use crate::config::{Config, LONGEST_RESPONSE};
use crate::error::{Error, ErrorKind};

/// The settings, as flags and environment variables.
#[derive(Debug, Args)]
pub(super) struct Settings {
    /// Address of the service; port 0 picks a free port [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDR", env = "GATEWAY_LISTEN", value_parser = address,
        default_value = "127.0.0.1:8080", hide_default_value = true)]
    listen: SocketAddr,
    /// Address of /healthz, /readyz and /metrics. By default they are not served.
    #[arg(long, value_name = "ADDR", env = "GATEWAY_OPS_LISTEN", value_parser = address)]
    ops_listen: Option<SocketAddr>,
    /// Database: a file, created if it does not exist, or `postgres://USER@HOST/NAME`.
    #[arg(long, value_name = "FILE|URL", env = "GATEWAY_DATABASE", hide_env_values = true)]
    pub(super) database: Option<String>,
    /// Path prefix before /c/oauth/v1.
    #[arg(long, value_name = "PATH", env = "GATEWAY_PREFIX", value_parser = path,
        default_value = "", hide_default_value = true)]
    prefix: String,
    /// Certificate chain in PEM. Together with --tls-key this serves HTTPS. SIGHUP reloads both files.
    #[arg(long, value_name = "FILE", env = "GATEWAY_TLS_CERTIFICATE", requires = "tls_key")]
    tls_certificate: Option<PathBuf>,
    /// Private key of the first certificate, in PEM.
    #[arg(long, value_name = "FILE", env = "GATEWAY_TLS_KEY", requires = "tls_certificate")]
    pub(super) tls_key: Option<PathBuf>,
    /// Proxies whose X-Forwarded-For names the client: addresses or networks, separated by commas.
    #[arg(long, value_name = "ADDR|CIDR", env = "GATEWAY_TRUSTED_PROXY", value_parser = network,
        value_delimiter = ',')]
    trusted_proxy: Vec<IpNet>,
    /// Sustained requests per second and token; 0 means no limit [default: 50]
    #[arg(
        long,
        value_name = "N",
        env = "GATEWAY_RATE",
        default_value = "50",
        hide_default_value = true
    )]
    rate: u32,
    /// Maximum number of open connections [default: 10000]
    #[arg(long, value_name = "N", env = "GATEWAY_CONNECTIONS", value_parser = connections(),
        default_value = "10000", hide_default_value = true)]
    connections: usize,
    /// Maximum number of open connections from one address, except from this machine and trusted proxies [default: a
    /// quarter of --connections, at least 16]
    #[arg(long, value_name = "N", env = "GATEWAY_CONNECTIONS_PER_ADDRESS", value_parser = connections())]
    connections_per_address: Option<usize>,
    /// Timeout for a whole response, in seconds, at most 900 [default: 900]
    #[arg(long, value_name = "S", env = "GATEWAY_RESPONSE_TIMEOUT", value_parser = value_parser!(u64).range(1..=LONGEST_RESPONSE),
        default_value = "900", hide_default_value = true)]
    response_timeout: u64,
    /// Time for responses in progress to end at shutdown, in seconds [default: 30]
    #[arg(long, value_name = "S", env = "GATEWAY_DRAIN_TIMEOUT", value_parser = value_parser!(u64).range(..=DAY),
        default_value = "30", hide_default_value = true)]
    drain_timeout: u64,
    /// Log each request [default: true]
    #[arg(long, value_name = "BOOL", env = "GATEWAY_ACCESS_LOG", action = ArgAction::Set,
        default_value = "true", hide_default_value = true)]
    access_log: bool,
    /// Lowest severity to log; requests are logged at info [default: info]
    #[arg(long, value_name = "LEVEL", env = "GATEWAY_LOG_LEVEL",
        value_parser = PossibleValuesParser::new(LEVELS).try_map(|level| level.parse::<LevelFilter>()))]
    pub(super) log_level: Option<LevelFilter>,
}

impl Settings {
    /// Returns the configuration of the server.
    pub(super) fn config(&self) -> Config {
        Config {
            listen: self.listen,
            ops_listen: self.ops_listen,
            prefix: self.prefix.clone(),
            tls: self.tls_certificate.clone().zip(self.tls_key.clone()),
            trusted_proxies: self.trusted_proxy.clone(),
            rate: self.rate,
            burst: self.rate.saturating_mul(2),
            connections: self.connections,
            connections_per_address: self.connections_per_address,
            response_timeout: Duration::from_secs(self.response_timeout),
            drain_timeout: Duration::from_secs(self.drain_timeout),
            access_log: self.access_log,
            ..Config::default()
        }
    }
}

/// The levels of the log.
const LEVELS: [&str; 4] = ["off", "error", "warn", "info"];

/// Reads a maximum number of connections, up to the number of descriptors that a system can have.
fn connections() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..=1_000_000)
}

/// Reads an address. The error describes the expected form.
fn address(text: &str) -> Result<SocketAddr, &'static str> {
    text.parse().map_err(|_error| {
        "expected an IP address and a port, such as 127.0.0.1:8080 or [::]:8080; host names are not supported"
    })
}

/// Reads an address or a network. An IPv4-mapped IPv6 address is the IPv4 address.
fn network(text: &str) -> Result<IpNet, String> {
    let address = text.parse::<IpAddr>().map(|address| IpNet::from(address.to_canonical()));
    address.or_else(|_| text.parse::<IpNet>()).map_err(|_error| {
        "expected an IP address or a network, such as 192.0.2.1 or 10.0.0.0/8".to_owned()
    })
}

fn path(text: &str) -> Result<String, &'static str> {
    if text.is_empty() || text.starts_with('/') && !text.contains(['?', '#', ' ']) {
        return Ok(text.to_owned());
    }
    Err("expected a path that starts with / and has no query, fragment or space, such as /gateway")
}

/// Returns what to use instead of a flag that no longer exists.
pub(super) fn former(flag: &str) -> Option<&'static str> {
    let flag = flag.strip_prefix("--")?;
    FORMER.iter().find(|(name, _)| *name == flag).map(|(_, advice)| *advice)
}

/// Fails if the variable of a setting that no longer exists is set, because it may have limited or secured the server.
pub(super) fn refuse_former() -> Result<(), Error> {
    for (flag, advice) in FORMER {
        let variable = format!("GATEWAY_{}", flag.replace('-', "_").to_ascii_uppercase());
        if std::env::var_os(&variable).is_some() {
            return Err(Error::new(
                ErrorKind::Config,
                format!("cannot use {variable}: it was removed; {advice}"),
            ));
        }
    }
    Ok(())
}

/// Maximum time for responses to end, in seconds. Adding it to a clock cannot overflow.
const DAY: u64 = 24 * 60 * 60;

/// Former settings that have a replacement.
const FORMER: [(&str, &str); 8] = [
    ("config", "use flags or GATEWAY_… variables"),
    ("print-config", "use flags or GATEWAY_… variables; `serve --check` validates them"),
    ("burst", "bursts may have up to twice --rate requests"),
    ("responses-per-token", "the limit is an eighth of --connections, at least 4"),
    ("drain-pause", "delay the signal instead, for example with a Kubernetes preStop hook"),
    ("log-format", "the log is text on a terminal, otherwise JSON"),
    ("list-cache", "lists are not cached; clients that send If-None-Match get 304"),
    ("replace", "move the database and its log (FILE-wal) away, then restore"),
];

#[cfg(test)]
mod tests {
    use clap::FromArgMatches as _;

    use super::*;

    fn settings(flags: &[&str]) -> Result<Settings, clap::Error> {
        let command = Settings::augment_args(clap::Command::new("serve").no_binary_name(true));
        Settings::from_arg_matches(&command.try_get_matches_from(flags)?)
    }

    #[test]
    fn the_defaults_are_those_of_a_server() {
        let (flags, config) = (settings(&[]).unwrap(), Config::default());
        let own = Config { access_log: false, clock: config.clock.clone(), ..flags.config() };
        assert_eq!(format!("{own:?}"), format!("{config:?}"));
        assert_eq!(settings(&["--rate", "7"]).unwrap().config().burst, 14);
    }

    #[test]
    fn incomplete_and_out_of_range_settings_are_refused() {
        for [flag, value] in [
            ["--connections", "1000001"],
            ["--connections-per-address", "0"],
            ["--drain-timeout", "86401"],
            ["--drain-timeout", "9223372036854775807"],
        ] {
            settings(&[flag, value]).expect_err(flag);
        }
        for flag in ["--rate", "--drain-timeout"] {
            settings(&[flag, "0"]).expect(flag);
        }
    }
}
