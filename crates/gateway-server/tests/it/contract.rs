//! The contract checks of the test kit, run against the program on both databases.

use gateway_testkit::contract::{Profile, Target, Verdict, run};
use gateway_transport::Options;
use gateway_transport::ureq::UreqTransport;

use crate::cluster;
use crate::encrypted::{Authority, Encrypted, HOSTSSL, named};
use crate::process::{Served, account, run as administer};

#[test]
fn the_contract_checks_pass_on_sqlite() {
    let directory = tempfile::tempdir().unwrap();
    checks_pass(directory.path().join("a.db").to_str().unwrap());
}

#[test]
fn the_contract_checks_pass_on_postgresql() {
    let Some(database) = cluster::database() else { return };
    checks_pass(&database.url);
}

#[test]
fn the_contract_checks_pass_on_postgresql_over_tls() {
    let Some((_database, url)) = verified() else { return };
    checks_pass(&url);
}

/// Serves sample data from this database, and runs every check of the reference profile.
#[track_caller]
fn checks_pass(database: &str) {
    let token = account(database, "acme");
    let data = ["demo-data", "--account", "acme", "--candidates", "200", "--seed", "7"];
    administer(database, &data);
    let served = Served::start(database, &[]);
    let target = Target::new(&served.base_url, &token).unwrap();
    let transport = UreqTransport::new(&Options::default()).unwrap();
    let report = run(&target, &transport, Profile::Reference);
    let other: Vec<_> =
        report.findings().iter().filter(|finding| finding.verdict != Verdict::Pass).collect();
    assert!(other.is_empty(), "{report}\n{other:#?}");
    println!("{report}");
}

/// A database that is reached over verified TLS, and its URL.
fn verified() -> Option<(impl Sized, String)> {
    let authority = Authority::new("ours");
    let identity = authority.issue(&named("db", &["db.test"]));
    let server = Encrypted::start(Some(&identity), &authority, HOSTSSL)?;
    let ca = authority.file("ca.pem");
    let parameters =
        format!("sslmode=verify-full&sslrootcert={}&channel_binding=require", ca.display());
    let url = server.url(&parameters);
    Some(((server, authority), url))
}
