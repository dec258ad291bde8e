//! Decides which queries recover the values of a table, and what their answers mean. It does no I/O.

#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::hash::{BuildHasher as _, RandomState};

use crate::error::{Error, ErrorKind};

/// A query for members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Query {
    /// The members of a group.
    Group(usize),
    /// The members of a group with a value.
    Value(usize, usize),
    /// The members of a group with a value that does not exist.
    Probe(usize),
}

/// An answer of the service.
#[derive(Debug)]
pub(crate) enum Answer {
    /// The identities of the members.
    Members(Vec<String>),
    /// A complete list with a record that could not be read.
    Rejected,
    /// The service does not accept the group or the value.
    Refused(Error),
    /// The query cannot be sent.
    Unsendable(Error),
    /// The answer is not complete.
    Failed(Error),
}

/// Asks for the values of the groups.
#[derive(Debug)]
pub(crate) struct Asking {
    groups: Vec<Asked>,
    values: Vec<String>,
    /// The name of the value.
    name: &'static str,
    /// How many members the mirror knows.
    members: u64,
    hasher: RandomState,
    unasked: VecDeque<usize>,
    /// How many groups need no more queries.
    ended: usize,
    /// Groups whose next value can be asked for.
    ready: VecDeque<usize>,
    probe: Probe,
    check: Check,
    /// How many more queries may check the filter.
    checks_left: usize,
    failed_in_a_row: u32,
    /// Values that the service refused although it accepts others that it does not know.
    refused: BTreeSet<usize>,
}

/// The state of the check with a value that does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Probe {
    Unsent,
    Sent,
    Empty,
    /// The service refuses values that it does not know.
    Refused,
}

/// The state of the check that a value whose filter returned a whole group is not returned for any value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Check {
    Unsent,
    Sent,
    /// Two values have different members.
    Passed,
}

impl Asking {
    /// Begins with what the mirror knows of the groups, whose digests are those of this hasher. `values` are all names
    /// to ask for, in the order of preference, and `members` is the number of present members.
    pub(crate) fn new(
        name: &'static str,
        known: Vec<Group>,
        values: Vec<String>,
        members: u64,
        hasher: RandomState,
    ) -> Self {
        let groups: Vec<Asked> =
            known.into_iter().map(|known| Asked::new(known, &values)).collect();
        Self {
            unasked: (0..groups.len()).collect(),
            ended: 0,
            groups,
            checks_left: values.len(),
            values,
            name,
            members,
            hasher,
            ready: VecDeque::new(),
            probe: Probe::Unsent,
            check: Check::Unsent,
            failed_in_a_row: 0,
            refused: BTreeSet::new(),
        }
    }

    /// Returns the next query. `None` means that an answer must arrive first, or that there are no more queries.
    pub(crate) fn next(&mut self) -> Option<Query> {
        match self.probe {
            Probe::Unsent => {
                if let Some(&group) = self.ready.front() {
                    self.probe = Probe::Sent;
                    return Some(Query::Probe(group));
                }
            }
            Probe::Sent => {}
            Probe::Empty | Probe::Refused => {
                if let Some(index) = self.ready.pop_front() {
                    let value = self.groups.get_mut(index).and_then(|group| group.order.pop())?;
                    return Some(Query::Value(index, value));
                }
            }
        }
        self.unasked.pop_front().map(Query::Group)
    }

    /// Returns the group of a query, and the value if it has one; `None` for a value that does not exist.
    pub(crate) fn parts(&self, query: Query) -> (&str, Option<&str>) {
        let group = |index: usize| self.groups.get(index).map_or("", |group| &*group.known.id);
        match query {
            Query::Group(index) => (group(index), None),
            Query::Value(index, value) => (group(index), self.values.get(value).map(|one| &**one)),
            Query::Probe(index) => (group(index), Some(NONSENSE)),
        }
    }

    /// Takes the answer of a query.
    ///
    /// # Errors
    ///
    /// The recovery must be given up.
    pub(crate) fn answer(&mut self, query: Query, answer: Answer) -> Result<(), Error> {
        let is_failed = matches!(answer, Answer::Failed(_));
        self.failed_in_a_row = if is_failed { self.failed_in_a_row + 1 } else { 0 };
        match (query, answer) {
            (_, Answer::Failed(error)) if self.failed_in_a_row >= GIVES_UP => Err(error),
            (Query::Probe(_), answer) => self.probed(answer),
            (Query::Group(index), Answer::Members(ids)) => {
                self.received(index, ids);
                Ok(())
            }
            (Query::Value(index, value), Answer::Members(ids)) => {
                self.checked(index, Check::Passed);
                self.place(index, value, &ids)
            }
            (Query::Value(index, value), Answer::Refused(_)) if self.probe == Probe::Refused => {
                self.checked(index, Check::Unsent);
                self.place(index, value, &[])
            }
            (Query::Group(index) | Query::Value(index, _), answer) => {
                self.checked(index, Check::Unsent);
                if let (Query::Value(_, value), Answer::Refused(_) | Answer::Unsendable(_)) =
                    (query, &answer)
                {
                    self.refused.insert(value);
                }
                self.end(index, Fate::Failed(self.reason(answer)));
                Ok(())
            }
        }
    }

