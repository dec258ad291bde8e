//! Runs all subjects in turn, round by round.

use std::hint::black_box;

use crate::clock;
use crate::data::Variant;
use crate::subjects::{SUBJECTS, Subject};

/// The results of one body.
pub(crate) struct Table {
    pub(crate) variant: Variant,
    pub(crate) rows: Vec<Row>,
}

/// The results of one subject.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    /// Median speed, in megabytes of JSON per second.
    pub(crate) speed: f64,
    /// Median over the rounds of the speed relative to the reference.
    pub(crate) ratio: f64,
}

/// Measures every subject on `body`.
pub(crate) fn table(variant: Variant, body: &[u8]) -> Table {
    let subjects: Vec<&Subject> = SUBJECTS.iter().filter(|one| one.reads(variant)).collect();
    let expected = subjects.first().map_or(0, |reference| (reference.run)(body));
    for subject in &subjects {
        let sum = (subject.run)(body);
        assert!(
            sum == expected,
            "{} decoded something else: {sum} instead of {expected}",
            subject.name
        );
    }
    // About 40 ms of work per subject and round.
    let repeats = (8_000_000 / body.len().max(1)).max(1);
    let mut times = vec![Vec::new(); subjects.len()];
    for round in 0..ROUNDS {
        for step in 0..subjects.len() {
            // Every second round is reversed, so that no subject always follows the same one.
            let index = if round % 2 == 0 { step } else { subjects.len() - 1 - step };
            let start = clock::now();
            for _ in 0..repeats {
                black_box((subjects[index].run)(black_box(body)));
            }
            times[index].push((clock::now() - start).as_secs_f64());
        }
    }
    let megabytes = (body.len() * repeats) as f64 / 1e6;
    let rows = subjects.iter().zip(&times).map(|(subject, own)| Row {
        name: subject.name,
        speed: megabytes / median(own.iter().copied()),
        ratio: median(times[0].iter().zip(own).map(|(reference, own)| reference / own)),
    });
    Table { variant, rows: rows.collect() }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

const ROUNDS: usize = 7;
