//! Requests the values of a recovered table's groups, several groups concurrently, and decides what the responses mean.

#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::error::{Error, ErrorKind};

/// The service's response: the members' identities, or the reason why they are missing.
pub(crate) type Answer = Result<Vec<String>, Fault>;

#[derive(Debug)]
pub(crate) enum Fault {
    /// The list is complete, but a record could not be read.
    Rejected,
    /// The service does not accept the group or the value, or a query cannot contain them.
    Refused(Error),
    /// The call failed, or the response is incomplete.
    Failed(Error),
}

/// Requests the members of a group: all, or only those with a value.
pub(crate) type Ask<'a> = &'a (dyn Fn(&str, Option<&str>) -> Answer + Sync);

/// A recovery of the values of all groups.
pub(crate) struct Asking<'a> {
    /// The name of the value, such as `status`.
    pub(crate) name: &'static str,
    /// All values to request, in order of preference.
    pub(crate) values: &'a [String],
    /// How many members are present in the mirror.
    pub(crate) members: u64,
    /// The hasher for the groups' digests.
    pub(crate) hasher: RandomState,
    pub(crate) ask: Ask<'a>,
    /// Whether the service refuses unknown values; `None` until a request has shown it.
    pub(crate) probe: Mutex<Option<bool>>,
    pub(crate) progress: Mutex<Progress>,
}

/// The results of all groups so far.
#[derive(Default)]
pub(crate) struct Progress {
    /// Sorted by identity once the recovery has ended.
    pub(crate) groups: Vec<(Group, Fate)>,
    /// The indexes of values that the service refused, although it accepts other unknown values. Such a refusal fails
    /// its group.
    pub(crate) refused: BTreeSet<usize>,
    failed_in_a_row: u32,
    /// Why the recovery was aborted.
    error: Option<Error>,
}

