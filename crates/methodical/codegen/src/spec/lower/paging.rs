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
    // The keys of other ways of paging are unknown keys.
    let (word, by, span, (name, size, more), [last, total, next]) = match given {
        language::Paging::Page(page) => {
            let first = page.first.as_ref().map_or(1, |first| first.value);
            say_if!(cx, !matches!(first, 0 | 1), page.first, "the number must be between 0 and 1");
            let marks = [page.last.as_deref(), page.total.as_deref(), None];
            let shared = (&page.param, &page.size, &page.more);
            ("page", PagedBy::Number { first }, &page.span, shared, marks)
        }
        language::Paging::Offset(page) => {
            let marks = [None, page.total.as_deref(), page.next.as_deref()];
            ("offset", PagedBy::Offset, &page.span, (&page.param, &page.size, &page.more), marks)
        }
        language::Paging::Cursor(page) => {
            let marks = [None, None, Some(&*page.next)];
            ("cursor", PagedBy::Cursor, &page.span, (&page.param, &page.size, &page.more), marks)
        }
    };
    if !response.is_list {
        say!(cx, key_of(cx.text, span, word), "only a list has pages"
            => "remove `paging`: the response is not a list of records");
        return None;
    }
    let param = param(cx, params, name, "param", by == PagedBy::Cursor);
    let size = size.as_ref().and_then(|size| self::param(cx, params, size, "size", false));
    let marks = [
        (Says::Last, last),
        (Says::Total, total),
        (Says::Next, next),
        (Says::More, more.as_deref()),
    ];
    let marks = marks.into_iter().filter_map(|(says, named)| Some((says, named?)));
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
    let needed = match says {
        Says::More => "a boolean",
        Says::Next => "an optional integer, or text",
        Says::Last | Says::Total => "an integer or text",
    };
    let fits = |fields: &[&Field], ty: &ValueType| {
        let is_single = ty.is_any_text() || ty.in_record.is_integer();
        // An empty string means that this is the last page.
        let may_lack = || ty.is_any_text() || fields.iter().any(|field| !field.required);
        match says {
            Says::More => matches!(ty.in_record, Primitive::Boolean | Primitive::Coded),
            Says::Next => is_single && may_lack(),
            Says::Last | Says::Total => is_single,
        }
    };
    let role = (&*format!("`{word}`"), needed);
    let help = "declare it in the model `beside` the list";
    Some(Mark { says, path: field(cx, service, (beside, named), role, help, fits)? })
}

/// Returns the path to a field of a model, and checks that the field has the type that its role needs.
fn field(
    cx: &mut Context<'_>,
    service: &Service,
    (model, named): (ModelId, &At<String>),
    (role, needed): (&str, &str),
    help: &str,
    fits: impl Fn(&[&Field], &ValueType) -> bool,
) -> Option<Vec<String>> {
    let path = split(named);
    let Some(fields) = service.fields_at(model, &path) else {
        let model = service.model(model);
        let message = format_args!("the model `{}` has no field `{named}`", model.rust.plain());
        cx.unknown(named, message, model.fields.iter().map(|field| &field.wire), help);
        return None;
    };
    if fields.last().and_then(|field| field.ty.value()).is_some_and(|ty| fits(&fields, ty)) {
        return Some(path);
    }
    say!(cx, named, "to serve as {role}, the field `{named}` must be {needed}"
        => "change it, or name another field");
    None
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
        say!(cx, given, "only an object has a gauge"
            => "remove `gauge`: the response is not an object");
        return None;
    };
    if let Some(param) = params.iter().find(|param| param.required) {
        say!(cx, given, "a mirror cannot read the gauge: the parameter `{}` is required", param.wire
            => "remove `gauge`, or make the parameter optional");
        return None;
    }
    let numbers = "an `integer`, or a scalar with `meaning = \"decimal\"`";
    let is_number =
        |_: &[&Field], ty: &ValueType| is_integer(ty) || ty.meaning == Some(Meaning::Decimal);
    let (value, role) = (&given.value.value, ("`value` of a gauge", numbers));
    let help = "name a field of the object in `value`";
    let value = field(cx, service, (model, value), role, help, is_number);
    let unit = given.unit.as_ref().and_then(|unit| {
        let (role, help) = (("`unit` of a gauge", "text"), "name a field of the object in `unit`");
        let is_text = |_: &[&Field], ty: &ValueType| ty.in_record == Primitive::Text;
        field(cx, service, (model, unit), role, help, is_text)
    });
    Some(Gauge { value: value?, unit })
}
