//! The printer: chooses records, selects their fields, and writes them in the requested format.

use std::fmt::Display;
use std::io::{self, Write as _};
use std::mem;
use std::path::Path as FilePath;
use std::time::{Duration, Instant};

use memchr::memchr2;
use methodical_client::model::tables::FieldType;
use serde_json::Value;

use crate::commands::Invocation;
use crate::failure::{Exit, Failure};
use crate::output::destination::{Destination, url_of};
use crate::output::record::{Fields, Line, Object, Path, one_line};
use crate::output::select::{Chooser, Filter};
use crate::output::{Format, FormatColumns, OutputColumn, OutputFlags, OutputSetup, RecordWriter};
use crate::program::{Noun, RecordType, Types};
use crate::screen::{Screen, WARNING, closest, variable};

/// One output, from its first record to its last.
pub(crate) struct Printer {
    writer: Box<dyn RecordWriter>,
    out: Destination,
    chooser: Chooser,
    /// The fields to keep, for a format that prints whole records. Other formats have columns.
    selected: Option<Vec<Path>>,
    /// The line on standard error, if that is a terminal, with the number of records received, printed or not.
    progress: LiveLine,
    pub(crate) received: u64,
    printed: u64,
    /// The number of records that could not be read.
    pub(crate) skipped: u64,
    /// The warnings to print after the pager has ended.
    late_warnings: Vec<String>,
    /// The file to name in the closing note, if standard error is a terminal.
    file: Option<String>,
    screen: Screen,
}

impl Printer {
    /// Checks the flags against the schema and opens the output.
    pub(crate) fn open(invocation: &Invocation, schema: &Schema<'_>) -> Result<Self, Failure> {
        let &Invocation { output: ref flags, screen, .. } = invocation;
        let chooser = Chooser::new(invocation, schema)?;
        flags.fields.iter().flatten().try_for_each(|name| schema.check(name, invocation))?;
        // Done before the file is created, because its extension may be refused.
        let requested = flags.format()?;
        let out = Destination::of(invocation)?;
        let is_terminal = out.view.is_terminal();
        let format = requested.unwrap_or(if is_terminal { Format::TABLE } else { Format::JSON });
        if is_terminal && format.is_binary {
            let name = format.name;
            let extension = format.extensions.first().unwrap_or(&name);
            let hint = format!("add --output-file FILE.{extension}, or redirect the output");
            let text = format!("cannot print {name} on a terminal: it is not text");
            return Err(Failure::usage(text).hint(hint));
        }
        let out = if schema.single { out } else { out.through_pager(invocation) };
        let view = out.view;
        let columns = columns(schema, flags, format, &chooser);
        let selects = format.columns == FormatColumns::Whole && flags.fields.is_some();
        let selected = selects.then(|| columns.iter().map(|one| one.path.clone()).collect());
        let notes = screen.errors_seen && !view.is_terminal();
        let file = flags.file().filter(|file| url_of(file).is_none());
        let writer = (format.writer)(&OutputSetup {
            columns,
            single: schema.single,
            view,
            noun: schema.noun,
            flags: flags.clone(),
            file: file.map(FilePath::to_owned),
        })?;
        Ok(Self {
            writer,
            out,
            chooser,
            selected,
            progress: LiveLine::new(screen, notes),
            received: 0,
            printed: 0,
            skipped: 0,
            late_warnings: Vec::new(),
            file: flags.file().filter(|_| notes).map(|file| file.display().to_string()),
            screen,
        })
    }

    /// Prints one of the program's own records, given as its members in order.
    pub(crate) fn print_members(
        &mut self,
        members: impl IntoIterator<Item = (impl AsRef<str>, Value)>,
    ) -> io::Result<()> {
        let members = members.into_iter();
        let line = members.fold(Line::new(), |line, (name, value)| line.add(name.as_ref(), value));
        self.print_line(&line.end())
    }

    /// Prints a record as received. If it has several lines, its whitespace is removed.
    pub(crate) fn print_received(&mut self, json: &str) -> io::Result<()> {
        match memchr2(b'\n', b'\r', json.as_bytes()) {
            Some(_) => self.print_line(&one_line(json)),
            None => self.print_line(json),
        }
    }

    /// Prints a record, given as JSON text on one line.
    pub(crate) fn print_line(&mut self, record: &str) -> io::Result<()> {
        self.received += 1;
        // Reading the clock costs more than printing a record.
        if self.received.is_multiple_of(256) {
            self.show_progress();
        }
        if self.chooser.takes(record) { self.write(record) } else { Ok(()) }
    }

    fn write(&mut self, record: &str) -> io::Result<()> {
        self.printed += 1;
        let Some(paths) = &self.selected else { return self.writer.write(&mut self.out, record) };
        let paths: Vec<_> = paths.iter().map(Path::names).collect();
        self.writer.write(&mut self.out, &selected(&paths, record))
    }

