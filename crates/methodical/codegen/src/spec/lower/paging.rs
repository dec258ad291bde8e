//! Lowers the paging of a list, and the amount that an object reports.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::diag::{Diagnostic, say};
use crate::ir::{
    BuiltIn, Field, Gauge, Mark, Meaning, ModelId, PagedBy, Paging, Param, Primitive, Response,
    Says, Service, ValueType,
};
use crate::spec::context::Context;
use crate::spec::language;
use crate::spec::lower::operation::Lowered;
use crate::spec::lower::response::path;
use crate::spec::read::At;

/// Lowers the paging of an operation.
pub(super) fn paging(
    cx: &mut Context<'_>,
    given: &language::Paging,
    service: &Service,
    params: &[Param],
    response: &Response,
) -> Option<Paging> {
    let language::Paging { page, offset, cursor } = given;
    let (by, key, name, size, marks) = if let Some(At { value: page, key, .. }) = page {
        let by = PagedBy::Number { first: page.first.map_or(1, |first| first.0) };
        let marks =
            [(Says::Last, &page.last), (Says::Total, &page.total), (Says::More, &page.more)];
        (by, key, &page.param, &page.size, marks.map(|(says, mark)| (says, mark.as_ref())))
    } else if let Some(At { value: page, key, .. }) = offset {
        let marks =
            [(Says::Total, &page.total), (Says::Next, &page.next), (Says::More, &page.more)];
        let marks = marks.map(|(says, mark)| (says, mark.as_ref()));
        (PagedBy::Offset, key, &page.param, &page.size, marks)
    } else {
        let At { value: page, key, .. } = cursor.as_ref()?;
        let marks =
            [(Says::Next, Some(&page.next)), (Says::More, page.more.as_ref()), (Says::Last, None)];
        (PagedBy::Cursor, key, &page.param, &page.size, marks)
    };
    if !response.is_list {
        say!(cx, *key, "only a list has pages"
            => "remove `paging`: the response is not a list of records");
        return None;
    }
    let param = param(cx, params, name, ("param", by), name);
    let size = size.as_ref();
    let size = size.and_then(|size| self::param(cx, params, size, ("size", by), name));
    let marks: Vec<_> =
        marks.into_iter().filter_map(|(says, named)| Some((says, &**named?))).collect();
    Some(Paging { by, param, size, marks: self::marks(cx, service, &marks, response.beside) })
}

/// Returns the index of the parameter that a key names. The one of `param` changes from page to page.
fn param(
    cx: &mut Context<'_>,
    params: &[Param],
    name: &At<String>,
    (key, by): (&str, PagedBy),
    position: &At<String>,
) -> Option<usize> {
    let Some(index) = params.iter().position(|param| param.wire == name.value) else {
        let known: Vec<_> = params.iter().map(|param| param.wire.as_str()).collect();
        let (message, help) = (
            format_args!("unknown parameter `{name}` in `{key}`"),
            "declare it as a parameter of the operation",
        );
        cx.unknown(name, message, &known, help);
        return None;
    };
    let param = params.get(index)?;
    let (fits, needed) = match &param.ty {
        _ if param.list.is_some() => (false, "a single value"),
        ty if key == "param" && by == PagedBy::Cursor => {
            (is_text(ty), "`text` or a scalar with `wire = \"string\"`")
        }
        ty => (is_integer(ty), "an `integer`"),
    };
    if !fits {
        say!(cx, name.span, "the parameter `{name}` must be {needed}, as `{key}`"
            => "change its type, or name another parameter");
    } else if key == "param" && !param.needs.is_empty() {
        say!(cx, name.span, "the parameter `{name}` needs another one, so not every query has pages"
            => "remove its `needs`");
    } else if key == "size" && position.value == name.value {
        say!(cx, name.span, "`{name}` is both `param` and `size`" => "name two parameters");
    } else {
        return Some(index);
    }
    None
}

/// Returns the fields that say how the list goes on.
fn marks(
    cx: &mut Context<'_>,
    service: &Service,
    given: &[(Says, &At<String>)],
    beside: Option<ModelId>,
) -> Vec<Mark> {
    if let [(says, _), (other, second), ..] = given
        && (*says, *other) != (Says::Next, Says::More)
    {
        let (says, other) = (says.word(), other.word());
        say!(cx, second.span, "`{says}` and `{other}` both say where the list ends"
            => "remove one of them");
        return Vec::new();
    }
    given.iter().filter_map(|(says, named)| mark(cx, service, *says, named, beside)).collect()
}

