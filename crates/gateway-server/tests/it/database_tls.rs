//! TLS to PostgreSQL: what each `sslmode` accepts, and the errors that name the next step.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use gateway_server::{Error, ErrorKind, PostgresOptions, PostgresStore};
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, date_time_ymd,
};
use tempfile::TempDir;

use crate::cluster::{self, Cluster};
use crate::process::{error, program};

/// An authority whose certificate is in a file.
struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    directory: TempDir,
}

impl Authority {
    fn new(name: &str) -> Self {
        let mut params = named(name, &[]);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let authority = Self { issuer, directory: tempfile::tempdir().unwrap() };
        std::fs::write(authority.file("ca.pem"), authority.issuer.pem()).unwrap();
        authority
    }

    fn file(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Returns a certificate and its key, in PEM.
    fn issue(&self, params: &CertificateParams) -> (String, String) {
        let key = KeyPair::generate().unwrap();
        (params.signed_by(&key, &self.issuer).unwrap().pem(), key.serialize_pem())
    }
}

fn named(name: &str, hosts: &[&str]) -> CertificateParams {
    let hosts: Vec<String> = hosts.iter().map(|&host| host.to_owned()).collect();
    let mut params = CertificateParams::new(hosts).unwrap();
    params.distinguished_name.push(DnType::CommonName, name);
    params
}

/// A PostgreSQL with user `u`, password `canary` and database `d`, on a TCP port.
struct Encrypted {
    port: u16,
    _cluster: Cluster,
}

impl Encrypted {
    /// Starts it with a certificate, or without TLS.
    fn start(
        identity: Option<&(String, String)>,
        authority: &Authority,
        access: &str,
    ) -> Option<Self> {
        let port = free_port();
        let mut settings = format!("listen_addresses = '127.0.0.1'\nport = {port}\n");
        if identity.is_some() {
            settings.push_str(
                "ssl = on\nssl_cert_file = '../server.pem'\nssl_key_file = '../server.key'\n\
                 ssl_ca_file = '../ca.pem'\n",
            );
        }
        let (certificate, key) = identity.cloned().unwrap_or_default();
        let cluster = Cluster::start_with(&[
            ("settings.conf", &settings),
            ("pg_hba.conf", &format!("local all postgres trust\n{access}\n")),
            ("server.pem", &certificate),
            ("server.key", &key),
            ("ca.pem", &authority.issuer.pem()),
        ]);
        let Some(cluster) = cluster else {
            cluster::skip("PostgreSQL was not found; run .ci/postgres");
            return None;
        };
        prepare(&cluster, port);
        Some(Self { port, _cluster: cluster })
    }

