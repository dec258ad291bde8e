//! Imports that replace all records.

use std::time::Duration;

use gateway_server::{
    AccountId, CandidateFilter, Changes, CheckReport, Error, ErrorKind, ImportMode, ImportReport,
    Page, Removals, Stage, Store,
};

use crate::store::{NOW, application, candidate, import, names, on_each_store, snapshot, vacancy};

/// Creates an account with 200 candidates, each with a status in one of two vacancies.
fn fill(store: &Store) -> AccountId {
    let account = store.create_account("acme", NOW).unwrap();
    import(store, account, ImportMode::Commit, |stage| records(stage, 0..200)).unwrap();
    account
}

fn records(stage: &mut dyn Stage, ids: std::ops::Range<i64>) -> Result<(), Error> {
    for id in [7, 8] {
        vacancy(stage, 1, id, "Welder")?;
    }
    for id in ids {
        candidate(stage, 2, id, "A")?;
        application(stage, 3, 7 + id % 2, id, "New")?;
    }
    Ok(())
}

fn replace(
    store: &Store,
    account: AccountId,
    removals: Removals,
    mut fill: impl FnMut(&mut dyn Stage) -> Result<(), Error>,
) -> Result<ImportReport, Error> {
    store.replace(account, ImportMode::Commit, removals, &mut fill)
}

fn changes(added: u64, changed: u64, unchanged: u64, removed: u64) -> Changes {
    Changes { added, changed, unchanged, removed }
}

fn list(store: &Store, account: AccountId, filter: &CandidateFilter) -> usize {
    names(store, snapshot(store, account), filter, 1000).len()
}

#[test]
fn records_that_are_not_in_the_import_are_removed() {
    on_each_store(|store| {
        let account = fill(store);
        let before = snapshot(store, account);
        let report =
            replace(store, account, Removals::Few, |stage| records(stage, 40..210)).unwrap();
        assert_eq!(report.vacancies, changes(0, 0, 2, 0));
        assert_eq!(report.candidates, changes(10, 0, 160, 40));
        assert_eq!(report.applications, changes(10, 0, 160, 40));
        assert_eq!(list(store, account, &CandidateFilter::All), 170);
        assert_eq!(list(store, account, &CandidateFilter::Vacancy(7)), 85);
        // A list in progress stays consistent.
        let page = Page { from: gateway_server::Cursor::START, limit: 1000 };
        let mut count = 0;
        store.candidates(before, &CandidateFilter::All, page, &mut |_| count += 1).unwrap();
        assert_eq!(count, 200);
        // Another import of the same records changes nothing.
        let again =
            replace(store, account, Removals::Few, |stage| records(stage, 40..210)).unwrap();
        assert!(!again.changed_anything());
        store.collect(Duration::ZERO).unwrap();
        assert_eq!(store.check().unwrap(), CheckReport::default());
    });
}

#[test]
fn a_kind_that_does_not_occur_is_not_replaced() {
    on_each_store(|store| {
        let account = fill(store);
        let credits = replace(store, account, Removals::Few, |_stage| Ok(())).unwrap();
        assert!(!credits.changed_anything());
        // A vacancy that disappears removes its statuses, but no candidate.
        let one = |stage: &mut dyn Stage| vacancy(stage, 1, 7, "Welder");
        let refused = replace(store, account, Removals::Few, one).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::RemovalsRefused);
        let report = replace(store, account, Removals::Exactly(101), one).unwrap();
        assert_eq!(report.vacancies, changes(0, 0, 1, 1));
        assert_eq!(report.candidates, Changes::default());
        assert_eq!(report.applications, changes(0, 0, 100, 100));
        assert_eq!(list(store, account, &CandidateFilter::All), 200);
        assert_eq!(list(store, account, &CandidateFilter::Vacancy(8)), 0);
        // A status of a vacancy that the import removes is an error.
        let dangling = replace(store, account, Removals::Few, |stage| {
            vacancy(stage, 1, 9, "Barista")?;
            application(stage, 2, 7, 0, "New")
        });
        assert_eq!(dangling.unwrap_err().kind(), ErrorKind::Import);
        assert_eq!(store.check().unwrap(), CheckReport::default());
    });
}

#[test]
fn many_removals_are_refused_until_exactly_their_number_is_accepted() {
    on_each_store(|store| {
        let account = fill(store);
        let before = snapshot(store, account);
        for (ids, removals, accepted) in [
            (51..200, Removals::Few, false),
            (51..200, Removals::Exactly(101), false),
            (51..200, Removals::Exactly(103), false),
            (51..200, Removals::Exactly(102), true),
            (101..200, Removals::Few, true),
            (101..199, Removals::Exactly(3), false),
        ] {
            let replaced = replace(store, account, removals, |stage| records(stage, ids.clone()));
            assert_eq!(replaced.is_ok(), accepted, "{ids:?} {removals:?}");
            if let Err(error) = replaced {
                assert_eq!(error.kind(), ErrorKind::RemovalsRefused);
                assert!(error.to_string().contains("--accept-removals"), "{error}");
            }
        }
        assert_eq!(snapshot(store, account).revision, before.revision + 2);
        let dry = &mut |stage: &mut dyn Stage| records(stage, 199..200);
        let dry = store.replace(account, ImportMode::DryRun, Removals::Few, dry).unwrap();
        assert!(dry.removes_many());
        assert_eq!(dry.removed(), 196);
        assert_eq!(list(store, account, &CandidateFilter::All), 99);
    });
}