/// Returns a field that says how the list goes on.
fn mark(
    cx: &mut Context<'_>,
    service: &Service,
    says: Says,
    named: &At<String>,
    beside: Option<ModelId>,
) -> Option<Mark> {
    let word = says.word();
    let Some(beside) = beside else {
        say!(cx, named.span, "`{word}` names a field beside the list, which has none"
            => "add `beside`, the model of these fields, to `response.list`");
        return None;
    };
    let help = "declare it in the model `beside` the list";
    let (path, fields) = fields(cx, service, beside, named, help)?;
    let field = fields.last()?;
    let ty = field.ty.value();
    let (fits, needed): (fn(&ValueType) -> bool, _) = if says == Says::More {
        let is_boolean =
            |ty: &ValueType| matches!(ty.in_record(), Primitive::Boolean | Primitive::Coded);
        (is_boolean, "a `boolean`, or a scalar with `meaning = \"boolean\"`")
    } else {
        // A value with a text that identifies it.
        let is_single =
            |ty: &ValueType| ty.as_enum().is_none() && (is_text(ty) || ty.in_record().is_integer());
        (is_single, "an integer or text")
    };
    // An empty text means that the page is the last one.
    let is_always = fields.iter().all(|field| field.required) && !ty.is_some_and(is_text);
    if !ty.is_some_and(fits) {
        say!(cx, named.span, "the field `{}` must be {needed}, as `{word}`", field.wire
            => "change its type, or name another field");
    } else if says == Says::Next && is_always {
        say!(cx, named.span, "the field `{}` is required, so no page is the last one", field.wire
            => "write `presence = \"optional\"` in the field");
    } else {
        return Some(Mark { says, path });
    }
    None
}

/// Returns a path to a field of a model, and the fields to which its keys lead.
fn fields<'s>(
    cx: &mut Context<'_>,
    service: &'s Service,
    model: ModelId,
    named: &At<String>,
    help: &str,
) -> Option<(Vec<String>, Vec<&'s Field>)> {
    let path = path(cx, named)?;
    let found = service.fields_at(model, &path);
    if found.is_none() {
        let model = service.model(model);
        let known: Vec<_> = model.fields.iter().map(|field| field.wire.as_str()).collect();
        let message = format_args!("the model `{}` has no field `{named}`", model.rust.plain());
        cx.unknown(named, message, &known, help);
    }
    Some((path, found?))
}

fn is_integer(ty: &ValueType) -> bool {
    matches!(ty, ValueType::BuiltIn(BuiltIn::Integer))
}

fn is_text(ty: &ValueType) -> bool {
    ty.in_record() == Primitive::Text && ty.as_enum().is_none()
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
        say!(cx, given.span, "only an object has a gauge"
            => "remove `gauge`: the response is not an object");
        return None;
    };
    if let Some(param) = params.iter().find(|param| param.required) {
        say!(cx, given.span, "a mirror cannot read the gauge: the parameter `{}` is required", param.wire
            => "remove `gauge`, or make the parameter optional");
        return None;
    }
    let mut field = |key: &str, named: &At<String>, needed: &str, fits: fn(&ValueType) -> bool| {
        let help = format!("name a field of the object in `{key}`");
        let (path, fields) = fields(cx, service, model, named, &help)?;
        if !fields.last().and_then(|field| field.ty.value()).is_some_and(fits) {
            say!(cx, named.span, "the field `{named}` must be {needed}, as `{key}` of a gauge"
                => "change its type, or name another field");
            return None;
        }
        Some(path)
    };
    let numbers = "an `integer`, or a scalar with `meaning = \"decimal\"`";
    let value = field("value", &given.value.value, numbers, |ty| match ty {
        ValueType::BuiltIn(one) => *one == BuiltIn::Integer,
        ValueType::Scalar(scalar) => scalar.kind.meaning == Some(Meaning::Decimal),
        ValueType::Enum(_) => false,
    });
    let unit = given.unit.as_ref();
    let unit =
        unit.and_then(|unit| field("unit", unit, "text", |ty| ty.in_record() == Primitive::Text));
    Some(Gauge { value: value?, unit })
}

/// Reports two gauges with the same first word of the command, which names them, and a gauge whose commands another
/// operation has.
pub(super) fn gauges(cx: &mut Context<'_>, operations: &[Lowered<'_>]) {
    let mut names: BTreeMap<String, &Range<usize>> = BTreeMap::new();
    for Lowered { given, operation, .. } in operations {
        let Some(gauge) = given.gauge.as_ref().filter(|_| operation.gauge.is_some()) else {
            continue;
        };
        let noun = operation.command().noun;
        let taken = operations.iter().find(|other| {
            let command = other.operation.command();
            command.noun == noun && Gauge::VERBS.contains(&&*command.verb.unwrap_or_default())
        });
        if let Some(other) = taken {
            let message =
                format!("the gauge adds the commands `{noun} check` and `{noun} forecast`");
            let diagnostic = Diagnostic::new(&gauge.span, message);
            let diagnostic = diagnostic.help("remove `gauge`, or the operation");
            cx.push(diagnostic.related(&other.name.span, "this operation has one of them"));
        }
        if let Some(first) = names.get(&noun) {
            let message = format!("two gauges are named `{noun}`, after the command");
            let diagnostic = Diagnostic::new(&gauge.span, message).help("remove one of them");
            cx.push(diagnostic.related(first, "the other one"));
        } else {
            names.insert(noun, &gauge.span);
        }
    }
}
