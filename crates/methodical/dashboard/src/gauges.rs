//! The amounts of a gauge over time, the pace, and how long the amount lasts.

mod chart;

use askama::Template;
use methodical_mirror::{Forecast, Sample};

use crate::frame::{self, Frame};
use crate::gauges::chart::{Chart, chart};
use crate::shared::{Params, Problem, Shared};
use crate::time::{DAY, ago, day, minute};
use crate::words::{grouped, label};

/// The template of the page.
#[derive(Template)]
#[template(path = "gauges.html")]
struct GaugePage {
    frame: Frame,
    facts: Vec<(&'static str, String, String)>,
    chart: Option<Chart>,
    /// The last amount of each day, the latest one first.
    days: Vec<(String, String)>,
    unit: String,
}

/// Renders the page.
pub(crate) fn render(shared: &Shared, params: &Params) -> Result<String, Problem> {
    let name = params.get("of").or_else(|| shared.outline.gauges.first().copied());
    let name = name.filter(|name| shared.outline.gauges.contains(name));
    let name = name.ok_or_else(|| Problem::NotFound("no amount has this name".to_owned()))?;
    let now = (shared.now)();
    let samples = shared.mirror.samples(name, now.saturating_sub(SHOWN * DAY))?;
    // Amounts of another unit are not on the same scale.
    let unit = samples.last().and_then(|sample| sample.unit.clone());
    let samples: Vec<Sample> = samples.into_iter().filter(|one| one.unit == unit).collect();
    let forecast = Forecast::of(&samples)?;
    let unit = unit.unwrap_or_default();
    let mut days: Vec<(String, String)> = Vec::new();
    for sample in samples.iter().rev() {
        let day = day(sample.at);
        if days.last().is_none_or(|(last, _)| *last != day) {
            days.push((day, sample.amount.clone()));
        }
    }
    let (href, statuses) = (frame::gauge(name), shared.mirror.tables()?);
    let sampled_at = samples.last().map(|sample| sample.at);
    let page = GaugePage {
        frame: Frame::new(shared, &statuses, &href, label(name), sampled_at),
        facts: forecast.map(|forecast| facts(&forecast, &unit)).unwrap_or_default(),
        chart: chart(&samples, &label(name), &unit),
        days,
        unit,
    };
    Ok(page.render()?)
}

/// Returns names, values and explanations.
fn facts(forecast: &Forecast, unit: &str) -> Vec<(&'static str, String, String)> {
    let with_unit = |amount: &str| format!("{amount} {unit}").trim_end().to_owned();
    let during = ago(i64::try_from(forecast.during.as_secs()).unwrap_or(i64::MAX));
    let mut facts = vec![(
        "Now",
        with_unit(&forecast.last.amount),
        format!("{} UTC", minute(forecast.last.at)),
    )];
    let Some(pace) = &forecast.per_day else {
        facts.push(("Pace", "–".to_owned(), "needs samples of more than a day".to_owned()));
        return facts;
    };
    facts.push(("Pace", with_unit(pace), format!("a day, over the last {during}")));
    let used = format!("in the last {during}; increases do not count");
    facts.push(("Used", with_unit(&aligned(&forecast.used, &forecast.last.amount)), used));
    facts.push(match forecast.days_left {
        Some(days) => {
            let seconds = i64::try_from(days).unwrap_or(i64::MAX).saturating_mul(DAY);
            let end = day(forecast.last.at.saturating_add(seconds));
            ("Days left", grouped(days), format!("until {end} at this pace"))
        }
        None => ("Days left", "–".to_owned(), "the amount does not fall".to_owned()),
    });
    facts
}

/// Adds zeros until an amount has as many decimal places as another one.
fn aligned(amount: &str, other: &str) -> String {
    let places = |text: &str| text.split_once('.').map_or(0, |(_, places)| places.len());
    let (has, wanted) = (places(amount), places(other));
    if has >= wanted {
        return amount.to_owned();
    }
    let point = if has == 0 { "." } else { "" };
    format!("{amount}{point}{}", "0".repeat(wanted - has))
}

/// How many days are shown.
pub(crate) const SHOWN: i64 = 90;

#[cfg(test)]
mod tests {
    use super::aligned;

    #[test]
    fn amounts_have_equal_decimal_places() {
        let all = [("146.2", "193.05"), ("7", "1.50"), ("1.25", "9"), ("3", "4")];
        let aligned = all.map(|(amount, other)| aligned(amount, other));
        assert_eq!(aligned, ["146.20", "7.00", "1.25", "3"]);
    }
}
