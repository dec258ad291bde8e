//! Reads the URL of a database, and the environment variables that libpq reads.

use std::borrow::Cow;
use std::net::IpAddr;
use std::path::PathBuf;

use ::postgres::config::{Config, Host, LoadBalanceHosts};
use percent_encoding::percent_decode_str;

use crate::connector::error::{Error, ErrorKind};
use crate::connector::password::Passwords;
use crate::connector::tls::{self, TlsSettings};

/// The settings of a URL.
pub(super) struct Address {
    /// Everything except the hosts.
    base: Config,
    targets: Vec<Target>,
    pub(super) tls: TlsSettings,
    pub(super) passwords: Passwords,
}

/// One host of the URL.
#[derive(Debug)]
pub(super) struct Target {
    host: Option<Host>,
    address: Option<IpAddr>,
    pub(super) port: u16,
}

impl Address {
    /// Reads a URL. The errors do not repeat it, because it may contain a password.
    pub(super) fn parse(
        url: &str,
        environment: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, Error> {
        let variable = |name: &str| environment(name).filter(|value| !value.is_empty());
        let (scheme, rest) = url.split_once("://").ok_or_else(invalid)?;
        let (credentials, rest) = match rest.find(['@', '/']) {
            Some(end) if rest.get(end..).is_some_and(|rest| rest.starts_with('@')) => {
                rest.split_at_checked(end + 1).ok_or_else(invalid)?
            }
            _ => ("", rest),
        };
        let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (hosts, name) = place.split_once('/').unwrap_or((place, ""));
        let mut own = tls::Given::default();
        let mut passfile = None;
        let (mut host_parameters, mut others) = (Vec::new(), Vec::new());
        let mut binding = variable("PGCHANNELBINDING");
        for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
            let (key, raw) = parameter.split_once('=').ok_or_else(invalid)?;
            let (key, value) = (decoded(key)?, decoded(raw)?.into_owned());
            let given = match &*key {
                "sslmode" => &mut own.mode,
                "sslrootcert" => &mut own.roots,
                "sslcert" => &mut own.certificate,
                "sslkey" => &mut own.key,
                "passfile" => &mut passfile,
                "channel_binding" => &mut binding,
                key if UNSUPPORTED.contains(&key) => {
                    let text = format!("the URL parameter {key} is not supported; remove it");
                    return Err(Error::new(ErrorKind::Setting, text));
                }
                key => {
                    // The driver takes the first `@` for the end of the user, wherever it is.
                    let raw = raw.replace('@', "%40");
                    match key {
                        // The driver does not split the names of several hosts.
                        "host" => host_parameters
                            .extend(raw.split(',').map(|host| format!("host={host}"))),
                        "hostaddr" | "port" => host_parameters.push(format!("{key}={raw}")),
                        _ => others.push(parameter.replace('@', "%40")),
                    }
                    continue;
                }
            };
            *given = Some(value);
        }
        if let Some(binding) = binding {
            if !["disable", "prefer", "require"].contains(&&*binding) {
                let text = "channel_binding must be disable, prefer or require";
                return Err(Error::new(ErrorKind::Setting, text));
            }
            others.push(format!("channel_binding={binding}"));
        }
        let config = |hosts: &str, parameters: &[String]| {
            let parameters = parameters.join("&");
            let url = format!("{scheme}://{credentials}{hosts}/{name}?{parameters}");
            // The error of the driver is dropped, because it could repeat a password.
            url.parse::<Config>().map_err(|_error| invalid())
        };
        let base = config("", &others)?;
        let whole = config(hosts, &host_parameters)?;
        Ok(Self {
            base,
            targets: targets(&whole)?,
            tls: own.or_environment(&variable).settings()?,
            passwords: Passwords {
                password: variable("PGPASSWORD"),
                file: passfile
                    .or_else(|| variable("PGPASSFILE"))
                    .map(PathBuf::from)
                    .or_else(|| variable("HOME").map(|home| PathBuf::from(home).join(".pgpass"))),
            },
        })
    }

