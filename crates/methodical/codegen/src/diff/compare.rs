//! Compares two services, declaration by declaration.
//!
//! Each declaration is a list of facts: a name, a text, and the verdict on another text.

use std::fmt::Debug;
use std::sync::Arc;

use crate::diff::{Change, Class, EVERYONE, PROGRAM, READERS};
use crate::ir::{
    Code, Enum, EnumValue, Example, Field, Leniency, Model, OpenPoint, Operation, Param, Scalar,
    Service, Wire,
};

pub(super) fn service(old: &Service, new: &Service) -> Vec<Change> {
    let mut diff = Diff { old, new, changes: Vec::new() };
    diff.facts("service", head(old), &head(new));
    diff.facts("dispatch", dispatch(old), &dispatch(new));
    diff.facts("auth", auth(old), &auth(new));
    let scalars = List::of(|one: &Arc<Scalar>| one.rust.plain(), |_, one| scalar(one));
    diff.lists("scalar", &old.scalars, &new.scalars, &scalars);
    let enums = List::of(|one: &Arc<Enum>| one.rust.plain(), |_, one| one_enum(one));
    diff.lists(
        "enum",
        &old.enums,
        &new.enums,
        &List { inner: |diff, place, old, new| diff.values(place, old, new), ..enums },
    );
    let models = List::of(|one: &Model| one.rust.plain(), |_, one| model(one));
    diff.lists(
        "model",
        &old.models,
        &new.models,
        &List { inner: |diff, place, old, new| diff.fields(place, old, new), ..models },
    );
    let operations = List::of(|one: &Operation| one.rust.words(), operation);
    let operations =
        List { inner: |diff, place, old, new| diff.params(place, old, new), ..operations };
    diff.lists("operation", &old.operations, &new.operations, &operations);
    let examples = List::of(|one: &Example| one.name.kebab(), example).for_readers();
    diff.lists("example", &old.examples, &new.examples, &examples);
    let points = List::of(|one: &OpenPoint| one.id.clone(), |_, one| open_point(one));
    diff.lists("open-point", &old.open_points, &new.open_points, &points.for_readers());
    diff.changes
}

struct Diff<'a> {
    old: &'a Service,
    new: &'a Service,
    changes: Vec<Change>,
}

