//! Finds models that contain themselves: fields to box, and models that are infinite.

use crate::diag::{Diagnostic, code};
use crate::ir::{Field, Model, ModelId};
use crate::spec::context::Context;
use crate::spec::node::Entry;
use crate::spec::types::components::components;

/// Marks recursive models and the fields to box, and reports models without a finite record.
pub(super) fn mark(cx: &mut Context<'_>, models: &mut [Model], given: &[Entry]) {
    let endless = together(models, always_model);
    for (index, (model, entry)) in models.iter().zip(given).enumerate() {
        let mut fields = model.fields.iter();
        let Some(field) = fields.find(|field| leads_back(&endless, index, field, always_model))
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
    let cycles = together(models, any_model);
    for (index, model) in models.iter_mut().enumerate() {
        for field in &mut model.fields {
            field.recursive = leads_back(&cycles, index, field, any_model);
        }
        model.recursive = model.fields.iter().any(|field| field.recursive);
    }
}

/// Returns a number for each model. Two models have the same number if each contains the other, at
/// any depth.
fn together(models: &[Model], contained: Contained) -> Vec<usize> {
    let contained = |model: &Model| model.fields.iter().filter_map(contained).collect();
    components(&models.iter().map(contained).collect::<Vec<_>>())
}

/// Returns whether the type of a field contains the model that holds the field.
fn leads_back(together: &[usize], model: usize, field: &Field, contained: Contained) -> bool {
    contained(field).is_some_and(|next| together.get(next) == together.get(model))
}

/// Returns the position of the model that a field contains, if it counts.
type Contained = fn(&Field) -> Option<usize>;

/// The model of which every record contains one. A list or a map may be empty.
fn always_model(field: &Field) -> Option<usize> {
    field.ty.model().filter(|_| field.required).map(ModelId::position)
}

/// The model of which a record may contain one, also in a list or a map.
fn any_model(field: &Field) -> Option<usize> {
    field.ty.element().model().map(ModelId::position)
}
