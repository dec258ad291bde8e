//! The contract checks: our server keeps the contract, and a server that does not is found out by each of them.

mod wrong;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gateway_server::demo::{self, Demo};
use gateway_server::{
    Clock, Config, CreditsRow, ImportMode, Place, Server, SqliteStore, Stage, StoreAdmin as _,
};
use gateway_testkit::contract::{Profile, Report, Target, Verdict, checks, run};
use gateway_transport::ureq::UreqTransport;
use gateway_transport::{BlockingTransport, Options};

use self::wrong::{WRONG, Wrong, Wronged};
use crate::support::RUNTIME;

#[test]
fn our_server_keeps_every_decision() {
    let demo = demo::start().unwrap();
    let report = judge(&demo, &transport(), Profile::Reference);
    let open: Vec<_> =
        report.findings().iter().filter(|one| one.verdict != Verdict::Pass).collect();
    assert!(open.is_empty(), "{report}\n{open:#?}");
    assert!(report.requests() <= 40, "{} requests", report.requests());
}

#[test]
fn our_server_keeps_every_decision_of_an_empty_account() {
    let directory = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(directory.path().join("empty.db")).unwrap();
    let now = Clock::system().now();
    let account = store.create_account("empty", now).unwrap();
    let credits = CreditsRow { credits_number: "0", currency: "EUR" };
    let mut fill = |stage: &mut dyn Stage| stage.credits(Place { file: 0, line: 1 }, &credits);
    store.import(account, ImportMode::Commit, &mut fill).unwrap();
    let token = store.create_token(account, "check", now, None).unwrap().reveal().to_owned();
    let mut config = Config::default();
    config.listen = ([127, 0, 0, 1], 0).into();
    config.access_log = false;
    let server = RUNTIME.block_on(Server::new(config, Arc::new(store)).start()).unwrap();

    let target = Target::new(&server.base_url(), &token).unwrap();
    let report = run(&target, &transport(), Profile::Reference);
    let failed = report.findings().iter().any(|one| one.verdict.word() == "fail");
    assert!(!failed, "{report}");
    RUNTIME.block_on(server.stop());
}

#[test]
fn what_is_left_open_is_reported_and_not_judged() {
    let demo = demo::start().unwrap();
    let wronged = Wronged::new(transport(), wrong::list_backwards);
    let strict = judge(&demo, &wronged, Profile::Reference);
    let lenient = judge(&demo, &wronged, Profile::Any);
    let verdict = |report: &Report| {
        let mut findings = report.findings().iter();
        findings.find(|one| one.check.name == "vacancies.order").unwrap().verdict.clone()
    };
    assert_eq!(verdict(&strict).word(), "fail");
    assert_eq!(
        verdict(&lenient),
        Verdict::Skip(
            "left open by the contract; observed: the records are not sorted by `id`".to_owned()
        )
    );
    assert!(lenient.is_kept());
}

#[test]
fn a_wrong_server_fails_its_checks_and_no_others() {
    let demo = demo::start().unwrap();
    let mut table = BTreeMap::new();
    for Wrong { name, change } in WRONG {
        let report = judge(&demo, &Wronged::new(transport(), *change), Profile::Reference);
        let failed = report.findings().iter().filter(|one| one.verdict.word() == "fail");
        let failed: Vec<_> = failed.map(|one| one.check.name).collect();
        table.insert(*name, failed);
    }
    let rows = table.iter().map(|(name, failed)| format!("{name}: {}\n", failed.join(", ")));
    insta::assert_snapshot!("wrong_servers", rows.collect::<String>());
    // A server that never answers fails everything, and so proves nothing.
    table.remove("never_answers");
    let found: BTreeSet<_> = table.values().flatten().copied().collect();
    let never: Vec<_> =
        checks().map(|check| check.name).filter(|name| !found.contains(name)).collect();
    assert!(never.is_empty(), "no wrong server fails {never:#?}");
}

#[test]
fn the_checks_of_a_large_answer_are_skipped() {
    let demo = demo::start().unwrap();
    let target = Target::new(demo.base_url(), demo.token()).unwrap().body_limit(2000);
    let report = run(&target, &transport(), Profile::Any);
    assert!(report.is_kept(), "{report}");
    assert!(report.count("skip") > 15, "{report}");
}

#[test]
fn no_report_tells_the_token_or_a_record() {
    let demo = demo::start().unwrap();
    for Wrong { change, .. } in WRONG {
        let report = judge(&demo, &Wronged::new(transport(), *change), Profile::Reference);
        let all =
            [report.to_tap(), report.to_junit(), report.to_json(), report.to_string()].concat();
        for secret in [demo.token(), "@example", "Popescu"] {
            assert!(!all.contains(secret), "{report}");
        }
    }
}

#[test]
fn reports_are_read_by_programs() {
    let demo = demo::start().unwrap();
    let report = judge(&demo, &Wronged::new(transport(), wrong::list_backwards), Profile::Any);
    insta::assert_snapshot!("contract_text", report.to_string());
    insta::assert_snapshot!("contract_tap", report.to_tap());
    insta::assert_snapshot!("contract_junit", report.to_junit());
    insta::assert_snapshot!("contract_json", report.to_json());
}

fn judge(demo: &Demo, transport: &dyn BlockingTransport, profile: Profile) -> Report {
    let target = Target::new(demo.base_url(), demo.token()).unwrap();
    run(&target, transport, profile)
}

fn transport() -> UreqTransport {
    UreqTransport::new(&Options::default()).unwrap()
}
