//! Lowers responses: where the data is in the body, and how the body reports success or failure.

use std::ops::Range;

use crate::diag::{Diagnostic, say};
use crate::ir::{Decides, Leniency, ModelId, Response, Service, Type, Verdict};
use crate::spec::context::Context;
use crate::spec::form::{Kebab, Wire};
use crate::spec::language::{self, Document, Records};
use crate::spec::read::{At, Text};

/// The name of an operation's `envelope` that has none.
const NONE: &str = "none";

/// Checks the declared envelopes.
pub(super) fn envelopes(cx: &mut Context<'_>, document: &Document) {
    for (name, envelope) in document.envelope.iter() {
        if name.value == NONE {
            say!(cx, name.span, "`none` means that a response has no envelope"
                => "choose another name");
        }
        check(cx, name, envelope);
    }
    if let Some(name) = &document.service.envelope {
        declared(cx, document, name);
    }
}

fn declared<'d>(
    cx: &mut Context<'_>,
    document: &'d Document,
    name: &At<String>,
) -> Option<&'d language::Envelope> {
    if let Some(envelope) = document.envelope.named(name) {
        cx.used.insert(name.value.clone());
        return Some(envelope);
    }
    if name.value != NONE {
        let known: Vec<_> = document.envelope.names().map(|name| name.as_str()).collect();
        let help = format!("declare it as `[envelope.{name}]`");
        cx.unknown(name, format_args!("unknown envelope `{name}`"), &known, &help);
    }
    None
}

/// Reports the mistakes in a declared envelope.
fn check(cx: &mut Context<'_>, name: &At<String>, given: &language::Envelope) {
    match (&given.success, &given.failure) {
        (Some(success), Some(_)) => {
            say!(cx, success.span, "an envelope has either `success` or `failure`"
                => "remove one of them");
        }
        (None, None) => {
            say!(cx, name.span, "an envelope needs `success` or `failure`"
                => "add `success = {{ at = \"…\", is = [\"…\"] }}`, or `failure = {{ present = \"…\" }}`");
        }
        (Some(success), None) if success.is.is_empty() => {
            say!(cx, success.is.span, "a success marker needs a value" => "add one to the list");
        }
        _ => {}
    }
    let error = given.error.as_deref();
    let places = [
        error.and_then(|error| error.code.as_ref()),
        error.and_then(|error| error.message.as_ref()),
    ];
    let has_neither = places.iter().all(Option::is_none);
    if let (Some(error), true) = (&given.error, has_neither) {
        say!(cx, error.span, "`error` names neither a code nor a message"
            => "add `code`, `message` or both");
    }
    if let (Some(classes), true) = (&given.error_class, has_neither) {
        say!(cx, classes.span, "classes need an error code or message"
            => "add `error = {{ code = \"…\" }}`, or `message`: where the code or the message is");
    }
    let empty = given.empty.as_ref();
    let texts = [
        empty.and_then(|empty| empty.code.as_ref()),
        empty.and_then(|empty| empty.message.as_ref()),
    ];
    for (key, (texts, place)) in ["code", "message"].into_iter().zip(texts.into_iter().zip(places))
    {
        if let (Some(texts), None) = (texts, place) {
            say!(cx, texts.span, "`empty.{key}` needs `error.{key}`"
                => "add `error = {{ {key} = \"…\" }}`: where it is");
        }
    }
    let markers =
        [given.success.as_ref().map(|one| &one.at), given.failure.as_ref().map(|one| &one.present)];
    for path in markers.into_iter().chain(places).flatten() {
        self::path(cx, path);
    }
    if let Some(at) = error.and_then(|error| error.at.as_deref()).filter(|at| !at.is_empty()) {
        path(cx, at);
    }
}

/// Returns the keys of a path, and reports an empty one.
pub(super) fn path(cx: &mut Context<'_>, given: &At<String>) -> Option<Vec<String>> {
    let path = split(given);
    if path.iter().any(String::is_empty) {
        say!(cx, given.span, "a path has an empty key"
            => "write keys with one dot between them, such as `photos.photo`");
        return None;
    }
    Some(path)
}

