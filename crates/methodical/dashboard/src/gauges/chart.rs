//! A chart of samples as SVG.

use std::fmt::Write as _;

use methodical_mirror::Sample;

use crate::time::{DAY, day};

/// A chart whose picture fills the box from 0 to [`WIDTH`] and [`HEIGHT`]. Its labels are outside of the picture, so that they
/// have the size of text on every screen.
#[derive(Debug, PartialEq)]
pub(crate) struct Chart {
    /// The path of the line.
    pub(crate) line: String,
    /// The path of the area below it.
    pub(crate) area: String,
    /// The heights of the lines of the grid.
    pub(crate) grid: Vec<String>,
    /// The amounts at these lines, the largest one first.
    pub(crate) amounts: Vec<String>,
    /// The days below the picture, at equal distances.
    pub(crate) days: Vec<String>,
    /// The contents for those who do not see the picture.
    pub(crate) description: String,
}

/// Draws the samples; `None` if there are fewer than two, or all are of one moment.
pub(crate) fn chart(samples: &[Sample], name: &str, unit: &str) -> Option<Chart> {
    let amount = |sample: &Sample| sample.amount.parse::<f64>().ok().filter(|one| one.is_finite());
    let points: Vec<(i64, f64)> =
        samples.iter().filter_map(|sample| Some((sample.at, amount(sample)?))).collect();
    let (first, last) = (samples.first()?, samples.last()?);
    let begin = points.iter().map(|(at, _)| *at).min()?;
    let end = points.iter().map(|(at, _)| *at).max()?;
    if end == begin {
        return None;
    }
    let (low, high) = points
        .iter()
        .fold((0.0_f64, 0.0_f64), |(low, high), (_, amount)| (low.min(*amount), high.max(*amount)));
    let step = step(high - low);
    let (low, high) = ((low / step).floor() * step, (high / step).ceil() * step);
    let high = if high > low { high } else { low + step };
    let x = |at: i64| seconds(at - begin) / seconds(end - begin) * WIDTH;
    let y = |amount: f64| (high - amount) / (high - low) * HEIGHT;
    let mut line = String::new();
    let every = points.len().div_ceil(POINTS);
    let last_point = points.len().saturating_sub(1);
    for (index, (at, amount)) in points.iter().enumerate() {
        if index % every != 0 && index != last_point {
            continue;
        }
        // An amount holds until the next sample.
        let _infallible = if line.is_empty() {
            write!(line, "M{:.1} {:.1}", x(*at), y(*amount))
        } else {
            write!(line, "H{:.1}V{:.1}", x(*at), y(*amount))
        };
    }
    let area = format!("{line}V{:.1}H0Z", y(low));
    let mut levels = Vec::new();
    let mut level = high;
    while level > low - step / 2.0 && levels.len() < 12 {
        levels.push(level);
        level -= step;
    }
    let largest = points.iter().map(|(_, amount)| *amount).fold(f64::MIN, f64::max);
    Some(Chart {
        line,
        area,
        grid: levels.iter().map(|level| format!("{:.1}", y(*level))).collect(),
        amounts: levels.iter().map(|level| short(*level)).collect(),
        days: days(begin, end),
        description: format!(
            "{name} from {} to {}: {} {unit} at first, {} {unit} at last, at most {} {unit}",
            day(begin),
            day(end),
            first.amount,
            last.amount,
            short(largest)
        ),
    })
}

/// Returns the distance of the lines of a grid: 1, 2 or 5 times a power of ten, for about four lines.
fn step(range: f64) -> f64 {
    if range <= 0.0 {
        return 1.0;
    }
    let rough = range / 4.0;
    let power = 10_f64.powf(rough.log10().floor());
    let factors = [1.0, 2.0, 5.0, 10.0].into_iter();
    let mut steps = factors.map(|factor| factor * power);
    steps.find(|step| *step >= rough * 0.999).unwrap_or(rough)
}

/// Returns the first day, the last one, and up to three between them at equal distances.
fn days(begin: i64, end: i64) -> Vec<String> {
    let length = end.saturating_sub(begin);
    let parts = (length / DAY).clamp(1, 4);
    (0..=parts).map(|part| day(begin.saturating_add(length / parts * part))).collect()
}

/// Returns an amount of the grid, without the digits of rounding.
fn short(amount: f64) -> String {
    let text = format!("{amount:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

#[expect(clippy::cast_precision_loss, reason = "a position in a picture")]
fn seconds(time: i64) -> f64 {
    time as f64
}

/// Width of the picture.
const WIDTH: f64 = 1000.0;

/// Height of the picture.
const HEIGHT: f64 = 300.0;

/// Maximum number of points of the line.
const POINTS: usize = 500;

#[cfg(test)]
mod tests {
    use super::{DAY, days, short, step};

    #[test]
    fn days_are_at_equal_distances() {
        assert_eq!(days(0, DAY / 2), ["1970-01-01", "1970-01-01"]);
        assert_eq!(days(0, 2 * DAY), ["1970-01-01", "1970-01-02", "1970-01-03"]);
        let month = days(0, 40 * DAY);
        assert_eq!(month.len(), 5);
        assert_eq!((&*month[1], &*month[4]), ("1970-01-11", "1970-02-10"));
    }

    #[test]
    fn the_grid_has_round_amounts() {
        for (range, expected) in [(100.0, 50.0), (80.0, 20.0), (4.0, 1.0), (0.7, 0.2), (0.0, 1.0)] {
            assert!((step(range) - expected).abs() < 1e-9, "{range}: {}", step(range));
        }
        assert_eq!([0.1 + 0.2, 1500.0, -0.0].map(short), ["0.3", "1500", "0"]);
    }
}
