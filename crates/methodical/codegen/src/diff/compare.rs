//! Compares two services, declaration by declaration.

use std::sync::Arc;

use crate::diff::{Change, Class, EVERYONE, PROGRAM, READERS};
use crate::ir::{
    Body, Code, Codes, Dispatch, Enum, EnumValue, Example, Field, Leniency, Model, OpenPoint,
    Operation, Otherwise, Param, Response, RustName, Scalar, Service, Wire,
};

pub(super) fn service(old: &Service, new: &Service) -> Vec<Change> {
    let mut diff = Diff { old, new, changes: Vec::new() };
    diff.head();
    diff.lists("scalar", &old.scalars, &new.scalars, Diff::scalar);
    diff.lists("enum", &old.enums, &new.enums, Diff::one_enum);
    diff.lists("model", &old.models, &new.models, Diff::model);
    diff.lists("operation", &old.operations, &new.operations, Diff::operation);
    diff.lists("example", &old.examples, &new.examples, Diff::example);
    diff.lists("open-point", &old.open_points, &new.open_points, Diff::open_point);
    diff.changes
}

/// Reports changed descriptions, as one change.
macro_rules! about {
    ($diff:ident, $place:ident, $old:ident, $new:ident, $($key:ident),+) => {
        $diff.about($place, &($(&$old.$key,)+), &($(&$new.$key,)+))
    };
}

struct Diff<'a> {
    old: &'a Service,
    new: &'a Service,
    changes: Vec<Change>,
}

