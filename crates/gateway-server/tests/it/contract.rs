//! The contract checks, as they stand in the test kit, against the program on both databases.

use gateway_testkit::contract::{Profile, Target, Verdict, run};
use gateway_transport::Options;
use gateway_transport::ureq::UreqTransport;

use crate::cluster;
use crate::program::{Served, account, run as administer};

#[test]
fn the_contract_is_kept_on_sqlite() {
    let directory = tempfile::tempdir().unwrap();
    is_kept(directory.path().join("a.db").to_str().unwrap());
}

#[test]
fn the_contract_is_kept_on_postgresql() {
    let Some(database) = cluster::database() else { return };
    is_kept(&database.url);
}

/// Serves sample data from this database, and holds it to everything that was decided.
#[track_caller]
fn is_kept(database: &str) {
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
