//! The settings of `serve`. Order of precedence: flags, environment, defaults.

use std::fmt::Display;
use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::Args;

use crate::config::{CONNECTIONS, Config, LONGEST_RESPONSE, SECONDS};
use crate::error::{Error, ErrorKind};
use crate::log::{Format, Level};
use crate::network::Network;

/// The settings, as flags and environment variables.
#[derive(Debug, Default, Args)]
pub(super) struct Settings {
    /// Address of the service; port 0 picks a free port [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDR", env = "GATEWAY_LISTEN", value_parser = address)]
    pub(super) listen: Option<SocketAddr>,
    /// Address of /healthz, /readyz and /metrics. By default they are not served.
    #[arg(long, value_name = "ADDR", env = "GATEWAY_OPS_LISTEN", value_parser = address)]
    ops_listen: Option<SocketAddr>,
    /// Database: a file, created if it does not exist, or `postgres://USER@HOST/NAME`.
    #[arg(long, value_name = "FILE|URL", env = "GATEWAY_DATABASE", hide_env_values = true)]
    pub(super) database: Option<String>,
    /// Time to wait at start for a PostgreSQL database that cannot be reached, in seconds [default: 60]
    #[arg(long, value_name = "S", env = "GATEWAY_DATABASE_TIMEOUT", value_parser = number::<u64>)]
    database_timeout: Option<u64>,
    /// Path prefix before /c/oauth/v1.
    #[arg(long, value_name = "PATH", env = "GATEWAY_PREFIX")]
    prefix: Option<String>,
    /// Certificate chain in PEM. Together with --tls-key this serves HTTPS. SIGHUP reloads both files.
    #[arg(long, value_name = "FILE", env = "GATEWAY_TLS_CERTIFICATE")]
    tls_certificate: Option<PathBuf>,
    /// Private key of the first certificate, in PEM.
    #[arg(long, value_name = "FILE", env = "GATEWAY_TLS_KEY")]
    tls_key: Option<PathBuf>,
    /// Proxies whose X-Forwarded-For names the client: addresses or networks, separated by commas.
    #[arg(long, value_name = "ADDR|CIDR", env = "GATEWAY_TRUSTED_PROXY", value_delimiter = ',')]
    trusted_proxy: Option<Vec<Network>>,
    /// Sustained requests per second and token; 0 means no limit [default: 50]
    #[arg(long, value_name = "N", env = "GATEWAY_RATE", value_parser = number::<u32>)]
    rate: Option<u32>,
    /// Maximum number of open connections [default: 10000]
    #[arg(long, value_name = "N", env = "GATEWAY_CONNECTIONS", value_parser = number::<usize>)]
    connections: Option<usize>,
    /// Maximum number of open connections of one address, except this machine and trusted proxies [default: a quarter
    /// of --connections, at least 16]
    #[arg(long, value_name = "N", env = "GATEWAY_CONNECTIONS_PER_ADDRESS", value_parser = number::<usize>)]
    connections_per_address: Option<usize>,
    /// Timeout of a whole response, in seconds, at most 900 [default: 900]
    #[arg(long, value_name = "S", env = "GATEWAY_RESPONSE_TIMEOUT", value_parser = number::<u64>)]
    response_timeout: Option<u64>,
    /// Time for responses in progress to end at shutdown, in seconds [default: 30]
    #[arg(long, value_name = "S", env = "GATEWAY_DRAIN_TIMEOUT", value_parser = number::<u64>)]
    drain_timeout: Option<u64>,
    /// Time between SIGTERM and the end of accepting requests, in seconds; /readyz responds with 503 [default: 0]
    #[arg(long, value_name = "S", env = "GATEWAY_DRAIN_PAUSE", value_parser = number::<u64>)]
    drain_pause: Option<u64>,
    /// Log each request [default: true]
    #[arg(long, value_name = "BOOL", env = "GATEWAY_ACCESS_LOG")]
    access_log: Option<bool>,
    /// Form of the log on standard error; auto is text on a terminal, otherwise JSON [default: auto]
    #[arg(long, value_name = "FORMAT", env = "GATEWAY_LOG_FORMAT")]
    pub(super) log_format: Option<Format>,
    /// Least severe events that are logged; requests are info [default: info]
    #[arg(long, value_name = "LEVEL", env = "GATEWAY_LOG_LEVEL")]
    pub(super) log_level: Option<Level>,
}

impl Settings {
    /// Returns the configuration of the server.
    pub(super) fn config(&self) -> Result<Config, Error> {
        let mut config = Config::default();
        set(&mut config.listen, self.listen);
        config.ops_listen = self.ops_listen;
        set(&mut config.prefix, self.prefix.clone());
        let prefix = &config.prefix;
        if !prefix.is_empty() && (!prefix.starts_with('/') || prefix.contains(['?', '#', ' '])) {
            return Err(Error::new(
                ErrorKind::Config,
                "prefix must be a path that starts with / and has no query, fragment or space, such as /gateway",
            ));
        }
        config.tls = self.tls_certificate.clone().zip(self.tls_key.clone());
        if self.tls_certificate.is_some() != self.tls_key.is_some() {
            let help = "tls-certificate and tls-key must be set together";
            return Err(Error::new(ErrorKind::Config, help));
        }
        set(&mut config.trusted_proxies, self.trusted_proxy.clone());
        set(&mut config.rate, self.rate);
        config.burst = config.rate.saturating_mul(2);
        set(&mut config.connections, within("connections", self.connections, &CONNECTIONS)?);
        config.connections_per_address =
            within("connections-per-address", self.connections_per_address, &CONNECTIONS)?;
        // 0 is allowed: responses are then cut immediately.
        let drain = 0..=*SECONDS.end();
        for (name, timeout, own, range) in [
            (
                "response-timeout",
                &mut config.response_timeout,
                self.response_timeout,
                RESPONSE_SECONDS,
            ),
            ("drain-timeout", &mut config.drain_timeout, self.drain_timeout, drain),
        ] {
            set(timeout, within(name, own, &range)?.map(Duration::from_secs));
        }
        config.access_log = self.access_log.unwrap_or(true);
        Ok(config)
    }

