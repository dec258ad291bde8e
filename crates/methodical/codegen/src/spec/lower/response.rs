//! Lowers responses: where the data is in the body, how the body reports success or failure, how the pages of a list
//! follow each other, and the amount that an object reports.

use std::ops::Range;

use crate::diag::{Diagnostic, say, say_if};
use crate::ir::{
    BuiltIn, Gauge, Mark, Meaning, ModelId, PagedBy, Paging, Param, Primitive, Response, Says,
    Service, Type, ValueType, Verdict,
};
use crate::spec::context::Context;
use crate::spec::form::{Kebab, Keys, Wire};
use crate::spec::language::{self, Document, ListLeniency, Records};
use crate::spec::read::{At, Text, key_of};

/// The value of `envelope` for an operation without one.
const NONE: &str = "none";

/// How a body reports success or failure, and where the spec names the member that decides.
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

/// Returns the envelope of this name; `None` if it has no marker, or the name is `none` or unknown, which is reported.
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
    let (success, error) = (given.success.as_ref(), given.error.as_ref());
    let failure = given.failure.as_ref().map(|failure| &failure.present);
    let marker = success.map(|success| &success.at).or(failure);
    let classes = given.error_class.iter().flat_map(|all| all.iter());
    let verdict = Verdict {
        at: path(marker),
        is: texts(success.map(|success| &success.is)),
        code: path(error.and_then(|error| error.code.as_ref())),
        message: path(error.and_then(|error| error.message.as_ref())),
        classes: classes.map(|(code, class)| (code.value.clone(), *class)).collect(),
        empty: texts(given.empty.as_ref()),
    };
    let at = success.map_or(&name.span, |success| &success.span);
    say_if!(cx, success.is_some() == failure.is_some(), *at, "an envelope must have either `success` or `failure`"
        => "write `success = {{ at = \"…\", is = [\"…\"] }}` or `failure = {{ present = \"…\" }}`");
    let is = success.map(|success| &success.is).filter(|is| is.is_empty());
    say!(cx, is, "a success marker needs a value" => "add one to the list");
    let has_text = !verdict.code.is_empty() || !verdict.message.is_empty();
    say_if!(cx, !has_text, error, "`error` names neither a code nor a message"
        => "add `code`, `message` or both");
    say_if!(cx, !has_text, given.error_class, "classes need an error code or message"
        => "add `error = {{ code = \"…\" }}`, or `message`: where the code or the message is");
    say_if!(cx, !has_text, given.empty, "`empty` needs an error code or message"
        => "add `error = {{ code = \"…\" }}`, or `message`: where the code or the message is");
    Some((verdict, At::clone(marker?)))
}

/// Returns the keys of a path.
fn split(path: &str) -> Vec<String> {
    path.split('.').map(str::to_owned).collect()
}

/// Lowers the response of an operation.
pub(super) fn response(
    cx: &mut Context<'_>,
    given: &language::Response,
    service: &Service,
) -> Option<Response> {
    let (kind, span, of, at, envelope) = match given {
        language::Response::List(list) => {
            let of = Some(Type::Model(model(cx, &list.of)?));
            ("list", &list.span, of, list.at.as_deref(), &list.envelope)
        }
        language::Response::Object(data) => {
            let of = Some(Type::Model(model(cx, &data.of)?));
            ("object", &data.span, of, data.at.as_deref(), &data.envelope)
        }
        language::Response::Value(data) => {
            let of = Some(value(cx, &data.of)?);
            ("value", &data.span, of, data.at.as_deref(), &data.envelope)
        }
        language::Response::Nothing(data) => ("nothing", &data.span, None, None, &data.envelope),
    };
    let mut response = Response { of, ..body(cx, (kind, span), at, envelope.as_ref())? };
    if let language::Response::List(given) = given {
        return list(cx, service, given, Response { is_list: true, ..response });
    }
    if let Some(verdict) = &mut response.verdict {
        // Only a list can be empty.
        verdict.empty.clear();
    }
    Some(response)
}

/// Lowers the type of a response's value, which cannot be a record.
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
    let model = cx.resolve(of, &of.span)?.model();
    say_if!(cx, model.is_none(), of, "a response must be a model, and `{of}` is not one"
        => "use a type that is declared as `[model.…]`");
    model
}

/// Returns the place of the data in a body, and the envelope around it. Checks that the marker is not within the data.
fn body(
    cx: &mut Context<'_>,
    (kind, span): (&str, &Range<usize>),
    given_at: Option<&At<String>>,
    envelope: Option<&Text<Kebab>>,
) -> Option<Response> {
    let envelope = envelope.map(|name| At::clone(name)).or_else(|| cx.envelope.clone());
    let at = given_at.map(|at| split(at)).unwrap_or_default();
    let Some(name) = envelope.filter(|name| name.value != NONE) else {
        return Some(Response { at, ..Response::default() });
    };
    let (verdict, marker) = declared(cx, &name)?;
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
    cx.diagnostics.push(diagnostic.related(&marker.span, "the marker"));
    None
}

