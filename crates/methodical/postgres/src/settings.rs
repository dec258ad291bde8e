//! Connection settings: the URL, and libpq's environment variables and files.

use std::error::Error as _;
use std::fmt::Display;
use std::fs;
use std::net::IpAddr;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use ::postgres::Client;
use ::postgres::config::{Config, Host, SslMode};
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::{Error, ErrorKind, explain, tls};

/// The settings of a URL.
pub(crate) struct Settings {
    /// The settings that the driver reads itself: hosts, user, database, timeouts.
    pub(crate) config: Config,
    /// Each host, or the directory of its socket, with the port.
    pub(crate) hosts: Vec<(String, u16)>,
    /// The hosts with their ports, for messages.
    pub(crate) names: String,
    tls: MakeRustlsConnect,
    /// Whether every connection to another machine is encrypted and verified.
    pub(crate) is_safe: bool,
    /// The password file, which need not exist.
    passfile: Option<PathBuf>,
}

impl Settings {
    /// Reads a URL. `lookup` returns the value of an environment variable. Errors do not repeat the URL.
    pub(crate) fn parse(url: &str, lookup: impl Fn(&str) -> Option<String>) -> Result<Self, Error> {
        let variable = |name: &str| lookup(name).filter(|value| !value.is_empty());
        let (head, query) = url.split_once('?').unwrap_or((url, ""));
        // The driver treats the first `@` as the end of the user and the password.
        if query.contains('@') {
            return Err(setting("`@` follows `?` in the URL; in a password, write %40 and %3F"));
        }
        let of_environment = OWN.into_iter().chain(["channel_binding="]).filter_map(|name| {
            // The variable's name, such as `PGSSLMODE`.
            let value = variable(&format!("PG{}", name.replace(['_', '='], "").to_uppercase()))?;
            Some(format!("{name}{}", utf8_percent_encode(&value, NON_ALPHANUMERIC)))
        });
        let of_url = query.split('&').filter(|one| !one.is_empty()).map(str::to_owned);
        let is_utf8 = |one: &str| percent_decode_str(one).decode_utf8().is_ok();
        let is_own = |one: &String| is_utf8(one) && OWN.iter().any(|name| one.starts_with(name));
        let (own, of_driver): (Vec<_>, Vec<_>) = of_environment.chain(of_url).partition(is_own);
        // A later parameter replaces an earlier one. The driver refuses text that is not UTF-8.
        let [sslmode, roots, certificate, key, passfile] = OWN.map(|name| {
            let value = own.iter().rev().find_map(|one| one.strip_prefix(name));
            Some(percent_decode_str(value?).decode_utf8_lossy())
        });
        let config = format!("{head}?{DEFAULTS}&{}", of_driver.join("&")).parse::<Config>();
        let mut config = config.map_err(|error| match error.source().map(ToString::to_string) {
            // This message names the parameter but not its value. Other driver messages may repeat a part of the URL.
            Some(text) if text.starts_with("invalid value for option") => setting(text),
            _ => setting(
                "the URL is invalid or has an unsupported parameter; expected postgres://USER@HOST/NAME",
            ),
        })?;
        let ports = config.get_ports();
        let hosts = config.get_hosts().iter().enumerate().map(|(index, host)| {
            let host = match host {
                Host::Tcp(host) => host.clone(),
                Host::Unix(path) => path.display().to_string(),
            };
            (host, ports.get(index).or_else(|| ports.first()).copied().unwrap_or(5432))
        });
        let hosts: Vec<_> = hosts.collect();
        if hosts.is_empty() {
            return Err(setting("the URL has no host; expected postgres://USER@HOST/NAME"));
        }
        if let (None, Some(password)) = (config.get_password(), variable("PGPASSWORD")) {
            config.password(password);
        }
        let name = |(host, port): &(String, u16)| {
            if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
        };
        let names = hosts.iter().map(name).collect::<Vec<_>>().join(", ");
        let (mode, checks_name) = mode(sslmode.as_deref(), roots.as_deref())?;
        let mut peers: Vec<String> = config.get_hostaddrs().iter().map(IpAddr::to_string).collect();
        if peers.is_empty() {
            peers = hosts.iter().map(|(host, _)| host.clone()).collect();
        }
        // PostgreSQL has no TLS over a Unix socket, and libpq ignores `sslmode` there. A `hostaddr` uses TCP.
        let is_socket = |peer: &String| peer.starts_with('/');
        let is_loopback = |peer: &String| peer.parse().is_ok_and(|peer: IpAddr| peer.is_loopback());
        let is_local = |peer| is_socket(peer) || peer == "localhost" || is_loopback(peer);
        config.ssl_mode(if peers.iter().all(is_socket) { SslMode::Disable } else { mode });
        let is_verified = mode == SslMode::Require && (checks_name || roots.is_some());
        let files = [&roots, &certificate, &key].map(|file| file.as_deref().map(Path::new));
        let of_home = || variable("HOME").map(|home| Path::new(&home).join(".pgpass"));
        Ok(Self {
            tls: tls::client(checks_name, files)?,
            is_safe: is_verified || peers.iter().all(is_local),
            passfile: passfile.map(|file| PathBuf::from(&*file)).or_else(of_home),
            hosts,
            names,
            config,
        })
    }

