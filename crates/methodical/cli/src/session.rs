//! Calls the service and prints the response according to the flags. Also has `api`, `check` and the commands of
//! gauges. A gauge is an amount that an operation returns, such as a balance.

use std::any::Any;
use std::fmt;
use std::io::{self, Write as _};
use std::time::Duration;

use clap::{Args, Subcommand};
use methodical_client::blocking::{Client, Records};
use methodical_client::model::tables::{Gauge, Mirrored};
use methodical_client::model::{
    ListOperation, Metadata, Operation, PagedOperation, RawQuery, Record,
};
use methodical_client::transport::BlockingBody;
use methodical_client::{Entry, Error, StreamingResponse};
use methodical_mirror::{Forecast, Sample};
use methodical_testkit::contract::{self, Finding, Profile, Target};
use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;

use crate::args::whole_number;
use crate::commands::Invocation;
use crate::connect::{build, connect_to_service, curl, token_of, transport};
use crate::failure::{Exit, Failure, explain};
use crate::mirror::open::{self, utc};
use crate::mirror::{note_unknown, print_list, select};
use crate::output::Format;
use crate::output::destination::{Destination, Raw};
use crate::output::printer::{Printer, Schema, counted};
use crate::output::record::{Cells, Object, Path};
use crate::output::select::number;
use crate::program::{Noun, OperationCommands, RecordType, SampleService};
use crate::settings::Settings;

/// One run of a command: the source of its records, the settings, and the flags for the output.
///
/// [`OperationCommands::run`](crate::OperationCommands::run) receives one. With `--dry-run`, each method prints the
/// request and sends nothing. With `-o raw`, it prints the response unchanged.
pub struct Session<S> {
    source: RecordSource<S>,
    pub(crate) settings: Settings,
    pub(crate) invocation: Invocation,
}

/// Where the records of a command come from.
enum RecordSource<S> {
    Service(Client<S>),
    /// The sample service of `--demo`, which stops after the client is dropped.
    #[expect(dead_code, reason = "the service is only dropped")]
    Sample(Client<S>, Box<dyn Any + Send>),
    /// The mirror that `--from` names.
    Mirror,
}

impl<S: Mirrored> Session<S> {
    pub(crate) fn open(invocation: &Invocation) -> Result<Self, Failure> {
        let mut settings = Settings::of_known(invocation)?;
        let source = if invocation.mirror.from.is_some() {
            RecordSource::Mirror
        } else if let Some(sample) = invocation.program.demo.filter(|_| invocation.service.demo) {
            let SampleService { base_url, token, guard, .. } = (sample.start)()?;
            settings.set("base-url", &base_url, "flag --demo");
            RecordSource::Sample(build(invocation, &settings, Some(token))?, guard)
        } else {
            RecordSource::Service(connect_to_service(invocation, &settings)?)
        };
        Ok(Self { source, settings, invocation: invocation.clone() })
    }

    /// Returns the service's client. Fails if the records come from a mirror.
    pub(crate) fn client(&self) -> Result<&Client<S>, Failure> {
        let text = "cannot use --from: this command calls the service";
        match &self.source {
            RecordSource::Service(client) | RecordSource::Sample(client, _) => Ok(client),
            RecordSource::Mirror => Err(Failure::usage(text)),
        }
    }