fn split(path: &str) -> Vec<String> {
    path.split('.').map(str::to_owned).collect()
}

/// Returns how an envelope reports success or failure, with the place of the member that decides.
fn verdict(given: &language::Envelope) -> Option<(Verdict, &At<String>)> {
    let owned = |texts: &[Text<Wire>]| texts.iter().map(|text| text.value.clone()).collect();
    let (marker, decides) = match (&given.success, &given.failure) {
        (Some(success), _) => {
            (&success.at, Decides::Success { at: split(&success.at), is: owned(&success.is) })
        }
        (None, failure) => {
            let present = &failure.as_ref()?.present;
            (present, Decides::Failure { present: split(present) })
        }
    };
    let error = given.error.as_deref();
    let above = error.and_then(|error| error.at.as_deref()).filter(|at| !at.is_empty());
    let above = above.map(|at| split(at)).unwrap_or_default();
    let below = |place: Option<&Text<Wire>>| {
        place.map(|place| [above.clone(), split(place)].concat()).unwrap_or_default()
    };
    let classes = given.error_class.iter().flat_map(|classes| classes.iter());
    let empty = given.empty.as_ref();
    let texts =
        |texts: Option<&At<Vec<Text<Wire>>>>| texts.map(|texts| owned(texts)).unwrap_or_default();
    let verdict = Verdict {
        decides,
        code: below(error.and_then(|error| error.code.as_ref())),
        message: below(error.and_then(|error| error.message.as_ref())),
        classes: classes.map(|(code, class)| (code.value.clone(), *class)).collect(),
        empty_codes: texts(empty.and_then(|empty| empty.code.as_ref())),
        empty_messages: texts(empty.and_then(|empty| empty.message.as_ref())),
    };
    Some((verdict, marker))
}

/// Lowers the response of an operation.
pub(super) fn response(
    cx: &mut Context<'_>,
    document: &Document,
    given: &language::Response,
    service: &Service,
) -> Option<Response> {
    if let Some(list) = &given.list {
        let of = model(cx, &list.of)?;
        let (at, envelope) = (list.at.as_deref(), list.envelope.as_ref());
        return Place::of(cx, document, ("list", &list.span), at, envelope)?
            .list(cx, service, list, of);
    }
    let data = [("object", &given.object), ("value", &given.value)];
    if let Some((kind, data)) =
        data.into_iter().find_map(|(kind, data)| Some((kind, data.as_ref()?)))
    {
        let of = if kind == "value" {
            value(cx, &data.of)
        } else {
            model(cx, &data.of).map(Type::Model)
        };
        let (of, at, envelope) = (of?, data.at.as_deref(), data.envelope.as_ref());
        return Some(
            Place::of(cx, document, (kind, &data.span), at, envelope)?.without_list(Some(of)),
        );
    }
    let nothing = given.nothing.as_ref()?;
    let place =
        Place::of(cx, document, ("nothing", &nothing.span), None, nothing.envelope.as_ref())?;
    Some(place.without_list(None))
}

/// Returns the type of a response that is a value.
fn value(cx: &mut Context<'_>, of: &At<String>) -> Option<Type> {
    let ty = cx.resolve(of)?;
    match &ty {
        Type::Model(_) => {
            say!(cx, of.span, "a record is not a value" => "write `response.object`");
        }
        Type::List(inner) if inner.model().is_some() => {
            say!(cx, of.span, "a list of records is not a value"
                => "write `response.list` with the name of the model");
        }
        Type::Value(_) | Type::List(_) | Type::Map(_) => return Some(ty),
    }
    None
}

fn model(cx: &mut Context<'_>, of: &At<String>) -> Option<ModelId> {
    if let Type::Model(of) = cx.resolve(of)? {
        return Some(of);
    }
    say!(cx, of.span, "a response must be a model, and `{of}` is not one"
        => "use a type that is declared as `[model.…]`");
    None
}

/// The data of a response, and the envelope around it.
struct Place<'d> {
    at: Vec<String>,
    given_at: Option<&'d At<String>>,
    verdict: Option<Verdict>,
}