impl Diff<'_> {
    fn say(&mut self, class: Class, place: &str, what: impl Into<String>) {
        let crates = if class == Class::Documentation { READERS } else { EVERYONE };
        let (place, what) = (place.to_owned(), what.into());
        self.changes.push(Change { class, place, what, crates, warns: false });
    }

    fn lists<T>(&mut self, section: &str, old: &[T], new: &[T], list: &List<T>) {
        let List { key, facts, inner, required, .. } = list;
        for one in old {
            let place = format!("{section}.{}", key(one));
            match new.iter().find(|other| key(other) == key(one)) {
                Some(other) => {
                    self.facts(&place, facts(self.old, one), &facts(self.new, other));
                    inner(self, &place, one, other);
                }
                None => self.say(list.removed, &place, "removed"),
            }
        }
        for other in new.iter().filter(|other| !old.iter().any(|one| key(one) == key(other))) {
            let class = if required(other) { Class::Breaking } else { list.added };
            self.say(class, &format!("{section}.{}", key(other)), "added");
        }

        let in_both = |one: &[T], other: &[T]| -> Vec<String> {
            let stays = |name: &String| other.iter().any(|other| key(other) == *name);
            one.iter().map(key).filter(stays).collect()
        };
        let moved = in_both(old, new).into_iter().zip(in_both(new, old));
        let (was, is): (Vec<_>, Vec<_>) = moved.filter(|(was, is)| was != is).unzip();
        if !was.is_empty() {
            let fixed = |all: &[T]| -> Vec<String> {
                all.iter().filter(|one| required(one)).map(key).collect()
            };
            let class = if fixed(old) == fixed(new) { list.moved } else { Class::Breaking };
            let what = format!("order changed from {} to {}", listed(&was), listed(&is));
            self.say(class, section, what);
        }
    }

    /// Compares the facts that both declarations have.
    fn facts(&mut self, place: &str, old: Vec<Fact>, new: &[Fact]) {
        for Fact { name, text: was, verdict } in old {
            let now = new.iter().find(|now| now.name == name);
            let Some(is) = now.map(|now| &now.text).filter(|is| **is != was) else { continue };
            let (class, what) = verdict(&was, is);
            if what.is_empty() {
                self.say(class, place, format!("{name} changed from {was} to {is}"));
            } else {
                self.say(class, place, what);
            }
            if let Some(change) = self.changes.last_mut() {
                // Such a change compiles everywhere, so a warning is the only notice.
                change.warns = what == PUBLISHED;
            }
        }
    }

    fn values(&mut self, place: &str, old: &Arc<Enum>, new: &Arc<Enum>) {
        let before = self.changes.len();
        let values = List::of(|one: &EnumValue| one.rust.plain(), |_, one| enum_value(one));
        // The order of values in Rust follows their position.
        let values = List { moved: Class::Breaking, ..values };
        self.lists(&format!("{place}.value"), &old.values, &new.values, &values);
        let added = self.changes.iter_mut().skip(before).filter(|change| change.what == "added");
        for change in added.filter(|_| !old.open_ended) {
            change.class = Class::Breaking;
            "added to a closed enum, whose readers reject unknown values"
                .clone_into(&mut change.what);
        }
    }

    fn fields(&mut self, place: &str, old: &Model, new: &Model) {
        let (was, is) = (self.old.columns(old), self.new.columns(new));
        // Without a declaration, the columns follow the fields.
        if was != is && (old.columns.is_some() || new.columns.is_some()) {
            // Programs that read a table rely on the positions of its columns.
            let class = if is.starts_with(&was) { Class::Additive } else { Class::Breaking };
            let what = format!("columns changed from {} to {}", listed(&was), listed(&is));
            self.say(class, place, what);
            if let Some(change) = self.changes.last_mut() {
                change.crates = PROGRAM;
            }
        }
        let fields = List::of(|one: &Field| one.wire.clone(), field);
        let fields = fields.arguments(|one| one.required);
        self.lists(&format!("{place}.field"), &old.fields, &new.fields, &fields);
    }

    fn params(&mut self, place: &str, old: &Operation, new: &Operation) {
        let was: Vec<_> = old.params.iter().map(|param| (old, param)).collect();
        let is: Vec<_> = new.params.iter().map(|param| (new, param)).collect();
        let params =
            List::of(|(_, one): &(&Operation, &Param)| one.wire.clone(), |_, one| param(one));
        let params = params.arguments(|(_, one)| one.required);
        self.lists(&format!("{place}.param"), &was, &is, &params);
    }
}

/// A list of declarations, and the effects of its changes.
struct List<T> {
    /// Returns the name that identifies a declaration.
    key: fn(&T) -> String,
    facts: fn(&Service, &T) -> Vec<Fact>,
    /// Compares the lists in a declaration.
    inner: fn(&mut Diff<'_>, &str, &T, &T),
    /// Returns whether a declaration is an argument of a constructor.
    required: fn(&T) -> bool,
    added: Class,
    removed: Class,
    moved: Class,
}

impl<T> List<T> {
    fn of(key: fn(&T) -> String, facts: fn(&Service, &T) -> Vec<Fact>) -> Self {
        Self {
            key,
            facts,
            inner: |_, _, _, _| {},
            required: |_| false,
            added: Class::Additive,
            removed: Class::Breaking,
            moved: Class::Documentation,
        }
    }

    /// Only readers see the declarations.
    fn for_readers(self) -> Self {
        Self { added: Class::Documentation, removed: Class::Documentation, ..self }
    }

