//! The contract checks: our server passes all of them, and each of them fails for at least one wrong server.

mod altered;
mod wrong;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use gateway_server::demo::{self, Demo};
use gateway_server::{Clock, Config, CreditsRow, ImportMode, Place, Server, Stage, Store};
use gateway_testkit::contract::{CONTRACT, Profile, Report, Target, Verdict, checks, run};
use gateway_transport::ureq::UreqTransport;
use gateway_transport::{BlockingTransport, Options};

use self::altered::{Altered, Change};
use self::wrong::WRONG_SERVERS;
use crate::support::RUNTIME;

#[test]
fn our_server_passes_every_check() {
    let demo = demo::start().unwrap();
    let report = judge(&demo, &transport(), Profile::Reference);
    let open: Vec<_> =
        report.findings().iter().filter(|one| one.verdict != Verdict::Pass).collect();
    assert!(open.is_empty(), "{report}\n{open:#?}");
    assert!(report.requests() <= 40, "{} requests", report.requests());
}

#[test]
fn our_server_fails_no_check_with_an_empty_account() {
    let directory = tempfile::tempdir().unwrap();
    let store = Store::open(directory.path().join("records.db")).unwrap();
    let now = Clock::system().now();
    let account = store.create_account("test", now).unwrap();
    let credits = CreditsRow::new("0", "EUR");
    let place = Place { file: 0, line: 1 };
    store
        .import(account, ImportMode::Commit, &mut |stage: &mut dyn Stage| {
            stage.credits(place, &credits)
        })
        .unwrap();
    let token = store.create_token(account, "test", now, None).unwrap();
    let mut config = Config::default();
    config.listen = ([127, 0, 0, 1], 0).into();
    config.access_log = false;
    let server = RUNTIME.block_on(Server::new(config, Arc::new(store)).start()).unwrap();

    let target = Target::new(&server.base_url(), token.reveal()).unwrap();
    let report = run(&target, &transport(), Profile::Reference);
    let failed = report.findings().iter().any(|one| one.verdict.word() == "fail");
    assert!(!failed, "{report}");
    RUNTIME.block_on(server.stop());
}

#[test]
fn a_check_of_an_open_point_says_what_was_observed() {
    let demo = demo::start().unwrap();
    let altering = Altered { inner: transport(), change: wrong::reverse_lists };
    let strict = judge(&demo, &altering, Profile::Reference);
    let lenient = judge(&demo, &altering, Profile::Any);
    assert_eq!(verdict(&strict, "vacancies.order").word(), "fail");
    let observed = "left open by the contract; observed: the records are not sorted by `id`";
    assert_eq!(verdict(&lenient, "vacancies.order"), Verdict::Open(observed.to_owned()));
    assert!(lenient.is_kept());
}

/// A different tag for the same list shows that records changed between two requests.
#[test]
fn a_check_that_compares_lists_is_skipped_if_the_data_changes() {
    const WRONG: Change = |asked, reply| {
        if asked.has("status=New") {
            reply.list(|list| list.iter_mut().for_each(|record| record["id"] = "999".into()));
        }
    };
    const CHANGING: Change = |asked, reply| {
        static REQUESTS: AtomicU32 = AtomicU32::new(0);
        WRONG(asked, reply);
        let tag = format!("W/\"{}\"", REQUESTS.fetch_add(1, Ordering::Relaxed));
        reply.headers.insert("etag", tag.parse().unwrap());
    };
    let demo = demo::start().unwrap();
    let [wrong, changing] = [WRONG, CHANGING]
        .map(|change| judge(&demo, &Altered { inner: transport(), change }, Profile::Reference));
    for (name, detail) in [
        ("filters.status_subset", " records are not in the larger list"),
        ("filters.status_alone", "1 records instead of "),
    ] {
        let failed = verdict(&wrong, name);
        assert!(failed.word() == "fail" && failed.detail().contains(detail), "{failed:?}");
        let changed = "the data changed between two requests".to_owned();
        assert_eq!(verdict(&changing, name), Verdict::Skip(changed));
    }
}

#[test]
fn a_wrong_server_fails_its_checks_and_no_others() {
    let demo = demo::start().unwrap();
    let mut table = BTreeMap::new();
    for &(name, change) in WRONG_SERVERS {
        let altered = Altered { inner: transport(), change };
        let report = judge(&demo, &altered, Profile::Reference);
        let failed = report.findings().iter().filter(|one| one.verdict.word() == "fail");
        let failed: Vec<_> = failed.map(|one| one.check.name.to_string()).collect();
        table.insert(name, failed);
        // No report contains the token or a record.
        let all = report.to_string();
        for secret in [demo.token(), "@example", "Popescu"] {
            assert!(!all.contains(secret), "{report}");
        }
    }
    let rows = table.iter().filter(|(name, _)| !wrong::FOLLOW_THE_FIELDS.contains(name));
    let rows =
        rows.map(|(name, failed)| format!("{name}: {}\n", without_fields(failed).join(", ")));
    insta::assert_snapshot!("wrong_servers", rows.collect::<String>());
    for name in wrong::FOLLOW_THE_FIELDS {
        assert_eq!(without_fields(&table[name]), ["(fields)"], "{name}");
    }
    // A server that never answers fails every check, which proves nothing about any of them.
    table.remove("never_answers");
    let found: BTreeSet<_> = table.values().flatten().cloned().collect();
    let never: Vec<_> =
        checks().map(|check| check.name.to_string()).filter(|name| !found.contains(name)).collect();
    assert!(never.is_empty(), "no wrong server fails {never:#?}");
}

#[test]
fn checks_of_a_response_above_the_body_limit_are_skipped() {
    let demo = demo::start().unwrap();
    let target = Target::new(demo.base_url(), demo.token()).unwrap().body_limit(2000);
    let report = run(&target, &transport(), Profile::Any);
    assert!(report.is_kept(), "{report}");
    assert!(report.count("skip") > 15, "{report}");
}

/// Replaces the names of checks that follow from the fields in the spec.
fn without_fields(names: &[String]) -> Vec<&str> {
    let of_fields: BTreeSet<_> = CONTRACT
        .operations
        .iter()
        .flat_map(|operation| {
            let record = operation.record;
            let own = record.fields.iter().filter(|field| Some(field.name) != record.identity);
            let own =
                own.map(|field| field.check).chain(["all_fields", "plain_numbers", "real_dates"]);
            own.map(|check| format!("{}.{check}", operation.group))
        })
        .collect();
    let is_of_a_field = |name: &&String| of_fields.contains(*name);
    let others = names.iter().filter(|name| !is_of_a_field(name)).map(String::as_str);
    others.chain(names.iter().any(|name| is_of_a_field(&name)).then_some("(fields)")).collect()
}

fn verdict(report: &Report, check: &str) -> Verdict {
    let mut findings = report.findings().iter();
    findings.find(|one| one.check.name == check).unwrap().verdict.clone()
}

fn judge(demo: &Demo, transport: &dyn BlockingTransport, profile: Profile) -> Report {
    let target = Target::new(demo.base_url(), demo.token()).unwrap();
    run(&target, transport, profile)
}

fn transport() -> UreqTransport {
    UreqTransport::new(&Options::default()).unwrap()
}
