//! Renders records as JSON text and notes where their members are, so that the text need not be read again.

use std::cell::Cell;
use std::io;

use serde::Serialize;
use serde_json::ser::Formatter;

use crate::error::{Error, ErrorKind};
use crate::fields::json::{Json, MAX_DEPTH, Member, Members, below, string};

/// A record as JSON text in the spelling of its model: values that the model reads as the same are the same text.
#[derive(Default)]
pub(crate) struct Rendering {
    json: Vec<u8>,
    marks: Vec<Mark>,
}

/// The JSON text of a record, and the places of its members if it was rendered.
#[derive(Clone, Copy)]
pub(crate) struct Rendered<'a> {
    pub(crate) json: &'a str,
    pub(crate) marks: &'a [Mark],
}

/// The place of a member in the text. The members of its value follow it.
#[derive(Clone, Copy, Default)]
pub(crate) struct Mark {
    name: Place,
    value: Place,
    /// The number of marks of the members of its value, at all levels.
    inner: usize,
}

/// Where a part of the text begins and ends.
#[derive(Clone, Copy, Default)]
struct Place {
    start: usize,
    end: usize,
}

impl Rendering {
    /// Replaces the text by that of a record.
    pub(crate) fn render(&mut self, record: &impl Serialize) -> Result<(), Error> {
        self.json.clear();
        self.marks.clear();
        let length = &Cell::new(0);
        let out = Out { json: &mut self.json, length };
        let marking = Marking { length, marks: &mut self.marks, lists: 0 };
        let mut serializer = serde_json::Serializer::with_formatter(out, marking);
        record.serialize(&mut serializer).map_err(|error| {
            Error::new(ErrorKind::Record, "cannot write a record as JSON").because(error)
        })
    }

    pub(crate) fn rendered(&self) -> Result<Rendered<'_>, Error> {
        let json = std::str::from_utf8(&self.json).map_err(|error| {
            Error::new(ErrorKind::Record, "cannot write a record as JSON").because(error)
        })?;
        Ok(Rendered { json, marks: &self.marks })
    }
}

impl<'a> Rendered<'a> {
    /// Takes a text that was not rendered.
    pub(crate) const fn text(json: &'a str) -> Self {
        Self { json, marks: &[] }
    }

    pub(crate) fn members(self) -> Result<Members<'a>, Error> {
        if self.marks.is_empty() {
            return Members::of(self.json);
        }
        self.within(self.marks, MAX_DEPTH)
    }

    fn within(self, marks: &[Mark], depth: usize) -> Result<Members<'a>, Error> {
        let (mut members, mut rest) = (Members::unsorted(), marks);
        while let Some((mark, after)) = rest.split_first() {
            let (inner, others) = after.split_at(mark.inner.min(after.len()));
            let text = self.part(mark.value);
            let json = if inner.is_empty() {
                Json::of(text, depth)?
            } else {
                Json::Object(self.within(inner, below(depth)?)?)
            };
            members.push((string(self.part(mark.name))?, Member { text, json }));
            rest = others;
        }
        Ok(Members::sorted(members))
    }

    fn part(self, Place { start, end }: Place) -> &'a str {
        self.json.get(start..end).unwrap_or_default()
    }
}

/// Appends to a text, and tells its length.
struct Out<'a> {
    json: &'a mut Vec<u8>,
    length: &'a Cell<usize>,
}

impl io::Write for Out<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes).map(|()| bytes.len())
    }

    #[inline]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.json.extend_from_slice(bytes);
        self.length.set(self.json.len());
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes compact JSON, and notes the members outside of lists.
struct Marking<'a> {
    /// The length of the text.
    length: &'a Cell<usize>,
    marks: &'a mut Vec<Mark>,
    /// The number of lists that have begun and not ended.
    lists: usize,
}

impl Marking<'_> {
    /// Changes the mark of the member that is being written.
    fn change(&mut self, change: impl FnOnce(&mut Mark, usize, usize)) {
        if self.lists > 0 {
            return;
        }
        let has_ended = |mark: &&mut Mark| mark.value.end > 0;
        let mut marks = self.marks.iter_mut().rev().enumerate();
        if let Some((inner, mark)) = marks.find(|(_, mark)| !has_ended(mark)) {
            change(mark, self.length.get(), inner);
        }
    }
}

