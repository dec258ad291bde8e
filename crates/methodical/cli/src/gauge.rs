//! The commands of a gauge: an amount that an operation returns, such as a balance.

use std::io;

use clap::{Args, Subcommand};
use methodical_client::model::Operation;
use methodical_client::model::tables::{Gauge, Mirrored};
use methodical_mirror::Sample;
use serde::Serialize;
use serde_json::json;

use crate::args::whole_number;
use crate::commands::Invocation;
use crate::failure::{Exit, Failure};
use crate::mirror::open::{self, utc};
use crate::output::printer::{Schema, counted};
use crate::output::record::{Cells, Path, number};
use crate::session::Session;

/// A command of a gauge. Generated commands contain it next to those of the operations, and pass it to
/// [`Session::gauge`](crate::Session::gauge).
#[derive(Clone, Debug, Subcommand)]
#[non_exhaustive]
pub enum GaugeCommand {
    /// Exit with code 8 if the amount is below a threshold, or will last too few days.
    ///
    /// The amount is always printed; if it is too low, an error is also printed. --below reads it from the service, and
    /// compares it as a decimal number, without rounding. --days reads it from the mirror. If the amount cannot be
    /// read, the exit code is not 8.
    #[command(name = "check")]
    Check(CheckFlags),
    /// Forecast how long the amount will last, based on the last two weeks.
    ///
    /// Each sync adds a sample to the mirror. Increases, such as a top-up, are ignored.
    #[command(name = "forecast")]
    Forecast,
}

/// The flags of the command `check` of a gauge: the thresholds.
#[derive(Clone, Debug, Args)]
#[group(id = "frame:limit", required = true, multiple = false)]
pub struct CheckFlags {
    /// Threshold: a decimal number, such as 100 or 12.50.
    #[arg(
        id = "frame:below",
        long = "below",
        value_name = "AMOUNT",
        allow_negative_numbers = true,
        value_parser = threshold
    )]
    below: Option<String>,

    /// Fail if the amount will last fewer than N days, based on the last two weeks. Needs a mirror.
    ///
    /// If the samples span less than a day, the exit code is 10.
    #[arg(id = "frame:days", long = "days", value_name = "N", value_parser = whole_number)]
    days: Option<u64>,
}

impl<S: Mirrored> Session<S> {
    /// Runs a command of a gauge, whose operation returns an object with the amount.
    ///
    /// # Errors
    ///
    /// Fails if the amount is below the threshold, the call fails, the object has no decimal number at the path of the
    /// gauge, or the output cannot be written.
    ///
    /// # Examples
    ///
    /// ```
    /// use methodical_cli::client::model::Operation;
    /// use methodical_cli::client::model::tables::{Gauge, Mirrored};
    /// use methodical_cli::{Failure, GaugeCommand, Session};
    /// use serde::Serialize;
    ///
    /// /// The free storage of an archive.
    /// const STORAGE: Gauge = Gauge::new("storage", &["free"]).with_unit(&["unit"]);
    ///
    /// fn storage<S: Mirrored, O>(session: &Session<S>, command: GaugeCommand, operation: &O) -> Result<(), Failure>
    /// where
    ///     O: Operation<Service = S, Output: Serialize>,
    /// {
    ///     session.gauge(command, operation, STORAGE)
    /// }
    /// ```
    pub fn gauge<O>(
        &self,
        command: GaugeCommand,
        operation: &O,
        gauge: Gauge,
    ) -> Result<(), Failure>
    where
        O: Operation<Service = S, Output: Serialize>,
    {
        let below = match command {
            GaugeCommand::Check(CheckFlags { below: Some(below), .. }) => below,
            GaugeCommand::Check(flags) => return check_days(flags.days, gauge, &self.invocation),
            GaugeCommand::Forecast => return check_days(None, gauge, &self.invocation),
        };
        self.end_dry_run(&[operation])?;
        let json = serde_json::to_string(&self.receive(operation)?).map_err(io::Error::from)?;
        let (value, unit) = amount(&json, gauge)?;
        let values = [json!(gauge.name()), json!(value), json!(unit), json!(below)];
        let schema = Schema::of_program(&["gauge", "value", "unit", "below"], true);
        schema.print(&self.invocation, [values])?;
        refuse_below(gauge, &value, unit.as_deref(), &below)
    }
}

