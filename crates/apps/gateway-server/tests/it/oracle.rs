//! The server compared with a simple model, over random data and random and hostile requests: the responses are equal
//! byte for byte, and no account sees the rows of another.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

use gateway_server::{
    AccountId, ApplicationRow, CandidateRow, CheckReport, Deletion, Error, ImportMode, PortalRow,
    Removals, RunningServer, Stage, Store, UnknownIds, VacancyRow,
};
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config as Cases, RngAlgorithm, TestRng, TestRunner};

use crate::front::serve;
use crate::process::{on_each_database, open};
use crate::store::NOW;
use crate::support::get;

/// The model of one account.
#[derive(Clone, Debug, Default)]
struct Data {
    vacancies: BTreeMap<i64, String>,
    candidates: BTreeMap<i64, [String; 3]>,
    applications: BTreeMap<(i64, i64), String>,
}

impl Data {
    /// Returns the expected response of `candidates/list`.
    fn candidates(&self, vacancy: Option<u64>, status: Option<&str>) -> Vec<u8> {
        let wanted = |id: &i64| match (vacancy, status) {
            (None, _) => true,
            (Some(vacancy), status) => i64::try_from(vacancy).is_ok_and(|vacancy| {
                let has = self.applications.get(&(vacancy, *id));
                has.is_some_and(|name| status.is_none_or(|status| status == name))
            }),
        };
        let record = |(id, [name, portal, kind]): (&i64, &[String; 3])| {
            let portal = PortalRow { name: portal, ..PortalRow::new("1") };
            json(&CandidateRow { name, portal, kind, ..CandidateRow::new(&id.to_string()) })
        };
        let wanted = self.candidates.iter().filter(|(id, _)| wanted(id));
        let records: Vec<String> = wanted.map(record).collect();
        format!(r#"{{"status":"success","result":[{}]}}"#, records.join(",")).into_bytes()
    }

    fn vacancies(&self) -> Vec<u8> {
        let record = |(id, project): (&i64, &String)| {
            json(&VacancyRow { project, ..VacancyRow::new(&id.to_string()) })
        };
        format!("[{}]", self.vacancies.iter().map(record).collect::<Vec<_>>().join(","))
            .into_bytes()
    }

    fn import(&self, store: &Store, name: &str) -> (AccountId, String) {
        let account = store.create_account(name, NOW).unwrap();
        store.import(account, ImportMode::Commit, &mut |stage| self.stage(stage)).unwrap();
        (account, store.create_token(account, "", NOW, None).unwrap().reveal().to_owned())
    }

    fn stage(&self, stage: &mut dyn Stage) -> Result<(), Error> {
        let place = gateway_server::Place { file: 0, line: 1 };
        for (id, project) in &self.vacancies {
            stage.vacancy(place, *id, &VacancyRow { project, ..VacancyRow::new("") })?;
        }
        for (id, [name, portal, kind]) in &self.candidates {
            let portal = PortalRow { name: portal, ..PortalRow::new("1") };
            let row = CandidateRow { name, portal, kind, ..CandidateRow::new("") };
            stage.candidate(place, *id, &row)?;
        }
        for ((vacancy_id, candidate_id), status) in &self.applications {
            let (vacancy_id, candidate_id) = (*vacancy_id, *candidate_id);
            stage.application(place, &ApplicationRow { vacancy_id, candidate_id, status })?;
        }
        Ok(())
    }

    /// Changes the model and the database in the same way, and compares the counts.
    fn change(&mut self, change: &Change, store: &Store, account: AccountId) {
        let before = self.counts();
        let deletion = match change {
            Change::Candidates(drawn) => {
                let ids = chosen(drawn, self.candidates.keys());
                self.candidates.retain(|id, _| !ids.contains(id));
                self.applications.retain(|(_, candidate), _| !ids.contains(candidate));
                Deletion::Candidates(ids)
            }
            Change::Vacancies(drawn) => {
                let ids = chosen(drawn, self.vacancies.keys());
                self.vacancies.retain(|id, _| !ids.contains(id));
                self.applications.retain(|(vacancy, _), _| !ids.contains(vacancy));
                Deletion::Vacancies(ids)
            }
            Change::Statuses(drawn) => {
                let keys = chosen(drawn, self.applications.keys());
                self.applications.retain(|key, _| !keys.contains(key));
                Deletion::Statuses(keys)
            }
            Change::Replace(drawn) => return self.replace(drawn, store, account),
        };
        let unknown = UnknownIds::Refuse;
        let report = store.delete(account, &deletion, unknown, ImportMode::Commit).unwrap();
        let counts = [report.vacancies, report.candidates, report.applications];
        assert_eq!(counts, removed(before, self.counts()));
    }

    /// Removes candidates by an import of everything else. A kind that does not occur is not replaced.
    fn replace(&mut self, drawn: &[Index], store: &Store, account: AccountId) {
        let before = self.counts();
        let ids = chosen(drawn, self.candidates.keys());
        if ids.len() < self.candidates.len() {
            self.candidates.retain(|id, _| !ids.contains(id));
            self.applications.retain(|(_, candidate), _| !ids.contains(candidate));
        }
        let expected = removed(before, self.counts());
        let removals = Removals::Exactly(expected.iter().sum());
        let stage = &mut |stage: &mut dyn Stage| self.stage(stage);
        let report = store.replace(account, ImportMode::Commit, removals, stage).unwrap();
        let counts = [report.vacancies, report.candidates, report.applications];
        assert_eq!(counts.map(|changes| changes.removed), expected);
    }

    fn counts(&self) -> [usize; 3] {
        [self.vacancies.len(), self.candidates.len(), self.applications.len()]
    }
}

fn removed(before: [usize; 3], after: [usize; 3]) -> [u64; 3] {
    [0, 1, 2].map(|kind| (before[kind] - after[kind]) as u64)
}

/// Returns the different keys that were drawn.
fn chosen<'k, K: Copy + Ord + 'k>(drawn: &[Index], keys: impl Iterator<Item = &'k K>) -> Vec<K> {
    let keys: Vec<K> = keys.copied().collect();
    let drawn = drawn.iter().filter(|_| !keys.is_empty()).map(|index| *index.get(&keys));
    drawn.collect::<BTreeSet<K>>().into_iter().collect()
}

/// A change of an account after its import.
#[derive(Clone, Debug)]
enum Change {
    Candidates(Vec<Index>),
    Vacancies(Vec<Index>),
    Statuses(Vec<Index>),
    Replace(Vec<Index>),
}

fn change() -> impl Strategy<Value = Change> {
    let drawn = || prop::collection::vec(any::<Index>(), 0..6);
    prop_oneof![
        drawn().prop_map(Change::Candidates),
        drawn().prop_map(Change::Vacancies),
        drawn().prop_map(Change::Statuses),
        drawn().prop_map(Change::Replace),
    ]
}

/// Returns the text of a record. The record of exchanges contains such text byte for byte.
fn json(row: &impl serde::Serialize) -> String {
    serde_json::to_string(row).unwrap()
}

/// Generates statuses, many of which differ only in case, whitespace or Unicode composition.
fn status() -> impl Strategy<Value = String> {
    const SIMILAR: [&str; 13] =
        ["New", "new", "NEW", "New ", " New", "Other", "é", "e\u{301}", "'", "\"", "%", "_", "\\"];
    let similar = prop::sample::select(&SIMILAR[..]).prop_map(str::to_owned);
    prop_oneof![similar, "[^\\p{C}]{1,6}"]
}

fn data(marker: &'static str) -> impl Strategy<Value = Data> {
    let text = move || "\\PC{0,8}".prop_map(move |text| format!("{marker}{text}"));
    let vacancies = prop::collection::btree_map(0_i64..12, text(), 0..8);
    let candidates = prop::collection::btree_map(0_i64..600, [text(), text(), text()], 0..60);
    let links = prop::collection::vec((any::<Index>(), any::<Index>(), status()), 0..60);
    (vacancies, candidates, links).prop_map(|(vacancies, candidates, links)| {
        let mut applications = BTreeMap::new();
        for (vacancy, candidate, status) in links {
            if !vacancies.is_empty() && !candidates.is_empty() {
                let vacancy = *vacancy.get(&vacancies.keys().copied().collect::<Vec<_>>());
                let candidate = *candidate.get(&candidates.keys().copied().collect::<Vec<_>>());
                applications.insert((vacancy, candidate), status);
            }
        }
        Data { vacancies, candidates, applications }
    })
}

/// A server with its runtime.
struct Asked {
    base_url: String,
    _running: RunningServer,
    _runtime: tokio::runtime::Runtime,
}

impl Asked {
    fn start(store: Arc<Store>) -> Self {
        let (running, runtime) = serve(store, |config| config.rate = 0);
        Self { base_url: running.base_url(), _running: running, _runtime: runtime }
    }

