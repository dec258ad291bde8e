//! How much a list shrank within a week, so that many small losses are noticed. It does no I/O.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The records that left a list on each day since 1970, without those that came. Records that were forgotten, or that left
/// because another record did, do not count.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Week(BTreeMap<i64, i64>);

impl Week {
    /// Reads the days from their note. Without them, the week begins now.
    pub(crate) fn read(note: Option<&str>) -> Self {
        note.and_then(|note| serde_json::from_str(note).ok()).unwrap_or_default()
    }

    /// Adds the records that left and came at a time, in seconds since 1970, and removes the days that are over.
    pub(crate) fn add(&mut self, at: i64, left: u64, came: u64) {
        let day = at.div_euclid(24 * 3600);
        let signed = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        self.0.retain(|one, _| (day - DAYS..=day).contains(one));
        let lost = self.0.entry(day).or_default();
        *lost = lost.saturating_add(signed(left)).saturating_sub(signed(came));
    }

    /// Returns how many records the list has lost since a week ago.
    pub(crate) fn lost(&self) -> u64 {
        u64::try_from(self.0.values().sum::<i64>()).unwrap_or_default()
    }

    /// Returns the text of the note.
    pub(crate) fn to_note(&self) -> String {
        // Numbers cannot fail to be written.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// Returns the name of the note of a table.
pub(crate) fn note(table: &str) -> String {
    format!("week/{table}")
}

const DAYS: i64 = 7;

#[cfg(test)]
mod tests {
    use super::Week;

    #[test]
    fn losses_of_a_week_add_up_and_new_records_make_up_for_them() {
        const DAY: i64 = 24 * 3600;
        let mut week = Week::default();
        for (day, left, came, lost) in [
            (0, 40, 0, 40),
            (1, 30, 10, 60),
            (7, 0, 0, 60),
            (8, 1, 0, 21),
            (9, 0, 90, 0),
            (10, 100, 0, 11),
            // The clock was set back.
            (3, 5, 0, 5),
        ] {
            week.add(day * DAY, left, came);
            assert_eq!(week.lost(), lost, "day {day}");
        }
        assert_eq!(Week::read(Some(&week.to_note())), week);
        assert_eq!(Week::read(Some("damaged")), Week::default());
    }
}
