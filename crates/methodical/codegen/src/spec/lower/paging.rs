//! Lowers the paging of a list, and the amount that an object reports.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::diag::{Code, Diagnostic, code};
use crate::ir::{
    BuiltIn, Field, Gauge, Mark, Meaning, ModelId, PagedBy, Paging, Param, Primitive, Response,
    Says, Service, ValueType,
};
use crate::spec::context::Context;
use crate::spec::language::{self, Cursor, Offset, Pages};
use crate::spec::lower::operation::Lowered;
use crate::spec::lower::response::path;
use crate::spec::value::At;

/// The keys of a way of paging.
struct Given<'g> {
    by: PagedBy,
    span: &'g Range<usize>,
    param: &'g At<String>,
    size: Option<&'g At<String>>,
    short_page_ends: Option<&'g At<bool>>,
    marks: Vec<(Says, &'g At<String>)>,
}

impl<'g> Given<'g> {
    fn of(given: &'g language::Paging) -> Option<Self> {
        let mut marks: Vec<(Says, &'g At<String>)> = Vec::new();
        let mut add =
            |says, named: Option<&'g At<String>>| marks.extend(named.map(|named| (says, named)));
        Some(if let Some(At { value, span }) = &given.page {
            let Pages { param, first, size, last, total, more, short_page_ends } = value;
            add(Says::Last, last.as_deref());
            add(Says::Total, total.as_deref());
            add(Says::More, more.as_deref());
            let by = PagedBy::Number { first: first.unwrap_or(1) };
            let (size, short_page_ends) = (size.as_deref(), short_page_ends.as_ref());
            Self { by, span, param, size, short_page_ends, marks }
        } else if let Some(At { value, span }) = &given.offset {
            let Offset { param, size, total, next, more, short_page_ends } = value;
            add(Says::Total, total.as_deref());
            add(Says::Next, next.as_deref());
            add(Says::More, more.as_deref());
            let (size, short_page_ends) = (size.as_deref(), short_page_ends.as_ref());
            Self { by: PagedBy::Offset, span, param, size, short_page_ends, marks }
        } else {
            let At { value: Cursor { param, size, next, more }, span } = given.cursor.as_ref()?;
            add(Says::Next, Some(next));
            add(Says::More, more.as_deref());
            Self {
                by: PagedBy::Cursor,
                span,
                param,
                size: size.as_deref(),
                short_page_ends: None,
                marks,
            }
        })
    }
}

/// Lowers the paging of an operation.
pub(super) fn paging(
    cx: &mut Context<'_>,
    given: &language::Paging,
    service: &Service,
    params: &[Param],
    response: &Response,
) -> Option<Paging> {
    let given = Given::of(given)?;
    if !response.is_list {
        let help = "remove `paging`: the response is not a list of records";
        let span = cx.key_of(given.span);
        cx.say(&code::PAGING, &span, "only a list has pages", help);
        return None;
    }
    let param = param(cx, params, given.param, "param", &given);
    let size = given.size.and_then(|size| self::param(cx, params, size, "size", &given));
    if let (Some(flag), None) = (given.short_page_ends, given.size) {
        let help = "add `size`: the parameter with the maximum number of records";
        cx.say(&code::PAGING, &flag.span, "a page is short only in comparison with its size", help);
    }
    Some(Paging {
        by: given.by,
        param,
        size,
        short_page_ends: given.short_page_ends.is_some_and(|flag| flag.value),
        marks: marks(cx, service, &given, response.beside),
    })
}

/// Returns the position of the parameter that a key names.
fn param(
    cx: &mut Context<'_>,
    params: &[Param],
    name: &At<String>,
    key: &str,
    given: &Given<'_>,
) -> Option<usize> {
    let Some((position, param)) =
        params.iter().enumerate().find(|(_, param)| param.wire == name.value)
    else {
        let known: Vec<_> = params.iter().map(|param| param.wire.as_str()).collect();
        let message = format!("unknown parameter `{}` in `{key}`", name.value);
        let diagnostic = Diagnostic::new(&code::UNKNOWN_PARAM, &name.span, message);
        cx.push(
            diagnostic.help("declare it as a parameter of the operation").suggest(name, &known),
        );
        return None;
    };
    let name_of = &name.value;
    let (fits, needed) = match &param.ty {
        _ if param.list.is_some() => (false, "a single value"),
        ty if key == "param" && given.by == PagedBy::Cursor => {
            (is_text(ty), "`text` or a scalar with `wire = \"string\"`")
        }
        ty => (is_integer(ty), "an `integer`"),
    };
    let (message, help) = if !fits {
        (
            format!("the parameter `{name_of}` must be {needed}, as `{key}`"),
            "change its type, or name another parameter",
        )
    } else if key == "param" && !param.needs.is_empty() {
        (
            format!("the parameter `{name_of}` needs another one, so not every query has pages"),
            "remove its `needs`",
        )
    } else if key == "size" && given.param.value == *name_of {
        (format!("`{name_of}` is both `param` and `size`"), "name two parameters")
    } else {
        return Some(position);
    };
    cx.say(&code::PAGING, &name.span, message, help);
    None
}

/// Returns the fields that say how the list goes on.
fn marks(
    cx: &mut Context<'_>,
    service: &Service,
    given: &Given<'_>,
    beside: Option<ModelId>,
) -> Vec<Mark> {
    if let [(says, _), (other, second), ..] = *given.marks
        && (says, other) != (Says::Next, Says::More)
    {
        let message =
            format!("`{}` and `{}` both say where the list ends", says.word(), other.word());
        cx.say(&code::PAGING, &second.span, message, "remove one of them");
        return Vec::new();
    }
    let marks = given.marks.iter();
    marks.filter_map(|(says, named)| mark(cx, service, *says, named, beside)).collect()
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
        let message = format!("`{word}` names a field beside the list, which has none");
        let help = "add `beside`, the model of these fields, to `response.list`";
        cx.say(&code::PAGING, &named.span, message, help);
        return None;
    };
    let help = "declare it in the model `beside` the list";
    let (path, fields) = fields(cx, service, beside, named, &code::PAGING, help)?;
    let field = fields.last()?;
    let ty = field.ty.value();
    let needed = if says == Says::More {
        let is_boolean =
            |ty: &ValueType| matches!(ty.in_record(), Primitive::Boolean | Primitive::Coded);
        (!ty.is_some_and(is_boolean))
            .then_some("a `boolean`, or a scalar with `meaning = \"boolean\"`")
    } else {
        // A value with a text that identifies it.
        let is_single =
            |ty: &ValueType| ty.as_enum().is_none() && (is_text(ty) || ty.in_record().is_integer());
        (!ty.is_some_and(is_single)).then_some("an integer or text")
    };
    // An empty text means that the page is the last one.
    let is_always = fields.iter().all(|field| field.required) && !ty.is_some_and(is_text);
    let (message, help) = if let Some(needed) = needed {
        (
            format!("the field `{}` must be {needed}, as `{word}`", field.wire),
            "change its type, or name another field",
        )
    } else if says == Says::Next && is_always {
        (
            format!("the field `{}` is required, so no page is the last one", field.wire),
            "write `presence = \"optional\"` in the field",
        )
    } else {
        return Some(Mark { says, path });
    };
    cx.say(&code::PAGING, &named.span, message, help);
    None
}