/// Adds the metadata and the other forms of a list to its response.
fn list(
    cx: &mut Context<'_>,
    service: &Service,
    given: &Records,
    mut body: Response,
) -> Option<Response> {
    if let Some(place) = &given.metadata_at {
        body.metadata_above = metadata_above(cx, given, place, &body.at)?;
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
    if let Some(named) = &given.metadata {
        body.metadata = Some(metadata(cx, service, named, &body)?);
    }
    Some(body)
}

/// Returns the model of a list's metadata.
fn metadata(
    cx: &mut Context<'_>,
    service: &Service,
    named: &At<String>,
    body: &Response,
) -> Option<ModelId> {
    let id = model(cx, named)?;
    match body.at.get(body.metadata_at().len()) {
        None => {
            say!(cx, named, "a list that is the whole body has no metadata"
                => "write where the list is with `at`, or remove `metadata`");
        }
        Some(list) if service.model(id).fields.iter().any(|field| field.wire == *list) => {
            say!(cx, named, "the metadata of the list contains `{list}`, which leads to the list"
                => "remove the field from the model");
        }
        Some(_) => return Some(id),
    }
    None
}

/// Returns how many levels above the list's object the metadata is.
fn metadata_above(
    cx: &mut Context<'_>,
    given: &Records,
    named: &At<String>,
    at: &[String],
) -> Option<usize> {
    let place = if named.value == "$" { Vec::new() } else { split(named) };
    let message = if given.metadata.is_none() {
        "`metadata-at` is the place of `metadata`, which is missing"
    } else if place.len() >= at.len() || !at.starts_with(&place) {
        "the object at `metadata-at` is not around the list"
    } else {
        return Some(at.len() - place.len() - 1);
    };
    say!(cx, named, "{message}"
        => "write the beginning of the path in `at`, or `$` for the whole body");
    None
}

/// Lowers the paging of an operation.
pub(super) fn paging(
    cx: &mut Context<'_>,
    given: &language::Paging,
    service: &Service,
    params: &[Param],
    response: &Response,
) -> Option<Paging> {
    // The keys of other ways of paging are unknown keys.
    let (by, span, (name, size, more), mut marks) = match given {
        language::Paging::Page(page) => {
            let first = page.first.as_ref().map_or(1, |first| first.value);
            say_if!(cx, !matches!(first, 0 | 1), page.first, "`first` must be 0 or 1");
            let marks = vec![(Says::Last, page.last.as_ref()), (Says::Total, page.total.as_ref())];
            let shared = (&page.param, &page.size, page.more.as_ref());
            (PagedBy::Number { first }, &page.span, shared, marks)
        }
        language::Paging::Offset(page) => {
            let marks = vec![(Says::Total, page.total.as_ref()), (Says::Next, page.next.as_ref())];
            (PagedBy::Offset, &page.span, (&page.param, &page.size, page.more.as_ref()), marks)
        }
        language::Paging::Cursor(page) => {
            let marks = vec![(Says::Next, Some(&page.next))];
            (PagedBy::Cursor, &page.span, (&page.param, &page.size, page.more.as_ref()), marks)
        }
    };
    marks.push((Says::More, more));
    if !response.is_list {
        say!(cx, key_of(cx.text, span).as_ref().unwrap_or(span), "only a list has pages"
            => "remove `paging`: the response is not a list of records");
        return None;
    }
    let param = param(cx, params, name, "param", by == PagedBy::Cursor);
    let sized = size.as_ref().and_then(|size| self::param(cx, params, size, "size", false));
    say_if!(cx, sized.is_some() && sized == param, size, "`param` and `size` name the same parameter"
        => "name the parameter with the maximum number of records of a page, or remove `size`");
    let marks = marks.into_iter().filter_map(|(says, named)| Some((says, &**named?)));
    let marks = self::marks(cx, service, &marks.collect::<Vec<_>>(), response.metadata);
    Some(Paging { by, param: param?, size: sized, marks })
}

/// Returns the index of the parameter that a key names.
fn param(
    cx: &mut Context<'_>,
    params: &[Param],
    name: &At<String>,
    key: &str,
    is_cursor: bool,
) -> Option<usize> {
    let Some(index) = params.iter().position(|param| param.wire == name.value) else {
        let (known, help) =
            (params.iter().map(|param| &param.wire), "declare it as a parameter of the operation");
        cx.unknown(name, format_args!("unknown parameter `{name}` in `{key}`"), known, help);
        return None;
    };
    let param = params.get(index)?;
    let fits = if is_cursor { ValueType::is_any_text } else { is_integer };
    if param.list.is_none() && param.needs.is_empty() && fits(&param.ty) {
        return Some(index);
    }
    let needed = if is_cursor { "text" } else { "an `integer`" };
    say!(cx, name, "to serve as `{key}`, the parameter `{name}` must be {needed} without `needs`"
        => "change it, or name another parameter");
    None
}

/// Returns the metadata fields that say how the list continues.
fn marks(
    cx: &mut Context<'_>,
    service: &Service,
    given: &[(Says, &At<String>)],
    metadata: Option<ModelId>,
) -> Vec<Mark> {
    if let [(says, _), (other, second), ..] = given
        && (*says, *other) != (Says::Next, Says::More)
    {
        let (says, other) = (says.word(), other.word());
        say!(cx, second, "`{says}` and `{other}` both say where the list ends"
            => "remove one of them");
        return Vec::new();
    }
    given.iter().filter_map(|(says, named)| mark(cx, service, *says, named, metadata)).collect()
}

/// Returns a metadata field that says how the list continues.
fn mark(
    cx: &mut Context<'_>,
    service: &Service,
    says: Says,
    named: &At<String>,
    metadata: Option<ModelId>,
) -> Option<Mark> {
    let word = says.word();
    let Some(metadata) = metadata else {
        say!(cx, named, "`{word}` names a field of the metadata, but the list has none"
            => "add `metadata`, the model of these fields, to `response.list`");
        return None;
    };
    let (needed, fits): (_, fn(&ValueType, bool) -> bool) = match says {
        Says::More => {
            ("a boolean", |ty, _| matches!(ty.in_record, Primitive::Boolean | Primitive::Coded))
        }
        // An empty string means that this is the last page.
        Says::Next => ("an optional integer, or text", |ty, may_lack| {
            ty.is_any_text() || ty.in_record.is_integer() && may_lack
        }),
        Says::Last | Says::Total => {
            ("an integer or text", |ty, _| ty.is_any_text() || ty.in_record.is_integer())
        }
    };
    let path = path(cx, service, metadata, named, &format!("`{word}`"), needed, fits)?;
    Some(Mark { says, path })
}

/// Returns the path from a model to a field. Reports a path that leads to no field, or to a field whose type or
/// presence does not fit its role.
fn path(
    cx: &mut Context<'_>,
    service: &Service,
    model: ModelId,
    named: &At<String>,
    role: &str,
    needed: &str,
    fits: fn(&ValueType, bool) -> bool,
) -> Option<Vec<String>> {
    let (model, path) = (service.model(model), split(named));
    let Some(fields) = service.fields_at(model, &path) else {
        let known = model.fields.iter().map(|field| &field.wire);
        let message = format_args!("the model `{}` has no field `{named}`", model.rust.plain());
        cx.unknown(named, message, known, "name one of its fields");
        return None;
    };
    let ty = fields.last().and_then(|field| field.ty.value());
    let may_lack = fields.iter().any(|field| !field.required);
    let is_fit = ty.is_some_and(|ty| fits(ty, may_lack));
    say_if!(cx, !is_fit, named, "to serve as {role}, the field `{named}` must be {needed}"
        => "change it, or name another field");
    is_fit.then_some(path)
}

fn is_integer(ty: &ValueType) -> bool {
    ty.built_in == Some(BuiltIn::Integer)
}

/// Lowers the gauge of an operation.
pub(super) fn gauge(
    cx: &mut Context<'_>,
    given: &At<language::Gauge>,
    service: &Service,
    params: &[Param],
    response: &Response,
) -> Option<Gauge> {
    let Some(model) = response.model().filter(|_| !response.is_list) else {
        say!(cx, given, "`gauge` needs a response that is a single object"
            => "remove `gauge`");
        return None;
    };
    if let Some(param) = params.iter().find(|param| param.required) {
        say!(cx, given, "a mirror cannot read the gauge: the parameter `{}` is required", param.wire
            => "remove `gauge`, or make the parameter optional");
        return None;
    }
    let is_amount =
        |ty: &ValueType, _: bool| is_integer(ty) || ty.meaning == Some(Meaning::Decimal);
    let needed = "an `integer`, or a scalar with `meaning = \"decimal\"`";
    let value = &given.value.value;
    let value = path(cx, service, model, value, "`value` of a gauge", needed, is_amount);
    let unit = given.unit.as_ref().and_then(|unit| {
        let is_text = |ty: &ValueType, _: bool| ty.in_record == Primitive::Text;
        path(cx, service, model, unit, "`unit` of a gauge", "text", is_text)
    });
    Some(Gauge { value: value?, unit })
}
