//! The samples of a gauge in a mirror: its forecast, and its check.

use clap::Args;
use methodical_mirror::model::Gauge;
use methodical_mirror::{Forecast, Mirror};
use serde::Serialize;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::mirror::failure::explained;
use crate::mirror::place::open_to_read;
use crate::mirror::time::utc;
use crate::output::printer::Printer;
use crate::output::progress::counted;
use crate::output::schema::Schema;
use crate::output::sort::Number;

/// The flags of `check` that need the samples of a mirror.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct SampleFlags {
    /// Fail if the amount will last fewer than N days, based on the last two weeks. Needs a mirror.
    ///
    /// With samples of less than a day, the exit code is 10.
    #[arg(id = "frame:days", long = "days", value_name = "N")]
    days: Option<u64>,
}

/// The forecast as a record of the output.
#[derive(Serialize)]
struct Shown<'a> {
    gauge: &'static str,
    value: &'a str,
    unit: Option<&'a str>,
    days_left: Option<u64>,
    per_day: Option<&'a str>,
    used: &'a str,
    hours: u64,
    sampled_at: String,
}

impl SampleFlags {
    /// Returns whether the mirror answers, and not the service: with `--from`.
    pub(crate) fn is_of_mirror(invocation: &Invocation) -> bool {
        invocation.service.from.is_some()
    }

    /// Checks an amount of the mirror, and prints it. `below` is a decimal number.
    pub(crate) fn check_amount(
        gauge: Gauge,
        below: Option<&str>,
        invocation: &Invocation,
    ) -> Result<(), Failure> {
        if invocation.call.dry_run {
            invocation.screen.note("would read the mirror");
            return Ok(());
        }
        let mirror = open_to_read(invocation)?;
        print(&known(&mirror, gauge)?, gauge, invocation)?;
        match below {
            Some(below) => check(&mirror, gauge, Threshold::Amount(below)),
            None => Ok(()),
        }
    }

    /// Checks how long the amount lasts, if the flag is there.
    pub(crate) fn check_days(&self, gauge: Gauge, invocation: &Invocation) -> Result<(), Failure> {
        let Some(days) = self.days.filter(|_| !invocation.call.dry_run) else { return Ok(()) };
        check(&open_to_read(invocation)?, gauge, Threshold::Days(days))
    }
}

/// The threshold of an amount.
#[derive(Clone, Copy)]
enum Threshold<'a> {
    /// The amount is below this decimal number.
    Amount(&'a str),
    /// The amount lasts fewer days than this.
    Days(u64),
}

/// Fails if the last sample of a gauge is below the threshold.
fn check(mirror: &Mirror, gauge: Gauge, threshold: Threshold<'_>) -> Result<(), Failure> {
    let Forecast { last, days_left, per_day, during, .. } = known(mirror, gauge)?;
    if matches!(threshold, Threshold::Days(_)) && per_day.is_none() {
        let text = format!(
            "cannot forecast {}: the samples in the mirror span {} of the last two weeks, and a forecast needs 24 h",
            gauge.name(),
            counted(during.as_secs() / 3600, "hour")
        );
        return Err(Failure::new(Exit::Unjudged, text)
            .hint("sync regularly: each sync takes a sample; until then, use --below"));
    }
    let amount = &last.amount;
    let why = match (threshold, days_left) {
        (Threshold::Days(days), Some(left)) if left < days => {
            format!("lasts {left} days, fewer than {days}")
        }
        (Threshold::Amount(below), _) if Number::parse(amount) < Number::parse(below) => {
            format!("is below {below}")
        }
        _ => return Ok(()),
    };
    let unit = last.unit.map(|unit| format!(" {unit}")).unwrap_or_default();
    let name = gauge.name();
    let text = format!("the amount of {name} is below the threshold: {amount}{unit} {why}");
    Err(Failure::new(Exit::Alarm, text))
}

/// Prints how long the amount lasts.
pub(crate) fn forecast(gauge: Gauge, invocation: &Invocation) -> Result<(), Failure> {
    if invocation.call.dry_run {
        invocation.screen.note("would read the mirror");
        return Ok(());
    }
    let mirror = open_to_read(invocation)?;
    print(&known(&mirror, gauge)?, gauge, invocation)
}

/// Returns the samples of the last two weeks, as a forecast.
fn known(mirror: &Mirror, gauge: Gauge) -> Result<Forecast, Failure> {
    let forecast = mirror.forecast(gauge.name()).map_err(|error| explained(&error))?;
    forecast.ok_or_else(|| {
        let text = format!("cannot check {}: the mirror has no samples of it", gauge.name());
        Failure::new(Exit::Unjudged, text).hint("each `mirror sync` takes one")
    })
}

fn print(forecast: &Forecast, gauge: Gauge, invocation: &Invocation) -> Result<(), Failure> {
    let mut printer = Printer::open(invocation, &Schema::of_program(FIELDS, true))?;
    printer.print(&Shown {
        gauge: gauge.name(),
        value: &forecast.last.amount,
        unit: forecast.last.unit.as_deref(),
        days_left: forecast.days_left,
        per_day: forecast.per_day.as_deref(),
        used: &forecast.used,
        hours: forecast.during.as_secs() / 3600,
        sampled_at: utc(forecast.last.at),
    })?;
    printer.finish()
}

const FIELDS: &[&str] =
    &["gauge", "value", "unit", "days_left", "per_day", "used", "hours", "sampled_at"];