impl Formatter for Marking<'_> {
    #[inline]
    fn begin_object_key<W: ?Sized + io::Write>(
        &mut self,
        out: &mut W,
        first: bool,
    ) -> io::Result<()> {
        if !first {
            out.write_all(b",")?;
        }
        if self.lists == 0 {
            let name = Place { start: self.length.get(), end: 0 };
            self.marks.push(Mark { name, ..Mark::default() });
        }
        Ok(())
    }

    #[inline]
    fn end_object_key<W: ?Sized + io::Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.change(|mark, length, _| mark.name.end = length);
        Ok(())
    }

    #[inline]
    fn begin_object_value<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b":")?;
        self.change(|mark, length, _| mark.value.start = length);
        Ok(())
    }

    #[inline]
    fn end_object_value<W: ?Sized + io::Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.change(|mark, length, inner| {
            (mark.value.end, mark.inner) = (length, inner);
        });
        Ok(())
    }

    #[inline]
    fn begin_array<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.lists += 1;
        out.write_all(b"[")
    }

    #[inline]
    fn end_array<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.lists = self.lists.saturating_sub(1);
        out.write_all(b"]")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::{Rendered, Rendering};
    use crate::fields::json::{Json, MAX_DEPTH, Members};

    /// Returns everything that members say.
    fn shown(members: &Members<'_>) -> BTreeMap<String, String> {
        let shown = members.iter().map(|(name, member)| {
            let json = match &member.json {
                Json::Null => "null".to_owned(),
                Json::Boolean(value) => value.to_string(),
                Json::Number(text) => format!("number {text}"),
                Json::Text(text) => format!("text {text}"),
                Json::List(items) => format!("list {items:?}"),
                Json::Object(members) => format!("{:?}", shown(members)),
            };
            (name.to_owned(), format!("{} {json}", member.text))
        });
        shown.collect()
    }

    fn assert_same(record: &Value) {
        let mut rendering = Rendering::default();
        // The text of the record before must not show.
        rendering.render(&json!({ "before": { "a": 1 } })).unwrap();
        rendering.render(record).unwrap();
        let rendered = rendering.rendered().unwrap();
        assert_eq!(rendered.json, record.to_string());
        let read = Rendered::text(rendered.json);
        assert_eq!(shown(&rendered.members().unwrap()), shown(&read.members().unwrap()));
    }

    #[test]
    fn a_rendered_record_has_the_members_of_its_text() {
        assert_same(&json!({}));
        assert_same(
            &json!({ "b": "x\"\\\n\u{1}é", "a": 1, "c\"": null, "d": true, "e": -1.5e300 }),
        );
        assert_same(&json!({ "a": {}, "b": { "d": { "e": "1" }, "c": [] }, "f": "" }));
        assert_same(&json!({ "a": [{ "b": [{ "c": 1 }], "d": 2 }, {}], "e": { "f": [[{}]] } }));
    }

    #[test]
    fn deep_nesting_is_an_error() {
        let nested = |depth| (0..depth).fold(json!(1), |inner, _| json!({ "a": inner }));
        let members = |depth| {
            let mut rendering = Rendering::default();
            rendering.render(&nested(depth)).unwrap();
            rendering.rendered().unwrap().members().map(drop)
        };
        assert!(members(MAX_DEPTH).is_ok());
        let error = members(MAX_DEPTH + 1).unwrap_err().to_string();
        assert_eq!(error, "cannot read a record: it is nested deeper than 128 levels");
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            "[a\"\\\\é\u{1}]{0,3}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 16, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                object(inner)
            ]
        })
    }

    fn object(value: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
        prop::collection::btree_map("[ab\"]{0,2}", value, 0..5)
            .prop_map(|map| map.into_iter().collect())
    }

    proptest! {
        #[test]
        fn every_rendered_record_has_the_members_of_its_text(record in object(value())) {
            assert_same(&record);
        }
    }
}
