//! A store in memory: the simplest implementation of the interface, with which tests compare the databases.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use bytes::Bytes;

use crate::clock::UnixTime;
use crate::error::{Error, ErrorKind};
use crate::generated::record::{CandidateRow, CreditsRow, VacancyRow};
use crate::lock::lock;
use crate::place::Place;
use crate::store::balance::Balance;
use crate::store::errors::{
    account_exists, account_gone, contradiction, dangling, no_account, snapshot_gone,
};
use crate::store::revision::draw_tag;
use crate::store::{
    Account, AccountId, ApplicationRow, CandidateFilter, Changes, CheckReport, Cursor, Deletion,
    DeletionReport, Fill, ImportMode, ImportReport, Page, Principal, RecordSink, Removals,
    Snapshot, Stage, Store, StoreAdmin, TokenInfo, UnknownIds, Versions, rendered,
};
use crate::token::{TokenDigest, TokenId};

/// A store in memory for tests. Unstable: it may change or disappear in any release.
///
/// Every revision is a full copy of the data. Only a deletion removes some.
#[derive(Debug, Default)]
pub struct MemoryStore(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// Deleted accounts are `None`, so that their numbers are not used again.
    accounts: Vec<Option<Tenant>>,
    tokens: Vec<(AccountId, TokenDigest, TokenInfo)>,
}

#[derive(Debug)]
struct Tenant {
    name: String,
    created_at: UnixTime,
    /// The versions and the data of each revision; the last one is current. Revisions before a deletion have no data.
    revisions: Vec<(Versions, Option<Arc<Data>>)>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Data {
    vacancies: BTreeMap<i64, String>,
    candidates: BTreeMap<i64, String>,
    applications: BTreeMap<(i64, i64), String>,
    credits: Option<String>,
}

impl MemoryStore {
    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.0)
    }

    fn data(&self, snapshot: Snapshot) -> Result<Arc<Data>, Error> {
        let lost =
            || Error::new(ErrorKind::NotFound, "the store does not have this account or revision");
        let state = self.state();
        let tenant = state.tenant(snapshot.account).ok_or_else(snapshot_gone)?;
        let data = index(snapshot.revision).and_then(|at| tenant.revisions.get(at));
        data.ok_or_else(lost)?.1.clone().ok_or_else(snapshot_gone)
    }

    /// Imports, and removes what is not staged if `replace` is given.
    fn run(
        &self,
        account: AccountId,
        mode: ImportMode,
        replace: Option<Removals>,
        fill: Fill<'_>,
    ) -> Result<ImportReport, Error> {
        let (Snapshot { revision, .. }, versions, before) = self.live(account)?;
        let mut staging = Staging::default();
        fill(&mut staging)?;
        let mut after = (*before).clone();
        if let Some(record) = staging.balance.given() {
            after.credits = Some(record.to_owned());
        }
        let staged = [
            !staging.vacancies.is_empty(),
            !staging.candidates.is_empty(),
            !staging.applications.is_empty(),
        ];
        if replace.is_some() {
            after.keep(&staging);
        }
        let kept = after.counts();
        let references: Vec<_> =
            staging.applications.iter().map(|(key, (place, _status))| (*place, *key)).collect();
        let mut report = ImportReport {
            credits_changed: after.credits != before.credits,
            revision,
            vacancies: merge(&mut after.vacancies, staging.vacancies),
            candidates: merge(&mut after.candidates, staging.candidates),
            applications: merge(&mut after.applications, staging.applications),
        };
        let changes = [&mut report.vacancies, &mut report.candidates, &mut report.applications];
        for (((changes, staged), before), kept) in
            changes.into_iter().zip(staged).zip(before.counts()).zip(kept)
        {
            changes.removed = before - kept;
            if !staged && changes.removed > 0 {
                changes.unchanged = kept;
            }
        }
        for (place, (vacancy, candidate)) in references {
            if !after.vacancies.contains_key(&vacancy) {
                return Err(dangling(place, "vacancy", vacancy));
            }
            if !after.candidates.contains_key(&candidate) {
                return Err(dangling(place, "candidate", candidate));
            }
        }
        replace.map_or(Ok(()), |removals| removals.check(mode, &report))?;
        if report.changed_anything() {
            report.revision += 1;
            if mode == ImportMode::Commit {
                let versions = versions_of(&before, versions, &after)?;
                let mut state = self.state();
                let tenant = state.tenant_mut(account).ok_or_else(account_gone)?;
                tenant.revisions.push((versions, Some(Arc::new(after))));
            }
        }
        Ok(report)
    }

    fn live(&self, account: AccountId) -> Result<(Snapshot, Versions, Arc<Data>), Error> {
        let state = self.state();
        let tenant = state.tenant(account).ok_or_else(account_gone)?;
        let (versions, data) = tenant.revisions.last().ok_or_else(account_gone)?;
        let revision = number(tenant.revisions.len()) - 1;
        Ok((Snapshot { account, revision }, *versions, data.clone().unwrap_or_default()))
    }
}