impl Diff<'_> {
    fn say(&mut self, class: Class, place: &str, what: impl Into<String>) {
        self.changes.push(change(class, place, what));
    }

    fn lists<T: Named>(
        &mut self,
        section: &str,
        old: &[T],
        new: &[T],
        compare: fn(&mut Self, &str, &T, &T),
    ) {
        for one in old {
            let place = format!("{section}.{}", one.key());
            match new.iter().find(|other| other.key() == one.key()) {
                Some(other) => compare(self, &place, one, other),
                None => self.say(T::removed(), &place, "removed"),
            }
        }
        for other in new {
            if !old.iter().any(|one| one.key() == other.key()) {
                self.say(other.added(), &format!("{section}.{}", other.key()), "added");
            }
        }
        self.order(section, old, new);
    }

    /// Reports whether the declarations that are in both lists changed their order.
    fn order<T: Named>(&mut self, section: &str, old: &[T], new: &[T]) {
        let in_both = |one: &[T], other: &[T]| -> Vec<String> {
            let stays = |key: &String| other.iter().any(|other| other.key() == *key);
            one.iter().map(Named::key).filter(stays).collect()
        };
        let (was, is) = (in_both(old, new), in_both(new, old));
        let moved = was.iter().zip(&is).filter(|(was, is)| was != is);
        let (was, is): (Vec<_>, Vec<_>) = moved.unzip();
        let shown = |names: &Vec<&String>| {
            names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ")
        };
        self.value(T::moved(old, new), section, "order", (&was, &is), shown);
    }

    /// Reports a changed value.
    fn value<T: PartialEq>(
        &mut self,
        class: Class,
        place: &str,
        name: &str,
        (old, new): (&T, &T),
        shown: impl Fn(&T) -> String,
    ) {
        if old != new {
            let what = format!("{name} changed from {} to {}", shown(old), shown(new));
            self.say(class, place, what);
        }
    }

    fn text(&mut self, class: Class, place: &str, name: &str, old: &str, new: &str) {
        self.value(class, place, name, (&old, &new), |text| format!("`{text}`"));
    }

    fn flag(&mut self, class: Class, place: &str, name: &str, old: bool, new: bool) {
        self.value(class, place, name, (&old, &new), bool::to_string);
    }

    /// Reports changed descriptions, as one change.
    fn about<T: PartialEq>(&mut self, place: &str, old: &T, new: &T) {
        if old != new {
            self.say(Class::Documentation, place, "description changed");
        }
    }

    fn rust_name(&mut self, place: &str, old: &RustName, new: &RustName) {
        self.text(Class::Breaking, place, "rust name", &old.snake(), &new.snake());
    }

    fn deprecated(&mut self, place: &str, old: Option<&String>, new: Option<&String>) {
        match (old, new) {
            (None, Some(_)) => self.say(Class::Additive, place, "deprecated"),
            (Some(_), None) => self.say(Class::Documentation, place, "no longer deprecated"),
            (old, new) => self.about(place, &old, &new),
        }
    }

    fn head(&mut self) {
        let (old, new) = (self.old, self.new);
        for (name, old, new) in [
            ("name", &old.name, &new.name),
            ("api-version", &old.api_version, &new.api_version),
            ("path", &old.path, &new.path),
            ("accept", &old.accept, &new.accept),
        ] {
            self.text(Class::Breaking, "service", name, old, new);
        }
        self.dispatch(&old.dispatch, &new.dispatch);
        let auth = (&old.auth.phrase(), &new.auth.phrase());
        self.value(Class::Breaking, "auth", "kind", auth, String::clone);
        let docs = |service: &Service| {
            service.auth.secrets().iter().map(|one| one.doc.clone()).collect::<Vec<_>>()
        };
        if old.auth.phrase() == new.auth.phrase() {
            self.about("auth", &docs(old), &docs(new));
        }
        let about = |service: &Service| {
            let Service { title, doc, source, open, .. } = service;
            (title.clone(), doc.clone(), source.clone(), open.clone())
        };
        self.about("service", &about(old), &about(new));
    }

    fn dispatch(&mut self, old: &Dispatch, new: &Dispatch) {
        self.text(Class::Breaking, "dispatch", "place", old.place.word(), new.place.word());
        let selectors = (&old.selectors, &new.selectors);
        self.value(Class::Breaking, "dispatch", "selector", selectors, listed);
        let constants = |dispatch: &Dispatch| {
            let pairs = dispatch.constants.iter().map(|(name, value)| format!("{name}={value}"));
            pairs.collect::<Vec<_>>()
        };
        // Callers write no constant, but the service must accept it.
        let (was, is) = (constants(old), constants(new));
        self.value(Class::Additive, "dispatch", "constants", (&was, &is), listed);
    }

    fn example(&mut self, place: &str, old: &Example, new: &Example) {
        let call = |service: &Service, one: &Example| {
            let operation = service.operations.get(one.operation).map(Named::key);
            (
                operation,
                one.query.clone(),
                one.sent.clone(),
                one.rejected.clone(),
                one.client,
                one.server,
            )
        };
        if call(self.old, old) == call(self.new, new) {
            self.about(place, &old.doc, &new.doc);
        } else {
            self.say(Class::Documentation, place, "example changed");
        }
    }

    fn open_point(&mut self, place: &str, old: &OpenPoint, new: &OpenPoint) {
        for (side, old, new) in
            [("client", &old.client, &new.client), ("server", &old.server, &new.server)]
        {
            if old != new {
                let what = format!(
                    "behaviour of the {side} changed; check whether users rely on the old one"
                );
                self.say(Class::Additive, place, what);
            }
        }
        self.value(
            Class::Documentation,
            place,
            "number",
            (&old.number, &new.number),
            u32::to_string,
        );
        self.about(place, &(&old.question, &old.source), &(&new.question, &new.source));
    }
}

fn change(class: Class, place: &str, what: impl Into<String>) -> Change {
    let crates = if class == Class::Documentation { READERS } else { EVERYONE };
    Change { class, place: place.to_owned(), what: what.into(), crates, warns: false }
}

fn quoted(text: &String) -> String {
    format!("`{text}`")
}

fn listed(names: &Vec<String>) -> String {
    match names.as_slice() {
        [] => "none".to_owned(),
        names => names.iter().map(quoted).collect::<Vec<_>>().join(", "),
    }
}

