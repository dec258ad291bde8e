//! Finds models that contain themselves: fields to box, and models that are infinite.

use crate::diag::{Diagnostic, code};
use crate::ir::{Field, Model, ModelId};
use crate::spec::context::Context;
use crate::spec::node::Entry;
use crate::spec::types::components::components;

/// Marks recursive models and the fields to box, and reports models without a finite record.
pub(super) fn mark(cx: &mut Context<'_>, models: &mut [Model], given: &[Entry]) {
    let endless = together(models, |field| field.required);
    for (index, (model, entry)) in models.iter().zip(given).enumerate() {
        let mut fields = model.fields.iter();
        let Some(field) = fields.find(|field| field.required && leads_back(&endless, index, field))
        else {
            continue;
        };
        let mut fields = entry.node.entries_of("field").iter();
        let span = fields
            .find(|entry| entry.key == field.wire)
            .map_or(&entry.key_span, |entry| &entry.key_span);
        let message = format!("the model `{}` contains itself through required fields", entry.key);
        let help = "make one of these fields `presence = \"optional\"`";
        cx.say(Diagnostic::new(&code::ENDLESS, span, message).help(help));
    }
    let cycles = together(models, |_| true);
    for (index, model) in models.iter_mut().enumerate() {
        for field in &mut model.fields {
            field.boxed = leads_back(&cycles, index, field);
        }
        model.recursive = model.fields.iter().any(|field| field.boxed);
    }
}

/// Returns a number for each model. Two models have the same number if each contains the other, at
/// any depth, through fields that count.
fn together(models: &[Model], counts: fn(&Field) -> bool) -> Vec<usize> {
    let contained = |model: &Model| -> Vec<usize> {
        model.fields.iter().filter(|field| counts(field)).filter_map(contained).collect()
    };
    components(&models.iter().map(contained).collect::<Vec<_>>())
}

/// Returns whether the type of a field contains the model that holds the field.
fn leads_back(together: &[usize], model: usize, field: &Field) -> bool {
    contained(field).is_some_and(|next| together.get(next) == together.get(model))
}

/// Returns the model that a field contains.
fn contained(field: &Field) -> Option<usize> {
    field.ty.model().map(ModelId::position)
}