    /// Returns the hosts in the order in which to try them.
    pub(super) fn ordered_targets(&self) -> Vec<&Target> {
        let mut targets: Vec<_> = self.targets.iter().collect();
        if self.base.get_load_balance_hosts() == LoadBalanceHosts::Random {
            targets.sort_by_cached_key(|_target| getrandom::u32().unwrap_or_default());
        }
        targets
    }

    /// Returns the configuration of the driver for one host.
    pub(super) fn config(&self, target: &Target) -> Config {
        let mut config = self.base.clone();
        match &target.host {
            Some(Host::Tcp(host)) => drop(config.host(host)),
            Some(Host::Unix(path)) => drop(config.host_path(path)),
            // The driver needs a name for TLS.
            None => drop(config.host(&target.host())),
        }
        if let Some(address) = target.address {
            config.hostaddr(address);
        }
        config.port(target.port);
        config
    }
}

impl Target {
    pub(super) fn is_socket(&self) -> bool {
        matches!(self.host, Some(Host::Unix(_))) && self.address.is_none()
    }

    /// Returns whether the connection does not leave this machine.
    pub(super) fn is_local(&self) -> bool {
        match (self.address, &self.host) {
            (Some(address), _) => address.is_loopback(),
            (None, Some(Host::Tcp(host))) => {
                host.eq_ignore_ascii_case("localhost")
                    || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
            }
            (None, Some(Host::Unix(_)) | None) => true,
        }
    }

    /// Returns the host name, or the address or the folder of the socket.
    pub(super) fn host(&self) -> String {
        match (&self.host, self.address) {
            (Some(Host::Tcp(host)), _) => host.clone(),
            (Some(Host::Unix(path)), _) => path.display().to_string(),
            (None, Some(address)) => address.to_string(),
            (None, None) => String::new(),
        }
    }

    /// Returns host and port, for messages.
    pub(super) fn name(&self) -> String {
        let (host, port) = (self.host(), self.port);
        if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
    }

    /// Returns the names of this host in a password file.
    pub(super) fn password_names(&self) -> Vec<String> {
        let mut names = vec![self.host()];
        if self.is_socket() {
            names.push("localhost".to_owned());
        }
        names
    }
}

fn targets(config: &Config) -> Result<Vec<Target>, Error> {
    let setting = |text: &'static str| Error::new(ErrorKind::Setting, text);
    let (hosts, addresses, ports) =
        (config.get_hosts(), config.get_hostaddrs(), config.get_ports());
    let count = hosts.len().max(addresses.len());
    if count == 0 {
        return Err(setting("the URL has no host; expected postgres://USER@HOST/NAME"));
    }
    if !hosts.is_empty() && !addresses.is_empty() && hosts.len() != addresses.len() {
        return Err(setting("the URL must have as many values in hostaddr as hosts"));
    }
    if ports.len() > 1 && ports.len() != count {
        return Err(setting("the URL must have one port, or one for each host"));
    }
    let target = |index| Target {
        host: hosts.get(index).cloned(),
        address: addresses.get(index).copied(),
        port: ports.get(index).or_else(|| ports.first()).copied().unwrap_or(5432),
    };
    Ok((0..count).map(target).collect())
}

fn decoded(text: &str) -> Result<Cow<'_, str>, Error> {
    percent_decode_str(text).decode_utf8().map_err(|_error| invalid())
}

fn invalid() -> Error {
    Error::new(ErrorKind::Setting, "the URL is invalid; expected postgres://USER@HOST/NAME")
}

