//! The types: scalars, enums, and records in their owned and borrowed forms.

use crate::config::{Role, Workspace};
use crate::ir::{Field, Leniency, Model, Primitive, Service, Type, ValueType, Wire};
use crate::text::{json_string, string, strings};

/// Returns the macro arguments for a scalar's kind, which its meaning or its primitive determines.
pub(super) fn kind(scalar: &ValueType) -> String {
    if let Some(codes) = &scalar.codes {
        let [yes, no] = [&codes.yes, &codes.no]
            .map(|list| strings(list.iter().map(|code| code.json().to_string())));
        return format!("boolean, [{yes}], [{no}]");
    }
    let kind = if scalar.digits { "digits" } else { scalar.names().scalar };
    let either = if scalar.wire == Wire::TextOrNumber { ", or_number" } else { "" };
    format!("{kind}{either}")
}

/// Returns the words for a record's JSON object in messages, such as `a photo object`.
pub(super) fn noun(model: &Model) -> String {
    let words = model.rust.spaced();
    let article = if words.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {words} object")
}

/// Returns a field's type in the definition of the owned or the borrowed record.
pub(super) fn declared(service: &Service, field: &Field, is_owned: bool) -> String {
    let ty = if is_owned { field.ty.rust(service) } else { borrowed(service, &field.ty) };
    if field.is_option() { format!("Option<{ty}>") } else { ty }
}

fn borrowed(service: &Service, ty: &Type) -> String {
    let of = |of| borrowed(service, of);
    match ty {
        Type::Value(ty) if ty.is_any_text() => "Cow<'a, str>".to_owned(),
        Type::Value(ty) => ty.rust(),
        Type::Model(id) => format!("{}<'a>", service.model(*id).rust.followed_by("ref").pascal()),
        Type::List(inner) => format!("Vec<{}>", of(inner)),
        Type::Map(inner) => format!("BTreeMap<Cow<'a, str>, {}>", of(inner)),
    }
}

/// Returns the type that reads a field: the type of its value, or a wrapper that also accepts other forms.
pub(super) fn reader(service: &Service, field: &Field) -> String {
    match &field.ty {
        Type::List(of) if field.is(Leniency::OneAsList) => {
            format!("codegen::OneAsList<{}>", of.rust(service))
        }
        _ if field.is(Leniency::EmptyArrayAsMap) => {
            format!("codegen::EmptyArrayAsMap<{}>", field.ty.rust(service))
        }
        ty => ty.rust(service),
    }
}

/// Returns the type of the constructor's argument for a field.
pub(super) fn argument_type(service: &Service, field: &Field) -> String {
    match &field.ty {
        Type::Value(ty) if converts(ty) => format!("impl Into<{}>", ty.rust()),
        ty => ty.rust(service),
    }
}

/// Returns the description of the constructor.
pub(super) fn constructor_doc(model: &Model) -> &'static str {
    let required = required(model).count();
    match required {
        _ if required == model.fields.len() => "Creates a record from its fields.",
        0 if model.fields.iter().all(Field::is_option) => {
            "Creates a record whose fields are all `None`."
        }
        0 => "Creates a record whose fields are all `None` or empty.",
        _ => "Creates a record from its required fields; the others are `None`.",
    }
}

/// Returns whether the constructor takes `impl Into` of the type.
fn converts(ty: &ValueType) -> bool {
    ty.name().is_some() || ty.in_record == Primitive::Text
}

/// Returns the expression with which the constructor initializes a field.
pub(super) fn initial(field: &Field) -> String {
    let name = field.rust.snake();
    match &field.ty {
        _ if field.is_option() => "None".to_owned(),
        Type::Map(_) if !field.required => "BTreeMap::new()".to_owned(),
        _ if !field.required => "Vec::new()".to_owned(),
        Type::Value(ty) if converts(ty) => format!("{name}.into()"),
        _ => name,
    }
}

/// Returns the constructor call that creates a record with only its required fields.
pub(super) fn constructor(workspace: &Workspace, model: &Model) -> String {
    let arguments: Vec<_> = required(model).map(|field| argument(workspace, field)).collect();
    let krate = workspace.config.rust_name(Role::Model);
    format!("{krate}::{}::new({})", model.rust.pascal(), arguments.join(", "))
}

/// Returns the fields that the constructor takes.
pub(super) fn required(model: &Model) -> impl Iterator<Item = &Field> {
    model.fields.iter().filter(|field| field.required)
}

/// Returns the JSON text of the record with only its required fields.
pub(super) fn required_fields(service: &Service, model: &Model) -> String {
    let member = |field: &Field| {
        let value = match &field.ty {
            Type::List(_) => "[]".to_owned(),
            Type::Map(_) => "{}".to_owned(),
            Type::Value(_) | Type::Model(_) => field_value(service, field),
        };
        format!("{}:{value}", json_string(&field.wire))
    };
    format!("{{{}}}", required(model).map(member).collect::<Vec<_>>().join(","))
}

/// Returns the JSON text of a sample value for a field: the field's own example, if any.
pub(in crate::emit) fn field_value(service: &Service, field: &Field) -> String {
    value(service, &field.ty, field.example.as_deref())
}

/// Returns the JSON text of a sample value for a type. Lists and maps outside of records have one item.
fn value(service: &Service, ty: &Type, example: Option<&str>) -> String {
    match ty {
        Type::Value(ty) => ty.json(ty.sample(example)).unwrap_or_default().to_string(),
        Type::Model(id) => required_fields(service, service.model(*id)),
        Type::List(of) => format!("[{}]", value(service, of, None)),
        Type::Map(of) => format!("{{\"key\":{}}}", value(service, of, None)),
    }
}

fn argument(workspace: &Workspace, field: &Field) -> String {
    let ty = match &field.ty {
        Type::Value(ty) => ty,
        Type::Model(id) => return constructor(workspace, workspace.service.model(*id)),
        Type::List(_) | Type::Map(_) => return "[].into()".to_owned(),
    };
    let text = ty.sample(field.example.as_deref());
    if let Some(value) = ty.values.first() {
        let krate = workspace.config.rust_name(Role::Model);
        return format!("{krate}::{}::{}", ty.rust.pascal(), value.rust.variant());
    }
    match ty.in_record {
        Primitive::Text => string(text),
        Primitive::Coded => {
            let value = ty.codes.as_ref().and_then(|codes| codes.value(text));
            value.unwrap_or_default().to_string()
        }
        _ if ty.built_in.is_some() => text.to_owned(),
        primitive => format!("{text}_{}", primitive.rust()),
    }
}
