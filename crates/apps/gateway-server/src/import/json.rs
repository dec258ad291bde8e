//! Reads JSON: lines of NDJSON, consecutive values, arrays, and the envelopes of responses.

use std::borrow::Cow;
use std::fmt;
use std::io::{BufRead as _, BufReader, Read};

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::error::Category;

use crate::error::{Error, Place};
use crate::fields::{Fields, find, names, text};
use crate::generated::operations::ENVELOPES;
use crate::import::input::{Metered, Progress, unreadable};
use crate::import::target::{KNOWN, Target, shown};
use crate::storage::Envelope;

/// Reads a file with one value per line.
pub(super) fn read_lines(
    reader: impl Read,
    file: u32,
    target: &mut Target<'_, '_>,
) -> Result<(), Error> {
    let (reader, progress) = Metered::new(reader);
    // The default capacity is small compared with the limit of a line.
    let mut reader = BufReader::new(reader);
    let mut text = Vec::new();
    for line in 1.. {
        text.clear();
        let unreadable = |error| unreadable(Place { file, line }, &error);
        if reader.read_until(b'\n', &mut text).map_err(unreadable)? == 0 {
            break;
        }
        progress.next_record();
        if !text.trim_ascii().is_empty() {
            let parser = serde_json::Deserializer::from_slice(&text);
            let read = values(parser, file, &|| line, &progress, target);
            target.note(read)?;
        }
    }
    Ok(())
}

/// Reads every value in the file. Only one record is in memory at a time, even in a long array. The parser reads one
/// byte at a time, so the line number is never ahead of it.
pub(super) fn read(reader: impl Read, file: u32, target: &mut Target<'_, '_>) -> Result<(), Error> {
    let (reader, progress) = Metered::new(reader);
    let parser = serde_json::Deserializer::from_reader(reader);
    values(parser, file, &|| progress.line(), &progress, target)
}

fn values<'de, R: serde_json::de::Read<'de>>(
    mut deserializer: serde_json::Deserializer<R>,
    file: u32,
    line: &dyn Fn() -> u64,
    progress: &Progress,
    target: &mut Target<'_, '_>,
) -> Result<(), Error> {
    let mut state = State { file, line, progress, target, failure: None };
    let result = loop {
        // `end` skips the whitespace between two values and succeeds at the end of the file.
        if deserializer.end().is_ok() {
            break Ok(());
        }
        if let Err(error) = Values(&mut state).deserialize(&mut deserializer) {
            break Err(error);
        }
    };
    if let Some(error) = state.failure {
        return Err(error);
    }
    // The parser's message could quote a value, so only its category and column are used.
    result.map_err(|error| {
        let place = Place { file, line: line() };
        let text = match error.classify() {
            Category::Eof => "the JSON value is truncated".to_owned(),
            Category::Syntax => format!("invalid JSON at column {}", error.column()),
            Category::Data => format!("expected {}", accepted()),
            Category::Io => return unreadable(place, &error.into()),
        };
        Error::at(place, text)
    })
}

/// Describes the values that a file may contain, for an error message.
fn accepted() -> String {
    let methods: Vec<_> =
        ENVELOPES.iter().map(|one| format!("a response of `{}`", one.method)).collect();
    format!("a record, an array of records, or {}", methods.join(" or "))
}

struct State<'t, 's, 'p> {
    file: u32,
    line: &'t dyn Fn() -> u64,
    progress: &'t Progress,
    target: &'t mut Target<'s, 'p>,
    /// The error of a record that we refused, which stopped the parser.
    failure: Option<Error>,
}

impl State<'_, '_, '_> {
    fn place(&self) -> Place {
        Place { file: self.file, line: (self.line)() }
    }

    fn put<E: serde::de::Error>(&mut self, given: Fields) -> Result<(), E> {
        let put = self.target.put(self.place(), given);
        self.progress.next_record();
        put.map_err(|error| self.fail(error))
    }

    fn refuse<E: serde::de::Error>(&mut self, text: impl Into<Cow<'static, str>>) -> Result<(), E> {
        let error = Error::at(self.place(), text);
        Err(self.fail(error))
    }

    /// Keeps the error for the caller and returns an error that stops the parser.
    fn fail<E: serde::de::Error>(&mut self, error: Error) -> E {
        self.failure = Some(error);
        E::custom("refused")
    }
}

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
        f.write_str(&accepted())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        for record in 1.. {
            self.0.target.record = Some(record);
            if items.next_element_seed(Values(self.0))?.is_none() {
                break;
            }
        }
        self.0.target.record = None;
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut given = Fields::default();
        let mut envelope = None;
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            let key = self.0.target.renamed(&key);
            let items = ENVELOPES.iter().find(|one| one.items == key);
            if given.contains_key(key) || items.is_some() && envelope.is_some() {
                return self.0.refuse(format!("field `{key}` is given twice"));
            }
            if items.is_some() {
                envelope = items;
                map.next_value_seed(Values(self.0))?;
            } else if let Some(field) = find(KNOWN, key) {
                match map.next_value()? {
                    serde_json::Value::Null => {}
                    value => drop(given.insert(field.name.to_owned(), value)),
                }
            } else {
                let (name, names) = (shown(key), names(KNOWN).join(", "));
                return self.0.refuse(format!("unknown field {name}; known fields: {names}"));
            }
        }
        let Some(Envelope { marker, success, .. }) = envelope else { return self.0.put(given) };
        // The records of the response are staged already, but an error rolls back the whole import.
        match given.keys().find(|name| *name != marker) {
            None if text(&given, marker) == *success => Ok(()),
            None => self.0.refuse(format!("the `{marker}` of the response is not `{success}`")),
            Some(field) => self.0.refuse(format!("`{field}` is not a field of a response")),
        }
    }
}
