//! The samples of gauges: one file, which is written again if the samples differ.

use methodical_mirror::Snapshot;
use sha2::{Digest as _, Sha256};

use crate::columns::{Column, Kind, Value};
use crate::delta::action::schema_string;
use crate::delta::state::State;
use crate::error::Error;
use crate::export::draft::Draft;
use crate::typed::decimal;

/// Returns the columns of the table.
pub(crate) fn columns(decimals: bool) -> Vec<Column> {
    let mut columns = vec![
        Column::new("gauge", Kind::Text),
        Column::new("sampled_at", Kind::Time),
        Column::new("amount", Kind::Text),
        Column::new("amount_number", Kind::Real),
        Column::new("unit", Kind::Text),
    ];
    if decimals {
        columns.push(Column::new("amount_decimal", Kind::Decimal));
    }
    columns
}

/// Writes the samples if they differ.
pub(crate) fn write(
    gauges: &[String],
    decimals: bool,
    snapshot: &mut Snapshot<'_>,
    state: &State,
    draft: &mut Draft,
) -> Result<(), Error> {
    let mut samples = Vec::new();
    for gauge in gauges {
        samples.extend(snapshot.samples(gauge)?);
    }
    let columns = columns(decimals);
    let mut hash = Sha256::new_with_prefix(schema_string(&columns));
    for sample in &samples {
        hash.update(sample.at.to_le_bytes());
        let unit = sample.unit.as_deref();
        for text in [&*sample.gauge, &sample.amount, unit.unwrap_or("\0")] {
            hash.update(text.len().to_le_bytes());
            hash.update(text);
        }
    }
    let hash = snapshot.keyed_hash(&hash.finalize());
    if samples.is_empty() || state.files.values().any(|add| add.tag(HASH) == Some(&*hash)) {
        return Ok(());
    }
    state.files.keys().for_each(|path| draft.remove(path));
    let mut file = draft.begin(&columns, "samples")?;
    for sample in &samples {
        // The last value has a column only if decimal numbers are wanted.
        file.rows.push(&[
            Some(Value::Text(&sample.gauge)),
            Some(Value::Time(sample.at.saturating_mul(1_000_000))),
            Some(Value::Text(&sample.amount)),
            sample.amount.parse().ok().map(Value::Real),
            sample.unit.as_deref().map(Value::Text),
            decimal(&sample.amount).map(Value::Decimal),
        ])?;
    }
    draft.add(file, &[(HASH, hash)])
}

/// The tag with the hash of the samples.
const HASH: &str = "gateway.hash";