/// Prints the forecast from the mirror. Fails if the amount will last fewer days, or the mirror has too few samples.
fn check_days(days: Option<u64>, gauge: Gauge, invocation: &Invocation) -> Result<(), Failure> {
    let forecast =
        methodical_mirror::Forecast::of(&open::read(invocation)?.samples(gauge.name(), i64::MIN)?)?
            .ok_or_else(|| {
                let text = format!("cannot check {}: the mirror has no samples yet", gauge.name());
                Failure::new(Exit::Unjudged, text)
                    .hint(format!("each {} takes one", invocation.command("mirror sync")))
            })?;
    let Sample { amount, unit, at, .. } = &forecast.last;
    let hours = forecast.during.as_secs() / 3600;
    let shown = [
        ("gauge", json!(gauge.name())),
        ("value", json!(amount)),
        ("unit", json!(unit)),
        ("days_left", json!(forecast.days_left)),
        ("per_day", json!(forecast.per_day)),
        ("used", json!(forecast.used)),
        ("hours", json!(hours)),
        ("sampled_at", json!(utc(*at))),
    ];
    let fields = shown.each_ref().map(|(name, _)| *name);
    let values = shown.map(|(_, value)| value);
    Schema::of_program(&fields, true).print(invocation, [values])?;
    let Some(days) = days else { return Ok(()) };
    if forecast.per_day.is_none() {
        let text = format!(
            "cannot forecast {}: the samples of the last two weeks span only {}; a forecast needs 24 h",
            gauge.name(),
            counted(hours, "hour")
        );
        return Err(Failure::new(Exit::Unjudged, text)
            .hint("sync regularly: each sync takes a sample; until then, use --below"));
    }
    match forecast.days_left.filter(|left| *left < days) {
        None => Ok(()),
        Some(left) => {
            let reason = format!("lasts {left} days, fewer than {days}");
            Err(too_low(gauge, amount, unit.as_deref(), &reason))
        }
    }
}

/// Returns the amount in the JSON text of an object, a decimal number, with its unit.
fn amount(json: &str, gauge: Gauge) -> Result<(String, Option<String>), Failure> {
    let path = Path::parse(&gauge.value().join("."));
    let value = Cells::read(json).cell(&path).into_owned();
    if number(&value).is_none() {
        let text = format!("cannot compare {}: `{path}` is not a decimal number", gauge.name());
        return Err(Failure::new(Exit::Contract, text));
    }
    let unit = gauge.unit().map(|names| Path::parse(&names.join(".")));
    let unit = unit.map(|path| Cells::read(json).cell(&path).into_owned());
    Ok((value, unit.filter(|unit| !unit.is_empty())))
}

/// Fails if an amount is below a threshold.
fn refuse_below(gauge: Gauge, value: &str, unit: Option<&str>, below: &str) -> Result<(), Failure> {
    if number(below).is_some_and(|least| number(value).is_some_and(|amount| amount < least)) {
        return Err(too_low(gauge, value, unit, &format!("is below {below}")));
    }
    Ok(())
}

fn too_low(gauge: Gauge, value: &str, unit: Option<&str>, reason: &str) -> Failure {
    let unit = unit.map(|unit| format!(" {unit}")).unwrap_or_default();
    let text = format!("{} too low: {value}{unit}, which {reason}", gauge.name());
    Failure::new(Exit::Alarm, text)
}

/// Parses a threshold. It is printed as it was given.
fn threshold(text: &str) -> Result<String, String> {
    match number(text) {
        Some(_) => Ok(text.to_owned()),
        None => Err("expected a decimal number, such as 100 or 12.50".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use methodical_client::model::tables::Gauge;

    use super::{amount, refuse_below};

    const STORAGE: Gauge = Gauge::new("storage", &["left", "free"]).with_unit(&["unit"]);

    fn read(free: &str) -> Option<(String, Option<String>)> {
        amount(&format!(r#"{{"left":{{"free":{free}}},"unit":"GB"}}"#), STORAGE).ok()
    }

    #[test]
    fn amounts_are_compared_by_their_exact_values() {
        for (free, below, is_below) in [
            (r#""100.00""#, "100", false),
            (r#""99.99999999999999999999""#, "100", true),
            ("9007199254740993", "9007199254740993.0", false),
            ("9007199254740992", "9007199254740993", true),
            (r#""-0.5""#, "0", true),
            (r#""-0.5""#, "-1", false),
            ("1e2", "100.1", true),
        ] {
            let (value, unit) = read(free).unwrap();
            let refused = refuse_below(STORAGE, &value, unit.as_deref(), below);
            assert_eq!(refused.is_err(), is_below, "{free} {below}");
            assert_eq!(unit.as_deref(), Some("GB"));
        }
    }
}
