//! The settings of `serve`. Order of precedence: flags, environment, file, defaults.

use std::fmt::Display;
use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use serde::{Deserialize, Serialize};

use crate::cli::database::masked;
use crate::config::{CONNECTIONS, Config, LONGEST_RESPONSE, READERS, SECONDS};
use crate::error::{Error, ErrorKind};
use crate::log::{Format, Level};
use crate::network::Network;

/// The settings as flags, environment variables and keys of the file, in one struct so that all three stay the same.
#[derive(Debug, Default, Args, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
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
    /// Proxies whose Forwarded or X-Forwarded-For names the client: addresses or networks, separated by commas.
    #[arg(long, value_name = "ADDR|CIDR", env = "GATEWAY_TRUSTED_PROXY", value_delimiter = ',')]
    trusted_proxy: Option<Vec<Network>>,
    /// Sustained requests per second and token; 0 means no limit [default: 50]
    #[arg(long, value_name = "N", env = "GATEWAY_RATE", value_parser = number::<u32>)]
    rate: Option<u32>,
    /// Maximum burst of requests per token [default: 100]
    #[arg(long, value_name = "N", env = "GATEWAY_BURST", value_parser = number::<u32>)]
    burst: Option<u32>,
    /// Wrong tokens per minute and client address; 0 means no limit [default: 60]
    #[arg(long, value_name = "N", env = "GATEWAY_WRONG_TOKENS", value_parser = number::<u32>)]
    wrong_tokens: Option<u32>,
    /// Maximum number of open connections [default: 10000]
    #[arg(long, value_name = "N", env = "GATEWAY_CONNECTIONS", value_parser = number::<usize>)]
    connections: Option<usize>,
    /// Maximum number of open connections of one address, except this machine and trusted proxies [default: a quarter
    /// of --connections, at least 16]
    #[arg(long, value_name = "N", env = "GATEWAY_CONNECTIONS_PER_ADDRESS", value_parser = number::<usize>)]
    connections_per_address: Option<usize>,
    /// Maximum number of lists that are sent concurrently with one token [default: an eighth of --connections, at least 4]
    #[arg(long, value_name = "N", env = "GATEWAY_RESPONSES_PER_TOKEN", value_parser = number::<usize>)]
    responses_per_token: Option<usize>,
    /// Maximum number of concurrent database readers [default: 8]
    #[arg(long, value_name = "N", env = "GATEWAY_READERS", value_parser = number::<usize>)]
    readers: Option<usize>,
    /// Timeout of one database statement, in seconds [default: 10]
    #[arg(long, value_name = "S", env = "GATEWAY_STATEMENT_TIMEOUT", value_parser = number::<u64>)]
    statement_timeout: Option<u64>,
    /// Timeout for receiving a complete request head, in seconds [default: 10]
    #[arg(long, value_name = "S", env = "GATEWAY_HEAD_TIMEOUT", value_parser = number::<u64>)]
    head_timeout: Option<u64>,
    /// Timeout of an idle connection, in seconds [default: 60]
    #[arg(long, value_name = "S", env = "GATEWAY_IDLE_TIMEOUT", value_parser = number::<u64>)]
    idle_timeout: Option<u64>,
    /// Timeout of a client that stops reading the response, in seconds [default: 30]
    #[arg(long, value_name = "S", env = "GATEWAY_STALL_TIMEOUT", value_parser = number::<u64>)]
    stall_timeout: Option<u64>,
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

/// Takes each field from the first of two settings, or from the second if it is unset in the first.
macro_rules! first_of {
    ($first:expr, $second:expr; $($field:ident),+ $(,)?) => {
        Settings { $($field: $first.$field.or($second.$field)),+ }
    };
}

impl Settings {
    /// Reads a configuration file.
    pub(super) fn from_file(path: &Path) -> Result<Self, Error> {
        let text = std::fs::read_to_string(path).map_err(|error| {
            Error::caused(ErrorKind::Config, format!("cannot read {}", path.display()), error)
        })?;
        toml::from_str(&text).map_err(|error| invalid(path, &text, &error))
    }