/// Why no further values of a group are requested.
enum Stop {
    /// Its responses contradict each other.
    Contradiction(&'static str),
    /// The recovery was aborted.
    GivenUp,
}

impl Asking<'_> {
    /// Requests the values of all groups, `concurrency` groups at a time, and passes to `report` how many groups are
    /// done.
    ///
    /// # Errors
    ///
    /// Fails if the service does not apply the filters, or too many consecutive responses failed.
    pub(crate) fn run(
        self,
        groups: Vec<Group>,
        concurrency: usize,
        report: impl Fn(usize) + Sync,
    ) -> Result<Progress, Error> {
        let (threads, groups) = (concurrency.min(groups.len()), Mutex::new(groups.into_iter()));
        let work = || {
            while let Some(mut group) = next(&groups) {
                let Ok(fate) = self.group(&mut group) else { return };
                let mut progress = self.progress();
                progress.groups.push((group, fate));
                // Reported while the progress is locked, so that the numbers only grow.
                report(progress.groups.len());
            }
        };
        thread::scope(|scope| {
            // This thread also works, so that a single call at a time needs no other thread.
            for _ in 1..threads {
                scope.spawn(work);
            }
            work();
        });
        let mut progress = self.progress.into_inner().unwrap_or_else(PoisonError::into_inner);
        progress.error.take().map_or(Ok(()), Err)?;
        progress.groups.sort_by(|(one, _), (other, _)| one.id.cmp(&other.id));
        let mut received = progress.groups.iter().filter_map(|(group, _)| group.received);
        if let (Some(first), true) = (received.next(), self.members > 1)
            && first.count >= self.members
            && received.clone().next().is_some()
            && received.all(|one| one == first)
        {
            let why = "each group returned the whole list, so the service seems to ignore the filter for the group";
            return Err(refused_filter(self.name, why));
        }
        Ok(progress)
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Aborts the recovery. If several groups abort it, the first error is kept.
    fn give_up(&self, error: Error) -> Stop {
        self.progress().error.get_or_insert(error);
        Stop::GivenUp
    }

    fn call(&self, group: &str, value: Option<&str>) -> Result<Answer, Stop> {
        if self.progress().error.is_some() {
            return Err(Stop::GivenUp);
        }
        let answer = (self.ask)(group, value);
        let is_failed = matches!(answer, Err(Fault::Failed(_)));
        let mut progress = self.progress();
        progress.failed_in_a_row = if is_failed { progress.failed_in_a_row + 1 } else { 0 };
        let gives_up = progress.failed_in_a_row >= GIVES_UP;
        drop(progress);
        match answer {
            Err(Fault::Failed(error)) if gives_up => Err(self.give_up(error)),
            answer => Ok(answer),
        }
    }

    /// Requests the members of a group, and their values if the members changed or the group is due. If the responses
    /// contradict each other, requests everything once more.
    fn group(&self, group: &mut Group) -> Result<Fate, Stop> {
        let mut is_again = false;
        loop {
            let ids = match self.call(&group.id, None)? {
                Ok(ids) => ids,
                Err(fault) => return Ok(self.failed(fault)),
            };
            let members: Members = ids.into_iter().map(|id| (id, None)).collect();
            let mut digest = Digest::default();
            for id in members.keys() {
                digest.add(self.hasher.hash_one(&**id));
            }
            group.received = Some(digest);
            if !is_again && digest == group.members && !group.is_due {
                return Ok(Fate::Kept);
            }
            match self.place(group, members) {
                // A record may have changed between two responses.
                Err(Stop::Contradiction(_)) if !is_again => is_again = true,
                Err(Stop::Contradiction(why)) => {
                    let why = format!("{why} in the group `{}`, in two attempts", group.id);
                    return Err(self.give_up(refused_filter(self.name, &why)));
                }
                result => return result,
            }
        }
    }

    /// Requests the members with each value, most frequent in the group first, until each member has a value. If they
    /// all have the same value, requests one more value, because a service that ignores the filter would return the
    /// whole group again.
    fn place(&self, group: &Group, mut members: Members) -> Result<Fate, Stop> {
        let mut order: Vec<(usize, &String)> = self.values.iter().enumerate().collect();
        // The sort is stable, so the order of preference decides between equally frequent values.
        let count = |value: &str| group.values.get(value).copied().unwrap_or_default();
        order.sort_by_key(|(_, value)| Reverse(count(value)));
        let (mut found, mut is_checked) = (BTreeSet::new(), false);
        for (value, name) in order {
            if members.values().all(Option::is_some) {
                if found.len() != 1 || is_checked {
                    break;
                }
                is_checked = true;
            }
            let refuses_unknown = self.probe(&group.id)?;
            let ids = match self.call(&group.id, Some(name))? {
                Ok(ids) => ids,
                // A service may refuse the value that serves only as a check.
                Err(Fault::Refused(_)) if refuses_unknown || is_checked => Vec::new(),
                Err(fault) => {
                    if matches!(fault, Fault::Refused(_)) {
                        self.progress().refused.insert(value);
                    }
                    return Ok(self.failed(fault));
                }
            };
            for id in ids {
                let why = match members.get_mut(&id) {
                    Some(place) if place.is_none_or(|other| other == value) => {
                        *place = Some(value);
                        found.insert(value);
                        continue;
                    }
                    Some(_) => "the lists of two values share a record",
                    None => "the list of a value has records that its group lacks",
                };
                return Err(Stop::Contradiction(why));
            }
        }
        Ok(Fate::Placed(members))
    }

    /// Returns whether the service refuses unknown values. The first call requests a value that does not exist to find
    /// out.
    fn probe(&self, group: &str) -> Result<bool, Stop> {
        let mut probe = self.probe.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(refuses) = *probe {
            return Ok(refuses);
        }
        let name = self.name;
        let refuses = match self.call(group, Some(NONSENSE))? {
            Ok(ids) if ids.is_empty() => false,
            Err(Fault::Refused(_)) => true,
            Ok(_) | Err(Fault::Rejected) => {
                let why = format!(
                    "the service ignores the filter `{name}`: it returned records for a value that does not exist"
                );
                return Err(self.give_up(refused_filter(self.name, &why)));
            }
            Err(Fault::Failed(error)) => {
                let text = format!(
                    "cannot recover `{name}`: the check of the filter failed: {error}; no {name} was changed"
                );
                return Err(self.give_up(Error::new(error.kind(), text).because(error)));
            }
        };
        *probe = Some(refuses);
        Ok(refuses)
    }

    fn failed(&self, fault: Fault) -> Fate {
        Fate::Failed(match fault {
            Fault::Refused(error) | Fault::Failed(error) => error,
            Fault::Rejected => {
                let name = self.name;
                let text = format!(
                    "cannot recover `{name}` of the group: a record of its list was rejected"
                );
                Error::new(ErrorKind::Record, text)
            }
        })
    }
}

fn next<T>(items: &Mutex<impl Iterator<Item = T>>) -> Option<T> {
    items.lock().unwrap_or_else(PoisonError::into_inner).next()
}

fn refused_filter(name: &str, why: &str) -> Error {
    Error::new(ErrorKind::Filter, format!("cannot recover `{name}`: {why}; no {name} was changed"))
}

/// The mirror's knowledge of a group.
#[derive(Clone, Debug, Default)]
pub(crate) struct Group {
    pub(crate) id: String,
    pub(crate) members: Digest,
    /// How many members have each value.
    pub(crate) values: BTreeMap<String, u64>,
    /// How many members have no known value.
    pub(crate) unknown: u64,
    /// Whether the group's values are requested even if its members did not change.
    pub(crate) is_due: bool,
    /// The members that the service returned; `None` before the first response.
    pub(crate) received: Option<Digest>,
}

/// A set of identities in 16 bytes: their number, and the sum of their hashes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Digest {
    pub(crate) count: u64,
    sum: u64,
}

impl Digest {
    pub(crate) fn add(&mut self, hash: u64) {
        self.count += 1;
        self.sum = self.sum.wrapping_add(hash);
    }
}

/// The index of each member's value in `Asking::values`; `None` if the value is unknown.
pub(crate) type Members = BTreeMap<String, Option<usize>>;

/// The result of requesting a group.
#[derive(Debug)]
pub(crate) enum Fate {
    Placed(Members),
    /// The group's members did not change, and the group was not due.
    Kept,
    /// A response failed, so nothing changes.
    Failed(Error),
}

/// A value that does not exist in any service.
pub(crate) const NONSENSE: &str = "gateway-mirror-probe";

/// Number of consecutive failures after which the recovery is aborted.
const GIVES_UP: u32 = 10;