    /// Returns how many groups need no more queries, and the number of all groups.
    pub(crate) fn progress(&self) -> (usize, usize) {
        (self.ended, self.groups.len())
    }

    /// Returns the groups with their fates.
    ///
    /// # Errors
    ///
    /// The service ignores the filter of the group.
    pub(crate) fn finish(self) -> Result<Vec<(Group, Fate)>, Error> {
        let mut received = self.groups.iter().filter_map(|group| group.received);
        if let (Some(first), true) = (received.next(), self.members > 1)
            && first.count() >= self.members
            && received.clone().next().is_some()
            && received.all(|one| one == first)
        {
            let why = "each group has the records of the whole list, so that the service ignores the filter of the group";
            return Err(self.refuse(why));
        }
        let fate = |group: Asked| (group.known, group.fate.unwrap_or(Fate::Kept));
        Ok(self.groups.into_iter().map(fate).collect())
    }

    /// Takes the answer for a value that does not exist.
    fn probed(&mut self, answer: Answer) -> Result<(), Error> {
        self.probe = match answer {
            Answer::Members(ids) if ids.is_empty() => Probe::Empty,
            Answer::Refused(_) => Probe::Refused,
            Answer::Members(_) | Answer::Rejected => {
                let why = format!(
                    "the service ignores the filter `{}`: it returned records for a value that does not exist",
                    self.name
                );
                return Err(self.refuse(&why));
            }
            Answer::Unsendable(error) | Answer::Failed(error) => {
                let text = format!(
                    "cannot recover `{}`: the check of the filter failed: {error}; nothing was changed",
                    self.name
                );
                return Err(Error::new(error.kind(), text).because(error));
            }
        };
        Ok(())
    }

    /// Takes the members of a group.
    fn received(&mut self, index: usize, ids: Vec<String>) {
        let Some(group) = self.groups.get_mut(index) else { return };
        let members: HashMap<String, Option<usize>> =
            ids.into_iter().map(|id| (id, None)).collect();
        let mut digest = Digest::default();
        for id in members.keys() {
            digest.add(self.hasher.hash_one(&**id));
        }
        group.received = Some(digest);
        if !group.is_again && digest == group.known.members && !group.known.is_due {
            self.end(index, Fate::Kept);
            return;
        }
        group.members = members;
        group.unplaced = group.members.len();
        self.proceed(index);
    }

    /// Takes the members of a group with a value.
    fn place(&mut self, index: usize, value: usize, ids: &[String]) -> Result<(), Error> {
        let Some(group) = self.groups.get_mut(index) else { return Ok(()) };
        let Err(why) = group.place(value, ids) else {
            self.proceed(index);
            return Ok(());
        };
        if group.is_again {
            let text = format!("{why} in the group `{}`, asked twice", group.known.id);
            return Err(self.refuse(&text));
        }
        // A record may have changed between two answers.
        group.begin_again();
        self.check = Check::Unsent;
        self.unasked.push_front(index);
        Ok(())
    }

    /// Goes on with a group after an answer.
    fn proceed(&mut self, index: usize) {
        let Some(group) = self.groups.get_mut(index) else { return };
        let is_finished = group.is_finished();
        if is_finished && group.values_found() > 1 {
            self.check = Check::Passed;
        }
        // A service that ignores the filter returns the whole group for the first value, and would do so for another one.
        let is_checked = is_finished
            && self.check == Check::Unsent
            && self.checks_left > 0
            && group.values_found() == 1
            && !group.order.is_empty();
        if is_checked {
            self.check = Check::Sent;
            self.checks_left -= 1;
        }
        if is_finished && !is_checked {
            let members = std::mem::take(&mut group.members);
            self.end(index, Fate::Placed(members));
        } else {
            self.ready.push_back(index);
        }
    }

    /// Takes the result of a check, which is a query for a value of a group whose members all have one.
    fn checked(&mut self, index: usize, check: Check) {
        if self.check == Check::Sent
            && self
                .groups
                .get(index)
                .is_some_and(|group| group.values_found() == 1 && group.unplaced == 0)
        {
            self.check = check;
        }
    }

