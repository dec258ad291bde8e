//! Imports of records in any order, with repetitions, into empty accounts and beside live records. The databases have
//! special statements for some of these cases.

use std::fmt::Debug;
use std::ops::Range;

use gateway_server::{AccountId, CandidateFilter, ImportMode, ImportReport, Stage, Store};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::store::{NOW, application, candidate, import, names, on_each_store, snapshot, vacancy};

/// The records of one import. The content of a record depends on its id and on the import.
#[derive(Clone, Debug)]
struct Files {
    vacancies: Vec<i64>,
    candidates: Vec<i64>,
    applications: Vec<(i64, i64)>,
    /// Records whose number is divisible by this differ from those of the other imports.
    changes: i64,
}

/// Returns keys in any order, many of them in ascending order without repetitions.
fn keys<T: Ord + Copy + Debug>(
    key: impl Strategy<Value = T> + 'static,
    number: Range<usize>,
) -> impl Strategy<Value = Vec<T>> {
    (prop::collection::vec(key, number), 0..3_u8).prop_map(|(mut keys, order)| {
        if order > 0 {
            keys.sort_unstable();
            keys.dedup();
        }
        if order > 1 {
            keys.reverse();
        }
        keys
    })
}

fn files() -> impl Strategy<Value = Files> {
    let all = (0..4_i64, 0..40_i64);
    (keys(0..4_i64, 0..6), keys(0..40_i64, 0..60), keys(all, 0..60), 1..8_i64).prop_map(
        |(vacancies, candidates, applications, changes)| Files {
            vacancies,
            candidates,
            applications,
            changes,
        },
    )
}

impl Files {
    fn text(&self, import: usize, id: i64) -> String {
        if id % self.changes == 0 { format!("{id} of {import}") } else { id.to_string() }
    }

    fn import(&self, store: &Store, account: AccountId, number: usize) -> ImportReport {
        let fill = |stage: &mut dyn Stage| {
            for id in &self.vacancies {
                vacancy(stage, 1, *id, &self.text(number, *id))?;
            }
            for id in &self.candidates {
                candidate(stage, 2, *id, &self.text(number, *id))?;
            }
            for (vacancy, id) in &self.applications {
                application(stage, 3, *vacancy, *id, &self.text(number, *id))?;
            }
            Ok(())
        };
        import(store, account, ImportMode::Commit, fill).unwrap()
    }
}

/// Returns the reports of all imports, and the lists after each of them.
fn outcome(store: &Store, name: &str, imports: &[Files]) -> Vec<(ImportReport, Vec<Vec<String>>)> {
    let account = store.create_account(name, NOW).unwrap();
    let mut filters = vec![CandidateFilter::All];
    for vacancy in 0..4 {
        filters.push(CandidateFilter::Vacancy(vacancy));
        let ids = (0..40).step_by(8);
        filters.extend(ids.map(|id: i64| CandidateFilter::Status(vacancy, id.to_string())));
    }
    let of_one = |(number, files): (usize, &Files)| {
        let report = files.import(store, account, number);
        let list = |filter| names(store, snapshot(store, account), filter, 100);
        (report, filters.iter().map(list).collect())
    };
    imports.iter().enumerate().map(of_one).collect()
}

#[test]
fn the_order_of_the_records_changes_neither_report_nor_lists() {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[19; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let imports = prop::collection::vec(files(), 1..5);
    let mut case = || {
        let mut imports = imports.new_tree(&mut runner).unwrap().current();
        // The statuses of all imports refer to them.
        imports[0].vacancies.extend(0..4);
        imports[0].candidates.extend(0..40);
        imports
    };
    let cases: Vec<_> = (0..12).map(|_| case()).collect();
    let mut outcomes = Vec::new();
    on_each_store(|store| {
        let of_case =
            |(number, imports): (usize, &Vec<Files>)| outcome(store, &number.to_string(), imports);
        outcomes.push(cases.iter().enumerate().map(of_case).collect::<Vec<_>>());
    });
    assert!(outcomes.len() >= 2);
    for other in &outcomes[1..] {
        for (case, (one, other)) in cases.iter().zip(outcomes[0].iter().zip(other)) {
            assert_eq!(one, other, "{case:?}");
        }
    }
}
