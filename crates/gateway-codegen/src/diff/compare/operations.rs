//! Compares operations and their parameters.

use super::{Diff, listed, quoted};
use crate::diff::change::Class;
use crate::diff::paging::paging;
use crate::ir::{Body, Operation, Otherwise, Param, Response, RustName, Service};

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

    pub(super) fn operation(&mut self, place: &str, old: &Operation, new: &Operation) {
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
        let about = |one: &Operation| (one.doc.clone(), one.source.clone(), one.open.clone());
        self.about(place, &about(old), &about(new));
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
        let about = |one: &Param| (one.doc.clone(), one.source.clone(), one.open.clone());
        self.about(place, &about(old), &about(new));
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