    /// Returns whether no further record will be printed, so that receiving can stop.
    pub(crate) fn is_done(&self) -> bool {
        self.chooser.is_done()
    }

    /// Warns that a record was skipped. Only the first [`MAX_NAMED`] are named.
    pub(crate) fn skipped(&mut self, index: u64, error: &dyn Display) {
        self.skipped += 1;
        if self.skipped > MAX_NAMED.into() {
            return;
        }
        self.progress.clear();
        let warning = format!("skipped record {index}: {error}");
        if self.out.is_paged {
            self.late_warnings.push(warning);
        } else {
            self.screen.warn(&warning);
        }
    }

    /// Updates the progress line and flushes live output. Call it before waiting for the next record.
    pub(crate) fn idle(&mut self) -> io::Result<()> {
        self.show_progress();
        self.out.flush_live()
    }

    fn show_progress(&mut self) {
        let received = self.received;
        self.progress.show(|| records(received));
    }

    /// Ends the output after a failure, so that the error message appears below the printed records.
    pub(crate) fn abort(mut self) {
        self.progress.clear();
        let more = self.more_skipped();
        if self.out.is_live {
            // The failure about to be reported matters more than an error here.
            drop(self.writer.abort(&mut self.out).and_then(|()| self.out.flush()));
        }
        if let Some(more) = more {
            self.screen.warn(&more);
        }
    }

    /// Prints the sorted records and the end of the output, then the notes for the user. Fails if a record was skipped.
    /// If all records were skipped, writes nothing.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        let skipped = self.skipped;
        if self.received == 0 && skipped > 0 {
            self.abort();
            let message = match skipped {
                1 => "cannot read the only record in the list".to_owned(),
                count => format!("cannot read any of the {} in the list", records(count)),
            };
            return Err(Failure::new(Exit::Contract, message));
        }
        for record in self.chooser.rest() {
            self.write(&record)?;
        }
        if !self.is_done() {
            self.writer.received(self.received);
        }
        let notes = self.writer.finish(&mut self.out)?;
        self.progress.clear();
        let more = self.more_skipped();
        let done = self.out.finish();
        for warning in self.late_warnings.into_iter().chain(more).chain(self.chooser.warnings()) {
            self.screen.warn(&warning);
        }
        done?;
        if !notes.is_empty() {
            self.screen.note(&notes.join("; "));
        }
        if let Some(file) = self.file {
            self.screen.note(&format!("wrote {} to {file}", records(self.printed)));
        }
        if skipped > 0 {
            let text = format!("skipped {}; all other records were written", records(skipped));
            return Err(Failure::new(Exit::Rejected, text));
        }
        Ok(())
    }

    /// Returns the warning that counts the skipped records that were not named.
    fn more_skipped(&self) -> Option<String> {
        let more = self.skipped.checked_sub(MAX_NAMED.into()).filter(|more| *more > 0)?;
        Some(format!("skipped {}", counted(more, "more record")))
    }
}

/// Returns the columns that a format writes, each once.
fn columns(
    schema: &Schema<'_>,
    flags: &OutputFlags,
    format: Format,
    chooser: &Chooser,
) -> Vec<OutputColumn> {
    if let Some(groups) = &chooser.groups {
        let [value, count, share] = groups.fields().map(Path::field);
        let field_type = schema.column(&value.to_string()).field_type;
        let types = [field_type, Some(FieldType::Integer), Some(FieldType::Real)];
        let columns = [value, count, share].into_iter().zip(types);
        return columns.map(|(path, field_type)| OutputColumn { path, field_type }).collect();
    }
    let names: Vec<&str> = match &flags.fields {
        Some(fields) => fields.iter().map(String::as_str).collect(),
        None if format.columns == FormatColumns::All => schema.leaves(),
        None => schema.columns.to_vec(),
    };
    let mut columns: Vec<OutputColumn> = Vec::new();
    for column in names.into_iter().map(|name| schema.column(name)) {
        // A field that is named twice is printed once, in every format.
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    columns
}

/// Returns a record with only the fields at these paths. Fields of one object stay together. Absent fields are `null`.
pub(crate) fn selected(paths: &[&[String]], json: &str) -> String {
    // A path without further names selects the whole value.
    if !json.starts_with('{') || paths.iter().any(|path| path.is_empty()) {
        return json.to_owned();
    }
    let object = Object::parse(json);
    let split: Vec<_> = paths.iter().filter_map(|path| path.split_first()).collect();
    let mut names: Vec<&String> = Vec::new();
    for (name, _) in &split {
        if !names.contains(name) {
            names.push(name);
        }
    }
    let member = |line: Line, name: &String| {
        let inner = split.iter().filter(|(first, _)| *first == name).map(|(_, rest)| *rest);
        let inner: Vec<_> = inner.collect();
        line.add(name, selected(&inner, object.get(name).unwrap_or("null")))
    };
    names.into_iter().fold(Line::new(), member).end()
}

/// Maximum number of skipped records that warnings name; the others are counted.
pub(crate) const MAX_NAMED: u8 = 20;

/// The fields of the records to print.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Schema<'a> {
    /// The columns of a table, unless `--fields` names others.
    pub(crate) columns: Fields<'a>,
    /// All known fields.
    pub(crate) fields: Fields<'a>,
    /// The name of a record, for the count below a table.
    pub(crate) noun: Option<Noun>,
    /// Whether the output is one object, not a list.
    pub(crate) single: bool,
    /// The types of fields; the type of any other field is unknown.
    pub(crate) types: Types<'a>,
    /// Whether a dot in a field name leads into an object. If not, names may contain dots.
    pub(crate) has_objects: bool,
    /// Whether records may have fields that are not known: a service may send undocumented ones, and a board lacks the
    /// columns of absent values.
    pub(crate) is_open: bool,
}