impl State {
    fn tenant(&self, account: AccountId) -> Option<&Tenant> {
        self.accounts.get(index(account.0 - 1)?)?.as_ref()
    }

    fn tenant_mut(&mut self, account: AccountId) -> Option<&mut Tenant> {
        self.accounts.get_mut(index(account.0 - 1)?)?.as_mut()
    }
}

impl Store for MemoryStore {
    fn authenticate(&self, token: &TokenDigest, now: UnixTime) -> Result<Option<Principal>, Error> {
        let account = self.state().tokens.iter().find_map(|(account, digest, info)| {
            let valid = info.revoked_at.is_none() && info.expires_at.is_none_or(|at| at > now);
            (digest == token && valid).then_some(*account)
        });
        let Some(account) = account else { return Ok(None) };
        let (snapshot, versions, data) = self.live(account)?;
        let credits = data.credits.clone().map(Bytes::from);
        Ok(Some(Principal { snapshot, versions, credits, token: token.id() }))
    }

    fn candidates(
        &self,
        snapshot: Snapshot,
        filter: &CandidateFilter,
        page: Page,
        sink: RecordSink<'_>,
    ) -> Result<Option<Cursor>, Error> {
        let data = self.data(snapshot)?;
        let matches = |id: i64| match filter {
            CandidateFilter::All => true,
            CandidateFilter::Nothing => false,
            CandidateFilter::Vacancy(vacancy) => data.applications.contains_key(&(*vacancy, id)),
            CandidateFilter::Status(vacancy, status) => {
                data.applications.get(&(*vacancy, id)) == Some(status)
            }
        };
        let found =
            data.candidates.iter().filter(|(id, _)| **id > page.from.after() && matches(**id));
        Ok(each(found, page, |record| sink(record.as_bytes())))
    }

    fn vacancies(
        &self,
        snapshot: Snapshot,
        page: Page,
        sink: RecordSink<'_>,
    ) -> Result<Option<Cursor>, Error> {
        let data = self.data(snapshot)?;
        let found = data.vacancies.iter().filter(|(id, _)| **id > page.from.after());
        Ok(each(found, page, |record| sink(record.as_bytes())))
    }

    fn credits(&self, account: AccountId, sink: RecordSink<'_>) -> Result<(), Error> {
        let (_snapshot, _versions, data) = self.live(account)?;
        sink(data.credits.clone().map_or_else(rendered::no_credits, Ok)?.as_bytes());
        Ok(())
    }

    fn is_near(&self) -> bool {
        true
    }

    fn health(&self) -> Result<(), Error> {
        Ok(())
    }

    fn collect(&self, _age: Duration) -> Result<u64, Error> {
        Ok(0)
    }

    fn exists(&self, snapshot: Snapshot) -> Result<bool, Error> {
        Ok(self.data(snapshot).is_ok())
    }
}

impl StoreAdmin for MemoryStore {
    fn create_account(&self, name: &str, now: UnixTime) -> Result<AccountId, Error> {
        let mut state = self.state();
        if state.accounts.iter().flatten().any(|tenant| tenant.name == name) {
            return Err(account_exists(name));
        }
        let revisions = vec![(Versions::default(), Some(Arc::default()))];
        state.accounts.push(Some(Tenant { name: name.to_owned(), created_at: now, revisions }));
        Ok(AccountId(number(state.accounts.len())))
    }

    fn accounts(&self) -> Result<Vec<Account>, Error> {
        let mut accounts: Vec<_> = (1..)
            .zip(&self.state().accounts)
            .filter_map(|(id, tenant)| Some((id, tenant.as_ref()?)))
            .map(|(id, tenant)| Account {
                id: AccountId(id),
                name: tenant.name.clone(),
                revision: number(tenant.revisions.len()) - 1,
                created_at: tenant.created_at,
            })
            .collect();
        accounts.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(accounts)
    }

    fn account(&self, name: &str) -> Result<AccountId, Error> {
        self.accounts()?
            .into_iter()
            .find(|account| account.name == name)
            .map(|account| account.id)
            .ok_or_else(|| no_account(name))
    }