/// Parameters of libpq that are neither secret nor supported, so that an error may name them.
const UNSUPPORTED: &[&str] = &[
    "client_encoding",
    "gssencmode",
    "krbsrvname",
    "require_auth",
    "service",
    "ssl_max_protocol_version",
    "ssl_min_protocol_version",
    "sslcertmode",
    "sslcompression",
    "sslcrl",
    "sslcrldir",
    "sslpassword",
    "sslsni",
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn read(url: &str) -> Address {
        Address::parse(url, &|_name| None).unwrap()
    }

    #[test]
    fn several_hosts_have_their_own_ports_and_addresses() {
        let address = read("postgres://u:p@a,b:6000,[::1]:7000/d?sslmode=disable");
        let names: Vec<_> = address.targets.iter().map(Target::name).collect();
        assert_eq!(names, ["a:5432", "b:6000", "[::1]:7000"]);
        let config = address.config(&address.targets[1]);
        assert_eq!((config.get_hosts().len(), config.get_ports()), (1, &[6000][..]));
        assert_eq!((config.get_user(), config.get_dbname()), (Some("u"), Some("d")));
        let address = read("postgres://u@/d?host=a,b&hostaddr=10.0.0.1,10.0.0.2&port=1");
        let config = address.config(&address.targets[1]);
        assert_eq!(config.get_hostaddrs(), ["10.0.0.2".parse::<IpAddr>().unwrap()]);
        assert_eq!(config.get_ports(), [1]);
    }

    #[test]
    fn a_url_may_have_no_user() {
        let address = read("postgres://a:6000/d?application_name=x@y");
        assert_eq!(address.targets.len(), 1);
        let config = address.config(&address.targets[0]);
        assert_eq!(config.get_hosts(), [Host::Tcp("a".to_owned())]);
        assert_eq!((config.get_user(), config.get_dbname()), (None, Some("d")));
        assert_eq!((config.get_ports(), config.get_application_name()), (&[6000][..], Some("x@y")));
    }

    #[test]
    fn hosts_are_tried_in_their_order_or_in_a_random_one() {
        let first = |url: &str| -> BTreeSet<String> {
            let address = read(url);
            (0..64).map(|_| address.ordered_targets()[0].host()).collect()
        };
        assert_eq!(first("postgres://u@a,b/d"), ["a".to_owned()].into());
        let random = first("postgres://u@a,b/d?load_balance_hosts=random");
        assert_eq!(random, ["a", "b"].map(str::to_owned).into());
    }

    #[test]
    fn only_loopback_and_sockets_are_local() {
        for (url, local) in [
            ("postgres://u@localhost/d", true),
            ("postgres://u@127.0.0.1/d", true),
            ("postgres://u@[::1]/d", true),
            ("postgres://u@%2Frun%2Fpostgresql/d", true),
            ("postgres://u@db.example/d?hostaddr=127.0.0.1", true),
            ("postgres://u@localhost/d?hostaddr=10.0.0.1", false),
            ("postgres://u@10.0.0.1/d", false),
            ("postgres://u@db.example/d", false),
        ] {
            assert_eq!(read(url).targets[0].is_local(), local, "{url}");
        }
    }

    #[test]
    fn a_password_may_contain_what_separates_the_parts() {
        let address = read("postgres://u:p?q@h/d");
        assert_eq!(address.base.get_password(), Some(&b"p?q"[..]));
        let address = read("postgres://h/d?user=u&password=p@q");
        assert_eq!(address.base.get_password(), Some(&b"p@q"[..]));
        assert_eq!(address.targets[0].name(), "h:5432");
    }

    #[test]
    fn an_invalid_url_is_refused_without_repeating_it() {
        for url in [
            "postgres://u:canary@h:no/d",
            "postgres://u:canary@/d",
            "postgres://u:canary@h/d?canary",
            "postgres://u:canary@h/d?passwort=canary",
            "postgres://u:canary@h/d?sslmode=canary",
            "postgres://u:canary@h/d?channel_binding=canary",
            "postgres://u:canary@h/d?sslpassword=canary",
            "postgres://u:canary@h/d?port=1,2",
            "postgres://u:canary@h/d?hostaddr=127.0.0.1,127.0.0.2",
            "postgres://u:canary@h/d?sslmode=%ff",
        ] {
            let Err(error) = Address::parse(url, &|_name| None) else { panic!("{url}") };
            assert_eq!(error.kind(), ErrorKind::Setting);
            assert!(!format!("{error} {error:?}").contains("canary"), "{error}");
        }
    }
}