    /// Connects to the first host that accepts the connection.
    pub(crate) fn connect(&self) -> Result<Client, Error> {
        let mut config = self.config.clone();
        if let Some(password) = self.find_password()? {
            config.password(password);
        }
        config.connect(self.tls.clone()).map_err(|error| explain(&error, &self.names))
    }

    /// Finds the password in the password file, unless the password is known. The file is read again for each
    /// connection, so that it can be changed while servers are running.
    fn find_password(&self) -> Result<Option<String>, Error> {
        // `/dev/null` switches the default file off.
        let path = self.passfile.as_deref().filter(|path| path.is_file());
        let (None, Some(path)) = (self.config.get_password(), path) else { return Ok(None) };
        check_private("passfile", path)?;
        let text = fs::read_to_string(path).map_err(|error| unusable("passfile", path, &error))?;
        let user = self.config.get_user().unwrap_or_default();
        let database = self.config.get_dbname().unwrap_or(user);
        Ok(self.hosts.iter().find_map(|(host, port)| {
            // In the password file, a Unix socket also matches `localhost`.
            let also = if host.starts_with('/') { "localhost" } else { host };
            let port = port.to_string();
            let wanted = [&[&**host, also][..], &[&port], &[database], &[user]];
            text.lines().find_map(|line| password_of(line, wanted))
        }))
    }
}

/// Returns the password in a line `host:port:database:user:password` if each of the other fields has a wanted value.
fn password_of(line: &str, wanted: [&[&str]; 4]) -> Option<String> {
    let mut fields = vec![String::new()];
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            ':' => fields.push(String::new()),
            '\\' => fields.last_mut()?.push(letters.next().unwrap_or(letter)),
            letter => fields.last_mut()?.push(letter),
        }
    }
    let applies = |(field, values): (&String, &[&str])| field == "*" || values.contains(&&**field);
    let is_line = !line.starts_with('#') && fields.len() > wanted.len();
    (is_line && fields.iter().zip(wanted).all(applies)).then(|| fields.get(4).cloned())?
}

/// Reads `sslmode`: the driver's mode, and whether the host name must match. As in libpq, roots count in every mode.
fn mode(mode: Option<&str>, roots: Option<&str>) -> Result<(SslMode, bool), Error> {
    match (mode, roots) {
        (None, Some("system")) | (Some("verify-full"), _) => Ok((SslMode::Require, true)),
        // Anyone can get a certificate from a public CA for some host name.
        (_, Some("system")) => Err(setting("sslrootcert=system needs sslmode=verify-full")),
        (Some("verify-ca"), None) => Err(setting("sslmode=verify-ca needs sslrootcert=FILE")),
        (Some("disable"), _) => Ok((SslMode::Disable, false)),
        (None | Some("prefer"), _) => Ok((SslMode::Prefer, false)),
        (Some("require" | "verify-ca"), _) => Ok((SslMode::Require, false)),
        _ => Err(setting("sslmode must be disable, prefer, require, verify-ca or verify-full")),
    }
}

/// Checks that other users cannot access a parameter's file. If root owns the file, its group may read it.
pub(crate) fn check_private(parameter: &str, path: &Path) -> Result<(), Error> {
    let file = fs::metadata(path).map_err(|error| unusable(parameter, path, &error))?;
    let others = if file.uid() == 0 { 0o037 } else { 0o077 };
    let why = "other users can access it; set its mode to 0600, or to 0640 if it belongs to root";
    if file.mode() & others == 0 { Ok(()) } else { Err(unusable(parameter, path, &why)) }
}

/// Returns the error for a parameter whose file cannot be used.
pub(crate) fn unusable(parameter: &str, path: &Path, error: &dyn Display) -> Error {
    setting(format!("cannot use {parameter} {}: {error}", path.display()))
}

