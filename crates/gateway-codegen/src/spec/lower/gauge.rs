//! Lowers the amount that an operation reports.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::diag::{Diagnostic, code};
use crate::ir::{Gauge, Operation, Param, Primitive, Response, Service, ValueType};
use crate::spec::context::Context;
use crate::spec::lower::envelope::path;
use crate::spec::node::{Entry, Node};

/// Lowers the gauge of an operation.
pub(super) fn gauge(
    cx: &mut Context<'_>,
    node: &Node,
    service: &Service,
    params: &[Param],
    response: &Response,
) -> Option<Gauge> {
    let gauge = node.get("gauge")?;
    if response.is_list() || response.of().is_none() {
        let help = "remove `gauge`: the response is not an object";
        say(cx, &gauge.span, "only an object has a gauge", help);
        return None;
    }
    if let Some(param) = params.iter().find(|param| param.required) {
        let message =
            format!("a mirror cannot read the gauge: the parameter `{}` is required", param.wire);
        say(cx, &gauge.span, &message, "remove `gauge`, or make the parameter optional");
        return None;
    }
    let value = field(cx, gauge, "value", service, response);
    let unit = field(cx, gauge, "unit", service, response);
    Some(Gauge { value: value?, unit })
}

/// Returns the path of the field that a key names.
fn field(
    cx: &mut Context<'_>,
    gauge: &Node,
    key: &str,
    service: &Service,
    response: &Response,
) -> Option<Vec<String>> {
    let named = gauge.get(key)?;
    let path = path(cx, named)?;
    let model = service.model(response.of()?);
    let Some(fields) = service.fields_at(model.id, &path) else {
        let name = named.as_text().unwrap_or_default();
        // A field that was rejected is not known.
        if !path.iter().any(|key| cx.is_rejected(key)) {
            let message = format!("the model `{}` has no field `{name}`", model.rust.plain());
            let known: Vec<_> = model.fields.iter().map(|field| field.wire.as_str()).collect();
            let diagnostic = Diagnostic::new(&code::GAUGE, &named.span, message);
            let help = format!("name a field of the object in `{key}`");
            cx.say(diagnostic.help(help).suggest(name, &known));
        }
        return None;
    };
    let ty = fields.last().and_then(|field| field.ty.value());
    let (fits, needed) = match key {
        "value" => (
            ty.is_some_and(is_number),
            "an `integer`, a `float`, or a scalar with `meaning = \"decimal\"`",
        ),
        _ => (ty.is_some_and(is_text), "text"),
    };
    if !fits {
        let name = named.as_text().unwrap_or_default();
        let message = format!("the field `{name}` must be {needed}, as `{key}` of a gauge");
        say(cx, &named.span, &message, "change its type, or name another field");
        return None;
    }
    Some(path)
}

fn is_number(ty: &ValueType) -> bool {
    match ty {
        ValueType::BuiltIn(built_in) => {
            matches!(built_in.form.primitive, Primitive::Signed | Primitive::Float)
        }
        ValueType::Scalar(scalar) => scalar.meaning.word == "decimal",
        ValueType::Enum(_) => false,
    }
}

fn is_text(ty: &ValueType) -> bool {
    ty.in_record() == Primitive::Text
}

/// Reports two gauges with the same first word of the command, which names them, and a gauge whose commands another
/// operation has.
pub(super) fn groups(cx: &mut Context<'_>, operations: &[(&Entry, Operation)]) {
    let mut names: BTreeMap<String, &Range<usize>> = BTreeMap::new();
    for (entry, operation) in operations {
        let Some(gauge) = entry.node.get("gauge").filter(|_| operation.gauge.is_some()) else {
            continue;
        };
        let noun = operation.command().noun;
        let taken = operations.iter().find(|(_, other)| {
            let command = other.command();
            let verb = command.verb.unwrap_or_default();
            command.noun == noun && Gauge::VERBS.contains(&&*verb)
        });
        if let Some((other, _)) = taken {
            let message =
                format!("the gauge adds the commands `{noun} check` and `{noun} forecast`");
            let diagnostic = Diagnostic::new(&code::GAUGE, &gauge.span, message)
                .help("remove `gauge`, or the operation")
                .related(&other.key_span, "this operation has one of them");
            cx.say(diagnostic);
        }
        if let Some(first) = names.get(&noun) {
            let message = format!("two gauges are named `{noun}`, after the command");
            let diagnostic = Diagnostic::new(&code::GAUGE, &gauge.span, message)
                .help("remove one of them")
                .related(first, "the other one");
            cx.say(diagnostic);
        } else {
            names.insert(noun, &gauge.span);
        }
    }
}

fn say(cx: &mut Context<'_>, span: &Range<usize>, message: &str, help: &str) {
    cx.say(Diagnostic::new(&code::GAUGE, span, message).help(help));
}
