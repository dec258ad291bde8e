//! A store in memory: the simplest implementation of the interface, with which tests compare the databases.

mod admin;
mod staging;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use bytes::Bytes;

use self::staging::{Staging, merge};
use crate::clock::UnixTime;
use crate::error::{Error, ErrorKind};
use crate::lock::lock;
use crate::store::errors::{account_gone, dangling, snapshot_gone};
use crate::store::revision::draw_tag;
use crate::store::{
    AccountId, CandidateFilter, Cursor, Fill, ImportMode, ImportReport, Page, Principal,
    RecordSink, Removals, Snapshot, Store, TokenInfo, Versions, rendered,
};
use crate::token::TokenDigest;

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
        cursor = cursor.pass(*id)?;
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