impl Diff<'_> {
    /// Compares what the outline of a response does not show.
    fn body(&mut self, place: &str, old: &Body, new: &Body) {
        for (name, old, new) in [
            ("leniency `absent-as-empty`", old.absent_as_empty, new.absent_as_empty),
            ("leniency `one-as-list`", old.one_as_list, new.one_as_list),
        ] {
            let class = if old { Class::Breaking } else { Class::Additive };
            self.flag(class, place, name, old, new);
        }
        let decides = |body: &Body| body.verdict.as_ref().map(|verdict| verdict.decides.clone());
        if decides(old) != decides(new) {
            self.say(Class::Breaking, place, "marker of success or failure changed");
        } else if old.verdict != new.verdict {
            self.say(Class::Additive, place, "errors in the body changed");
        }
    }

    fn operation(&mut self, place: &str, old: &Operation, new: &Operation) {
        self.text(Class::Breaking, place, "select", &old.select, &new.select);
        let body = |one: &Operation| one.post.map_or("none", |post| post.format.word());
        self.value(
            Class::Breaking,
            place,
            "body of a POST",
            (&body(old), &body(new)),
            |word: &&str| format!("`{word}`"),
        );
        let repeats = |one: &Operation| one.post.is_none_or(|post| post.is_idempotent);
        if old.post.is_some() && new.post.is_some() {
            self.flag(Class::Additive, place, "idempotent", repeats(old), repeats(new));
        }
        let responses = (&response(self.old, &old.response), &response(self.new, &new.response));
        self.value(Class::Breaking, place, "response", responses, quoted);
        if let (Some(old), Some(new)) = (old.response.body(), new.response.body()) {
            self.body(place, old, new);
        }
        if let Some((class, what)) = paging(old, new) {
            self.say(class, place, what);
        }
        let gauges = (&gauge(old), &gauge(new));
        // A program loses the commands of the gauge, and a mirror begins another series of samples.
        let class = if old.gauge.is_none() { Class::Additive } else { Class::Breaking };
        self.value(class, place, "gauge", gauges, String::clone);
        let section = format!("{place}.param");
        self.lists(&section, &old.params, &new.params, Self::param);
        let states = |operation: &Operation| -> Vec<String> {
            operation.states().map(|(_, param)| param.wire.clone()).collect()
        };
        let states = (&states(old), &states(new));
        self.value(Class::Breaking, place, "parameters in the type of the query", states, listed);
        let needs = |operation: &Operation, param: &Param| -> Vec<String> {
            operation.needed_by(param).map(|needed| needed.wire.clone()).collect()
        };
        for param in &old.params {
            if let Some(now) = new.params.iter().find(|now| now.wire == param.wire) {
                let (was, is) = (needs(old, param), needs(new, now));
                let grows = is.iter().any(|name| !was.contains(name));
                let class = if grows { Class::Breaking } else { Class::Additive };
                let place = format!("{section}.{}", param.wire);
                self.value(class, &place, "needs", (&was, &is), listed);
            }
        }
        self.deprecated(place, old.deprecated.as_ref(), new.deprecated.as_ref());
        about!(self, place, old, new, doc, source, open);
    }

    fn param(&mut self, place: &str, old: &Param, new: &Param) {
        self.rust_name(place, &old.rust, &new.rust);
        let name = |param: &Param| {
            let name = type_name(param.ty.name(), param.ty.label());
            if param.list.is_some() { format!("list<{name}>") } else { name }
        };
        let types = (&name(old), &name(new));
        self.value(Class::Breaking, place, "type", types, quoted);
        if let (Some(old), Some(new)) = (old.list, new.list) {
            self.value(Class::Breaking, place, "style", (&old, &new), debug);
        }
        self.flag(Class::Breaking, place, "required", old.required, new.required);
        let class =
            if new.otherwise == Otherwise::Error { Class::Breaking } else { Class::Additive };
        if !old.needs.is_empty() && !new.needs.is_empty() {
            self.value(class, place, "otherwise", (&old.otherwise, &new.otherwise), debug);
        }
        let recovers = (&old.recovers, &new.recovers);
        let class = if old.recovers.is_none() { Class::Additive } else { Class::Breaking };
        self.value(class, place, "recovered attribute", recovers, |attribute| {
            attribute.as_ref().map_or_else(|| "none".to_owned(), quoted)
        });
        let default = (&old.default, &new.default);
        self.value(Class::Additive, place, "default", default, |value| {
            value.as_ref().map_or_else(|| "none".to_owned(), quoted)
        });
        let most = |limit: Option<u32>| limit.map_or(i64::MAX, i64::from);
        self.limit(place, "max-chars", most(old.max_chars), most(new.max_chars), false);
        self.limit(place, "max", old.max.unwrap_or(i64::MAX), new.max.unwrap_or(i64::MAX), false);
        self.limit(place, "min", old.min.unwrap_or(i64::MIN), new.min.unwrap_or(i64::MIN), true);
        self.deprecated(place, old.deprecated.as_ref(), new.deprecated.as_ref());
        about!(self, place, old, new, doc, source, open);
    }

    /// Reports a changed limit. A stricter limit breaks existing calls.
    fn limit(&mut self, place: &str, name: &str, old: i64, new: i64, smallest: bool) {
        let tighter = if smallest { new > old } else { new < old };
        let class = if tighter { Class::Breaking } else { Class::Additive };
        let shown = |limit: &i64| match *limit {
            i64::MIN | i64::MAX => "none".to_owned(),
            limit => limit.to_string(),
        };
        self.value(class, place, name, (&old, &new), shown);
    }
}

