//! Creates a revision: the tags of its lists, and their tallies.
//!
//! A tally is the number of rows in a list and the sum of their checksums. A reader compares it with the rows that it has
//! read, so that a damaged index, which loses whole ranges of rows, does not shorten a list unnoticed.

use crate::error::Error;
use crate::store::checksum::{self, Row};
use crate::store::cursor::Tally;
use crate::store::revision::draw_tag;
use crate::store::session::Session;
use crate::store::snapshot::AccountId;
use crate::store::stage::Changes;
use crate::store::tally_sql as sql;

/// The numbers of rows that a revision added and ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Delta {
    /// New rows. [`Session::insert`] added them.
    pub(crate) added: u64,
    /// Rows with `rev_to` set to the revision.
    pub(crate) ended: u64,
}

impl Delta {
    fn is_empty(self) -> bool {
        self == Self::default()
    }
}

impl From<Changes> for Delta {
    fn from(changes: Changes) -> Self {
        let Changes { added, changed, removed, .. } = changes;
        Self { added: added + changed, ended: changed + removed }
    }
}

/// The difference between two revisions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Difference {
    pub(crate) candidates: Delta,
    pub(crate) vacancies: Delta,
    pub(crate) statuses: Delta,
    pub(crate) credits_changed: bool,
}

/// Sets the revision of the account to `next`. The rows of the difference are already written.
pub(crate) fn create_revision<S: Session>(
    session: &mut S,
    account: AccountId,
    next: i64,
    difference: &Difference,
) -> Result<(), Error> {
    let AccountId(account) = account;
    let last = Lists::last(session, account)?;
    let Difference { candidates, vacancies, statuses, credits_changed } = *difference;
    let tag = draw_tag()?;
    let changed = |former: i64, changed: bool| if changed { tag } else { former };
    let parameters = [account, next];
    // The rows of a former release were not counted.
    let lists = if last.is_counted() && last.revision > 0 {
        Lists {
            candidates: last.candidates.after(
                session,
                &parameters,
                candidates,
                S::ADDED.candidates,
                sql::ENDED_CANDIDATES,
            )?,
            vacancies: last.vacancies.after(
                session,
                &parameters,
                vacancies,
                S::ADDED.vacancies,
                sql::ENDED_VACANCIES,
            )?,
            ..last
        }
    } else {
        Lists {
            candidates: Tally::read(session, sql::LIVE_CANDIDATES, &[account])?,
            vacancies: Tally::read(session, sql::LIVE_VACANCIES, &[account])?,
            ..last
        }
    };
    count_statuses(session, account, next, &last, statuses)?;
    let credits = if credits_changed || last.credits < 0 {
        let text = session.credits(account)?;
        checksum::of_record(Row::Credits, AccountId(account), 0, text.as_bytes())
    } else {
        last.credits
    };
    session.execute(sql::SET_REVISION, &[next, tag, account])?;
    // The time is read last and from the clock of the database. Responses that began before this revision still read
    // the rows that it supersedes, so those rows must not look older than they are.
    let [now] = session.first(S::NOW, &[])?.unwrap_or([0]);
    let row = [
        account,
        next,
        now,
        tag,
        changed(last.candidates_tag, !candidates.is_empty()),
        changed(last.statuses_tag, !statuses.is_empty()),
        changed(last.vacancies_tag, !vacancies.is_empty()),
        changed(last.credits_tag, credits_changed),
        lists.candidates.number,
        lists.candidates.sum,
        lists.vacancies.number,
        lists.vacancies.sum,
        credits,
    ];
    session.execute(sql::CREATE_REVISION, &row)?;
    Ok(())
}

/// The lists of the last revision.
#[derive(Clone, Copy)]
struct Lists {
    revision: i64,
    candidates_tag: i64,
    statuses_tag: i64,
    vacancies_tag: i64,
    credits_tag: i64,
    candidates: Tally,
    vacancies: Tally,
    credits: i64,
}

impl Lists {
    fn last(session: &mut impl Session, account: i64) -> Result<Self, Error> {
        let row: Option<[i64; 10]> = session.first(sql::LAST_LISTS, &[account])?;
        let [
            revision,
            candidates_tag,
            statuses_tag,
            vacancies_tag,
            credits_tag,
            candidates,
            candidates_sum,
            vacancies,
            vacancies_sum,
            credits,
        ] = row.unwrap_or_default();
        Ok(Self {
            revision,
            candidates_tag,
            statuses_tag,
            vacancies_tag,
            credits_tag,
            candidates: Tally { number: candidates, sum: candidates_sum },
            vacancies: Tally { number: vacancies, sum: vacancies_sum },
            credits,
        })
    }

    fn is_counted(&self) -> bool {
        self.candidates.number >= 0
    }
}

impl Tally {
    fn read(
        session: &mut impl Session,
        query: &'static str,
        parameters: &[i64],
    ) -> Result<Self, Error> {
        let [number, sum] = session.first(query, parameters)?.unwrap_or_default();
        Ok(Self { number, sum })
    }

    /// Returns the tally after a difference.
    fn after(
        self,
        session: &mut impl Session,
        parameters: &[i64],
        delta: Delta,
        added: &'static str,
        ended: &'static str,
    ) -> Result<Self, Error> {
        let mut tally = self;
        if delta.added > 0 {
            let added = Self::read(session, added, parameters)?;
            tally.number += added.number;
            tally.sum += added.sum;
        }
        if delta.ended > 0 {
            let ended = Self::read(session, ended, parameters)?;
            tally.number -= ended.number;
            tally.sum -= ended.sum;
        }
        Ok(tally)
    }
}

fn count_statuses<S: Session>(
    session: &mut S,
    account: i64,
    next: i64,
    last: &Lists,
    delta: Delta,
) -> Result<(), Error> {
    if !last.is_counted() || last.revision == 0 {
        session.execute(sql::END_ALL_TALLIES, &[next, account])?;
        session.execute(sql::COUNT_STATUSES, &[account, next])?;
    } else if !delta.is_empty() {
        let change =
            if delta.added > 0 { S::ADDED.change_statuses } else { sql::LOWER_STATUS_TALLIES };
        session.execute(change, &[account, next])?;
        session.execute(sql::END_CHANGED_TALLIES, &[next, account])?;
    }
    Ok(())
}
