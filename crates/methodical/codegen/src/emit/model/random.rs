//! Random values of every type: draws, which create a value from bytes.

use askama::Template;

use crate::emit::GeneratedFile;
use crate::emit::model::queries;
use crate::emit::model::states::States;
use crate::ir::{
    BuiltIn, Enum, Field, Form, Leniency, ListStyle, Model, Param, Primitive, Service, Type,
    ValueType,
};

#[derive(Template)]
#[template(path = "model/draws.rs.jinja")]
struct Draws<'a> {
    service: &'a Service,
}

pub(super) fn emit(service: &Service, folder: &str) -> GeneratedFile {
    GeneratedFile::rust(format!("{folder}/draws.rs"), &Draws { service })
}

/// Returns the function for the values of an enum, with their list.
fn listed(one: &Enum) -> &'static str {
    match (one.open_ended, one.primitive().is_integer()) {
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
fn drawn_field(service: &Service, model: &Model, field: &Field) -> String {
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
        Type::Value(ValueType::BuiltIn(BuiltIn {
            form: Form { random: Some(function), .. },
            ..
        })) => {
            format!("draws::{function}")
        }
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

/// Returns the condition under which the type of a query allows an optional parameter; a parameter without a type state is
/// set at random.
fn condition(states: &States, param: &Param, index: usize) -> String {
    let needed = param.needs.iter().filter_map(|index| states.is_set(*index));
    let own = states.is_set(index).unwrap_or_else(|| "source.arbitrary()?".to_owned());
    needed.chain([own]).collect::<Vec<_>>().join(" && ")
}

/// Returns the expression that draws a parameter within the limits of the spec.
fn drawn_param(param: &Param) -> String {
    let one = drawn_value(param);
    let list = param.list.map_or("", |_| ".map(|one| alloc::vec![one])");
    format!("{one}{list}?")
}

fn drawn_value(param: &Param) -> String {
    let (in_record, in_query) = (param.ty.in_record(), param.ty.in_query());
    let (name, convert) = match param.ty.name() {
        Some(name) => {
            let name = format!("crate::{}", name.pascal());
            (name.clone(), format!(".map({name}::from)"))
        }
        None if in_record == Primitive::Float => ("methodical_model::Float".into(), String::new()),
        None => (in_record.rust().to_owned(), String::new()),
    };
    let end = |limit: Option<i64>, other: &str| {
        limit.map_or_else(|| other.to_owned(), |one| one.to_string())
    };
    match (in_record, in_query) {
        _ if param.ty.as_closed_enum().is_some() => format!("source.arbitrary::<{name}>()"),
        (Primitive::Signed, _) | (_, Primitive::Signed) => {
            // One typed bound is enough.
            let suffix = if param.min.is_some() && param.max.is_some() { "_i64" } else { "" };
            let (min, max) = (end(param.min, "i64::MIN"), end(param.max, "i64::MAX"));
            format!("source.int_in_range({min}..={max}{suffix}){convert}")
        }
        (Primitive::Unsigned, _) | (_, Primitive::Unsigned) => {
            let most = |max: i64| format!("{}_u64", max.max(0));
            let max = param.max.map_or_else(|| "u64::MAX".to_owned(), most);
            let min = param.min.unwrap_or_default().max(0);
            format!("source.int_in_range({min}..={max}){convert}")
        }
        (Primitive::Text, Primitive::Text) => {
            let length = format!("1..={}", end(param.max_chars.map(i64::from), "usize::MAX"));
            match param.list.and_then(ListStyle::separator) {
                None => format!("draws::sendable::<{name}>(source, {length})"),
                Some(separator) => {
                    format!("draws::item::<{name}>(source, {length}, '{separator}')")
                }
            }
        }
        _ => format!("source.arbitrary::<{name}>()"),
    }
}
