//! Lowers the paging of a list, and the amount that an object reports.

use crate::diag::{say, say_if};
use crate::ir::{
    BuiltIn, Field, Gauge, Mark, Meaning, ModelId, PagedBy, Paging, Param, Primitive, Response,
    Says, Service, ValueType,
};
use crate::spec::context::Context;
use crate::spec::language;
use crate::spec::lower::response::split;
use crate::spec::read::{At, key_of};

/// Lowers the paging of an operation.
pub(super) fn paging(
    cx: &mut Context<'_>,
    given: &language::Paging,
    service: &Service,
    params: &[Param],
    response: &Response,
) -> Option<Paging> {
    let (word, by, span, name, size) = match given {
        language::Paging::Page(page) => {
            let first = page.first.as_ref().map_or(1, |first| first.value);
            say_if!(cx, !matches!(first, 0 | 1), page.first, "the number must be between 0 and 1");
            ("page", PagedBy::Number { first }, &page.span, &page.param, &page.size)
        }
        language::Paging::Offset(page) => {
            ("offset", PagedBy::Offset, &page.span, &page.param, &page.size)
        }
        language::Paging::Cursor(page) => {
            ("cursor", PagedBy::Cursor, &page.span, &page.param, &page.size)
        }
    };
    // The keys of other ways of paging are unknown keys.
    let (last, total, next, more) = match given {
        language::Paging::Page(page) => (page.last.as_ref(), page.total.as_ref(), None, &page.more),
        language::Paging::Offset(page) => {
            (None, page.total.as_ref(), page.next.as_ref(), &page.more)
        }
        language::Paging::Cursor(page) => (None, None, Some(&page.next), &page.more),
    };
    if !response.is_list {
        say!(cx, key_of(cx.text, span, word), "only a list has pages"
            => "remove `paging`: the response is not a list of records");
        return None;
    }
    let param = param(cx, params, name, "param", by == PagedBy::Cursor);
    let size = size.as_ref().and_then(|size| self::param(cx, params, size, "size", false));
    let marks =
        [(Says::Last, last), (Says::Total, total), (Says::Next, next), (Says::More, more.as_ref())];
    let marks = marks.into_iter().filter_map(|(says, named)| Some((says, &**named?)));
    let marks = self::marks(cx, service, &marks.collect::<Vec<_>>(), response.beside);
    Some(Paging { by, param: param?, size, marks })
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

/// Returns the fields that say how the list continues.
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
        say!(cx, second, "`{says}` and `{other}` both say where the list ends"
            => "remove one of them");
        return Vec::new();
    }
    given.iter().filter_map(|(says, named)| mark(cx, service, *says, named, beside)).collect()
}

/// Returns a field that says how the list continues.
fn mark(
    cx: &mut Context<'_>,
    service: &Service,
    says: Says,
    named: &At<String>,
    beside: Option<ModelId>,
) -> Option<Mark> {
    let word = says.word();
    let Some(beside) = beside else {
        say!(cx, named, "`{word}` names a field beside the list, but the list has none"
            => "add `beside`, the model of these fields, to `response.list`");
        return None;
    };
    let help = "declare it in the model `beside` the list";
    let (path, fields) = fields(cx, service, beside, named, help)?;
    let field = fields.last()?;
    let ty = field.ty.value();
    let is_single = |ty: &ValueType| ty.is_any_text() || ty.in_record.is_integer();
    // An empty string means that this is the last page.
    let is_always =
        fields.iter().all(|field| field.required) && !ty.is_some_and(ValueType::is_any_text);
    let (fits, needed) = match says {
        Says::More => (ty.is_some_and(is_boolean), "a boolean"),
        Says::Next => (ty.is_some_and(is_single) && !is_always, "an optional integer, or text"),
        Says::Last | Says::Total => (ty.is_some_and(is_single), "an integer or text"),
    };
    if fits {
        return Some(Mark { says, path });
    }
    say!(cx, named, "to serve as `{word}`, the field `{}` must be {needed}", field.wire
        => "change its type or its presence, or name another field");
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
    let path = split(named);
    let found = service.fields_at(model, &path);
    if found.is_none() {
        let model = service.model(model);
        let message = format_args!("the model `{}` has no field `{named}`", model.rust.plain());
        cx.unknown(named, message, model.fields.iter().map(|field| &field.wire), help);
    }
    Some((path, found?))
}

fn is_integer(ty: &ValueType) -> bool {
    ty.built_in == Some(BuiltIn::Integer)
}

fn is_boolean(ty: &ValueType) -> bool {
    matches!(ty.in_record, Primitive::Boolean | Primitive::Coded)
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
        say!(cx, given, "only an object has a gauge"
            => "remove `gauge`: the response is not an object");
        return None;
    };
    if let Some(param) = params.iter().find(|param| param.required) {
        say!(cx, given, "a mirror cannot read the gauge: the parameter `{}` is required", param.wire
            => "remove `gauge`, or make the parameter optional");
        return None;
    }
    let mut field = |key: &str, named: &At<String>, needed: &str, fits: fn(&ValueType) -> bool| {
        let help = format!("name a field of the object in `{key}`");
        let (path, fields) = fields(cx, service, model, named, &help)?;
        if !fields.last().and_then(|field| field.ty.value()).is_some_and(fits) {
            say!(cx, named, "to serve as `{key}` of a gauge, the field `{named}` must be {needed}"
                => "change its type, or name another field");
            return None;
        }
        Some(path)
    };
    let numbers = "an `integer`, or a scalar with `meaning = \"decimal\"`";
    let value = field("value", &given.value.value, numbers, |ty| {
        is_integer(ty) || ty.meaning == Some(Meaning::Decimal)
    });
    let unit = given.unit.as_ref();
    let unit =
        unit.and_then(|unit| field("unit", unit, "text", |ty| ty.in_record == Primitive::Text));
    Some(Gauge { value: value?, unit })
}