    fn add_token(
        &self,
        account: AccountId,
        digest: &TokenDigest,
        label: &str,
        now: UnixTime,
        expires_at: Option<UnixTime>,
    ) -> Result<(), Error> {
        let label = label.to_owned();
        let info =
            TokenInfo { id: digest.id(), label, created_at: now, expires_at, revoked_at: None };
        self.state().tokens.push((account, *digest, info));
        Ok(())
    }

    fn tokens(&self, account: AccountId) -> Result<Vec<TokenInfo>, Error> {
        let state = self.state();
        let own = state.tokens.iter().filter(|(owner, ..)| *owner == account);
        let mut tokens: Vec<_> = own.collect();
        tokens.sort_by_key(|(_, digest, info)| (info.created_at, digest.0));
        Ok(tokens.into_iter().map(|(.., info)| info.clone()).collect())
    }

    fn revoke_token(
        &self,
        account: AccountId,
        token: &TokenId,
        now: UnixTime,
    ) -> Result<bool, Error> {
        let mut state = self.state();
        let found =
            state.tokens.iter_mut().find(|(owner, _, info)| *owner == account && info.id == *token);
        let Some((.., info)) = found else { return Ok(false) };
        info.revoked_at.get_or_insert(now);
        Ok(true)
    }

    fn import(
        &self,
        account: AccountId,
        mode: ImportMode,
        fill: Fill<'_>,
    ) -> Result<ImportReport, Error> {
        self.run(account, mode, None, fill)
    }

    fn replace(
        &self,
        account: AccountId,
        mode: ImportMode,
        removals: Removals,
        fill: Fill<'_>,
    ) -> Result<ImportReport, Error> {
        self.run(account, mode, Some(removals), fill)
    }

    fn delete(
        &self,
        account: AccountId,
        deletion: &Deletion,
        unknown: UnknownIds,
        mode: ImportMode,
    ) -> Result<DeletionReport, Error> {
        let (Snapshot { revision, .. }, versions, former) = self.live(account)?;
        let mut data = (*former).clone();
        let mut report = DeletionReport { revision, ..DeletionReport::default() };
        let keys = deletion.keys();
        let is_known = |(vacancy, candidate): &(i64, i64)| match deletion {
            Deletion::Candidates(_) => data.candidates.contains_key(candidate),
            Deletion::Vacancies(_) => data.vacancies.contains_key(vacancy),
            Deletion::Statuses(_) => data.applications.contains_key(&(*vacancy, *candidate)),
            Deletion::Account => true,
        };
        let missing: Vec<_> = keys.iter().copied().filter(|key| !is_known(key)).collect();
        if let (UnknownIds::Refuse, [first, others @ ..]) = (unknown, &*missing) {
            return Err(deletion.unknown(*first, others.len() as u64));
        }
        report.unknown = missing.len() as u64;
        let before = data.counts();
        match deletion {
            Deletion::Candidates(ids) => {
                data.candidates.retain(|id, _| !ids.contains(id));
                data.applications.retain(|(_, candidate), _| !ids.contains(candidate));
            }
            Deletion::Vacancies(ids) => {
                data.vacancies.retain(|id, _| !ids.contains(id));
                data.applications.retain(|(vacancy, _), _| !ids.contains(vacancy));
            }
            Deletion::Statuses(keys) => data.applications.retain(|key, _| !keys.contains(key)),
            Deletion::Account => data = Data::default(),
        }
        let after = data.counts();
        report.vacancies = before[0] - after[0];
        report.candidates = before[1] - after[1];
        report.applications = before[2] - after[2];
        let changed = report.changed_anything() && *deletion != Deletion::Account;
        report.revision += i64::from(changed);
        let mut state = self.state();
        let is_of_account = |owner: AccountId| owner == account && *deletion == Deletion::Account;
        report.tokens =
            state.tokens.iter().filter(|(owner, ..)| is_of_account(*owner)).count() as u64;
        if mode == ImportMode::DryRun {
            return Ok(report);
        }
        state.tokens.retain(|(owner, ..)| !is_of_account(*owner));
        if *deletion == Deletion::Account {
            let place = index(account.0 - 1).and_then(|at| state.accounts.get_mut(at));
            place.map(Option::take);
            return Ok(report);
        }
        let versions = versions_of(&former, versions, &data)?;
        let tenant = state.tenant_mut(account).ok_or_else(account_gone)?;
        if changed {
            tenant.revisions.push((versions, Some(Arc::new(data))));
        }
        if let Some((_newest, older)) = tenant.revisions.split_last_mut() {
            for (_versions, data) in older {
                *data = None;
            }
        }
        Ok(report)
    }

    fn erase_traces(&self, _timeout: Duration) -> Result<(), Error> {
        Ok(())
    }

