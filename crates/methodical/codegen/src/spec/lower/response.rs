//! Lowers responses: where the data is in the body, and how the body reports success or failure.

use std::ops::Range;

use crate::diag::{Diagnostic, say, say_if};
use crate::ir::{ModelId, Response, Service, Type, Verdict};
use crate::spec::context::Context;
use crate::spec::form::{Kebab, Keys, Wire};
use crate::spec::language::{self, Document, ListLeniency, Records};
use crate::spec::read::{At, Text};

/// The value of `envelope` for an operation without one.
const NONE: &str = "none";

/// How a body reports success or failure, with the place in the spec of the member that decides.
pub(in crate::spec) type Envelope = (Verdict, At<String>);

/// Lowers the declared envelopes.
pub(super) fn envelopes(cx: &mut Context<'_>, document: &Document) {
    for (name, given) in document.envelope.iter() {
        say_if!(cx, name.value == NONE, name, "`none` means that a response has no envelope"
            => "choose another name");
        let envelope = envelope(cx, name, given);
        cx.envelopes.insert(name.value.clone(), envelope);
    }
    if let Some(name) = &document.service.envelope {
        declared(cx, name);
        cx.envelope = Some(At::clone(name));
    }
}

/// Returns the envelope with a name; `None` if it lacks a marker.
fn declared(cx: &mut Context<'_>, name: &At<String>) -> Option<Envelope> {
    let found = cx.envelopes.get(&name.value).cloned();
    if found.is_none() && name.value != NONE {
        let known: Vec<_> = cx.envelopes.keys().cloned().collect();
        let help = format!("declare it as `[envelope.{name}]`");
        cx.unknown(name, format_args!("unknown envelope `{name}`"), &known, &help);
    }
    found?
}

fn envelope(
    cx: &mut Context<'_>,
    name: &At<String>,
    given: &language::Envelope,
) -> Option<Envelope> {
    let texts = |texts: Option<&At<Vec<Text<Wire>>>>| {
        texts.into_iter().flat_map(|texts| texts.iter()).map(|text| text.value.clone()).collect()
    };
    let path = |path: Option<&Text<Keys>>| path.map(|path| split(path)).unwrap_or_default();
    let (success, error, empty) =
        (given.success.as_ref(), given.error.as_ref(), given.empty.as_ref());
    let (codes, messages) = (
        empty.and_then(|empty| empty.code.as_ref()),
        empty.and_then(|empty| empty.message.as_ref()),
    );
    let failure = given.failure.as_ref().map(|failure| &failure.present);
    let marker = success.map(|success| &success.at).or(failure);
    let classes = given.error_class.iter().flat_map(|all| all.iter());
    let verdict = Verdict {
        at: path(marker),
        is: texts(success.map(|success| &success.is)),
        code: path(error.and_then(|error| error.code.as_ref())),
        message: path(error.and_then(|error| error.message.as_ref())),
        classes: classes.map(|(code, class)| (code.value.clone(), *class)).collect(),
        empty_codes: texts(codes),
        empty_messages: texts(messages),
    };
    let at = success.map_or(&name.span, |success| &success.span);
    say_if!(cx, success.is_some() == failure.is_some(), *at, "an envelope has either `success` or `failure`"
        => "write `success = {{ at = \"…\", is = [\"…\"] }}` or `failure = {{ present = \"…\" }}`");
    let is = success.map(|success| &success.is).filter(|is| is.is_empty());
    say!(cx, is, "a success marker needs a value" => "add one to the list");
    let (has_code, has_message) = (!verdict.code.is_empty(), !verdict.message.is_empty());
    say_if!(cx, !has_code && !has_message, given.error_class, "classes need an error code or message"
        => "add `error = {{ code = \"…\" }}`, or `message`: where the code or the message is");
    say_if!(cx, !has_code, codes, "`empty.code` needs `error.code`"
        => "add `error = {{ code = \"…\" }}`: where it is");
    say_if!(cx, !has_message, messages, "`empty.message` needs `error.message`"
        => "add `error = {{ message = \"…\" }}`: where it is");
    Some((verdict, At::clone(marker?)))
}

/// Returns the keys of a path.
pub(super) fn split(path: &str) -> Vec<String> {
    path.split('.').map(str::to_owned).collect()
}

/// Lowers the response of an operation.
pub(super) fn response(
    cx: &mut Context<'_>,
    given: &language::Response,
    service: &Service,
) -> Option<Response> {
    let (of, kind, span, at, envelope) = match given {
        language::Response::List(list) => {
            let of = Some(Type::Model(model(cx, &list.of)?));
            let (at, envelope) = (list.at.as_deref(), list.envelope.as_ref());
            let body = body(cx, ("list", &list.span), at, envelope)?;
            return self::list(cx, service, list, Response { of, is_list: true, ..body });
        }
        language::Response::Object(data) => {
            let of = model(cx, &data.of).map(Type::Model)?;
            (Some(of), "object", &data.span, data.at.as_deref(), &data.envelope)
        }
        language::Response::Value(data) => {
            let of = Some(value(cx, &data.of)?);
            (of, "value", &data.span, data.at.as_deref(), &data.envelope)
        }
        language::Response::Nothing(nothing) => {
            (None, "nothing", &nothing.span, None, &nothing.envelope)
        }
    };
    let mut body = body(cx, (kind, span), at, envelope.as_ref())?;
    if let Some(verdict) = &mut body.verdict {
        // Only a list can be empty.
        verdict.empty_codes.clear();
        verdict.empty_messages.clear();
    }
    Some(Response { of, ..body })
}