    /// Fills in unset fields from settings of lower precedence.
    pub(super) fn or(self, other: Self) -> Self {
        first_of!(self, other;
            listen, ops_listen, database, database_timeout, prefix, tls_certificate, tls_key, trusted_proxy,
            rate, burst, wrong_tokens, connections, connections_per_address, responses_per_token, readers,
            statement_timeout, head_timeout, idle_timeout, stall_timeout, response_timeout, drain_timeout,
            drain_pause, access_log, log_format, log_level,
        )
    }

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
        set(&mut config.burst, within("burst", self.burst, &(1..=u32::MAX))?);
        set(&mut config.wrong_tokens, self.wrong_tokens);
        set(&mut config.connections, within("connections", self.connections, &CONNECTIONS)?);
        config.connections_per_address =
            within("connections-per-address", self.connections_per_address, &CONNECTIONS)?;
        config.responses_per_token =
            within("responses-per-token", self.responses_per_token, &CONNECTIONS)?;
        set(&mut config.readers, within("readers", self.readers, &READERS)?);
        // 0 is allowed: responses are then cut immediately.
        let drain = 0..=*SECONDS.end();
        for (name, timeout, own, range) in [
            ("statement-timeout", &mut config.statement_timeout, self.statement_timeout, SECONDS),
            ("head-timeout", &mut config.head_timeout, self.head_timeout, SECONDS),
            ("idle-timeout", &mut config.idle_timeout, self.idle_timeout, SECONDS),
            ("stall-timeout", &mut config.stall_timeout, self.stall_timeout, SECONDS),
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

    /// Returns the effective configuration as a file for `--config`. A password in the database URL is masked.
    pub(super) fn show(&self, config: &Config) -> Result<String, Error> {
        let (tls_certificate, tls_key) = config.tls.clone().unzip();
        let effective = Self {
            listen: Some(config.listen),
            ops_listen: config.ops_listen,
            database: self.database.as_deref().map(masked).transpose()?,
            database_timeout: Some(self.database_wait()?.as_secs()),
            prefix: Some(config.prefix.clone()),
            tls_certificate,
            tls_key,
            trusted_proxy: Some(config.trusted_proxies.clone()),
            rate: Some(config.rate),
            burst: Some(config.burst),
            wrong_tokens: Some(config.wrong_tokens),
            connections: Some(config.connections),
            connections_per_address: Some(config.connections_of_an_address()),
            responses_per_token: Some(config.responses_of_a_token()),
            readers: Some(config.readers),
            statement_timeout: Some(config.statement_timeout.as_secs()),
            head_timeout: Some(config.head_timeout.as_secs()),
            idle_timeout: Some(config.idle_timeout.as_secs()),
            stall_timeout: Some(config.stall_timeout.as_secs()),
            response_timeout: Some(config.response_timeout.as_secs()),
            drain_timeout: Some(config.drain_timeout.as_secs()),
            drain_pause: Some(self.drain_pause()?.as_secs()),
            access_log: Some(config.access_log),
            log_format: Some(self.log_format.unwrap_or_default()),
            log_level: Some(self.log_level.unwrap_or_default()),
        };
        toml::to_string(&effective).map_err(|error| {
            Error::caused(ErrorKind::Config, "cannot write the configuration as TOML", error)
        })
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

/// Describes an error in the file by its line and key. Values are not repeated: one of them may be a password.
fn invalid(path: &Path, text: &str, error: &toml::de::Error) -> Error {
    let start = error.span().map_or(0, |span| span.start);
    let before = text.get(..start).unwrap_or_default();
    let number = before.matches('\n').count() + 1;
    let line = text.lines().nth(number - 1).unwrap_or_default();
    let key = line.split('=').next().unwrap_or_default().trim();
    let message = error.message();
    let problem = match message.rsplit_once(", expected ") {
        Some((wrong, expected))
            if wrong.starts_with("invalid type:") || wrong.starts_with("invalid value:") =>
        {
            let expected = match expected {
                "u32" | "u64" | "usize" => "a whole number",
                "a string" | "path string" => "a string",
                "a boolean" => "true or false",
                "socket address" => "an address, such as \"127.0.0.1:8080\"",
                other => other,
            };
            format!("`{key}` must be {expected}")
        }
        _ if message == "invalid socket address syntax" => {
            format!("`{key}` must be an address, such as \"127.0.0.1:8080\"")
        }
        _ => message.to_owned(),
    };
    Error::new(ErrorKind::Config, format!("{}:{number}: {problem}", path.display()))
}

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
    use super::*;

    #[test]
    fn the_shown_configuration_reads_back_the_same() {
        let settings =
            Settings { database: Some("a.db".into()), rate: Some(7), ..Settings::default() };
        let shown = settings.show(&settings.config().unwrap()).unwrap();
        let read: Settings = toml::from_str(&shown).unwrap();
        assert_eq!(read.show(&read.config().unwrap()).unwrap(), shown);
        assert!(shown.contains("rate = 7\n"), "{shown}");
    }

    #[test]
    fn unknown_keys_and_incomplete_settings_are_refused() {
        assert!(toml::from_str::<Settings>("listn = \"127.0.0.1:1\"").is_err());
        let half = Settings { tls_key: Some("k".into()), ..Settings::default() };
        assert_eq!(half.config().unwrap_err().kind(), ErrorKind::Config);
        let odd = Settings { prefix: Some("x".into()), ..Settings::default() };
        assert_eq!(odd.config().unwrap_err().kind(), ErrorKind::Config);
    }

    #[test]
    fn an_error_in_the_file_names_the_line_and_the_key_but_no_value() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("cfg.toml");
        for (text, expected) in [
            ("burst = 1\n\nrate = \"hunter2\"\n", ":3: `rate` must be a whole number"),
            ("rate = -1", ":1: `rate` must be a whole number"),
            ("database = [\"hunter2\"]", ":1: `database` must be a string"),
            ("tls-key = 1", ":1: `tls-key` must be a string"),
            ("access-log = \"hunter2\"", ":1: `access-log` must be true or false"),
            ("listen = \"hunter2\"", ":1: `listen` must be an address, such as \"127.0.0.1:8080\""),
            ("rate = 1\nlistn = \"hunter2\"", ":2: unknown field `listn`, expected one of"),
            ("database = \"hunter2", ":1: invalid basic string"),
        ] {
            std::fs::write(&file, text).unwrap();
            let error = Settings::from_file(&file).unwrap_err();
            let shown = crate::causes::with_causes(&error);
            assert!(shown.contains(&format!("cfg.toml{expected}")), "{shown}");
            assert!(!shown.contains("hunter2"), "{shown}");
        }
    }

    #[test]
    fn out_of_range_settings_are_refused() {
        let settings = |toml: &str| toml::from_str::<Settings>(toml).unwrap();
        for line in [
            "burst = 0",
            "connections = 0",
            "connections = 1000001",
            "connections-per-address = 0",
            "responses-per-token = 0",
            "readers = 0",
            "readers = 9223372036854775807",
            "statement-timeout = 0",
            "head-timeout = 0",
            "head-timeout = 9223372036854775807",
            "idle-timeout = 0",
            "stall-timeout = 86401",
            "response-timeout = 901",
            "drain-timeout = 86401",
        ] {
            let error = settings(line).config().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Config, "{line}");
            let (name, value) = line.split_once(" = ").unwrap();
            let text = error.to_string();
            assert!(text.starts_with(name) && text.ends_with(&format!("not {value}")), "{text}");
        }
        assert!(settings("database-timeout = 86401").database_wait().is_err());
        assert!(settings("drain-pause = 86401").drain_pause().is_err());
        assert_eq!(settings("database-timeout = 0").database_wait().unwrap(), Duration::ZERO);
        for line in ["rate = 0", "drain-timeout = 0", "idle-timeout = 86400"] {
            settings(line).config().unwrap();
        }
    }
}