/// Returns a path to a field of a model, and the fields to which its keys lead.
fn fields<'s>(
    cx: &mut Context<'_>,
    service: &'s Service,
    model: ModelId,
    named: &At<String>,
    code: &'static Code,
    help: &str,
) -> Option<(Vec<String>, Vec<&'s Field>)> {
    let path = path(cx, named)?;
    let found = service.fields_at(model, &path);
    if found.is_none() {
        let model = service.model(model);
        let message = format!("the model `{}` has no field `{}`", model.rust.plain(), named.value);
        let known: Vec<_> = model.fields.iter().map(|field| field.wire.as_str()).collect();
        cx.push(Diagnostic::new(code, &named.span, message).help(help).suggest(named, &known));
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
        let help = "remove `gauge`: the response is not an object";
        cx.say(&code::GAUGE, &given.span, "only an object has a gauge", help);
        return None;
    };
    if let Some(param) = params.iter().find(|param| param.required) {
        let message =
            format!("a mirror cannot read the gauge: the parameter `{}` is required", param.wire);
        cx.say(
            &code::GAUGE,
            &given.span,
            message,
            "remove `gauge`, or make the parameter optional",
        );
        return None;
    }
    let mut field = |key: &str, named: &At<String>, needed: &str, fits: fn(&ValueType) -> bool| {
        let help = format!("name a field of the object in `{key}`");
        let (path, fields) = fields(cx, service, model, named, &code::GAUGE, &help)?;
        if !fields.last().and_then(|field| field.ty.value()).is_some_and(fits) {
            let message =
                format!("the field `{}` must be {needed}, as `{key}` of a gauge", named.value);
            cx.say(&code::GAUGE, &named.span, message, "change its type, or name another field");
            return None;
        }
        Some(path)
    };
    let numbers = "an `integer`, a `float`, or a scalar with `meaning = \"decimal\"`";
    let value = field("value", &given.value.value, numbers, |ty| match ty {
        ValueType::BuiltIn(one) => matches!(one, BuiltIn::Integer | BuiltIn::Float),
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
            let diagnostic = Diagnostic::new(&code::GAUGE, &gauge.span, message)
                .help("remove `gauge`, or the operation");
            cx.push(diagnostic.related(&other.name.span, "this operation has one of them"));
        }
        if let Some(first) = names.get(&noun) {
            let message = format!("two gauges are named `{noun}`, after the command");
            let diagnostic =
                Diagnostic::new(&code::GAUGE, &gauge.span, message).help("remove one of them");
            cx.push(diagnostic.related(first, "the other one"));
        } else {
            names.insert(noun, &gauge.span);
        }
    }
}
