//! TLS to PostgreSQL: what each `sslmode` accepts, and the errors that name the next step.

use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use methodical_postgres::{Connector, ErrorKind};
use rcgen::{BasicConstraints, IsCa, KeyPair, date_time_ymd};

use crate::connection::{accepted, connect, refused};
use crate::encrypted::{Authority, Encrypted, HOSTSSL, named};

#[test]
fn each_sslmode_verifies_what_libpq_documents() {
    let (authority, other) = (Authority::new("ours"), Authority::new("other"));
    let identity = authority.issue(&named("db", &["db.test"]));
    let Some(server) = Encrypted::start(Some(&identity), &authority, HOSTSSL) else { return };
    let (ca, other) = (authority.file("ca.pem"), other.file("ca.pem"));
    let (ca, other) = (ca.display(), other.display());

    let text = refused(&server.url("sslmode=disable"));
    assert!(text.contains("no encryption; if it requires TLS, set sslmode="), "{text}");
    // A refusal ends the wait immediately.
    let notice = |text: &str| panic!("{text}");
    let connector = Connector::new(&server.url("sslmode=disable"), "test", notice).unwrap();
    let error = connector.open_waiting(Duration::from_secs(600)).map(drop).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
    let prefer = format!("sslrootcert={ca}");
    for mode in ["", "sslmode=prefer", &prefer] {
        let notices = accepted(&server.url(mode));
        assert_eq!(notices.len(), 1, "{notices:?}");
        assert!(notices[0].contains("is not encrypted if the database does not"), "{notices:?}");
    }
    let notices = accepted(&server.url("sslmode=require"));
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert!(notices[0].contains("certificate") && notices[0].contains("is not verified"));
    let address = format!("postgres://u:canary@/d?hostaddr=0.0.0.0&port={}", server.port);
    assert_eq!(accepted(&address).len(), 1);
    for parameters in [
        format!("sslmode=verify-full&sslrootcert={ca}"),
        format!("sslmode=verify-full&sslrootcert={ca}&channel_binding=require"),
        format!("sslmode=verify-ca&sslrootcert={ca}"),
        format!("sslmode=require&sslrootcert={ca}"),
    ] {
        assert_eq!(accepted(&server.url(&parameters)), [""; 0], "{parameters}");
    }
    for mode in ["prefer", "require", "verify-ca", "verify-full"] {
        let text = refused(&server.url(&format!("sslmode={mode}&sslrootcert={other}")));
        assert!(text.contains("UnknownIssuer; set sslrootcert"), "{mode}: {text}");
    }
    let text = refused(&server.url("sslmode=verify-full"));
    assert!(text.contains("UnknownIssuer"), "{text}");

    let wrong = |mode: &str| {
        server.url(&format!("sslmode={mode}&sslrootcert={ca}")).replace("db.test", "db.example")
    };
    let text = refused(&wrong("verify-full"));
    assert!(text.contains("use a name that the certificate contains"), "{text}");
    assert_eq!(accepted(&wrong("verify-ca")), [""; 0]);

    let text = refused(&server.url("sslmode=require").replace("canary", "canary2"));
    assert!(text.contains("authentication failed for user `u`; correct"), "{text}");
    let text = refused(&server.url("sslmode=require").replace("/d?", "/e?"));
    assert!(text.contains("database `e` does not exist; create it"), "{text}");
    let text = refused(&server.url("sslmode=require").replace(":canary", ""));
    assert!(text.contains("password missing; set PGPASSWORD"), "{text}");
}

#[test]
fn a_server_with_tls_1_2_only_is_accepted() {
    let authority = Authority::new("ours");
    let identity = authority.issue(&named("db", &["db.test"]));
    let settings = "ssl_max_protocol_version = 'TLSv1.2'";
    let server = Encrypted::start_with(Some(&identity), &authority, HOSTSSL, settings);
    let Some(server) = server else { return };
    let ca = authority.file("ca.pem");
    for mode in ["require", "verify-ca", "verify-full"] {
        let url = server.url(&format!("sslmode={mode}&sslrootcert={}", ca.display()));
        let mut client = Connector::new(&url, "test", |_notice| {}).unwrap().open().unwrap();
        let statement = "SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
        let version: String = client.query_one(statement, &[]).unwrap().get(0);
        assert_eq!(version, "TLSv1.2", "{mode}");
    }
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
        assert!(text.contains("; renew it on the server"), "{text}");
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
        assert!(text.contains("UnknownIssuer; set sslrootcert"), "{text}");
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
    assert!(text.contains("CaUsedAsEndEntity)); create"), "{text}");
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
    assert!(text.contains("; check the client certificate"), "{text}");

    for (url, expected) in [
        (with(&certificate, &open), "other users can read it; set its mode to 0600"),
        (with(&certificate, "/nowhere/key"), "cannot use /nowhere/key: No such file"),
        (with(&private, &private), "u.key: it contains no certificate; check sslcert"),
        (server.url(&format!("{full}&sslkey={private}")), "must be set together"),
    ] {
        assert_eq!(connect(&url).0.unwrap_err().kind(), ErrorKind::Setting);
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
        assert!(notices[0].contains("is not encrypted"), "{notices:?}");
        assert!(notices[0].contains("; set sslmode=verify-full"), "{notices:?}");
    }
    for mode in ["require", "verify-full"] {
        let text = refused(&server.url(&format!("sslmode={mode}")));
        assert!(text.contains("does not support TLS; enable"), "{text}");
    }
    let text = refused(&server.url("sslmode=prefer&channel_binding=require"));
    assert!(text.contains("did not use channel binding; set"), "{text}");
    let local = server.url("").replace("0.0.0.0", "127.0.0.1");
    assert_eq!(accepted(&local), [""; 0]);
}