    fn check(&self) -> Result<CheckReport, Error> {
        Ok(CheckReport::default())
    }
}

impl Data {
    /// Removes the records of staged kinds that are not staged, and the statuses of removed records.
    fn keep(&mut self, staging: &Staging) {
        if !staging.vacancies.is_empty() {
            self.vacancies.retain(|id, _| staging.vacancies.contains_key(id));
            let vacancies = &self.vacancies;
            self.applications.retain(|(vacancy, _), _| vacancies.contains_key(vacancy));
        }
        if !staging.candidates.is_empty() {
            self.candidates.retain(|id, _| staging.candidates.contains_key(id));
            let candidates = &self.candidates;
            self.applications.retain(|(_, candidate), _| candidates.contains_key(candidate));
        }
        if !staging.applications.is_empty() {
            self.applications.retain(|key, _| staging.applications.contains_key(key));
        }
    }

    /// Returns the numbers of vacancies, candidates and statuses.
    fn counts(&self) -> [u64; 3] {
        [self.vacancies.len(), self.candidates.len(), self.applications.len()]
            .map(|count| count as u64)
    }
}

/// The records of an import with the places where they were first given.
#[derive(Default)]
struct Staging {
    vacancies: BTreeMap<i64, (Place, String)>,
    candidates: BTreeMap<i64, (Place, String)>,
    applications: BTreeMap<(i64, i64), (Place, String)>,
    balance: Balance,
}

impl Stage for Staging {
    fn vacancy(&mut self, place: Place, id: i64, row: &VacancyRow<'_>) -> Result<(), Error> {
        let record = rendered::vacancy(id, row, &mut Vec::new())?.to_owned();
        put(&mut self.vacancies, place, id, record, &format!("vacancy {id}"))
    }

    fn candidate(&mut self, place: Place, id: i64, row: &CandidateRow<'_>) -> Result<(), Error> {
        let record = rendered::candidate(id, row, &mut Vec::new())?.to_owned();
        put(&mut self.candidates, place, id, record, &format!("candidate {id}"))
    }

    fn application(&mut self, place: Place, row: &ApplicationRow<'_>) -> Result<(), Error> {
        let key = (row.vacancy_id, row.candidate_id);
        let what = format!("the status of candidate {}", row.candidate_id);
        put(&mut self.applications, place, key, row.status.to_owned(), &what)
    }

    fn credits(&mut self, place: Place, row: &CreditsRow<'_>) -> Result<(), Error> {
        self.balance.take(place, row)
    }
}

/// Returns the versions of `after`, which follows `before`.
fn versions_of(before: &Data, mut versions: Versions, after: &Data) -> Result<Versions, Error> {
    let tag = draw_tag()?;
    for (version, changed) in [
        (&mut versions.candidates, after.candidates != before.candidates),
        (&mut versions.statuses, after.applications != before.applications),
        (&mut versions.vacancies, after.vacancies != before.vacancies),
        (&mut versions.credits, after.credits != before.credits),
    ] {
        if changed {
            *version = tag;
        }
    }
    Ok(versions)
}

fn put<K: Ord, V: PartialEq>(
    into: &mut BTreeMap<K, (Place, V)>,
    place: Place,
    key: K,
    value: V,
    what: &str,
) -> Result<(), Error> {
    match into.get(&key) {
        Some((first, other)) if *other != value => Err(contradiction(place, what, *first)),
        Some(_same) => Ok(()),
        None => {
            into.insert(key, (place, value));
            Ok(())
        }
    }
}

fn merge<K: Ord, V: PartialEq>(
    into: &mut BTreeMap<K, V>,
    staged: BTreeMap<K, (Place, V)>,
) -> Changes {
    let mut changes = Changes::default();
    for (key, (_place, value)) in staged {
        match into.get(&key) {
            None => changes.added += 1,
            Some(other) if *other == value => changes.unchanged += 1,
            Some(_) => changes.changed += 1,
        }
        into.insert(key, value);
    }
    changes
}

fn each<'d, T: 'd>(
    found: impl Iterator<Item = (&'d i64, &'d T)>,
    page: Page,
    mut visit: impl FnMut(&T),
) -> Option<Cursor> {
    let limit = usize::try_from(page.limit).unwrap_or(usize::MAX);
    let mut cursor = page.from;
    let mut count = 0;
    for (id, row) in found.take(limit) {
        visit(row);
        cursor = cursor.pass(*id, 0)?;
        count += 1;
    }
    (count == limit).then_some(cursor)
}

fn index(number: i64) -> Option<usize> {
    usize::try_from(number).ok()
}

fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