    fn ask(&self, token: &str, query: &str) -> (u16, Vec<u8>) {
        let response = get(&self.base_url, token, query);
        (response.status, response.body)
    }
}

fn encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        write!(out, "%{byte:02X}").unwrap();
    }
    out
}

fn runner(cases: u32) -> TestRunner {
    // A fixed seed, so that a failure can be reproduced.
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    TestRunner::new_with_rng(Cases { cases, failure_persistence: None, ..Cases::default() }, rng)
}

#[test]
fn random_requests_get_the_responses_of_the_model() {
    on_each_database(|database| {
        let data_sets = if database.starts_with("postgres") { 5 } else { 20 };
        random_requests(&Arc::new(open(database)), data_sets);
    });
}

/// Compares three accounts in one database with one model each, with 200 requests for each data set. Each string begins
/// with the letter of its account, so a row of another account makes the comparison fail.
fn random_requests(store: &Arc<Store>, data_sets: u32) {
    let requests = prop::collection::vec(
        (0..3_usize, prop::option::of(0_u64..13), prop::option::of(status())),
        200,
    );
    let pairs = std::cell::Cell::new(0);
    let changes = prop::collection::vec((0..3_usize, change()), 0..6);
    let strategy = (data("a"), data("b"), data("c"), changes, requests);
    let asked = Asked::start(Arc::clone(store));
    let result = runner(data_sets).run(&strategy, |(a, b, c, changes, requests)| {
        // New accounts each time, so that the number of other accounts grows.
        let mut accounts = [a, b, c].map(|data| {
            let name = store.accounts().unwrap().len().to_string();
            let (account, token) = data.import(store, &name);
            (account, token, data)
        });
        for (account, change) in &changes {
            let (account, _, data) = &mut accounts[*account];
            data.change(change, store, *account);
        }
        for (account, vacancy, status) in requests {
            let (_, token, data) = &accounts[account];
            let mut query = "method=candidates/list".to_owned();
            if let Some(vacancy) = vacancy {
                write!(query, "&vacancy_id={vacancy}").unwrap();
            }
            if let Some(status) = &status {
                write!(query, "&status={}", encoded(status)).unwrap();
            }
            let (code, body) = asked.ask(token, &query);
            prop_assert_eq!(code, 200);
            prop_assert_eq!(body, data.candidates(vacancy, status.as_deref()), "{}", query);
            pairs.set(pairs.get() + 1);
        }
        for (_, token, data) in &accounts {
            let (_, body) = asked.ask(token, "method=vacancies/list");
            prop_assert_eq!(body, data.vacancies());
        }
        Ok(())
    });
    result.unwrap();
    assert_eq!(pairs.get(), 200 * data_sets);
}

