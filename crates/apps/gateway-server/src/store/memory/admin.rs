//! The administration of a store in memory.

use std::sync::Arc;
use std::time::Duration;

use crate::clock::UnixTime;
use crate::error::Error;
use crate::store::errors::{account_exists, account_gone, no_account};
use crate::store::memory::{Data, MemoryStore, Tenant, index, number, versions_of};
use crate::store::{
    Account, AccountId, CheckReport, Deletion, DeletionReport, Fill, ImportMode, ImportReport,
    Removals, Snapshot, StoreAdmin, TokenInfo, UnknownIds, Versions,
};
use crate::token::{TokenDigest, TokenId};

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
