//! Finds models that contain themselves: fields to box, and models that are infinite.

use crate::diag::{Diagnostic, code};
use crate::ir::{Model, Type};
use crate::spec::context::Context;
use crate::spec::node::Entry;

/// Marks recursive models and the fields to box, and reports models without a finite record.
pub(super) fn mark(cx: &mut Context<'_>, models: &mut [Model], given: &[Entry]) {
    let all: Vec<_> = (0..models.len()).map(|from| reachable(models, from, false)).collect();
    for index in 0..models.len() {
        if reachable(models, index, true).contains(&index)
            && let Some(entry) = given.get(index)
        {
            let message =
                format!("the model `{}` contains itself through required fields", entry.key);
            let leads_back = |entry: &&Entry| {
                let ty = entry.node.text("type");
                matches!(cx.types.get(&ty), Some((Type::Model(next), _))
                    if *next == index || all.get(*next).is_some_and(|all| all.contains(&index)))
            };
            let fields = entry.node.entries_of("field");
            let span =
                fields.iter().find(leads_back).map_or(&entry.key_span, |field| &field.key_span);
            let help = "make one of these fields `presence = \"optional\"`";
            cx.say(Diagnostic::new(&code::ENDLESS, span, message).help(help));
        }
    }
    for (index, model) in models.iter_mut().enumerate() {
        model.recursive = all.get(index).is_some_and(|all| all.contains(&index));
        for field in &mut model.fields {
            if let Type::Model(next) = field.ty {
                field.boxed =
                    next == index || all.get(next).is_some_and(|all| all.contains(&index));
            }
        }
    }
}

/// Returns the models that a model contains, at any depth.
fn reachable(models: &[Model], from: usize, required_only: bool) -> Vec<usize> {
    let mut found = Vec::new();
    let mut pending = vec![from];
    while let Some(index) = pending.pop() {
        for field in models.get(index).map(|model| model.fields.as_slice()).unwrap_or_default() {
            if let Type::Model(next) = field.ty
                && (field.required || !required_only)
                && !found.contains(&next)
            {
                found.push(next);
                pending.push(next);
            }
        }
    }
    found
}