/// Returns the name of a type as in the spec: its own, or the word of a built-in type.
fn type_name(name: Option<&RustName>, word: String) -> String {
    name.map_or(word, RustName::plain)
}

fn gauge(operation: &Operation) -> String {
    let Some(gauge) = &operation.gauge else { return "none".to_owned() };
    let value = quoted(&gauge.value.join("."));
    let unit = gauge.unit.as_ref().map(|unit| format!(" in {}", quoted(&unit.join("."))));
    value + &unit.unwrap_or_default()
}

fn response(service: &Service, response: &Response) -> String {
    let model = response.of().map(|id| service.model(id).rust.plain()).unwrap_or_default();
    match response {
        Response::Envelope { marker, success, items, .. } => {
            format!("{{\"{marker}\": \"{success}\", \"{items}\": [{model}]}}")
        }
        Response::Array { .. } => format!("[{model}]"),
        Response::Object { .. } => model,
        Response::Body { .. } | Response::Value { .. } | Response::Nothing { .. } => {
            service.outline(response)
        }
    }
}

fn debug<T: std::fmt::Debug>(value: &T) -> String {
    let name = format!("{value:?}");
    let name = RustName::new(&name).map_or(name, |name| name.kebab());
    format!("`{name}`")
}

impl Diff<'_> {
    fn scalar(&mut self, place: &str, old: &Arc<Scalar>, new: &Arc<Scalar>) {
        self.wire(place, old.wire, new.wire);
        self.codes(place, old.codes.as_ref(), new.codes.as_ref());
        let query_wire = |one: &Scalar| one.sent_as().word();
        self.text(Class::Breaking, place, "query-wire", query_wire(old), query_wire(new));
        self.text(Class::Breaking, place, "meaning", old.meaning.word, new.meaning.word);
        about!(self, place, old, new, doc, example, source, open);
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

    fn one_enum(&mut self, place: &str, old: &Arc<Enum>, new: &Arc<Enum>) {
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
        about!(self, place, old, new, doc, source, open);
    }

    fn enum_value(&mut self, place: &str, old: &EnumValue, new: &EnumValue) {
        self.text(Class::Breaking, place, "wire", &old.wire, &new.wire);
        self.deprecated(place, old.deprecated.as_ref(), new.deprecated.as_ref());
        self.about(place, &old.doc, &new.doc);
    }

    fn model(&mut self, place: &str, old: &Model, new: &Model) {
        let identity = |model: &Model| {
            model
                .identity_field()
                .map_or_else(|| "none".to_owned(), |field| format!("`{}`", field.wire))
        };
        let (was, is) = (identity(old), identity(new));
        self.value(Class::Breaking, place, "identity", (&was, &is), String::clone);
        self.columns(place, old, new);
        self.lists(&format!("{place}.field"), &old.fields, &new.fields, Self::field);
        about!(self, place, old, new, doc, source, open);
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
        about!(self, place, old, new, doc, example, source, open);
    }

    /// Compares the other forms of a field that a reader accepts.
    fn lenient(&mut self, place: &str, old: &Field, new: &Field) {
        for &leniency in Leniency::ALL {
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

/// A declaration in a list.
trait Named: Sized {
    /// Returns the name that identifies it in its list.
    fn key(&self) -> String;
    /// Returns the effect of adding it.
    fn added(&self) -> Class;
    /// Returns the effect of removing it.
    fn removed() -> Class;
    /// Returns the effect of a new order of the list.
    fn moved(old: &[Self], new: &[Self]) -> Class;
}

/// Defines the declarations: the key, and the effects of adding one, of removing one, and of a new order.
macro_rules! named {
    ($($ty:ty: $one:ident => $key:expr, $added:expr, $removed:ident, $moved:expr;)+) => {
        $(impl Named for $ty {
            fn key(&self) -> String {
                let $one = self;
                $key
            }

            fn added(&self) -> Class {
                let effect: fn(&Self) -> Class = $added;
                effect(self)
            }

            fn removed() -> Class {
                Class::$removed
            }

            fn moved(old: &[Self], new: &[Self]) -> Class {
                let effect: fn(&[Self], &[Self]) -> Class = $moved;
                effect(old, new)
            }
        })+
    };
}

named! {
    Arc<Scalar>: one => one.rust.plain(), |_| Class::Additive, Breaking, |_, _| Class::Documentation;
    Arc<Enum>: one => one.rust.plain(), |_| Class::Additive, Breaking, |_, _| Class::Documentation;
    // The order of values in Rust follows their position.
    EnumValue: one => one.rust.plain(), |_| Class::Additive, Breaking, |_, _| Class::Breaking;
    Model: one => one.rust.plain(), |_| Class::Additive, Breaking, |_, _| Class::Documentation;
    Operation: one => one.rust.words(), |_| Class::Additive, Breaking, |_, _| Class::Documentation;
    // A required one is a new argument of a constructor, and records without a required field are rejected.
    Field: one => one.wire.clone(), |one| argument(one.required), Breaking,
        |old, new| arguments(old, new, |one| one.required);
    Param: one => one.wire.clone(), |one| argument(one.required), Breaking,
        |old, new| arguments(old, new, |one| one.required);
    Example: one => one.name.kebab(), |_| Class::Documentation, Documentation, |_, _| Class::Documentation;
    OpenPoint: one => one.id.clone(), |_| Class::Documentation, Documentation, |_, _| Class::Documentation;
}

fn argument(required: bool) -> Class {
    if required { Class::Breaking } else { Class::Additive }
}

/// Returns the effect of a new order of required declarations. They are the arguments of a
/// constructor, so a new order breaks calls, and calls with arguments of the same type still compile.
/// The order of all others only affects how they are printed and sent.
fn arguments<T: Named>(old: &[T], new: &[T], required: fn(&T) -> bool) -> Class {
    let keys = |list: &[T]| -> Vec<String> {
        list.iter().filter(|one| required(one)).map(Named::key).collect()
    };
    argument(keys(old) != keys(new))
}

/// Returns the effect of a change of how the pages of a list follow each other, and a description.
fn paging(old: &Operation, new: &Operation) -> Option<(Class, String)> {
    let kind = |one: &Operation| {
        one.paging
            .as_ref()
            .map_or_else(|| "none".to_owned(), |paging| format!("`{}`", paging.by.word()))
    };
    let (was, is) = (kind(old), kind(new));
    if was != is {
        // Code that reads all pages does not compile without them.
        let class = if new.paging.is_none() { Class::Breaking } else { Class::Additive };
        return Some((class, format!("paging changed from {was} to {is}")));
    }
    (old.pages() != new.pages()).then(|| (Class::Additive, "paging changed".to_owned()))
}
