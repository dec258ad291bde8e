//! JSON values one after another: lines of NDJSON, arrays, and the envelope of `candidates/list`.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;
use std::io::{BufRead as _, BufReader, Read};
use std::rc::Rc;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::error::Category;

use crate::Place;
use crate::error::Error;
use crate::import::record::Fields;
use crate::import::target::Target;

/// Reads a file of one value per line.
pub(super) fn read_lines(
    reader: impl Read,
    file: u32,
    target: &mut Target<'_, '_>,
) -> Result<(), Error> {
    let mut reader = BufReader::new(reader);
    let mut text = Vec::new();
    let line = Cell::new(0);
    loop {
        text.clear();
        if reader.read_until(b'\n', &mut text)? == 0 {
            return Ok(());
        }
        line.set(line.get() + 1);
        if !text.trim_ascii().is_empty() {
            values(serde_json::Deserializer::from_slice(&text), file, &line, target)?;
        }
    }
}

/// Reads every value in the file. One record is in memory at a time, however long an array is.
pub(super) fn read(reader: impl Read, file: u32, target: &mut Target<'_, '_>) -> Result<(), Error> {
    let line = Rc::new(Cell::new(1));
    let counted = CountLines { reader, line: Rc::clone(&line) };
    values(serde_json::Deserializer::from_reader(counted), file, &line, target)
}

fn values<'de, R: serde_json::de::Read<'de>>(
    mut deserializer: serde_json::Deserializer<R>,
    file: u32,
    line: &Cell<u64>,
    target: &mut Target<'_, '_>,
) -> Result<(), Error> {
    let mut failure = None;
    let mut state = State { file, line, target, failure: &mut failure };
    let result = loop {
        // Between two values only white space may stand; `end` skips it and tells the end of the file.
        if deserializer.end().is_ok() {
            break Ok(());
        }
        if let Err(error) = Values(&mut state).deserialize(&mut deserializer) {
            break Err(error);
        }
    };
    if let Some(error) = failure {
        return Err(error);
    }
    // The text of the parser could quote a value; its category is enough, and the line says where.
    result.map_err(|error| {
        let text = match error.classify() {
            Category::Eof => "the value is not complete",
            Category::Syntax => "this is not JSON",
            Category::Data => "a field is unknown, given twice, or of another type",
            Category::Io => "the file cannot be read",
        };
        Error::at(Place { file, line: line.get() }, text)
    })
}

struct State<'t, 's, 'p> {
    file: u32,
    line: &'t Cell<u64>,
    target: &'t mut Target<'s, 'p>,
    failure: &'t mut Option<Error>,
}

impl State<'_, '_, '_> {
    const fn place(&self) -> Place {
        Place { file: self.file, line: self.line.get() }
    }

    fn put<E: serde::de::Error>(&mut self, fields: Fields) -> Result<(), E> {
        let put = self.target.put(self.place(), fields);
        put.map_err(|error| self.fail(error))
    }

    fn refuse<E: serde::de::Error>(&mut self, text: &'static str) -> Result<(), E> {
        let error = Error::at(self.place(), text);
        Err(self.fail(error))
    }

    /// Keeps the error for the caller; the parser gets one that ends it.
    fn fail<E: serde::de::Error>(&mut self, error: Error) -> E {
        *self.failure = Some(error);
        E::custom("refused")
    }
}

/// The `status` of an answer that is none of an error.
const SUCCESS: &str = "success";

/// A record, an array of records, or an envelope.
struct Values<'v, 't, 's, 'p>(&'v mut State<'t, 's, 'p>);

impl<'de> DeserializeSeed<'de> for Values<'_, '_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Values<'_, '_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a record, an array of records, or an answer of the service")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(Values(self.0))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut fields = Fields::default();
        let mut is_envelope = false;
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            if key == "result" {
                if std::mem::replace(&mut is_envelope, true) {
                    return self.0.refuse("the answer has two results");
                }
                map.next_value_seed(Values(self.0))?;
            } else {
                fields.read(&key, &mut map)?;
            }
        }
        if !is_envelope {
            return self.0.put(fields);
        }
        // Its records are staged already, and with this error nothing of the import is kept.
        let succeeded = fields.status.take().is_some_and(|status| status == SUCCESS);
        match fields.any() {
            None if succeeded => Ok(()),
            None => self.0.refuse("the answer is no success"),
            Some(_) => self.0.refuse("the answer has fields that no answer has"),
        }
    }
}

/// Counts lines as they are read. The parser takes one byte at a time, so the count is never ahead of it.
struct CountLines<R> {
    reader: R,
    line: Rc<Cell<u64>>,
}

impl<R: Read> Read for CountLines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = self.reader.read(buffer)?;
        let read = buffer.get(..length).unwrap_or_default();
        // One byte at a time, mostly: nothing to be clever about.
        for byte in read {
            self.line.set(self.line.get() + u64::from(*byte == b'\n'));
        }
        Ok(length)
    }
}
