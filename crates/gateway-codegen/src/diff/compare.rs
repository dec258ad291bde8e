//! Compares two services, declaration by declaration.

mod operations;
mod types;

use crate::diff::change::{Change, Class, EVERYONE, READERS};
use crate::diff::named::Named;
use crate::ir::{Dispatch, Example, OpenPoint, RustName, Service};

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
                None => self.say(one.removed(), &place, "removed"),
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