    /// A new order of arguments breaks calls, and calls with arguments of the same type still compile. The order of the
    /// other declarations only affects how they are printed and sent.
    fn arguments(self, required: fn(&T) -> bool) -> Self {
        Self { required, moved: Class::Additive, ..self }
    }
}

/// The facts of a declaration that are compared. If only one of two declarations has a fact of a name, it is not compared.
struct Fact {
    name: String,
    text: String,
    verdict: Verdict,
}

/// Returns the effect of a change from one text to another, and its description; empty if it is the usual one.
type Verdict = fn(&str, &str) -> (Class, &'static str);

#[expect(clippy::needless_pass_by_value, reason = "the tables are easier to read")]
fn fact(name: impl Into<String>, text: impl ToString, verdict: Verdict) -> Fact {
    Fact { name: name.into(), text: text.to_string(), verdict }
}

/// A change breaks users.
fn breaks(_: &str, _: &str) -> (Class, &'static str) {
    (Class::Breaking, "")
}

fn adds(_: &str, _: &str) -> (Class, &'static str) {
    (Class::Additive, "")
}

/// A change breaks users of the old text, if there was one.
fn breaks_users(old: &str, _: &str) -> (Class, &'static str) {
    breaks_if(!matches!(old, "none" | "false"))
}

fn breaks_if(breaks: bool) -> (Class, &'static str) {
    (if breaks { Class::Breaking } else { Class::Additive }, "")
}

/// A stricter limit breaks existing calls.
fn largest(old: &str, new: &str) -> (Class, &'static str) {
    let limit = |text: &str| text.parse().unwrap_or(i64::MAX);
    breaks_if(limit(new) < limit(old))
}

fn smallest(old: &str, new: &str) -> (Class, &'static str) {
    let limit = |text: &str| text.parse().unwrap_or(i64::MIN);
    breaks_if(limit(new) > limit(old))
}

/// Readers that accept one more way are an addition.
fn wider(old: &str, new: &str) -> (Class, &'static str) {
    let wire = |text: &str| Wire::of(text.trim_matches('`'));
    let is_wider =
        wire(new).is_some_and(|new| wire(old) == Some(new.written()) && new.either().is_some());
    breaks_if(!is_wider)
}

/// The first code is written, the others are only read.
fn more_codes(old: &str, new: &str) -> (Class, &'static str) {
    let codes = |text: &str| -> Vec<String> {
        text.trim_matches('`').split("`, `").map(str::to_owned).collect()
    };
    let (old, new) = (codes(old), codes(new));
    breaks_if(old.first() != new.first() || old.iter().any(|code| !new.contains(code)))
}

fn described(_: &str, _: &str) -> (Class, &'static str) {
    (Class::Documentation, "description changed")
}

fn deprecated(old: &str, new: &str) -> (Class, &'static str) {
    match (old, new) {
        ("none", _) => (Class::Additive, "deprecated"),
        (_, "none") => (Class::Documentation, "no longer deprecated"),
        _ => described(old, new),
    }
}

const PUBLISHED: &str = "no longer personal; its values will appear in `Debug` output and logs";

fn personal(old: &str, _: &str) -> (Class, &'static str) {
    let hidden = "personal; `Debug` output and logs no longer show its values";
    (Class::Additive, if old == "true" { PUBLISHED } else { hidden })
}

/// Returns the facts of what a declaration says to readers.
fn about(texts: &impl Debug) -> Fact {
    fact("about", format!("{texts:?}"), described)
}

fn quoted(text: impl AsRef<str>) -> String {
    format!("`{}`", text.as_ref())
}

fn listed(names: &[String]) -> String {
    let names: Vec<_> = names.iter().map(quoted).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

fn or_none(text: Option<impl ToString>) -> String {
    text.map_or_else(|| "none".to_owned(), |text| text.to_string())
}

fn head(service: &Service) -> Vec<Fact> {
    let Service { name, api_version, path, accept, title, doc, source, open, .. } = service;
    vec![
        fact("name", quoted(name), breaks),
        fact("api-version", quoted(api_version), breaks),
        fact("path", quoted(path), breaks),
        fact("accept", quoted(accept), breaks),
        about(&(title, doc, source, open)),
    ]
}

fn dispatch(service: &Service) -> Vec<Fact> {
    let dispatch = &service.dispatch;
    let constants = dispatch.constants.iter().map(|(name, value)| format!("{name}={value}"));
    vec![
        fact("place", quoted(dispatch.place.word()), breaks),
        fact("selector", listed(&dispatch.selectors), breaks),
        // Callers write no constant, but the service must accept it.
        fact("constants", listed(&constants.collect::<Vec<_>>()), adds),
    ]
}

fn auth(service: &Service) -> Vec<Fact> {
    let kind = service.auth.phrase();
    let docs: Vec<_> = service.auth.secrets().iter().map(|one| &one.doc).collect();
    // The descriptions are compared only if the kind is the same.
    let docs = fact(format!("descriptions of {kind}"), format!("{docs:?}"), described);
    vec![fact("kind", kind, breaks), docs]
}

fn scalar(one: &Scalar) -> Vec<Fact> {
    let mut facts = vec![fact("wire", quoted(one.wire.word()), wider)];
    for (name, codes) in
        one.codes.iter().flat_map(|codes| [("true", &codes.yes), ("false", &codes.no)])
    {
        let codes: Vec<_> = codes.iter().map(|code| Code::json(code).to_string()).collect();
        facts.push(fact(name, listed(&codes), more_codes));
    }
    facts.extend([
        fact("query-wire", quoted(one.sent_as().word()), breaks),
        fact("meaning", quoted(one.meaning()), breaks),
        about(&(&one.doc, &one.example, &one.source, &one.open)),
    ]);
    facts
}

fn one_enum(one: &Enum) -> Vec<Fact> {
    vec![fact("open-ended", one.open_ended, breaks), about(&(&one.doc, &one.source, &one.open))]
}

fn enum_value(one: &EnumValue) -> Vec<Fact> {
    vec![
        fact("wire", quoted(&one.wire), breaks),
        fact("deprecated", or_none(one.deprecated.as_ref()), deprecated),
        about(&one.doc),
    ]
}

fn model(one: &Model) -> Vec<Fact> {
    let identity = one.identity_field().map(|field| quoted(&field.wire));
    let about = about(&(&one.doc, &one.source, &one.open));
    vec![fact("identity", or_none(identity), breaks), about]
}

fn field(service: &Service, one: &Field) -> Vec<Fact> {
    let presence = if one.required { "`required`" } else { "`optional`" };
    let mut facts = vec![
        fact("rust name", quoted(one.rust.snake()), breaks),
        fact("type", quoted(one.ty.label(service)), breaks),
        fact("presence", presence, breaks),
    ];
    facts.extend(Leniency::ALL.iter().map(|&leniency| {
        // The type in Rust changes only with `absent-as-empty`.
        let verdict = if leniency == Leniency::AbsentAsEmpty { breaks } else { breaks_users };
        fact(format!("leniency `{}`", leniency.word()), one.is(leniency), verdict)
    }));
    facts.extend([
        fact("personal", one.personal, personal),
        fact("deprecated", or_none(one.deprecated.as_ref()), deprecated),
        about(&(&one.doc, &one.example, &one.source, &one.open)),
    ]);
    facts
}

fn operation(service: &Service, one: &Operation) -> Vec<Fact> {
    let mut facts = vec![
        fact("select", quoted(&one.select), breaks),
        fact("body of a POST", quoted(one.post.map_or("none", |post| post.format.word())), breaks),
        fact("response", quoted(service.outline(&one.response)), breaks),
    ];
    facts.extend(one.post.map(|post| fact("idempotent", post.is_idempotent, adds)));
    let body = &one.response;
    if body.is_body() {
        let decides = format!("{:?}", body.verdict.as_ref().map(|verdict| &verdict.decides));
        facts.extend([
            fact("leniency `absent-as-empty`", body.absent_as_empty, breaks_users),
            fact("leniency `one-as-list`", body.one_as_list, breaks_users),
            // The errors are compared only if the marker is the same.
            fact(format!("errors of {decides}"), format!("{:?}", body.verdict), |_, _| {
                (Class::Additive, "errors in the body changed")
            }),
            fact("marker", decides, |_, _| {
                (Class::Breaking, "marker of success or failure changed")
            }),
        ]);
    }
    let paging = or_none(one.paging.as_ref().map(|paging| quoted(paging.by.word())));
    facts.extend([
        // The pages are compared only if they follow each other in the same way.
        fact(format!("pages by {paging}"), or_none(one.pages()), |_, _| {
            (Class::Additive, "paging changed")
        }),
        // Code that reads all pages does not compile without them.
        fact("paging", paging, |_, new| breaks_if(new == "none")),
        // A program loses the commands of the gauge, and a mirror begins another series of samples.
        fact("gauge", gauge(one), breaks_users),
        fact("deprecated", or_none(one.deprecated.as_ref()), deprecated),
        about(&(&one.doc, &one.source, &one.open)),
    ]);
    facts
}

fn param((operation, one): &(&Operation, &Param)) -> Vec<Fact> {
    let ty = one.ty.label();
    let ty = if one.list.is_some() { format!("list<{ty}>") } else { ty };
    let needs: Vec<_> = operation.needed_by(one).map(|needed| needed.wire.clone()).collect();
    let mut facts = vec![
        fact("rust name", quoted(one.rust.snake()), breaks),
        fact("type", quoted(ty), breaks),
        fact("required", one.required, breaks),
        fact("recovered attribute", or_none(one.recovers.as_ref().map(quoted)), breaks_users),
        fact("default", or_none(one.default.as_ref().map(quoted)), adds),
        fact("max-chars", or_none(one.max_chars), largest),
        fact("max", or_none(one.max), largest),
        fact("min", or_none(one.min), smallest),
        // The setter takes the values of the parameters that it needs.
        fact("needs", listed(&needs), breaks),
        fact("deprecated", or_none(one.deprecated.as_ref()), deprecated),
        about(&(&one.doc, &one.source, &one.open)),
    ];
    facts.extend(one.list.map(|style| fact("style", quoted(style.word()), breaks)));
    if !needs.is_empty() {
        let otherwise = quoted(one.otherwise.word());
        facts.push(fact("otherwise", otherwise, |_, new| breaks_if(new == "`error`")));
    }
    facts
}

fn example(service: &Service, one: &Example) -> Vec<Fact> {
    let operation = service.operations.get(one.operation).map(|one| one.rust.words());
    let Example { query, sent, rejected, client, server, .. } = one;
    let call = format!("{:?}", (operation, query, sent, rejected, client, server));
    // The description is compared only if the call is the same.
    let doc = fact(format!("description of {call}"), &one.doc.0, described);
    vec![fact("call", call, |_, _| (Class::Documentation, "example changed")), doc]
}

fn open_point(one: &OpenPoint) -> Vec<Fact> {
    vec![
        fact("client", &one.client.0, |_, _| {
            (
                Class::Additive,
                "behaviour of the client changed; check whether users rely on the old one",
            )
        }),
        fact("server", &one.server.0, |_, _| {
            (
                Class::Additive,
                "behaviour of the server changed; check whether users rely on the old one",
            )
        }),
        fact("number", one.number, |_, _| (Class::Documentation, "")),
        about(&(&one.question, &one.source)),
    ]
}

fn gauge(operation: &Operation) -> String {
    let Some(gauge) = &operation.gauge else { return "none".to_owned() };
    let value = quoted(gauge.value.join("."));
    let unit = gauge.unit.as_ref().map(|unit| format!(" in {}", quoted(unit.join("."))));
    value + &unit.unwrap_or_default()
}
