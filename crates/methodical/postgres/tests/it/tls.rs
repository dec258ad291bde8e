//! TLS to PostgreSQL: what each `sslmode` accepts, and the errors that name the next step.

use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use methodical_postgres::{Connector, ErrorKind};
use rcgen::{KeyPair, date_time_ymd};

use crate::encrypted::{Authority, Encrypted, HOSTSSL, named};
use crate::{accepted, connect, refused};

#[test]
fn each_sslmode_verifies_what_libpq_documents() {
    let (authority, other) = (Authority::new("ours"), Authority::new("other"));
    let identity = authority.issue(&named("db", &["db.test"]));
    let Some(server) = Encrypted::start(Some(&identity), &authority, HOSTSSL, "") else { return };
    let (ca, other) = (authority.file("ca.pem"), other.file("ca.pem"));
    let (ca, other) = (ca.display(), other.display());

    let text = refused(&server.url("sslmode=disable"));
    assert!(text.contains("no encryption; check sslmode"), "{text}");
    // A refusal ends the wait immediately, after the warning.
    let connector = Connector::new(&server.url("sslmode=disable"), "test").unwrap();
    let wait = Duration::from_secs(600);
    let notice = |text: &str| assert!(text.contains("may be unencrypted"), "{text}");
    let error = connector.open_waiting(wait, notice).map(drop).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
    let prefer = format!("sslrootcert={ca}");
    for mode in ["", "sslmode=prefer", &prefer, "sslmode=require"] {
        accepted(&server.url(mode));
    }
    for parameters in [
        format!("sslmode=verify-full&sslrootcert={ca}"),
        format!("sslmode=verify-full&sslrootcert={ca}&channel_binding=require"),
        format!("sslmode=verify-ca&sslrootcert={ca}"),
        format!("sslmode=require&sslrootcert={ca}"),
    ] {
        accepted(&server.url(&parameters));
    }
    for mode in ["prefer", "require", "verify-ca", "verify-full"] {
        let text = refused(&server.url(&format!("sslmode={mode}&sslrootcert={other}")));
        assert!(text.contains("UnknownIssuer; check the host name, sslcert"), "{mode}: {text}");
    }
    let text = refused(&server.url("sslmode=verify-full"));
    assert!(text.contains("UnknownIssuer"), "{text}");

    let wrong = |mode: &str| {
        server.url(&format!("sslmode={mode}&sslrootcert={ca}")).replace("db.test", "db.example")
    };
    let text = refused(&wrong("verify-full"));
    assert!(text.contains("not valid for name") && text.contains("check the host name"), "{text}");
    accepted(&wrong("verify-ca"));

    let text = refused(&server.url("sslmode=require").replace("canary", "canary2"));
    assert!(text.contains("authentication failed for user `u`; correct"), "{text}");
    let text = refused(&server.url("sslmode=require").replace("/d?", "/e?"));
    assert!(text.contains("database `e` does not exist; create it"), "{text}");
    let text = refused(&server.url("sslmode=require").replace(":canary", ""));
    assert!(text.contains("password missing; check sslmode in the URL, PGPASSWORD"), "{text}");
}

#[test]
fn a_server_with_tls_1_2_only_is_accepted() {
    let authority = Authority::new("ours");
    let identity = authority.issue(&named("db", &["db.test"]));
    let settings = "ssl_max_protocol_version = 'TLSv1.2'";
    let server = Encrypted::start(Some(&identity), &authority, HOSTSSL, settings);
    let Some(server) = server else { return };
    let ca = authority.file("ca.pem");
    for mode in ["require", "verify-ca", "verify-full"] {
        let url = server.url(&format!("sslmode={mode}&sslrootcert={}", ca.display()));
        let mut client = Connector::new(&url, "test").unwrap().open().unwrap();
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
    let Some(server) = Encrypted::start(Some(&identity), &authority, HOSTSSL, "") else { return };
    let ca = authority.file("ca.pem");
    for mode in ["verify-ca", "verify-full"] {
        let text = refused(&server.url(&format!("sslmode={mode}&sslrootcert={}", ca.display())));
        assert!(text.contains("expired"), "{text}");
    }
    accepted(&server.url("sslmode=require"));
}

#[test]
fn a_self_signed_certificate_is_refused_unless_it_is_trusted() {
    let authority = Authority::new("ours");
    let key = KeyPair::generate().unwrap();
    let certificate = named("db", &["db.test"]).self_signed(&key).unwrap().pem();
    let file = authority.file("self.pem");
    std::fs::write(&file, &certificate).unwrap();
    let identity = (certificate, key.serialize_pem());
    let Some(server) = Encrypted::start(Some(&identity), &authority, HOSTSSL, "") else { return };
    for parameters in [
        "sslmode=verify-full".to_owned(),
        format!("sslmode=verify-full&sslrootcert={}", authority.file("ca.pem").display()),
    ] {
        let text = refused(&server.url(&parameters));
        assert!(text.contains("UnknownIssuer; check"), "{text}");
    }
    let trusted = format!("sslmode=verify-full&sslrootcert={}", file.display());
    accepted(&server.url(&trusted));
}

#[test]
fn a_client_certificate_is_sent() {
    let authority = Authority::new("ours");
    let identity = authority.issue(&named("db", &["db.test"]));
    let access = "hostssl all all all cert";
    let Some(server) = Encrypted::start(Some(&identity), &authority, access, "") else { return };
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
    assert!(text.contains("; check sslmode, sslcert and sslkey"), "{text}");
    accepted(&with(&certificate, &private));
    let (stranger, key) = authority.issue(&named("stranger", &[]));
    let text = refused(&with(&write("s.pem", &stranger, 0o644), &write("s.key", &key, 0o600)));
    assert!(text.contains("; check sslmode, sslcert and sslkey"), "{text}");

    for (url, expected) in [
        (with(&certificate, &open), "other users can access it; set its mode to 0600"),
        (with(&certificate, "/nowhere/key"), "cannot use sslkey /nowhere/key: No such file"),
        (with(&private, &private), "it has no certificate"),
        (server.url(&format!("{full}&sslkey={private}")), "must be set together"),
    ] {
        let error = connect(&url).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Setting);
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[test]
fn a_server_without_tls_is_used_only_if_the_mode_allows_it() {
    let access = "host all all all scram-sha-256";
    let Some(server) = Encrypted::start(None, &Authority::new("ours"), access, "") else { return };
    for mode in ["", "sslmode=prefer", "sslmode=disable"] {
        accepted(&server.url(mode));
    }
    for mode in ["sslmode=require", "sslmode=verify-full"] {
        let text = refused(&server.url(mode));
        assert!(text.contains("does not support TLS; check sslmode"), "{text}");
    }
    let text = refused(&server.url("sslmode=prefer&channel_binding=require"));
    assert!(text.contains("did not use channel binding"), "{text}");
}
