//! The values that the contract and a mirror know, read quickly.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use methodical_mirror::{Filter, Mirror, State};
use serde_json::{Map, Value};

use crate::mirror::found::Recovered;

/// Returns the values of the contract, and those of the mirror.
pub(crate) fn known_values(mirror: Option<&Mirror>, of: Recovered) -> BTreeSet<String> {
    let mut values: BTreeSet<String> = of.known_values.iter().map(|&one| one.to_owned()).collect();
    if let Some(mirror) = mirror {
        each(mirror, of.table.name(), |_, fields| {
            values.extend(fields.get(of.value).and_then(Value::as_str).map(str::to_owned));
        });
    }
    values
}

/// Passes the present records of a table, until half of the time has passed.
pub(crate) fn each(mirror: &Mirror, table: &str, mut take: impl FnMut(String, Map<String, Value>)) {
    let start = Instant::now();
    let present = Filter::new().state(State::Present);
    // Without the table, nothing is completed.
    let _absent = mirror.each_matching(table, &present, |record| {
        take(record.id, serde_json::from_str(&record.json).unwrap_or_default());
        if start.elapsed() < LIMIT / 2 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
}

/// Timeout of the mirror, after which a person would wait for the shell.
pub(crate) const LIMIT: Duration = Duration::from_secs(1);