pub(crate) fn setting(text: impl Into<String>) -> Error {
    Error::new(ErrorKind::Setting, text)
}

/// The prefixes of the parameters that this crate reads instead of the driver.
const OWN: [&str; 5] = ["sslmode=", "sslrootcert=", "sslcert=", "sslkey=", "passfile="];

/// Default timeouts in seconds, for an attempt to connect to each host and for a silent peer. Without them, the system
/// notices only after many minutes, or never, that a peer is gone.
const DEFAULTS: &str = "connect_timeout=10&tcp_user_timeout=10&keepalives_idle=10&keepalives_interval=3&keepalives_retries=3";

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use ::postgres::config::ChannelBinding;

    use super::*;

    fn read(url: &str) -> Result<Settings, Error> {
        Settings::parse(url, |_name| None)
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
            "postgres://u:canary@h/d?sslmode=%ff",
            "postgres://u:canary@h/d?passfile=canary%ff",
            "postgres://u:canary@h/d?connect_timeout=canary",
            "postgres://u:p/w?canary=1@h/d",
            "postgres://u:p?canary@h/d",
            "postgres://u:canary@/d?hostaddr=10.0.0.1",
        ] {
            let Err(error) = read(url) else { panic!("{url}") };
            assert_eq!(error.kind(), ErrorKind::Setting);
            assert!(!format!("{error} {error:?}").contains("canary"), "{error}");
        }
    }

    #[test]
    fn modes_and_roots_must_fit_together() {
        for (of, roots, expected) in [
            (None, None, (SslMode::Prefer, false)),
            (None, Some("system"), (SslMode::Require, true)),
            (Some("disable"), None, (SslMode::Disable, false)),
            (Some("require"), Some("ca.pem"), (SslMode::Require, false)),
            (Some("verify-full"), None, (SslMode::Require, true)),
            (Some("verify-full"), Some("system"), (SslMode::Require, true)),
            (Some("verify-ca"), Some("ca.pem"), (SslMode::Require, false)),
        ] {
            assert_eq!(mode(of, roots).unwrap(), expected, "{of:?} {roots:?}");
        }
        for (of, roots) in [
            ("allow", None),
            ("allow", Some("ca.pem")),
            ("require", Some("system")),
            ("verify-ca", None),
            ("verify-ca", Some("system")),
        ] {
            mode(Some(of), roots).unwrap_err();
        }
        let text = "sslmode must be disable, prefer, require, verify-ca or verify-full";
        assert_eq!(mode(Some("on"), None).unwrap_err().to_string(), text);
    }

    #[test]
    fn a_connection_to_another_machine_that_is_not_verified_gives_a_warning() {
        let directory = tempfile::tempdir().unwrap();
        let roots = directory.path().join("ca.pem");
        fs::write(&roots, rcgen::generate_simple_self_signed([]).unwrap().cert.pem()).unwrap();
        let roots = format!("sslrootcert={}", roots.display());
        for (url, is_warned) in [
            ("postgres://u@localhost/d", false),
            ("postgres://u@127.0.0.1/d", false),
            ("postgres://u@[::1]/d", false),
            ("postgres://u@%2Frun%2Fpostgresql/d", false),
            ("postgres://u@db.example/d?hostaddr=127.0.0.1", false),
            ("postgres://u@localhost/d?hostaddr=10.0.0.1", true),
            ("postgres://u@localhost,db.example/d", true),
            ("postgres://u@db.example/d?sslmode=disable", true),
            ("postgres://u@db.example/d?sslmode=require", true),
            (&format!("postgres://u@db.example/d?{roots}"), true),
            (&format!("postgres://u@db.example/d?sslmode=require&{roots}"), false),
            (&format!("postgres://u@db.example/d?sslmode=verify-ca&{roots}"), false),
            (&format!("postgres://u@db.example/d?sslmode=verify-full&{roots}"), false),
        ] {
            assert_eq!(!read(url).unwrap().is_safe, is_warned, "{url}");
        }
        let names = read("postgres://u:canary@db.example,[2001:db8::1]:6000/d").unwrap().names;
        assert_eq!(names, "db.example:5432, [2001:db8::1]:6000");
    }

    #[test]
    fn the_url_takes_precedence_over_the_environment() {
        let with = |name: &str, value: &str, url: &str| {
            Settings::parse(url, |asked| (asked == name).then(|| value.to_owned()))
        };
        let mode = |url| with("PGSSLMODE", "verify-full", url).unwrap().config.get_ssl_mode();
        assert_eq!(mode("postgres://u@h/d"), SslMode::Require);
        assert_eq!(mode("postgres://u@h/d?sslmode=disable"), SslMode::Disable);
        // A Unix socket does not use TLS. A `hostaddr` uses TCP, and therefore TLS.
        assert_eq!(mode("postgres://u@%2Frun%2Fpg/d"), SslMode::Disable);
        assert_eq!(mode("postgres://u@%2Frun%2Fpg/d?hostaddr=10.0.0.1"), SslMode::Require);

        let binding = |value: &str, url| {
            with("PGCHANNELBINDING", value, url)
                .map(|settings| settings.config.get_channel_binding())
        };
        let (url, own) = ("postgres://u@h/d", "postgres://u@h/d?channel_binding=disable");
        assert_eq!(binding("require", url).unwrap(), ChannelBinding::Require);
        assert_eq!(binding("require", own).unwrap(), ChannelBinding::Disable);
        assert_eq!(binding("", url).unwrap(), ChannelBinding::Prefer);
        for value in ["on", "require&sslmode=disable"] {
            let error = binding(value, url).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Setting);
            assert_eq!(error.to_string(), "invalid value for option `channel_binding`");
        }
    }

    #[test]
    fn a_file_that_cannot_be_used_is_named_with_its_parameter() {
        let directory = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = directory.path().join(name);
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
            path
        };
        let own = rcgen::generate_simple_self_signed([]).unwrap();
        let certificate = write("own.pem", &own.cert.pem());
        let key = write("own.key", &own.signing_key.serialize_pem());
        let other = write("other.key", &rcgen::KeyPair::generate().unwrap().serialize_pem());
        let bad =
            write("bad.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
        let read = |roots: &Path, key: &Path| {
            tls::client(false, [Some(roots), Some(&certificate), Some(key)]).map(drop)
        };
        read(&certificate, &key).unwrap();
        for (roots, key, expected) in [
            (&bad, &key, "cannot use "),
            (&bad, &key, "bad.pem: "),
            (&bad, &key, "cannot use sslrootcert "),
            (&certificate, &certificate, "own.pem: no items found"),
            (&certificate, &certificate, "cannot use sslkey "),
            (&certificate, &other, "own.pem: "),
            (&certificate, &other, "cannot use sslcert and sslkey "),
        ] {
            let error = read(roots, key).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Setting);
            assert!(error.to_string().contains(expected), "{error}");
        }
    }

    #[test]
    fn the_first_line_that_applies_gives_the_password() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("pgpass");
        let text = "# h:5432:d:u\\:1:comment\nother:*:*:*:no\nh:1:d:u\\:1:no\nshort:line\n\
                    h:5432:d:u\\:1:p\\:q\\\\r\n*:*:*:*:last\n";
        let at = |host: &str, passfile: &Path, password: Option<&str>| {
            let url = format!("postgres://u%3A1@{host}/d?passfile={}", passfile.display());
            let variable =
                |name: &str| password.filter(|_| name == "PGPASSWORD").map(str::to_owned);
            Settings::parse(&url, variable).unwrap()
        };
        let find = |host: &str, passfile: &Path| at(host, passfile, None).find_password();
        fs::write(&file, text).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(find("h", &file).unwrap().as_deref(), Some("p:q\\r"));
        assert_eq!(find("x", &file).unwrap().as_deref(), Some("last"));
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        let is_of_root = fs::metadata(&file).unwrap().uid() == 0;
        assert_eq!(find("h", &file).is_ok(), is_of_root);
        for path in ["/nowhere/pgpass", "/dev/null", "/"] {
            assert_eq!(find("x", Path::new(path)).unwrap(), None);
        }
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        let error = find("h", &file).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Setting);
        let says = "pgpass: other users can access it; set its mode to 0600";
        assert!(error.to_string().contains(says), "{error}");
        // The file is not read if the password is known.
        let own = at("h", &file, Some("own"));
        assert_eq!(own.config.get_password(), Some(&b"own"[..]));
        assert_eq!(own.find_password().unwrap(), None);
        let home = |name: &str| (name == "HOME").then(|| "/home/u".to_owned());
        let of_home = Settings::parse("postgres://u@h/d", home).unwrap().passfile;
        assert_eq!(of_home.as_deref(), Some(Path::new("/home/u/.pgpass")));
    }
}
