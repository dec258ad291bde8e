//! The share of placements whose value is known.

use std::collections::BTreeMap;

use crate::error::Error;
use crate::recovery::asking::{Fate, Group};

/// The result of a recovery: how many placements have a known value. A placement is a member in a group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Coverage {
    /// The name of the value, such as `status`.
    pub value: &'static str,
    /// The name of the table with the groups, such as `album`.
    pub group: &'static str,
    /// How many placements there are.
    pub total: u64,
    /// How many of them have no known value.
    pub unknown: u64,
    /// The groups that have them, with their number.
    pub unknown_in: BTreeMap<String, u64>,
    /// How many groups were asked for their values.
    pub asked: u64,
    /// How many groups were not, because their members did not change.
    pub kept: u64,
    /// When the values of the longest waiting group were asked for, in seconds since 1970 (UTC): each value is at least as new.
    pub values_from: Option<i64>,
}

/// A group whose values could not be recovered. Its placements are as they were before.
#[derive(Debug)]
#[non_exhaustive]
pub struct GroupFailure {
    /// The identity of the group.
    pub group: String,
    /// Why its values could not be recovered.
    pub error: Error,
}

impl Coverage {
    pub(crate) fn new(value: &'static str, group: &'static str) -> Self {
        Self { value, group, ..Self::default() }
    }

    /// Counts a group.
    pub(crate) fn add(&mut self, known: &Group, fate: &Fate) {
        let (total, unknown) = match fate {
            Fate::Placed(members) => {
                self.asked += 1;
                let unknown = members.values().filter(|value| value.is_none()).count();
                (count(members.len()), count(unknown))
            }
            Fate::Kept => {
                self.kept += 1;
                (known.members.count(), known.unknown)
            }
            Fate::Failed(_) => (known.members.count(), known.unknown),
        };
        self.total += total;
        self.unknown += unknown;
        if unknown > 0 {
            self.unknown_in.insert(known.id.clone(), unknown);
        }
    }

    /// Returns how many placements have a known value.
    #[must_use]
    pub const fn known(&self) -> u64 {
        self.total.saturating_sub(self.unknown)
    }

    /// Returns a sentence for people. It names the option that adds values if some are unknown.
    #[must_use]
    pub fn text(&self, option: &str) -> String {
        let Self { value, group, total, .. } = self;
        if *total == 0 {
            return format!("every {group} is empty, so no {value} is known");
        }
        let tenths = u128::from(self.known()) * 1000 / u128::from(*total);
        let (share, tenth, total) = (tenths / 10, tenths % 10, grouped(*total));
        let known = format!("{share}.{tenth} % of {total} placements have a known {value}");
        if self.unknown == 0 {
            return known;
        }
        let (unknown, groups) = (grouped(self.unknown), self.unknown_in.len());
        let plural = if groups == 1 { "" } else { "s" };
        format!(
            "{known}; {unknown} unknown in {groups} {group} record{plural}: name the missing values with {option}"
        )
    }
}

/// Returns a number with a comma between each three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::{Coverage, grouped};

    #[test]
    fn the_share_is_rounded_down_and_says_what_to_do() {
        let groups = [("1", 20), ("2", 20), ("7", 1)].map(|(id, count)| (id.to_owned(), count));
        let mut coverage =
            Coverage { total: 4812, unknown: 41, ..Coverage::new("status", "album") };
        coverage.unknown_in.extend(groups);
        assert_eq!(
            coverage.text("--statuses"),
            "99.1 % of 4,812 placements have a known status; 41 unknown in 3 album records: name the missing values with --statuses"
        );
        let whole = Coverage { total: 1, ..Coverage::new("status", "album") };
        assert_eq!(whole.text(""), "100.0 % of 1 placements have a known status");
        let none = Coverage::new("status", "album");
        assert_eq!(none.text(""), "every album is empty, so no status is known");
        assert_eq!(grouped(1_234_567), "1,234,567");
    }
}
