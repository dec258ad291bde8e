//! Takes records, leaves out what is not asked for, and prints the rest.

use std::cmp::Ordering;
use std::io::{self, Write as _};

use memchr::memchr2;
use serde::Serialize;

use crate::failure::Failure;
use crate::output::destination::Destination;
use crate::output::flags::OutputFlags;
use crate::output::form::Form;
use crate::output::progress::Progress;
use crate::output::record::{Members, Path, one_line};
use crate::output::select::{Filter, Selection, check, check_found, check_sent};
use crate::output::sort::{Key, Sort};
use crate::output::{Format, Shape, form};
use crate::screen::{Screen, variable};

/// One output from its first record to its last.
pub(crate) struct Printer {
    form: Box<dyn Form>,
    out: Destination,
    filters: Vec<(Path, Filter)>,
    sort: Vec<(Path, Sort)>,
    selection: Option<Selection>,
    /// Everything, if it is to be sorted: what each record is sorted by, and the record.
    kept: Vec<(Vec<Key>, String)>,
    buffer: Vec<u8>,
    selected: String,
    progress: Progress,
    printed: u64,
    /// The file to name at the end, if there is somebody to tell.
    file: Option<String>,
    screen: Screen,
}

impl Printer {
    /// Checks what is asked for against what there is, and opens the output.
    pub(crate) fn open(
        flags: &OutputFlags,
        screen: Screen,
        shape: &Shape<'_>,
    ) -> Result<Self, Failure> {
        for path in named(flags, shape)? {
            check(path, shape.fields)?;
        }
        Self::new(flags, screen, shape, Path::parse)
    }

    /// Opens the output for what this method of the service sends, which may have other fields too.
    pub(crate) fn of_service(
        flags: &OutputFlags,
        screen: Screen,
        shape: &Shape<'_>,
        method: &str,
    ) -> Result<Self, Failure> {
        for path in named(flags, shape)? {
            if let Some(doubt) = check_sent(path, shape.fields, method)? {
                screen.warn(&doubt);
            }
        }
        Self::new(flags, screen, shape, Path::parse)
    }

    /// Opens the output for records of which no text says what they are: these are the names of their members.
    pub(crate) fn of_anything(
        flags: &OutputFlags,
        screen: Screen,
        shape: &Shape<'_>,
    ) -> Result<Self, Failure> {
        // The name of a member may have dots.
        let is_member = |text: &str| shape.columns.contains(&text);
        let path =
            |text: &str| if is_member(text) { Path::member(text) } else { Path::parse(text) };
        for text in named(flags, shape)? {
            if let Some(doubt) = check_found(&path(text), shape.columns) {
                screen.warn(&doubt);
            }
        }
        Self::new(flags, screen, shape, path)
    }

    fn new(
        flags: &OutputFlags,
        screen: Screen,
        shape: &Shape<'_>,
        path: impl Fn(&str) -> Path,
    ) -> Result<Self, Failure> {
        let sorts = flags.sort.iter().flatten().map(|text| Sort::parse(text));
        let filters = flags.filter.iter().cloned();
        let names: Vec<&str> = match &flags.fields {
            Some(fields) => fields.iter().map(String::as_str).collect(),
            None => shape.columns.to_vec(),
        };
        let mut columns: Vec<Path> = Vec::new();
        for path in names.into_iter().map(&path) {
            // What is named twice is there once, in every format.
            if !columns.contains(&path) {
                columns.push(path);
            }
        }
        // A name that stands for another format is no file to begin.
        Format::asked(flags)?;
        let out = Destination::open(flags.file())?;
        let view = out.view(screen);
        let format = Format::of(flags, view)?;
        let json = matches!(format, Format::Json | Format::Ndjson);
        let aside = screen.errors_seen && !view.is_terminal();
        let visible = aside && !flags.quiet && variable("CI").is_none();
        let selection = (json && flags.fields.is_some()).then(|| Selection::of(&columns));
        Ok(Self {
            form: form(format, shape.single, columns, flags, view)?,
            out,
            filters: filters.map(|filter| (path(&filter.path), filter)).collect(),
            sort: sorts.map(|sort| (path(&sort.path), sort)).collect(),
            selection,
            kept: Vec::new(),
            buffer: Vec::with_capacity(1024),
            selected: String::new(),
            progress: Progress::new(visible.then_some(screen)),
            printed: 0,
            file: flags.file().filter(|_| aside).map(|file| file.display().to_string()),
            screen,
        })
    }

