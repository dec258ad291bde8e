//! Lowers responses: where the data is in the body, and how the body reports success or failure.

use std::ops::Range;

use crate::diag::{Diagnostic, code};
use crate::ir::{Decides, Leniency, ModelId, Response, Service, Type, Verdict};
use crate::spec::context::Context;
use crate::spec::form::Kebab;
use crate::spec::language::{self, Document, Records};
use crate::spec::value::{At, Text};

/// The name of an operation's `envelope` that has none.
const NONE: &str = "none";

/// Checks the declared envelopes.
pub(super) fn envelopes(cx: &mut Context<'_>, document: &Document) {
    for (name, envelope) in document.envelope.iter() {
        if name.value == NONE {
            let message = "`none` means that a response has no envelope";
            cx.say(&code::NAMES_COLLIDE, &name.span, message, "choose another name");
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
        let message = format!("unknown envelope `{}`", name.value);
        let help = format!("declare it as `[envelope.{}]`", name.value);
        let diagnostic = Diagnostic::new(&code::UNKNOWN_ENVELOPE, &name.span, message);
        cx.push(diagnostic.help(help).suggest(name, &known));
    }
    None
}

/// Reports the mistakes in a declared envelope.
fn check(cx: &mut Context<'_>, name: &At<String>, given: &language::Envelope) {
    let mut say = |span: &Range<usize>, message: &str, help: &str| {
        cx.say(&code::ENVELOPE, span, message, help);
    };
    match (&given.success, &given.failure) {
        (Some(success), Some(_)) => {
            say(
                &success.span,
                "an envelope has either `success` or `failure`",
                "remove one of them",
            );
        }
        (None, None) => say(
            &name.span,
            "an envelope needs `success` or `failure`",
            "add `success = { at = \"…\", is = [\"…\"] }`, or `failure = { present = \"…\" }`",
        ),
        (Some(success), None) if success.is.is_empty() => {
            say(&success.is.span, "a success marker needs a value", "add one to the list");
        }
        _ => {}
    }
    let error = given.error.as_deref();
    let place = |key: &str| match key {
        "code" => error?.code.as_ref(),
        _ => error?.message.as_ref(),
    };
    let has_neither = place("code").or_else(|| place("message")).is_none();
    if let (Some(error), true) = (&given.error, has_neither) {
        say(
            &error.span,
            "`error` names neither a code nor a message",
            "add `code`, `message` or both",
        );
    }
    if let (Some(classes), true) = (&given.error_class, has_neither) {
        let help = "add `error = { code = \"…\" }`, or `message`: where the code or the message is";
        say(&classes.span, "classes need an error code or message", help);
    }
    if let Some(empty) = &given.empty {
        for (key, texts) in [("code", &empty.code), ("message", &empty.message)] {
            if let (Some(texts), None) = (texts, place(key)) {
                let message = format!("`empty.{key}` needs `error.{key}`");
                say(
                    &texts.span,
                    &message,
                    &format!("add `error = {{ {key} = \"…\" }}`: where it is"),
                );
            }
        }
    }
    let paths = [
        given.success.as_ref().map(|success| &*success.at),
        given.failure.as_ref().map(|failure| &*failure.present),
        place("code").map(|place| &**place),
        place("message").map(|place| &**place),
        error.and_then(|error| error.at.as_deref()).filter(|at| !at.is_empty()),
    ];
    for path in paths.into_iter().flatten() {
        self::path(cx, path);
    }
}

/// Returns the keys of a path, and reports an empty one.
pub(super) fn path(cx: &mut Context<'_>, given: &At<String>) -> Option<Vec<String>> {
    let path = split(given);
    if path.iter().any(String::is_empty) {
        let help = "write keys with one dot between them, such as `photos.photo`";
        cx.say(&code::MALFORMED, &given.span, "a path has an empty key", help);
        return None;
    }
    Some(path)
}

fn split(path: &str) -> Vec<String> {
    path.split('.').map(str::to_owned).collect()
}

/// Returns how an envelope reports success or failure, with the place of the member that decides.
fn verdict(given: &language::Envelope) -> Option<(Verdict, &At<String>)> {
    let (marker, decides) = match (&given.success, &given.failure) {
        (Some(success), _) => {
            let is = success.is.iter().map(|text| text.value.clone()).collect();
            (&*success.at, Decides::Success { at: split(&success.at), is })
        }
        (None, failure) => {
            let present = &*failure.as_ref()?.present;
            (present, Decides::Failure { present: split(present) })
        }
    };
    let error = given.error.as_deref();
    let above = error.and_then(|error| error.at.as_deref()).filter(|at| !at.is_empty());
    let above = above.map(|at| split(at)).unwrap_or_default();
    let below = |place: Option<&str>| -> Vec<String> {
        place.map(|place| [above.clone(), split(place)].concat()).unwrap_or_default()
    };
    let classes = given.error_class.iter().flat_map(|classes| classes.iter());
    let empty = |texts: Option<&At<Vec<Text<_>>>>| -> Vec<String> {
        texts.into_iter().flat_map(|texts| texts.iter()).map(|text| text.value.clone()).collect()
    };
    let verdict = Verdict {
        decides,
        code: below(error.and_then(|error| error.code.as_ref()).map(|code| code.as_str())),
        message: below(error.and_then(|error| error.message.as_ref()).map(|text| text.as_str())),
        classes: classes.map(|(code, class)| (code.value.clone(), *class)).collect(),
        empty_codes: empty(given.empty.as_ref().and_then(|empty| empty.code.as_ref())),
        empty_messages: empty(given.empty.as_ref().and_then(|empty| empty.message.as_ref())),
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
        let place = Place::of(
            cx,
            document,
            "list",
            &list.span,
            list.at.as_deref(),
            list.envelope.as_ref(),
        )?;
        return place.list(cx, service, list, of);
    }
    if let Some(object) = &given.object {
        let of = model(cx, &object.of)?;
        let (at, envelope) = (object.at.as_deref(), object.envelope.as_ref());
        let place = Place::of(cx, document, "object", &object.span, at, envelope)?;
        return Some(place.without_list(Some(Type::Model(of))));
    }
    if let Some(value) = &given.value {
        let of = self::value(cx, &value.of)?;
        let (at, envelope) = (value.at.as_deref(), value.envelope.as_ref());
        let place = Place::of(cx, document, "value", &value.span, at, envelope)?;
        return Some(place.without_list(Some(of)));
    }
    let nothing = given.nothing.as_ref()?;
    let place = Place::of(cx, document, "nothing", &nothing.span, None, nothing.envelope.as_ref())?;
    Some(place.without_list(None))
}

/// Returns the type of a response that is a value.
fn value(cx: &mut Context<'_>, of: &At<String>) -> Option<Type> {
    let ty = cx.resolve(of)?;
    let (message, help) = match &ty {
        Type::Model(_) => ("a record is not a value", "write `response.object`"),
        Type::List(of) if of.model().is_some() => {
            ("a list of records is not a value", "write `response.list` with the name of the model")
        }
        Type::Value(_) | Type::List(_) | Type::Map(_) => return Some(ty),
    };
    cx.say(&code::UNFIT_TYPE, &of.span, message, help);
    None
}

fn model(cx: &mut Context<'_>, of: &At<String>) -> Option<ModelId> {
    if let Type::Model(of) = cx.resolve(of)? {
        return Some(of);
    }
    let message = format!("a response must be a model, and `{}` is not one", of.value);
    cx.say(&code::UNFIT_TYPE, &of.span, message, "use a type that is declared as `[model.…]`");
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
        kind: &str,
        span: &Range<usize>,
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
        match given_at {
            None if matches!(kind, "list" | "value")
                && matches!(verdict.decides, Decides::Success { .. }) =>
            {
                let message = format!("a {kind} that is the whole body has no success marker");
                let help =
                    format!("write where the {kind} is with `at`, or add `envelope = \"none\"`");
                let diagnostic = Diagnostic::new(&code::ENVELOPE, span, message);
                cx.push(diagnostic.help(help).related(&marker.span, "the marker"));
                None
            }
            Some(given) if decides.starts_with(&at) || at.starts_with(decides) => {
                let message = if marker.value == given.value {
                    "the marker and the list have the same key"
                } else {
                    "one of the marker and the data is inside the other"
                };
                let diagnostic = Diagnostic::new(&code::DUPLICATE_WIRE, &given.span, message);
                cx.push(diagnostic.help("correct one of them").related(&marker.span, "the marker"));
                None
            }
            _ => Some(Self { at, given_at, verdict: Some(verdict) }),
        }
    }

    /// Returns the response with other data than a list, which cannot be empty.
    fn without_list(self, of: Option<Type>) -> Response {
        let verdict = self.verdict.map(|verdict| Verdict {
            empty_codes: Vec::new(),
            empty_messages: Vec::new(),
            ..verdict
        });
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
            let refused = match **leniency {
                Leniency::AbsentAsEmpty if given_at.is_none() => {
                    "a list that is the whole body cannot be absent"
                }
                Leniency::OneAsList if given_at.is_none() && body.verdict.is_some() => {
                    "a single record and a failure are both objects"
                }
                Leniency::AbsentAsEmpty => {
                    body.absent_as_empty = true;
                    continue;
                }
                _ => {
                    body.one_as_list = true;
                    continue;
                }
            };
            let help = "remove it, or write where the list is with `at`";
            cx.say(&code::ENVELOPE, &leniency.span, refused, help);
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
    let (message, help) = match body.at.get(body.beside_at().len()) {
        None => (
            "a list that is the whole body has no fields beside it".to_owned(),
            "write where the list is with `at`, or remove `beside`",
        ),
        Some(list) if service.model(id).fields.iter().any(|field| field.wire == *list) => (
            format!("the fields beside the list contain `{list}`, which leads to the list"),
            "remove the field from the model",
        ),
        Some(_) => return Some(id),
    };
    cx.say(&code::ENVELOPE, &named.span, message, help);
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
    let help = "write the beginning of the path in `at`, or `$` for the whole body";
    cx.say(&code::ENVELOPE, &named.span, message, help);
    None
}
