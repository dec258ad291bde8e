//! Takes records, leaves out what is not asked for, and prints the rest.

use std::cmp::Ordering;
use std::io::{self, Write as _};

use memchr::memchr2;
use serde::Serialize;

use crate::failure::Failure;
use crate::flags::OutputFlags;
use crate::output::destination::Destination;
use crate::output::form::Form;
use crate::output::progress::Progress;
use crate::output::record::{Members, one_line};
use crate::output::select::{Filter, Selection, Sort, check};
use crate::output::{Format, Shape, form};
use crate::screen::{Screen, variable};

/// One output from its first record to its last.
pub(crate) struct Printer {
    form: Box<dyn Form>,
    out: Destination,
    filters: Vec<Filter>,
    sort: Vec<Sort>,
    selection: Option<Selection>,
    /// Everything, if it is to be sorted: what each record is sorted by, and the record.
    kept: Vec<(Vec<String>, String)>,
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
        let sort: Vec<Sort> = flags.sort.iter().flatten().map(|text| Sort::parse(text)).collect();
        let asked = flags.fields.iter().flatten().map(String::as_str);
        let paths = sort.iter().map(|sort| sort.path.as_str());
        let filtered = flags.filter.iter().map(|filter| filter.path.as_str());
        for path in asked.chain(paths).chain(filtered) {
            check(path, shape.fields)?;
        }
        if shape.single && (!sort.is_empty() || !flags.filter.is_empty()) {
            return Err(Failure::usage(
                "--filter and --sort are for lists, and this is one object",
            ));
        }
        // A name that stands for another format is no file to begin.
        Format::asked(flags)?;
        let out = Destination::open(flags.file())?;
        let view = out.view(screen);
        let format = Format::of(flags, view)?;
        let json = matches!(format, Format::Json | Format::Ndjson);
        let aside = screen.errors_seen && !view.is_terminal();
        let visible = aside && !flags.quiet && variable("CI").is_none();
        Ok(Self {
            form: form(format, shape, flags, view)?,
            out,
            filters: flags.filter.clone(),
            sort,
            selection: flags.fields.as_ref().filter(|_| json).map(|fields| Selection::of(fields)),
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
            let members = Members::read(record);
            if !self.filters.iter().all(|filter| filter.accepts(&members)) {
                return Ok(());
            }
            if !self.sort.is_empty() {
                let keys = self.sort.iter().map(|sort| members.cell(&sort.path).into_owned());
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
            self.out.flush()?;
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

fn compare(sort: &[Sort], one: &[String], other: &[String]) -> Ordering {
    let pairs = sort.iter().zip(one.iter().zip(other));
    pairs.map(|(sort, (one, other))| sort.compare(one, other)).fold(Ordering::Equal, Ordering::then)
}
