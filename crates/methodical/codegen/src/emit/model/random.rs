//! Random records, enums and scalars: draws, which create a value from bytes.

use crate::ir::{Enum, Field, Leniency, Model, Primitive, Service, Type, ValueType};

/// Returns the function for the values of an enum, with their list.
pub(super) fn listed(one: &Enum) -> &'static str {
    match (one.open_ended, one.is_coded()) {
        (true, true) => "draws::open_code(source, Self::KNOWN)",
        (true, false) => "draws::open(source, Self::KNOWN)",
        (false, _) => "draws::closed(source, Self::ALL)",
    }
}

/// Returns a type that is declared in the spec; the model itself is `Self`.
fn type_name(service: &Service, model: &Model, ty: &Type) -> String {
    match ty.name(service) {
        Some(name) if *name == model.rust => "Self".to_owned(),
        Some(name) => format!("crate::{}", name.pascal()),
        None => String::new(),
    }
}

/// Returns the value that is drawn for a field.
pub(super) fn drawn_field(service: &Service, model: &Model, field: &Field) -> String {
    let name = type_name(service, model, &field.ty);
    let function = match (&field.ty, field.recursive) {
        (Type::Model(_), true) if field.required => {
            return format!(
                "alloc::boxed::Box::new({name}::draw(source, depth.saturating_sub(1))?)"
            );
        }
        (Type::Model(_), true) => {
            return format!("draws::nested(source, depth, {name}::draw)?");
        }
        (Type::List(_) | Type::Map(_), true) => {
            let value = called(&draw(service, model, &field.ty, true));
            format!("|source| draws::below(source, depth, |source, depth| {value})")
        }
        (ty, _) => draw(service, model, ty, false),
    };
    if !field.is_option() {
        return format!("{}?", called(&function));
    }
    // A text with `blank-as-none` is never empty.
    let is_text = field.ty.value().is_some_and(|value| value.in_record() == Primitive::Text);
    let is_filled = is_text && field.is(Leniency::BlankAsNone);
    format!("draws::{}(source, {function})?", if is_filled { "filled" } else { "optional" })
}

/// Returns the function that draws a value of a type.
fn draw(service: &Service, model: &Model, ty: &Type, is_recursive: bool) -> String {
    let of = |of| draw(service, model, of, is_recursive);
    match ty {
        Type::Value(ValueType::BuiltIn(one)) => one.kind().random().map_or_else(
            || "draws::Unstructured::arbitrary".to_owned(),
            |function| format!("draws::{function}"),
        ),
        Type::Model(_) if is_recursive => {
            format!("|source| {}::draw(source, depth)", type_name(service, model, ty))
        }
        Type::Value(_) | Type::Model(_) => "draws::Unstructured::arbitrary".to_owned(),
        Type::List(inner) => format!("|source| draws::list(source, {})", of(inner)),
        Type::Map(inner) => format!("|source| draws::map(source, {})", of(inner)),
    }
}

/// Returns the call of a function with `source`.
fn called(function: &str) -> String {
    match function.strip_prefix("|source| ") {
        Some(body) => body.to_owned(),
        None if function == "draws::Unstructured::arbitrary" => "source.arbitrary()".to_owned(),
        None => format!("{function}(source)"),
    }
}