    /// Prints a record.
    pub(crate) fn record<T: Serialize>(&mut self, record: &T) -> io::Result<()> {
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        serde_json::to_writer(&mut buffer, record)?;
        let text = std::str::from_utf8(&buffer).map_err(io::Error::other)?;
        self.text(text)?;
        self.buffer = buffer;
        Ok(())
    }

    /// Prints a record as it came, but on one line.
    pub(crate) fn came(&mut self, json: &str) -> io::Result<()> {
        match memchr2(b'\n', b'\r', json.as_bytes()) {
            Some(_) => self.text(&one_line(json)),
            None => self.text(json),
        }
    }

    /// Prints a record that is JSON text on one line.
    pub(crate) fn text(&mut self, record: &str) -> io::Result<()> {
        self.progress.came(record.len());
        if !self.filters.is_empty() || !self.sort.is_empty() {
            let members = Members::of_record(record);
            let meets = |(path, filter): &(Path, Filter)| filter.accepts(&members.cell(path));
            if !self.filters.iter().all(meets) {
                return Ok(());
            }
            if !self.sort.is_empty() {
                let keys = self.sort.iter().map(|(path, _)| Key::of(&members.cell(path)));
                self.kept.push((keys.collect(), record.to_owned()));
                return Ok(());
            }
        }
        self.write(record)
    }

    /// Takes the progress line away and says that a record is missing.
    pub(crate) fn warn(&mut self, text: &str) {
        self.progress.clear();
        self.screen.warn(text);
    }

    /// Passes on what has been printed, because the next record may be long in coming.
    pub(crate) fn pause(&mut self) -> io::Result<()> {
        self.progress.show();
        if self.out.is_read_meanwhile() {
            self.form.pause(&mut self.out)?;
            self.out.leave();
        }
        Ok(())
    }

    /// Passes on what came before something went wrong, so that what is said of it stands below.
    pub(crate) fn cut(mut self) {
        self.progress.clear();
        if self.out.is_read_meanwhile() {
            // There is something worse to tell than that this did not work either.
            drop(self.form.cut(&mut self.out).and_then(|()| self.out.flush()));
        }
    }

    /// Writes what is left, and says what the person should know.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        let sort = std::mem::take(&mut self.sort);
        let mut kept = std::mem::take(&mut self.kept);
        kept.sort_by(|(one, _), (other, _)| compare(&sort, one, other));
        for (_, record) in kept {
            self.write(&record)?;
        }
        let note = self.form.end(&mut self.out)?;
        self.progress.clear();
        let summary = self.progress.summary(self.printed, self.out.bytes());
        self.out.finish()?;
        if let Some(note) = note {
            self.screen.note(&note);
        }
        if let Some(file) = self.file {
            self.screen.note(&format!("wrote {summary} to {file}"));
        }
        Ok(())
    }

    fn write(&mut self, record: &str) -> io::Result<()> {
        let record = match &self.selection {
            None => record,
            Some(selection) => {
                self.selected.clear();
                selection.write(record, &mut self.selected);
                &self.selected
            }
        };
        self.printed += 1;
        self.form.record(&mut self.out, record)
    }

    /// Returns how many records were printed so far.
    pub(crate) fn records(&self) -> u64 {
        self.printed
    }
}

/// Returns the fields that are named in some flag, if the flags go with what is printed.
fn named<'a>(
    flags: &'a OutputFlags,
    shape: &Shape<'_>,
) -> Result<impl Iterator<Item = &'a str>, Failure> {
    if shape.single && (flags.sort.is_some() || !flags.filter.is_empty()) {
        return Err(Failure::usage("--filter and --sort are for lists, and this is one object"));
    }
    let fields = flags.fields.iter().flatten().map(String::as_str);
    let filters = flags.filter.iter().map(|filter| filter.path.as_str());
    let sort = flags.sort.iter().flatten().map(|text| text.strip_prefix('-').unwrap_or(text));
    Ok(fields.chain(filters).chain(sort))
}

fn compare(sort: &[(Path, Sort)], one: &[Key], other: &[Key]) -> Ordering {
    let pairs = sort.iter().zip(one.iter().zip(other));
    let orderings = pairs.map(|((_, sort), (one, other))| sort.compare(one, other));
    orderings.fold(Ordering::Equal, Ordering::then)
}
