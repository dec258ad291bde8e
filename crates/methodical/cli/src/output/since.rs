//! The flag `--since`: only records from a date on.

use chrono::{Datelike as _, Days, Local, NaiveDate, NaiveTime, TimeZone as _};
use clap::{Arg, ArgMatches};

use crate::failure::Failure;
use crate::output::bound::Bound;
use crate::output::schema::Schema;
use crate::output::select::Filter;

/// The value of the flag, and the paths of dates in the records of the service.
#[derive(Clone, Debug)]
pub(crate) struct Since {
    date: Bound,
    dates: &'static [&'static str],
}

impl Since {
    /// Returns the flag. Only programs of services whose records have dates have it.
    pub(crate) fn flag() -> Arg {
        Arg::new(ID)
            .long("since")
            .help("Print only records with a date on or after DATE: YYYY-MM-DD, `today`, `yesterday`, `last-week` or `7d`")
            .long_help(
                "Print only records with a date on or after DATE: YYYY-MM-DD, `today`, `yesterday`, `last-week` or `7d`.\n\nShort \
                 for a --filter on the first date field. `today` is the date of this machine, `7d` is 7 days before it, and \
                 `last-week` is the Monday of the week before. Dates of records are compared as they are written, without a \
                 time zone.",
            )
            .help_heading("Output")
            .value_name("DATE")
            .value_parser(parse)
            .global(true)
    }

    /// Returns the value of the flag, if the program has it and it is given.
    pub(crate) fn of(matches: &ArgMatches, dates: &'static [&'static str]) -> Option<Self> {
        let date: &Bound = matches.try_get_one(ID).ok().flatten()?;
        Some(Self { date: date.clone(), dates })
    }

    /// Returns the filter of the first date of the records.
    pub(crate) fn filter(&self, schema: &Schema<'_>) -> Result<Filter, Failure> {
        let known = if schema.fields.is_empty() { schema.columns } else { schema.fields };
        match known.iter().find(|field| self.dates.contains(*field)) {
            Some(field) => Ok(Filter::since(field, self.date.clone())),
            None => Err(Failure::usage("cannot use --since: the records have no date")),
        }
    }
}

fn parse(text: &str) -> Result<Bound, String> {
    Bound::date(&named(text)).ok_or_else(|| EXPECTED.to_owned())
}

/// Parses a day, and returns when it begins on this machine, in seconds since 1970.
pub(crate) fn start_of_day(text: &str) -> Result<i64, String> {
    let day: NaiveDate = named(text).parse().map_err(|_not_a_date| EXPECTED.to_owned())?;
    let begin = day.and_time(NaiveTime::MIN);
    // A clock that is set forward at midnight skips it.
    let local = Local.from_local_datetime(&begin).earliest();
    Ok(local.map_or_else(|| begin.and_utc().timestamp(), |begin| begin.timestamp()))
}

/// Returns the date of a named day, or of a number of days ago.
fn named(text: &str) -> String {
    let today = Local::now().date_naive();
    let days = match text {
        "today" => Some(0),
        "yesterday" => Some(1),
        "last-week" => Some(7 + u64::from(today.weekday().num_days_from_monday())),
        _ => text.strip_suffix('d').and_then(|days| days.parse().ok()),
    };
    let day = days.and_then(|days| today.checked_sub_days(Days::new(days)));
    day.map_or_else(|| text.to_owned(), |day| day.to_string())
}

const EXPECTED: &str = "expected a date such as 2026-11-30, `today`, `yesterday`, `last-week`, or a number of days such as `7d`";

const ID: &str = "frame:since";

#[cfg(test)]
mod tests {
    use chrono::{Datelike as _, Days, Local, Weekday};

    use super::parse;

    #[test]
    fn days_have_names() {
        let [yesterday, today] = ["yesterday", "today"].map(|day| parse(day).unwrap());
        let now = Local::now().date_naive();
        assert!(yesterday.compare(&now.to_string()).unwrap().is_gt());
        assert!(today.compare(&now.pred_opt().unwrap().to_string()).unwrap().is_lt());
        let ago = |days| now.checked_sub_days(Days::new(days)).unwrap();
        assert_eq!((parse("0d"), parse("7d")), (parse("today"), parse(&ago(7).to_string())));
        let monday = (7..14).map(ago).find(|day| day.weekday() == Weekday::Mon).unwrap();
        assert_eq!(parse("last-week"), parse(&monday.to_string()));
        assert!(parse("2026-11-30").is_ok() && parse("2026-11").is_ok());
        for wrong in ["", "tomorrow", "2026-11-31", "5", "d", "-7d", "7 d", "99999999999d"] {
            assert!(parse(wrong).unwrap_err().contains("such as 2026-11-30"), "{wrong}");
        }
    }
}