    /// Requests a list and prints its records while they arrive. With `--from`, prints the records of a mirror.
    ///
    /// # Errors
    ///
    /// Fails if a flag does not fit the records, the call fails, the output cannot be written, or a record was skipped.
    ///
    /// ```
    /// use methodical_cli::client::model::ListOperation;
    /// use methodical_cli::client::model::tables::Mirrored;
    /// use methodical_cli::{Failure, RecordType, Session};
    ///
    /// fn list<S: Mirrored, O: ListOperation<Service = S> + 'static>(
    ///     session: &Session<S>,
    ///     photos: &O,
    /// ) -> Result<(), Failure> {
    ///     session.list(photos, RecordType::new(&["id", "title"], &["id", "title", "size"]))
    /// }
    /// ```
    pub fn list<O>(&self, operation: &O, record: RecordType<'_>) -> Result<(), Failure>
    where
        O: ListOperation<Service = S> + 'static,
    {
        let (selected, others) = select::<S, O>(operation, &self.invocation.mirror);
        let Ok(client) = self.client() else {
            return print_list(selected.as_ref(), record, &self.invocation);
        };
        let queries: Vec<&O> = [operation].into_iter().chain(&others).collect();
        let open = |query: &O| client.stream(query).map_err(|error| self.explain(&error));
        let empty = self.print_list(&queries, record, open)?;
        if empty > 0 {
            let client = Some(client).filter(|_| empty == queries.len());
            note_unknown(selected.as_ref(), client, &self.invocation);
        }
        Ok(())
    }

    /// Requests the pages of a list one by one and prints their records as [`list`](Self::list) does.
    ///
    /// With `-o raw`, prints only one page: the unchanged response.
    ///
    /// # Errors
    ///
    /// Fails like [`list`](Self::list), and if the pages do not follow the contract.
    pub fn list_all<O>(&self, operation: &O, record: RecordType<'_>) -> Result<(), Failure>
    where
        O: PagedOperation<Service = S>,
    {
        let Ok(client) = self.client() else { return self.list(operation, record) };
        let open = |operation: &O| Ok(client.stream_all(operation));
        self.print_list(&[operation], record, open).map(|_empty| ())
    }

    /// Prints the records of lists, which `open` requests one after the other. Returns how many of them were empty.
    fn print_list<O: ListOperation<Service = S>>(
        &self,
        all: &[&O],
        record: RecordType<'_>,
        open: impl Fn(&O) -> Result<Records<O::Item, O::Metadata>, Failure>,
    ) -> Result<usize, Failure> {
        self.end_unsent(all)?;
        let mut empty = 0;
        let mut printer = Printer::open(&self.invocation, &Schema::of_operation(record, false))?;
        let mut add = |query: &&O| {
            let before = (printer.received, printer.skipped);
            self.print_all(open(query)?, &mut printer)?;
            let is_empty = (printer.received, printer.skipped) == before && !printer.is_done();
            empty += usize::from(is_empty);
            Ok(())
        };
        if let Err(failure) = all.iter().try_for_each(&mut add) {
            printer.abort();
            return Err(failure);
        }
        printer.finish()?;
        Ok(empty)
    }

    /// Prints the records of a list.
    fn print_all<T: Record, M: Metadata>(
        &self,
        mut entries: Records<T, M>,
        printer: &mut Printer,
    ) -> Result<(), Failure> {
        // The rest of the list is not received, so its connection is closed.
        while !printer.is_done() {
            // Records are borrowed from the client's buffer, so nothing is copied.
            let next = match entries.received_json_with(|_, json| printer.print_received(json)) {
                None => {
                    printer.idle()?;
                    entries.next_json_with(|_, json| printer.print_received(json))
                }
                received => received,
            };
            let Some(entry) = next else { break };
            match entry.map_err(|error| self.explain(&error))? {
                Entry::Record(done) => done?,
                Entry::Rejected(record) => printer.skipped(record.index(), record.error()),
            }
        }
        Ok(())
    }

    /// Requests one object and prints it. Takes the same arguments as [`list`](Self::list).
    ///
    /// # Errors
    ///
    /// Fails if a flag does not fit the object, the call fails, or the output cannot be written.
    ///
    /// ```
    #[doc = include_str!("../doctests/photos.txt")]
    /// fn totals(session: &Session<Photos>) -> Result<(), Failure> {
    ///     session.object(&GetTotals, RecordType::new(&["photos"], &["photos", "albums"]))
    /// }
    /// ```
    pub fn object<O>(&self, operation: &O, record: RecordType<'_>) -> Result<(), Failure>
    where
        O: Operation<Service = S, Output: Serialize>,
    {
        self.end_unsent(&[operation])?;
        let mut printer = Printer::open(&self.invocation, &Schema::of_operation(record, true))?;
        printer.print_line(&self.receive(operation)?)?;
        printer.finish()
    }

    /// Requests a response without records and prints it: a value, a list of values, or a map as an object. In a table
    /// and in CSV, a value's column is named `value`. A response without data prints nothing.
    ///
    /// # Errors
    ///
    /// Fails if a flag does not fit the response, the call fails, or the output cannot be written.
    pub fn plain<O>(&self, operation: &O) -> Result<(), Failure>
    where
        O: Operation<Service = S, Output: Serialize>,
    {
        self.end_unsent(&[operation])?;
        let json = self.receive(operation)?;
        if json == "null" {
            return Ok(());
        }
        let map = Object::parse(&json);
        let keys: Vec<&str> = map.fields().map(|(name, _)| name).collect();
        let fields = if json.starts_with('{') { &*keys } else { &["value"] };
        let list = serde_json::from_str::<Vec<&RawValue>>(&json);
        let schema = Schema::of_operation(RecordType::new(fields, fields), list.is_err());
        let mut printer = Printer::open(&self.invocation, &schema)?;
        match list {
            Ok(values) => values.into_iter().try_for_each(|one| printer.print_line(one.get()))?,
            Err(_other) => printer.print_line(&json)?,
        }
        printer.finish()
    }

    /// Sends a request and returns its response as JSON.
    fn receive<O>(&self, operation: &O) -> Result<String, Failure>
    where
        O: Operation<Service = S, Output: Serialize>,
    {
        let response = self.client()?.send(operation).map_err(|error| self.explain(&error))?;
        Ok(serde_json::to_string(&response).map_err(io::Error::from)?)
    }

    /// In a dry run, prints the requests; with `-o raw`, the unchanged responses. Ends the command in both cases.
    fn end_unsent<O: Operation<Service = S>>(&self, all: &[&O]) -> Result<(), Failure> {
        self.end_dry_run(all)?;
        let output = &self.invocation.output;
        if output.format()? != Some(Format::RAW) {
            return Ok(());
        }
        output.refuse_selection("-o raw prints the unchanged response")?;
        for operation in all {
            let response = self.stream_raw(*operation)?.error_for_status();
            self.pass_on(response.map_err(|error| self.explain(&error))?, false)?;
        }
        Err(Failure::ended(Exit::Done))
    }

    /// In a dry run, prints the requests as `curl` commands and ends the command.
    pub(crate) fn end_dry_run<O: Operation<Service = S>>(&self, all: &[&O]) -> Result<(), Failure> {
        let Invocation { program, service, screen, .. } = &self.invocation;
        let client = self.client()?;
        if !service.dry_run {
            return Ok(());
        }
        // The output file is for a response, and a dry run has none.
        let mut out = Destination::open(None, program, *screen)?;
        for operation in all {
            writeln!(out, "{}", curl(program, &client.request(*operation)?))?;
        }
        out.finish()?;
        Err(Failure::ended(Exit::Done))
    }

    /// Requests a response whose body is passed on while it arrives.
    pub(crate) fn stream_raw<O: Operation<Service = S>>(
        &self,
        operation: &O,
    ) -> Result<StreamingResponse<BlockingBody>, Failure> {
        self.client()?.stream_raw(operation).map_err(|error| self.explain(&error))
    }

    /// Prints the body of a response while it arrives. If `ends` is true, also ends its last line.
    pub(crate) fn pass_on(
        &self,
        mut response: StreamingResponse<BlockingBody>,
        ends: bool,
    ) -> Result<(), Failure> {
        let mut out = Raw::open(&self.invocation)?;
        loop {
            match response.chunk() {
                Ok(Some(piece)) => out.write(&piece)?,
                Ok(None) if ends => break out.end_line()?,
                Ok(None) => break,
                Err(error) => {
                    out.abort();
                    return Err(self.explain(&error));
                }
            }
            out.idle()?;
        }
        Ok(out.finish()?)
    }

    /// Converts an error to the failure that the program ends with.
    pub(crate) fn explain(&self, error: &Error) -> Failure {
        explain(error, &self.settings, &self.invocation)
    }
}

impl<S> fmt::Debug for Session<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// Calls any method and prints the response unchanged, or what `--jq` selects.
pub(crate) fn api<S: Mirrored>(
    session: &Session<S>,
    method: String,
    parameters: Vec<(String, String)>,
) -> Result<(), Failure> {
    let (query, parameters) = (RawQuery::new(method), parameters.into_iter());
    let query = parameters.fold(query, |query, (name, value)| query.pair(name, value));
    session.end_dry_run(&[&query])?;
    let output = &session.invocation.output;
    let format = output.format()?.unwrap_or(Format::RAW);
    let other = Some(format.name).filter(|_| ![Format::RAW, Format::JSON].contains(&format));
    let selection = output.fields.as_ref().map(|_| "--fields").or_else(|| output.choice());
    if let Some(flag) =
        other.map(|name| format!("-o {name}")).or_else(|| selection.map(str::to_owned))
    {
        let text = format!("cannot use {flag}: `api` prints the response unchanged");
        return Err(Failure::usage(text).hint("--jq FILTER selects parts of it"));
    }
    if output.jq.is_some() {
        return filtered(session, &query);
    }
    let response = session.stream_raw(&query)?.error_for_status();
    let response = response.or_else(|error| refused(session, &error))?;
    session.pass_on(response, output.output != Some(Format::RAW))
}

/// Prints the body of an error response, but not into a file: the file is for a successful response.
fn refused<S: Mirrored, T>(session: &Session<S>, error: &Error) -> Result<T, Failure> {
    if session.invocation.output.file().is_none() {
        let mut out = Raw::open(&session.invocation)?;
        out.write(error.body().map_or(&[], |body| body))?;
        out.end_line()?;
        out.finish()?;
    }
    Err(session.explain(error))
}

/// Applies the `--jq` filter to the response and prints the results.
fn filtered<S: Mirrored>(session: &Session<S>, query: &RawQuery<S>) -> Result<(), Failure> {
    let mut printer = Printer::open(&session.invocation, &Schema::of_program(&[], true))?;
    let json = session.client()?.send(query).or_else(|error| match error.status() {
        Some(status) if status != 200 => refused(session, &error),
        _ => Err(session.explain(&error)),
    })?;
    printer.print_line(json.as_str())?;
    printer.finish()
}

/// Parses a parameter of the form `NAME=VALUE`.
pub(crate) fn pair(text: &str) -> Result<(String, String), &'static str> {
    let pair = text.split_once('=').filter(|(name, _)| !name.is_empty());
    pair.map(|(name, value)| (name.to_owned(), value.to_owned())).ok_or("expected NAME=VALUE")
}

/// Checks the service against its contract.
pub(crate) fn check<C: OperationCommands>(
    session: &Session<C::Service>,
    strict: bool,
) -> Result<(), Failure> {
    let Invocation { program, service, screen, .. } = &session.invocation;
    let Some((contract, _)) = program.contract else { return Ok(()) };
    let probe = C::probe();
    if service.dry_run {
        screen.note("this is the first request");
    }
    session.end_dry_run(&[&probe])?;
    let output = &session.invocation.output;
    // The output is opened before the first request.
    let has_all = !output.is_table(*screen)? || service.verbose > 0 || output.selection().is_some();
    let noun = (!has_all).then_some(Noun("failed check", "failed checks"));
    let schema = Schema { columns: COLUMNS, noun, ..Schema::of_program(FIELDS, false) };
    let mut printer = Printer::open(&session.invocation, &schema)?;
    // A service that is unavailable, or refuses the token, is not checked.
    if let Err(error) = session.stream_raw(&probe)?.error_for_status() {
        let failure = session.explain(&error);
        if matches!(failure.exit(), Exit::NotAuthorized | Exit::Network) {
            return Err(failure);
        }
    }
    let request = session.client()?.request(&probe).map_err(|error| session.explain(&error))?;
    let settings = &session.settings;
    let base_url = settings.base_url().map_or("", |url| url.value.as_str());
    let token = token_of(request.headers()).unwrap_or_default();
    let mut target = Target::new(base_url, token)
        .map_err(|error| Failure::usage("cannot check the service").because(error))?;
    if let Some(seconds) = settings.timeout() {
        target = target.time_limit(Duration::from_secs(seconds));
    }
    let profile = if strict { Profile::Reference } else { Profile::Any };
    let transport = transport(&session.invocation, settings, false)?;
    let report = contract::run(contract, &target, &transport, profile);
    for Finding { check, verdict, .. } in report.findings() {
        if has_all || verdict.word() == "fail" {
            let (source, word, detail) =
                (check.source.to_string(), verdict.word(), verdict.detail());
            let values =
                [&*check.name, word, &*check.title, &*source, detail].map(|text| json!(text));
            printer.print_members(FIELDS.iter().zip(values))?;
        }
    }
    printer.finish()?;
    screen.note(&report.summary());
    if report.is_kept() {
        return Ok(());
    }
    let failed = counted(report.count("fail"), "check");
    Err(Failure::new(Exit::Contract, format!("the service violates the contract: {failed} failed")))
}

const COLUMNS: &[&str] = &["check", "verdict", "seen", "source"];
const FIELDS: &[&str] = &["check", "verdict", "title", "source", "seen"];

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
    /// Runs a command of a gauge. The operation returns an object with the amount.
    ///
    /// # Errors
    ///
    /// Fails if the amount is below the threshold or will last too few days, the call fails, the object has no decimal
    /// number at the gauge's path, the mirror cannot be read, or the output cannot be written.
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
        let (value, unit) = amount(&self.receive(operation)?, gauge)?;
        let values = [json!(gauge.name()), json!(value), json!(unit), json!(below)];
        let schema = Schema::of_program(&["gauge", "value", "unit", "below"], true);
        schema.print(&self.invocation, [values])?;
        refuse_below(gauge, &value, unit.as_deref(), &below)
    }
}

/// Prints the mirror's forecast. Fails if the amount will last fewer than `days`, or if the mirror has too few samples.
fn check_days(days: Option<u64>, gauge: Gauge, invocation: &Invocation) -> Result<(), Failure> {
    let forecast = Forecast::of(&open::read(invocation)?.samples(gauge.name(), i64::MIN)?)?
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
    let Some(left) = forecast.days_left.filter(|left| *left < days) else { return Ok(()) };
    Err(too_low(
        gauge,
        amount,
        unit.as_deref(),
        &format!("lasts {}, fewer than {days}", counted(left, "day")),
    ))
}

/// Returns the amount in a JSON object and its unit, if it has one. Fails unless the amount is a decimal number.
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
    Failure::new(Exit::Alarm, format!("{} too low: {value}{unit}, which {reason}", gauge.name()))
}

/// Checks that a threshold is a decimal number, and returns its text, which is printed unchanged.
fn threshold(text: &str) -> Result<String, &'static str> {
    let expected = "expected a decimal number, such as 100 or 12.50";
    number(text).map(|_number| text.to_owned()).ok_or(expected)
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