    /// Returns the time to wait for the database at start.
    pub(super) fn database_wait(&self) -> Result<Duration, Error> {
        // 0 is allowed: the first failure is then final.
        let wait = within("database-timeout", self.database_timeout, &(0..=*SECONDS.end()))?;
        Ok(wait.map_or(DATABASE_WAIT, Duration::from_secs))
    }

    /// Returns the time between the signal to stop and the end of accepting requests.
    pub(super) fn drain_pause(&self) -> Result<Duration, Error> {
        let pause = within("drain-pause", self.drain_pause, &(0..=*SECONDS.end()))?;
        Ok(Duration::from_secs(pause.unwrap_or(0)))
    }
}

/// Reads an address. Its errors name the form.
fn address(text: &str) -> Result<SocketAddr, &'static str> {
    text.parse().map_err(|_error| {
        "expected an IP address and a port, such as 127.0.0.1:8080 or [::]:8080; names are not looked up"
    })
}

/// Reads a whole number. The range of the setting is checked later.
fn number<T: FromStr>(text: &str) -> Result<T, &'static str> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let expected = "expected a whole number, 0 or more";
    text.parse().map_err(|_error| if is_number { "the number is too large" } else { expected })
}

/// Replaces a default by a value that is set.
fn set<T>(setting: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *setting = value;
    }
}

/// Fails if a variable of a setting that no longer exists is set.
pub(super) fn refuse_former() -> Result<(), Error> {
    for (flag, advice) in FORMER {
        let variable = format!("GATEWAY_{}", flag.replace('-', "_").to_ascii_uppercase());
        if std::env::var_os(&variable).is_some() {
            let text = format!("cannot use {variable}: {advice}");
            return Err(Error::new(ErrorKind::Config, text));
        }
    }
    Ok(())
}

/// Returns what to do without a flag that no longer exists.
pub(super) fn former(flag: &str) -> Option<&'static str> {
    let flag = flag.strip_prefix("--")?;
    FORMER.iter().find(|(name, _)| *name == flag).map(|(_, advice)| *advice)
}

/// The settings of former releases, and what to do without them.
const FORMER: [(&str, &str); 11] = [
    ("config", "use flags or GATEWAY_… variables"),
    ("print-config", "use flags or GATEWAY_… variables; `serve --check` validates them"),
    ("burst", "bursts have twice the requests of --rate"),
    ("wrong-tokens", "the limit is 60 a minute"),
    ("responses-per-token", "the limit is an eighth of --connections, at least 4"),
    ("readers", "there are 8 readers"),
    ("statement-timeout", "the limit is 10 s"),
    ("head-timeout", "the limit is 10 s"),
    ("idle-timeout", "the limit is 60 s"),
    ("stall-timeout", "the limit is 30 s"),
    ("list-cache", "lists are not cached; clients that send If-None-Match get 304"),
];

/// Refuses a value that is out of range, with which the server might not answer any request.
fn within<T: PartialOrd + Display>(
    name: &str,
    own: Option<T>,
    range: &RangeInclusive<T>,
) -> Result<Option<T>, Error> {
    match own {
        Some(value) if !range.contains(&value) => {
            let (least, most) = (range.start(), range.end());
            let help = format!("{name} must be from {least} to {most}, not {value}");
            Err(Error::new(ErrorKind::Config, help))
        }
        own => Ok(own),
    }
}

/// Default time to wait for the database at start.
const DATABASE_WAIT: Duration = Duration::from_secs(60);

/// Range of the response timeout, in seconds. Superseded data may be removed after the longest response.
const RESPONSE_SECONDS: RangeInclusive<u64> = 1..=LONGEST_RESPONSE.as_secs();

#[cfg(test)]
mod tests {
    use clap::FromArgMatches as _;

    use super::*;

    fn settings(flags: &[&str]) -> Settings {
        let command = Settings::augment_args(clap::Command::new("serve").no_binary_name(true));
        Settings::from_arg_matches(&command.try_get_matches_from(flags).unwrap()).unwrap()
    }

    #[test]
    fn incomplete_settings_are_refused() {
        for flags in [["--tls-key", "k"], ["--prefix", "x"]] {
            let error = settings(&flags).config().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Config, "{flags:?}");
        }
        assert_eq!(settings(&["--rate", "7"]).config().unwrap().burst, 14);
    }

    #[test]
    fn out_of_range_settings_are_refused() {
        for [flag, value] in [
            ["--connections", "0"],
            ["--connections", "1000001"],
            ["--connections-per-address", "0"],
            ["--response-timeout", "901"],
            ["--drain-timeout", "86401"],
            ["--drain-timeout", "9223372036854775807"],
        ] {
            let error = settings(&[flag, value]).config().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Config, "{flag}");
            let text = error.to_string();
            let name = flag.trim_start_matches('-');
            assert!(text.starts_with(name) && text.ends_with(&format!("not {value}")), "{text}");
        }
        assert!(settings(&["--database-timeout", "86401"]).database_wait().is_err());
        assert!(settings(&["--drain-pause", "86401"]).drain_pause().is_err());
        let now = settings(&["--database-timeout", "0"]).database_wait().unwrap();
        assert_eq!(now, Duration::ZERO);
        for flags in [["--rate", "0"], ["--drain-timeout", "0"]] {
            settings(&flags).config().unwrap();
        }
    }
}