/// A column of the program's own records: its name, and a function that returns its value in a record.
pub(crate) type Column<T> = (&'static str, fn(&T) -> Value);

impl<'a> Schema<'a> {
    /// Creates the schema of the list that an operation returns or, if `single` is true, of one object.
    pub(crate) fn of_operation(record: RecordType<'a>, single: bool) -> Self {
        let RecordType { columns, fields, noun, types } = record;
        let noun = (!single).then_some(noun);
        Self { columns, fields, noun, single, types, has_objects: true, is_open: true }
    }

    /// Creates the schema of the program's own records or, if `single` is true, of one object.
    pub(crate) fn of_program(fields: Fields<'a>, single: bool) -> Self {
        let (columns, noun, types) = (fields, None, &[][..]);
        Self { columns, fields, noun, single, types, has_objects: false, is_open: false }
    }

    /// Returns the filter for `--since`, on the records' first date field. Fails if the records have no date.
    pub(crate) fn since(&self, date: &str) -> Result<Filter, Failure> {
        let known = if self.fields.is_empty() { self.columns } else { self.fields };
        let is_date = |name: &str| self.column(name).field_type == Some(FieldType::DateTime);
        match known.iter().find(|name| is_date(name)) {
            Some(field) => Filter::parse(&format!("{field}>={date}")).map_err(Failure::usage),
            None => Err(Failure::usage("cannot use --since: the records have no date")),
        }
    }

    /// Prints the program's own records, each given as the values of all fields in order.
    pub(crate) fn print<R: IntoIterator<Item = Value>>(
        &self,
        invocation: &Invocation,
        rows: impl IntoIterator<Item = R>,
    ) -> Result<(), Failure> {
        let mut printer = Printer::open(invocation, self)?;
        rows.into_iter().try_for_each(|row| printer.print_members(self.fields.iter().zip(row)))?;
        printer.finish()
    }

    /// Prints the program's own records, with these columns. A table has only the columns in `shown`.
    pub(crate) fn print_columns<T>(
        invocation: &Invocation,
        noun: Option<Noun>,
        shown: Fields<'_>,
        columns: &[Column<T>],
        records: &[T],
    ) -> Result<(), Failure> {
        let fields: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
        let schema = Schema { columns: shown, noun, ..Schema::of_program(&fields, false) };
        let row = |record| columns.iter().map(move |(_, value)| value(record));
        schema.print(invocation, records.iter().map(row))
    }

    /// Returns the CSV columns, including every field of an operation's records, with objects expanded to their fields.
    pub(crate) fn leaves(&self) -> Vec<&'a str> {
        if !self.has_objects {
            return self.columns.to_vec();
        }
        let is_object = |name: &str| {
            let mut others = self.fields.iter().filter_map(|other| other.strip_prefix(name));
            others.any(|rest| rest.starts_with('.'))
        };
        self.fields.iter().copied().filter(|name| !is_object(name)).collect()
    }

    /// Parses a field name from a flag. Known names match in any case, because a table shows its headers in capitals.
    pub(crate) fn path(&self, name: &str) -> Path {
        let known = self.fields.iter();
        let exact = known.clone().find(|field| **field == name);
        match exact.or_else(|| known.clone().find(|field| field.eq_ignore_ascii_case(name))) {
            Some(known) if !self.has_objects => Path::field(known),
            known => Path::parse(known.unwrap_or(&name)),
        }
    }

    /// Returns the column for a field name.
    pub(crate) fn column(&self, name: &str) -> OutputColumn {
        let path = self.path(name);
        let name = path.to_string();
        let field_type = self.types.iter().find(|(field, _)| *field == name).map(|(_, ty)| *ty);
        OutputColumn { path, field_type }
    }

    /// Checks a field name from a flag. An unknown name is refused if records cannot have it, or if it looks like a
    /// typo. For any other unknown name, prints a warning.
    pub(crate) fn check(&self, name: &str, invocation: &Invocation) -> Result<(), Failure> {
        if self.fields.iter().any(|field| field.eq_ignore_ascii_case(name)) {
            return Ok(());
        }
        let has_similar = || closest(&name.to_lowercase(), self.fields.iter().copied()).is_some();
        if !self.is_open || (self.has_objects && has_similar()) {
            return Err(Failure::unknown("field", name, self.fields));
        }
        // Printed even with `-q`, because the field may leave the output empty.
        let text = format!("unknown field `{name}`; the fields are {}", self.fields.join(", "));
        invocation.screen.say(WARNING, "warning", &text);
        Ok(())
    }
}