/// Returns strings that an attacker would try, and similar harmless ones.
fn hostile() -> Vec<String> {
    let seeds = [
        "' OR '1'='1",
        "'; DROP TABLE candidate; --",
        "') OR ('a'='a",
        "' UNION SELECT * FROM token --",
        "' OR 'x' LIKE '%",
        "%",
        "_",
        "New%",
        "New\u{200b}",
        "\u{202e}weN",
        "new",
        "New ",
        "New--",
        "*/",
        "\\",
        "\"",
        "$1",
        "?1",
        "&status=New",
        "null",
        "0",
        "-1",
        "|| 'x'",
        "randomblob(1000000000)",
        "ATTACH DATABASE 'x' AS y",
        "pg_sleep(5)",
        "\u{feff}New",
        "\u{1F600}",
    ];
    let mut all: Vec<String> = seeds.iter().map(|&seed| seed.to_owned()).collect();
    all.extend(
        ["\u{1}", "\n", "New\r\n", "\u{1b}[31m", "\u{7f}", "\u{98}", "\t"].map(str::to_owned),
    );
    all.extend(seeds.iter().map(|seed| format!("New{seed}")));
    all.extend(seeds.iter().map(|seed| format!("{seed}' --")));
    all
}

#[test]
fn hostile_strings_have_no_effect() {
    on_each_database(|database| hostile_strings(&Arc::new(open(database))));
}

fn hostile_strings(store: &Arc<Store>) {
    let hostile = hostile();
    assert!(hostile.len() >= 80, "{}", hostile.len());
    let mut data = Data::default();
    data.vacancies.insert(7, "seven".into());
    // Half of the strings are names of statuses, so that not all responses are empty.
    for (id, status) in (0..).zip(&hostile) {
        data.candidates.insert(id, [format!("name {status}"), status.clone(), "person".into()]);
        if id % 2 == 0 {
            data.applications.insert((7, id), status.clone());
        }
    }
    let (_, token) = data.import(store, "a");
    let asked = Asked::start(Arc::clone(store));
    for text in &hostile {
        let query = format!("method=candidates/list&vacancy_id=7&status={}", encoded(text));
        let expected = (200, data.candidates(Some(7), Some(text)));
        assert_eq!(asked.ask(&token, &query), expected, "{text}");
        let query = format!("method=candidates/list&vacancy_id={}", encoded(text));
        let (status, body) = asked.ask(&token, &query);
        match text.parse::<u64>() {
            Ok(vacancy) => assert_eq!(body, data.candidates(Some(vacancy), None)),
            Err(_) => assert_eq!(status, 400, "{text}"),
        }
    }
    let nul = "method=candidates/list&vacancy_id=7&status=New%00";
    assert_eq!(asked.ask(&token, nul), (200, data.candidates(Some(7), Some("New\0"))));
    assert_eq!(asked.ask(&token, "method=candidates/list").1, data.candidates(None, None));
    assert_eq!(store.check().unwrap(), CheckReport::default());
}
