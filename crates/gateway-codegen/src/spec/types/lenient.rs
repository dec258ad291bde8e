//! Lowers the leniency of fields.

use crate::diag::{Diagnostic, code};
use crate::ir::{Leniency, Model, Type, Wire};
use crate::spec::context::Context;
use crate::spec::node::{Entry, Node};

/// Lowers the other forms of a field, and checks that they fit its type.
pub(super) fn lower(
    cx: &mut Context<'_>,
    field: &Node,
    ty: &Type,
    required: bool,
) -> Vec<Leniency> {
    let mut found = Vec::new();
    for node in field.list_of("lenient") {
        let word = node.as_text().unwrap_or_default();
        let Some(leniency) = Leniency::of(word) else {
            let message = format!("unknown value `{word}` of `lenient`");
            let diagnostic = Diagnostic::new(&code::UNKNOWN_CHOICE, &node.span, message);
            cx.say(diagnostic.suggest(word, &Leniency::ALL.map(Leniency::word)));
            continue;
        };
        if found.contains(&leniency) {
            let message = format!("duplicate value `{word}` of `lenient`");
            let diagnostic = Diagnostic::new(&code::DUPLICATE_WIRE, &node.span, message);
            cx.say(diagnostic.help("remove one of them"));
        } else if let Some((message, help)) = misfit(leniency, ty, required) {
            let message = format!("`{word}` {message}");
            cx.say(Diagnostic::new(&code::UNFIT_TYPE, &node.span, message).help(help));
        } else {
            found.push(leniency);
        }
    }
    let blank = found.contains(&Leniency::BlankAsNone);
    if let (true, Some(given)) =
        (blank && found.contains(&Leniency::AbsentAsEmpty), field.get("lenient"))
    {
        let message = "`blank-as-none` and `absent-as-empty` exclude each other";
        let help = "keep `blank-as-none` for an `Option`, or `absent-as-empty` for an empty value";
        cx.say(Diagnostic::new(&code::UNFIT_TYPE, &given.span, message).help(help));
    }
    found
}

/// Returns why a leniency does not fit a field, and the fix.
fn misfit(leniency: Leniency, ty: &Type, required: bool) -> Option<(&'static str, &'static str)> {
    match (leniency, ty) {
        (Leniency::OneAsList, Type::List(of)) => match &**of {
            Type::List(_) => Some((
                "does not fit a list of lists: a single value is a list, too",
                "remove it, or change the type",
            )),
            Type::Value(value) if value.wire() == Some(Wire::TextOrNumber) => Some((
                "does not fit a list of values with `wire = \"text-or-number\"`",
                "remove it, or use `wire = \"string\"`",
            )),
            _ => None,
        },
        (Leniency::OneAsList, _) => Some(("applies only to lists", "remove it")),
        (Leniency::AbsentAsEmpty | Leniency::BlankAsNone, _) if required => Some((
            "applies only to optional fields",
            "write `presence = \"optional\"`, or remove it",
        )),
        (Leniency::BlankAsNone, Type::Value(value))
            if value.codes().is_some_and(|codes| codes.value("").is_some()) =>
        {
            Some((
                "does not fit a boolean with an empty text among its codes",
                "remove one of them",
            ))
        }
        (Leniency::EmptyArrayAsMap, Type::Map(_) | Type::Model(_))
        | (Leniency::AbsentAsEmpty, Type::List(_) | Type::Map(_))
        | (Leniency::BlankAsNone, _) => None,
        (Leniency::EmptyArrayAsMap, _) => Some(("applies only to maps and models", "remove it")),
        (Leniency::AbsentAsEmpty, _) => Some(("applies only to lists and maps", "remove it")),
    }
}

/// Checks the fields whose type is a model, when all models are known: an empty list represents a record without fields.
pub(super) fn check(cx: &mut Context<'_>, root: &Node, models: &[Model]) {
    for (model, entry) in models.iter().zip(root.entries_of("model")) {
        for field in &model.fields {
            let inner = field.ty.model().and_then(|id| models.get(id.position()));
            let needed = inner.and_then(|inner| inner.fields.iter().find(|field| field.required));
            if let Some(needed) = needed.filter(|_| field.is(Leniency::EmptyArrayAsMap)) {
                let message = format!(
                    "`empty-array-as-map` does not fit a model with the required field `{}`",
                    needed.wire
                );
                let help = "make all fields of the model optional, or remove it";
                let span = lenient_span(entry, &field.wire);
                cx.say(Diagnostic::new(&code::UNFIT_TYPE, &span, message).help(help));
            }
        }
    }
}

fn lenient_span(model: &Entry, field: &str) -> std::ops::Range<usize> {
    let mut fields = model.node.entries_of("field").iter();
    let field = fields.find(|entry| entry.key == field);
    let list = field.and_then(|entry| entry.node.get("lenient"));
    list.map_or_else(|| model.key_span.clone(), |list| list.span.clone())
}