    fn end(&mut self, index: usize, fate: Fate) {
        let Some(group) = self.groups.get_mut(index) else { return };
        if group.fate.replace(fate).is_none() {
            self.ended += 1;
        }
    }

    fn reason(&self, answer: Answer) -> Error {
        match answer {
            Answer::Refused(error) | Answer::Unsendable(error) | Answer::Failed(error) => error,
            Answer::Rejected | Answer::Members(_) => {
                let text = format!(
                    "cannot recover `{}` of a group: a record of its list was rejected",
                    self.name
                );
                Error::new(ErrorKind::Record, text)
            }
        }
    }

    fn refuse(&self, why: &str) -> Error {
        let text = format!("cannot recover `{}`: {why}; nothing was changed", self.name);
        Error::new(ErrorKind::Filter, text)
    }

    /// Returns the names of the values.
    pub(crate) fn values(&self) -> &[String] {
        &self.values
    }

    /// Returns the names to ask for in later recoveries: each of them, apart from those that let a group fail.
    pub(crate) fn values_to_keep(&self) -> Vec<String> {
        let kept = self.values.iter().enumerate();
        let kept = kept.filter(|(index, _)| !self.refused.contains(index));
        kept.map(|(_, value)| value.clone()).collect()
    }
}

/// The knowledge of a mirror about a group.
#[derive(Clone, Debug, Default)]
pub(crate) struct Group {
    pub(crate) id: String,
    pub(crate) members: Digest,
    /// How many members have each value.
    pub(crate) values: BTreeMap<String, u64>,
    /// How many members have no known value.
    pub(crate) unknown: u64,
    /// Its values are asked for even if its members did not change.
    pub(crate) is_due: bool,
}

/// The number of some identities, and the sum of their hashes: a set in 16 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Digest {
    count: u64,
    sum: u64,
}

impl Digest {
    pub(crate) fn add(&mut self, hash: u64) {
        self.count += 1;
        self.sum = self.sum.wrapping_add(hash);
    }

    pub(crate) fn count(&self) -> u64 {
        self.count
    }
}

/// The result of a group.
#[derive(Debug)]
pub(crate) enum Fate {
    /// The number of the value of each member, if it is known.
    Placed(HashMap<String, Option<usize>>),
    /// Its members did not change, and it was not due.
    Kept,
    /// An answer failed, so that nothing changes.
    Failed(Error),
}

/// A group that is being asked.
#[derive(Debug)]
struct Asked {
    known: Group,
    /// The values that were not asked for, the next one last.
    order: Vec<usize>,
    all: Vec<usize>,
    received: Option<Digest>,
    members: HashMap<String, Option<usize>>,
    unplaced: usize,
    /// Its answers contradicted each other once.
    is_again: bool,
    fate: Option<Fate>,
}

impl Asked {
    fn new(known: Group, values: &[String]) -> Self {
        let mut all: Vec<usize> = (0..values.len()).collect();
        // The sort is stable, so that the general order decides between equals.
        let count = |index: &usize| values.get(*index).and_then(|value| known.values.get(value));
        all.sort_by_key(|index| Reverse(count(index).copied().unwrap_or_default()));
        all.reverse();
        Self {
            known,
            order: all.clone(),
            all,
            received: None,
            members: HashMap::new(),
            unplaced: 0,
            is_again: false,
            fate: None,
        }
    }

    /// Returns whether no value has to be asked for.
    fn is_finished(&self) -> bool {
        self.unplaced == 0 || self.order.is_empty()
    }

    /// Returns how many values its members have.
    fn values_found(&self) -> usize {
        self.members.values().flatten().collect::<BTreeSet<_>>().len()
    }

    /// Gives members their value. Fails if the answers contradict each other.
    fn place(&mut self, value: usize, ids: &[String]) -> Result<(), &'static str> {
        for id in ids {
            match self.members.get_mut(id) {
                None => return Err("a value has records that its group lacks"),
                Some(Some(other)) if *other != value => {
                    return Err("two values have the same record");
                }
                Some(Some(_)) => {}
                Some(place) => {
                    *place = Some(value);
                    self.unplaced = self.unplaced.saturating_sub(1);
                }
            }
        }
        Ok(())
    }

    /// Forgets the answers.
    fn begin_again(&mut self) {
        self.is_again = true;
        self.order.clone_from(&self.all);
        self.members.clear();
    }
}

/// A value that no service has.
pub(crate) const NONSENSE: &str = "gateway-mirror-probe";

/// How many failed answers in a row end the recovery.
const GIVES_UP: u32 = 10;