impl<'d> Place<'d> {
    /// Checks that the marker of the envelope is beside the data.
    fn of(
        cx: &mut Context<'_>,
        document: &Document,
        (kind, span): (&str, &Range<usize>),
        given_at: Option<&'d At<String>>,
        envelope: Option<&Text<Kebab>>,
    ) -> Option<Self> {
        let named =
            envelope.or(document.service.envelope.as_ref()).filter(|name| name.value != NONE);
        let around = match named {
            Some(named) => Some(verdict(declared(cx, document, named)?)?),
            None => None,
        };
        let at = match given_at {
            Some(at) => path(cx, at)?,
            None => Vec::new(),
        };
        let Some((verdict, marker)) = around else {
            return Some(Self { at, given_at, verdict: None });
        };
        let decides = verdict.decides.path();
        let is_success = matches!(verdict.decides, Decides::Success { .. });
        let diagnostic = match given_at {
            None if is_success && matches!(kind, "list" | "value") => {
                let message = format_args!("a {kind} that is the whole body has no success marker");
                let help =
                    format!("write where the {kind} is with `at`, or add `envelope = \"none\"`");
                Diagnostic::new(span, message).help(help)
            }
            Some(given) if decides.starts_with(&at) || at.starts_with(decides) => {
                let message = if marker.value == given.value {
                    "the marker and the list have the same key"
                } else {
                    "one of the marker and the data is inside the other"
                };
                Diagnostic::new(&given.span, message).help("correct one of them")
            }
            _ => return Some(Self { at, given_at, verdict: Some(verdict) }),
        };
        cx.push(diagnostic.related(&marker.span, "the marker"));
        None
    }

    /// Returns the response with other data than a list, which cannot be empty.
    fn without_list(self, of: Option<Type>) -> Response {
        let (empty_codes, empty_messages) = (Vec::new(), Vec::new());
        let verdict =
            self.verdict.map(|verdict| Verdict { empty_codes, empty_messages, ..verdict });
        Response { of, at: self.at, verdict, ..Response::default() }
    }

    /// Returns the response with a list.
    fn list(
        self,
        cx: &mut Context<'_>,
        service: &Service,
        given: &Records,
        of: ModelId,
    ) -> Option<Response> {
        let Self { at, given_at, verdict } = self;
        let beside_above = match &given.beside_at {
            Some(place) => beside_above(cx, given, place, &at)?,
            None => 0,
        };
        let of = Some(Type::Model(of));
        let mut body =
            Response { of, is_list: true, at, verdict, beside_above, ..Response::default() };
        for leniency in &given.lenient {
            let is_absent = leniency.0 == Leniency::AbsentAsEmpty;
            let refused = match given_at {
                None if is_absent => "a list that is the whole body cannot be absent",
                None if body.verdict.is_some() => "a single record and a failure are both objects",
                _ => {
                    body.absent_as_empty |= is_absent;
                    body.one_as_list |= !is_absent;
                    continue;
                }
            };
            say!(cx, leniency.span, "{refused}" => "remove it, or write where the list is with `at`");
        }
        if let Some(named) = &given.beside {
            body.beside = Some(beside(cx, service, named, &body)?);
        }
        Some(body)
    }
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
            say!(cx, named.span, "a list that is the whole body has no fields beside it"
                => "write where the list is with `at`, or remove `beside`");
        }
        Some(list) if service.model(id).fields.iter().any(|field| field.wire == *list) => {
            say!(cx, named.span, "the fields beside the list contain `{list}`, which leads to the list"
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
    let place = if named.value == "$" { Vec::new() } else { path(cx, named)? };
    let message = if given.beside.is_none() {
        "`beside-at` is the place of the fields of `beside`, which is missing"
    } else if place.len() >= at.len() || !at.starts_with(&place) {
        "the object at `beside-at` is not around the list"
    } else {
        return Some(at.len() - place.len() - 1);
    };
    say!(cx, named.span, "{message}"
        => "write the beginning of the path in `at`, or `$` for the whole body");
    None
}
