//! The contract checks of the test kit, run against the program on both databases.

use gateway_testkit::contract::{Profile, Target, Verdict, run};
use gateway_transport::ureq::UreqTransport;
use gateway_transport::{BlockingTransport, Options};

use crate::encrypted::{Authority, Encrypted, HOSTSSL, named};
use crate::http2_client::{Client, certificate};
use crate::process::{Served, account, on_each_database, run as administer};

#[test]
fn the_contract_checks_pass_on_each_database() {
    on_each_database(checks_pass);
}

#[test]
fn the_contract_checks_pass_on_postgresql_over_tls() {
    let Some((_database, url)) = verified() else { return };
    checks_pass(&url);
}

#[test]
fn the_contract_checks_pass_over_http2_on_each_database() {
    on_each_database(|database| {
        let transport = |served: &Served| Client::plain(&served.base_url).into_transport();
        checks_pass_over(database, &[], transport);
    });
}

#[test]
fn the_contract_checks_pass_over_http2_with_tls() {
    let directory = tempfile::tempdir().unwrap();
    let (flags, trusted) = certificate(directory.path());
    let transport = |served: &Served| Client::secure(&served.base_url, &trusted).into_transport();
    let flags: Vec<_> = flags.iter().map(String::as_str).collect();
    let database = directory.path().join("a.db");
    checks_pass_over(database.to_str().unwrap(), &flags, transport);
}

/// Serves sample data from this database, and runs every check of the reference profile.
#[track_caller]
fn checks_pass(database: &str) {
    checks_pass_over(database, &[], |_served| UreqTransport::new(&Options::default()).unwrap());
}

/// Does the same with these flags of the server, over the transport that `connect` creates.
#[track_caller]
fn checks_pass_over<T: BlockingTransport>(
    database: &str,
    flags: &[&str],
    connect: impl FnOnce(&Served) -> T,
) {
    let token = account(database, "acme");
    let data = ["demo-data", "--account", "acme", "--candidates", "200", "--seed", "7"];
    administer(database, &data);
    let served = Served::start(database, flags);
    let target = Target::new(&served.base_url, &token).unwrap();
    let report = run(&target, &connect(&served), Profile::Reference);
    let other: Vec<_> =
        report.findings().iter().filter(|finding| finding.verdict != Verdict::Pass).collect();
    assert!(other.is_empty(), "{report}\n{other:#?}");
    println!("{report}");
}

/// A database that is reached over verified TLS, and its URL.
fn verified() -> Option<(impl Sized, String)> {
    let authority = Authority::new("ours");
    let identity = authority.issue(&named("db", &["db.test"]));
    let server = Encrypted::start(Some(&identity), &authority, HOSTSSL, "")?;
    let ca = authority.file("ca.pem");
    let parameters =
        format!("sslmode=verify-full&sslrootcert={}&channel_binding=require", ca.display());
    let url = server.url(&parameters);
    Some(((server, authority), url))
}