/// Returns the type of a response that is a value.
fn value(cx: &mut Context<'_>, of: &At<String>) -> Option<Type> {
    let ty = cx.resolve(of, &of.span)?;
    match &ty {
        Type::Model(_) => {
            say!(cx, of, "`response.value` cannot be a record" => "write `response.object`");
        }
        Type::List(inner) if inner.model().is_some() => say!(cx, of,
            "`response.value` cannot be a list of records"
            => "write `response.list` with the name of the model"),
        Type::Value(_) | Type::List(_) | Type::Map(_) => return Some(ty),
    }
    None
}

fn model(cx: &mut Context<'_>, of: &At<String>) -> Option<ModelId> {
    if let Type::Model(of) = cx.resolve(of, &of.span)? {
        return Some(of);
    }
    say!(cx, of, "a response must be a model, and `{of}` is not one"
        => "use a type that is declared as `[model.…]`");
    None
}

/// Returns the place of the data in a body, and the envelope around it. Checks that the envelope's marker is not within
/// the data.
fn body(
    cx: &mut Context<'_>,
    (kind, span): (&str, &Range<usize>),
    given_at: Option<&At<String>>,
    envelope: Option<&Text<Kebab>>,
) -> Option<Response> {
    let envelope = envelope.map(|name| At::clone(name)).or_else(|| cx.envelope.clone());
    let around = match envelope.filter(|name| name.value != NONE) {
        Some(name) => Some(declared(cx, &name)?),
        None => None,
    };
    let at = given_at.map(|at| split(at)).unwrap_or_default();
    let Some((verdict, marker)) = around else {
        return Some(Response { at, ..Response::default() });
    };
    let (decides, is_success) = (&verdict.at, !verdict.is.is_empty());
    let diagnostic = match given_at {
        None if is_success && matches!(kind, "list" | "value") => {
            let message = format_args!("a {kind} that is the whole body has no success marker");
            let help = format!("give the path of the {kind} in `at`, or add `envelope = \"none\"`");
            Diagnostic::new(span, message).help(help)
        }
        Some(given) if decides.starts_with(&at) || at.starts_with(decides) => {
            let message = if marker.value == given.value {
                "the marker and the list have the same key"
            } else {
                "the marker and the data must not contain each other"
            };
            Diagnostic::new(&given.span, message).help("correct one of them")
        }
        _ => return Some(Response { at, verdict: Some(verdict), ..Response::default() }),
    };
    cx.push(diagnostic.related(&marker.span, "the marker"));
    None
}

/// Adds to a list the fields beside it and its other forms.
fn list(
    cx: &mut Context<'_>,
    service: &Service,
    given: &Records,
    mut body: Response,
) -> Option<Response> {
    if let Some(place) = &given.beside_at {
        body.beside_above = beside_above(cx, given, place, &body.at)?;
    }
    for leniency in &given.lenient {
        let is_absent = leniency.value == ListLeniency::AbsentAsEmpty;
        let refused = match &given.at {
            None if is_absent => "a list that is the whole body cannot be absent",
            None if body.verdict.is_some() => "a single record and a failure are both objects",
            _ => {
                body.absent_as_empty |= is_absent;
                body.one_as_list |= !is_absent;
                continue;
            }
        };
        say!(cx, leniency, "{refused}" => "remove it, or write where the list is with `at`");
    }
    if let Some(named) = &given.beside {
        body.beside = Some(beside(cx, service, named, &body)?);
    }
    Some(body)
}

/// Returns the model of the fields beside the list.
fn beside(
    cx: &mut Context<'_>,
    service: &Service,
    named: &At<String>,
    body: &Response,
) -> Option<ModelId> {
    let id = model(cx, named)?;
    match body.at.get(body.beside_at().len()) {
        None => {
            say!(cx, named, "a list that is the whole body has no fields beside it"
                => "write where the list is with `at`, or remove `beside`");
        }
        Some(list) if service.model(id).fields.iter().any(|field| field.wire == *list) => {
            say!(cx, named, "the fields beside the list contain `{list}`, which leads to the list"
                => "remove the field from the model");
        }
        Some(_) => return Some(id),
    }
    None
}

/// Returns the number of objects between the fields beside the list and the list.
fn beside_above(
    cx: &mut Context<'_>,
    given: &Records,
    named: &At<String>,
    at: &[String],
) -> Option<usize> {
    let place = if named.value == "$" { Vec::new() } else { split(named) };
    let message = if given.beside.is_none() {
        "`beside-at` is the place of the fields of `beside`, which is missing"
    } else if place.len() >= at.len() || !at.starts_with(&place) {
        "the object at `beside-at` is not around the list"
    } else {
        return Some(at.len() - place.len() - 1);
    };
    say!(cx, named, "{message}"
        => "write the beginning of the path in `at`, or `$` for the whole body");
    None
}
