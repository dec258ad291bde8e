//! Compares scalars, enums and models.

use std::sync::Arc;

use super::{Diff, change, listed, quoted};
use crate::diff::change::{Change, Class, PROGRAM};
use crate::ir::{Code, Codes, Enum, EnumValue, Field, Leniency, Model, Scalar, Wire};

impl Diff<'_> {
    pub(super) fn scalar(&mut self, place: &str, old: &Arc<Scalar>, new: &Arc<Scalar>) {
        self.wire(place, old.wire, new.wire);
        self.codes(place, old.codes.as_ref(), new.codes.as_ref());
        let query_wire = |one: &Scalar| one.sent_as().word();
        self.text(Class::Breaking, place, "query-wire", query_wire(old), query_wire(new));
        self.text(Class::Breaking, place, "meaning", old.meaning.word, new.meaning.word);
        let about = |one: &Scalar| {
            (one.doc.clone(), one.example.clone(), one.source.clone(), one.open.clone())
        };
        self.about(place, &about(old), &about(new));
    }

    /// Compares how a value is written. Readers that accept one more way are an addition.
    fn wire(&mut self, place: &str, old: Wire, new: Wire) {
        let is_wider = old == new.written() && new.either().is_some();
        let class = if is_wider { Class::Additive } else { Class::Breaking };
        self.text(class, place, "wire", old.word(), new.word());
    }

    fn codes(&mut self, place: &str, old: Option<&Codes>, new: Option<&Codes>) {
        let (Some(old), Some(new)) = (old, new) else { return };
        for (name, old, new) in [("true", &old.yes, &new.yes), ("false", &old.no, &new.no)] {
            let is_wider = old.first() == new.first() && old.iter().all(|code| new.contains(code));
            let class = if is_wider { Class::Additive } else { Class::Breaking };
            let listed = |codes: &Vec<Code>| {
                codes.iter().map(|code| format!("`{}`", code.json())).collect::<Vec<_>>().join(", ")
            };
            self.value(class, place, name, (old, new), listed);
        }
    }

    pub(super) fn one_enum(&mut self, place: &str, old: &Arc<Enum>, new: &Arc<Enum>) {
        self.flag(Class::Breaking, place, "open-ended", old.open_ended, new.open_ended);
        self.wire(place, old.wire, new.wire);
        let section = format!("{place}.value");
        let before = self.changes.len();
        self.lists(&section, &old.values, &new.values, Self::enum_value);
        if !old.open_ended {
            // Readers of a closed enum reject unknown values.
            for change in self.changes.iter_mut().skip(before) {
                if change.what == "added" {
                    change.class = Class::Breaking;
                    "added to a closed enum, whose readers reject unknown values"
                        .clone_into(&mut change.what);
                }
            }
        }
        let about = |one: &Enum| (one.doc.clone(), one.source.clone(), one.open.clone());
        self.about(place, &about(old), &about(new));
    }

    fn enum_value(&mut self, place: &str, old: &EnumValue, new: &EnumValue) {
        self.text(Class::Breaking, place, "wire", &old.wire, &new.wire);
        self.deprecated(place, old.deprecated.as_ref(), new.deprecated.as_ref());
        self.about(place, &old.doc, &new.doc);
    }

    pub(super) fn model(&mut self, place: &str, old: &Model, new: &Model) {
        let identity = |model: &Model| {
            model
                .identity_field()
                .map_or_else(|| "none".to_owned(), |field| format!("`{}`", field.wire))
        };
        let (was, is) = (identity(old), identity(new));
        self.value(Class::Breaking, place, "identity", (&was, &is), String::clone);
        self.columns(place, old, new);
        self.lists(&format!("{place}.field"), &old.fields, &new.fields, Self::field);
        let about = |one: &Model| (one.doc.clone(), one.source.clone(), one.open.clone());
        self.about(place, &about(old), &about(new));
    }

    /// Compares the columns if the spec declares them. Without a declaration, they follow the fields.
    fn columns(&mut self, place: &str, old: &Model, new: &Model) {
        if old.columns.is_none() && new.columns.is_none() {
            return;
        }
        let (was, is) = (self.old.columns(old), self.new.columns(new));
        if was != is {
            // Programs that read a table rely on the positions of its columns.
            let class = if is.starts_with(&was) { Class::Additive } else { Class::Breaking };
            let what = format!("columns changed from {} to {}", listed(&was), listed(&is));
            self.changes.push(Change { crates: PROGRAM, ..change(class, place, what) });
        }
    }

    fn field(&mut self, place: &str, old: &Field, new: &Field) {
        self.rust_name(place, &old.rust, &new.rust);
        let types = (&old.ty.written(self.old), &new.ty.written(self.new));
        self.value(Class::Breaking, place, "type", types, quoted);
        let presences = (&presence(old.required), &presence(new.required));
        self.value(Class::Breaking, place, "presence", presences, quoted);
        self.lenient(place, old, new);
        self.personal(place, old.personal, new.personal);
        self.deprecated(place, old.deprecated.as_ref(), new.deprecated.as_ref());
        let about = |one: &Field| {
            (one.doc.clone(), one.example.clone(), one.source.clone(), one.open.clone())
        };
        self.about(place, &about(old), &about(new));
    }

    /// Compares the other forms of a field that a reader accepts.
    fn lenient(&mut self, place: &str, old: &Field, new: &Field) {
        for leniency in Leniency::ALL {
            let (was, is) = (old.is(leniency), new.is(leniency));
            let name = format!("leniency `{}`", leniency.word());
            // The type in Rust changes only with `absent-as-empty`.
            let breaks = was || leniency == Leniency::AbsentAsEmpty;
            let class = if breaks { Class::Breaking } else { Class::Additive };
            self.flag(class, place, &name, was, is);
        }
    }

    /// Reports a change of the fields that are personal data. Such a change compiles everywhere, so a
    /// warning is the only notice.
    fn personal(&mut self, place: &str, old: bool, new: bool) {
        match (old, new) {
            (true, false) => {
                let what = "no longer personal; its values will appear in `Debug` output and logs";
                self.changes.push(Change { warns: true, ..change(Class::Additive, place, what) });
            }
            (false, true) => {
                let what = "personal; `Debug` output and logs no longer show its values";
                self.say(Class::Additive, place, what);
            }
            _ => {}
        }
    }
}

fn presence(required: bool) -> String {
    if required { "required" } else { "optional" }.to_owned()
}
