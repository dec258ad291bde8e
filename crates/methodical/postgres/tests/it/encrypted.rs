//! A PostgreSQL on a TCP port, with or without TLS, and the certificates for it.

use std::path::PathBuf;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use tempfile::TempDir;

use crate::cluster::{self, Cluster};

/// An authority with its certificate in a file.
pub(crate) struct Authority {
    pub(crate) issuer: CertifiedIssuer<'static, KeyPair>,
    directory: TempDir,
}

impl Authority {
    pub(crate) fn new(name: &str) -> Self {
        let mut params = named(name, &[]);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let authority = Self { issuer, directory: tempfile::tempdir().unwrap() };
        std::fs::write(authority.file("ca.pem"), authority.issuer.pem()).unwrap();
        authority
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Returns a certificate and its key, in PEM.
    pub(crate) fn issue(&self, params: &CertificateParams) -> (String, String) {
        let key = KeyPair::generate().unwrap();
        (params.signed_by(&key, &self.issuer).unwrap().pem(), key.serialize_pem())
    }
}

pub(crate) fn named(name: &str, hosts: &[&str]) -> CertificateParams {
    let hosts: Vec<String> = hosts.iter().map(|&host| host.to_owned()).collect();
    let mut params = CertificateParams::new(hosts).unwrap();
    params.distinguished_name.push(DnType::CommonName, name);
    params
}

/// A PostgreSQL with user `u`, password `canary` and database `d`, on a TCP port.
pub(crate) struct Encrypted {
    pub(crate) port: u16,
    _cluster: Cluster,
}

impl Encrypted {
    /// Starts it with a certificate, or without TLS, and with more settings.
    pub(crate) fn start(
        identity: Option<&(String, String)>,
        authority: &Authority,
        access: &str,
        settings: &str,
    ) -> Option<Self> {
        let port = free_port();
        let mut settings = format!("listen_addresses = '127.0.0.1'\nport = {port}\n{settings}\n");
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
            cluster::skip("PostgreSQL was not found; run `.ci/system postgresql`");
            return None;
        };
        prepare(&cluster, port);
        Some(Self { port, _cluster: cluster })
    }

    /// Returns a URL whose host is not local. Linux connects to this machine for the address 0.0.0.0.
    pub(crate) fn url(&self, parameters: &str) -> String {
        format!("postgres://u:canary@db.test:{}/d?hostaddr=0.0.0.0&{parameters}", self.port)
    }
}

/// Returns a port that is currently free.
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

pub(crate) const HOSTSSL: &str = "hostssl all all all scram-sha-256";