/// A line on standard error. It appears after a moment, and its text is then updated repeatedly.
#[derive(Debug)]
pub(crate) struct LiveLine {
    screen: Option<Screen>,
    /// The time of the last text, or of the beginning.
    last: Instant,
    is_shown: bool,
}

impl LiveLine {
    /// Creates the line. It is shown only if `is_wanted` is true and standard error is a terminal that someone watches.
    pub(crate) fn new(screen: Screen, is_wanted: bool) -> Self {
        let is_watched = screen.errors_seen && !screen.quiet && variable("CI").is_none();
        let screen = (is_wanted && is_watched).then_some(screen);
        Self { screen, last: Instant::now(), is_shown: false }
    }

    /// Clears the line, so that something else can be written.
    pub(crate) fn clear(&mut self) {
        if let Some(screen) = self.screen.filter(|_| mem::take(&mut self.is_shown)) {
            screen.clear_line();
        }
    }

    /// Shows this text if [`INTERVAL`] has passed since the last text.
    pub(crate) fn show(&mut self, text: impl FnOnce() -> String) {
        if let Some(screen) = self.screen.filter(|_| self.last.elapsed() >= INTERVAL) {
            (self.last, self.is_shown) = (Instant::now(), true);
            screen.clear_line();
            // A line that wraps cannot be cleared completely.
            let room = usize::from(screen.errors_width()).saturating_sub(1);
            drop(write!(io::stderr(), "{:.room$}", text()));
        }
    }
}

impl Drop for LiveLine {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Minimum interval between two texts.
const INTERVAL: Duration = Duration::from_millis(250);

/// Formats a number of records, such as `1 record` or `2 records`.
pub(crate) fn records(count: u64) -> String {
    counted(count, "record")
}

/// Formats a number of things whose plural ends with `s`, such as `1 change` or `2 changes`.
pub(crate) fn counted(count: impl TryInto<u64>, one: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    format!("{count} {one}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::{counted, records, selected};
    use crate::output::record::Path;

    #[track_caller]
    fn check(paths: &[Path], json: &str, expected: &str) {
        let paths: Vec<_> = paths.iter().map(Path::names).collect();
        assert_eq!(selected(&paths, json), expected);
    }

    #[test]
    fn only_the_selected_fields_are_written() {
        let paths = ["studio.name", "id", "none", "studio.id"].map(Path::parse);
        check(
            &paths,
            r#"{"id":7.10,"x":1,"studio":{"id":"p","name":"n"}}"#,
            r#"{"studio":{"name":"n","id":"p"},"id":7.10,"none":null}"#,
        );
        check(&paths, r#"{"id":7,"studio":null}"#, r#"{"studio":null,"id":7,"none":null}"#);
    }

    #[test]
    fn a_whole_object_includes_its_selected_parts() {
        let json = r#"{"id":7,"studio":{"id":"p","name":"n"}}"#;
        let whole = r#"{"studio":{"id":"p","name":"n"}}"#;
        check(&["studio", "studio.name"].map(Path::parse), json, whole);
        check(&["studio.name", "studio"].map(Path::parse), json, whole);
        check(&["id", "id"].map(Path::parse), json, r#"{"id":7}"#);
    }

    #[test]
    fn field_names_may_contain_dots() {
        let paths = [Path::field("a.b"), Path::parse("c")];
        check(&paths, r#"{"a":{"b":1},"a.b":2,"c":3}"#, r#"{"a.b":2,"c":3}"#);
    }

    #[test]
    fn counts_are_readable() {
        assert_eq!(records(1), "1 record");
        assert_eq!(records(2), "2 records");
        assert_eq!(counted(0, "change"), "0 changes");
    }
}