    /// Returns a URL whose host is not local. Linux connects to this machine for the address 0.0.0.0.
    fn url(&self, parameters: &str) -> String {
        format!("postgres://u:canary@db.test:{}/d?hostaddr=0.0.0.0&{parameters}", self.port)
    }
}

/// A database that is reached over verified TLS, and its URL.
pub(crate) fn verified() -> Option<(impl Sized, String)> {
    let authority = Authority::new("ours");
    let identity = authority.issue(&named("db", &["db.test"]));
    let server = Encrypted::start(Some(&identity), &authority, HOSTSSL)?;
    let ca = authority.file("ca.pem");
    let parameters =
        format!("sslmode=verify-full&sslrootcert={}&channel_binding=require", ca.display());
    let url = server.url(&parameters);
    Some(((server, authority), url))
}

/// Returns a port that is free now.
pub(crate) fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Creates the user and the database over the socket of a cluster.
pub(crate) fn prepare(cluster: &Cluster, port: u16) {
    let socket = cluster.directory.path().to_str().unwrap().replace('/', "%2F");
    let url = format!("postgres://postgres@{socket}:{port}/postgres");
    let mut client = postgres::Client::connect(&url, postgres::NoTls).unwrap();
    client.batch_execute("CREATE ROLE u LOGIN PASSWORD 'canary'").unwrap();
    client.batch_execute("CREATE DATABASE d OWNER u").unwrap();
}

/// Connects, and returns the warnings or the error as the program prints it.
fn connect(url: &str) -> (Result<(), Error>, Vec<String>) {
    let notices = Arc::new(Mutex::new(Vec::new()));
    let receiver = Arc::clone(&notices);
    let options =
        PostgresOptions::new().notice(move |text| receiver.lock().unwrap().push(text.to_owned()));
    let result = PostgresStore::connect_with(url, options).map(drop);
    let notices = notices.lock().unwrap().clone();
    assert!(!notices.concat().contains("canary"), "{notices:?}");
    (result, notices)
}

/// Returns the error, which must not contain the password.
fn refused(url: &str) -> String {
    let error = connect(url).0.expect_err(url);
    assert_eq!(error.to_string(), "cannot connect to the database");
    assert!(!format!("{error:?}").contains("canary"), "{error:?}");
    std::error::Error::source(&error).unwrap().to_string()
}

fn accepted(url: &str) -> Vec<String> {
    let (result, notices) = connect(url);
    result.unwrap_or_else(|error| panic!("{url}: {error:?}"));
    notices
}

const HOSTSSL: &str = "hostssl all all all scram-sha-256";

#[test]
fn each_sslmode_verifies_what_libpq_documents() {
    let (authority, other) = (Authority::new("ours"), Authority::new("other"));
    let identity = authority.issue(&named("db", &["db.test"]));
    let Some(server) = Encrypted::start(Some(&identity), &authority, HOSTSSL) else { return };
    let (ca, other) = (authority.file("ca.pem"), other.file("ca.pem"));
    let (ca, other) = (ca.display(), other.display());

    let text = refused(&server.url("sslmode=disable"));
    assert!(text.contains("does not admit user `u`; if it requires TLS, set sslmode="), "{text}");
    for mode in ["", "sslmode=prefer", "sslmode=require"] {
        let notices = accepted(&server.url(mode));
        assert_eq!(notices.len(), 1, "{notices:?}");
        assert!(notices[0].contains("certificate") && notices[0].contains("is not verified"));
    }
    let address = format!("postgres://u:canary@/d?hostaddr=0.0.0.0&port={}", server.port);
    assert_eq!(accepted(&address).len(), 1);
    for parameters in [
        format!("sslmode=verify-full&sslrootcert={ca}"),
        format!("sslmode=verify-full&sslrootcert={ca}&channel_binding=require"),
        format!("sslmode=verify-ca&sslrootcert={ca}"),
        format!("sslmode=require&sslrootcert={ca}"),
        format!("sslrootcert={ca}"),
    ] {
        assert_eq!(accepted(&server.url(&parameters)), [""; 0], "{parameters}");
    }
    for mode in ["prefer", "require", "verify-ca", "verify-full"] {
        let text = refused(&server.url(&format!("sslmode={mode}&sslrootcert={other}")));
        assert!(text.contains("is not signed by a trusted CA; set sslrootcert"), "{mode}: {text}");
    }
    let text = refused(&server.url("sslmode=verify-full"));
    assert!(text.contains("is not signed by a trusted CA"), "{text}");

    let wrong = |mode: &str| {
        server.url(&format!("sslmode={mode}&sslrootcert={ca}")).replace("db.test", "db.example")
    };
    let text = refused(&wrong("verify-full"));
    assert!(text.contains("is not valid for the name `db.example`; use a name"), "{text}");
    assert_eq!(accepted(&wrong("verify-ca")), [""; 0]);

    let text = refused(&server.url("sslmode=require").replace("canary", "canary2"));
    assert!(text.contains("the database refused the password of user `u`"), "{text}");
    let text = refused(&server.url("sslmode=require").replace("/d?", "/e?"));
    assert!(text.contains("database `e` does not exist"), "{text}");
    let text = refused(&server.url("sslmode=require").replace(":canary", ""));
    assert!(text.contains("asks for a password; set PGPASSWORD"), "{text}");
}

#[test]
fn the_environment_of_libpq_is_honoured() {
    let authority = Authority::new("ours");
    let identity = authority.issue(&named("db", &["db.test"]));
    let Some(server) = Encrypted::start(Some(&identity), &authority, HOSTSSL) else { return };
    let url = server.url("").replace(":canary", "");
    let passwords = authority.file("passwords");
    std::fs::write(&passwords, "*:*:d:u:canary\n").unwrap();
    std::fs::set_permissions(&passwords, std::fs::Permissions::from_mode(0o600)).unwrap();
    let run = |variables: &[(&str, &Path)], url: &str| {
        let mut command = program();
        command.args(["account", "create", "acme", "--database", url]);
        command.env_remove("PGPASSWORD").env("HOME", "/nowhere");
        command.envs(variables.iter().copied());
        let output = command.output().unwrap();
        let text = error(&output);
        assert!(!text.contains("canary"), "{text}");
        (output.status.success(), text)
    };
    let ca = authority.file("ca.pem");
    let full = [("PGSSLMODE", Path::new("verify-full")), ("PGSSLROOTCERT", &*ca)];
    let (done, text) = run(&[full[0], full[1], ("PGPASSFILE", &passwords)], &url);
    assert!(done && text.is_empty(), "{text}");
    // The second time the account exists: the connection was accepted.
    let password = ("PGPASSWORD", Path::new("canary"));
    let system = format!("{url}&sslrootcert=system");
    let (done, text) = run(&[password, ("SSL_CERT_FILE", &*ca)], &system);
    assert!(!done && text.contains("already exists"), "{text}");
    let (done, text) = run(&[password], &url);
    assert!(!done && text.contains("already exists") && text.contains("is not verified"), "{text}");
    std::fs::set_permissions(&passwords, std::fs::Permissions::from_mode(0o644)).unwrap();
    let (done, text) = run(&[("PGPASSFILE", &passwords)], &url);
    assert!(!done && text.contains("is ignored: other users can access it"), "{text}");
    assert!(text.contains("asks for a password; set PGPASSWORD"), "{text}");
}

#[test]
fn an_expired_certificate_is_refused() {
    let authority = Authority::new("ours");
    let mut params = named("db", &["db.test"]);
    params.not_before = date_time_ymd(2000, 1, 1);
    params.not_after = date_time_ymd(2001, 1, 1);
    let identity = authority.issue(&params);
    let Some(server) = Encrypted::start(Some(&identity), &authority, HOSTSSL) else { return };
    let ca = authority.file("ca.pem");
    for mode in ["verify-ca", "verify-full"] {
        let text = refused(&server.url(&format!("sslmode={mode}&sslrootcert={}", ca.display())));
        assert!(text.contains("has expired; renew it on the server"), "{text}");
    }
    assert_eq!(accepted(&server.url("sslmode=require")).len(), 1);
}

#[test]
fn a_self_signed_certificate_is_refused_unless_it_is_trusted() {
    let authority = Authority::new("ours");
    let key = KeyPair::generate().unwrap();
    let certificate = named("db", &["db.test"]).self_signed(&key).unwrap().pem();
    let file = authority.file("self.pem");
    std::fs::write(&file, &certificate).unwrap();
    let identity = (certificate, key.serialize_pem());
    let Some(server) = Encrypted::start(Some(&identity), &authority, HOSTSSL) else { return };
    for parameters in [
        "sslmode=verify-full".to_owned(),
        format!("sslmode=verify-full&sslrootcert={}", authority.file("ca.pem").display()),
    ] {
        let text = refused(&server.url(&parameters));
        assert!(text.contains("is not signed by a trusted CA; set sslrootcert"), "{text}");
    }
    let trusted = format!("sslmode=verify-full&sslrootcert={}", file.display());
    assert_eq!(accepted(&server.url(&trusted)), [""; 0]);
}

/// Many guides create a certificate that is its own CA.
#[test]
fn a_ca_as_certificate_of_the_server_is_explained() {
    let authority = Authority::new("ours");
    let key = KeyPair::generate().unwrap();
    let mut params = named("db", &["db.test"]);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let certificate = params.self_signed(&key).unwrap().pem();
    let file = authority.file("self.pem");
    std::fs::write(&file, &certificate).unwrap();
    let identity = (certificate, key.serialize_pem());
    let Some(server) = Encrypted::start(Some(&identity), &authority, HOSTSSL) else { return };
    let text = refused(&server.url(&format!("sslmode=verify-full&sslrootcert={}", file.display())));
    assert!(text.contains("is that of a CA; create a certificate for the server"), "{text}");
}

#[test]
fn a_client_certificate_is_sent() {
    let authority = Authority::new("ours");
    let identity = authority.issue(&named("db", &["db.test"]));
    let access = "hostssl all all all cert";
    let Some(server) = Encrypted::start(Some(&identity), &authority, access) else { return };
    let write = |name: &str, text: &str, mode: u32| {
        let path = authority.file(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        path.display().to_string()
    };
    let ca = authority.file("ca.pem");
    let full = format!("sslmode=verify-full&sslrootcert={}", ca.display());
    let (certificate, key) = authority.issue(&named("u", &[]));
    let certificate = write("u.pem", &certificate, 0o644);
    let (private, open) = (write("u.key", &key, 0o600), write("open.key", &key, 0o644));
    let with = |certificate: &str, key: &str| {
        server.url(&format!("{full}&sslcert={certificate}&sslkey={key}"))
    };

    let text = refused(&server.url(&full));
    assert!(text.contains("requires a client certificate, set sslcert and sslkey"), "{text}");
    assert_eq!(accepted(&with(&certificate, &private)), [""; 0]);
    let (stranger, key) = authority.issue(&named("stranger", &[]));
    let text = refused(&with(&write("s.pem", &stranger, 0o644), &write("s.key", &key, 0o600)));
    assert!(text.contains("does not admit user `u`; check the client certificate"), "{text}");

    for (url, expected) in [
        (with(&certificate, &open), "can be read by other users; set its mode to 0600"),
        (with(&certificate, "/nowhere/key"), "cannot read /nowhere/key: No such file"),
        (with(&private, &private), "u.key contains no certificate; check sslcert"),
        (server.url(&format!("{full}&sslkey={private}")), "must be set together"),
    ] {
        assert_eq!(connect(&url).0.unwrap_err().kind(), ErrorKind::Config);
        let text = refused(&url);
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn a_connection_without_tls_is_never_silent() {
    let access = "host all all all scram-sha-256";
    let Some(server) = Encrypted::start(None, &Authority::new("ours"), access) else { return };
    for mode in ["", "sslmode=prefer", "sslmode=disable"] {
        let notices = accepted(&server.url(mode));
        assert_eq!(notices.len(), 1, "{notices:?}");
        assert!(notices[0].contains("is not encrypted; set sslmode=verify-full"), "{notices:?}");
    }
    for mode in ["require", "verify-full"] {
        let text = refused(&server.url(&format!("sslmode={mode}")));
        assert!(text.contains("the server does not offer TLS"), "{text}");
    }
    let text = refused(&server.url("sslmode=prefer&channel_binding=require"));
    assert!(text.contains("did not use channel binding"), "{text}");
    let local = server.url("").replace("0.0.0.0", "127.0.0.1");
    assert_eq!(accepted(&local), [""; 0]);
}
