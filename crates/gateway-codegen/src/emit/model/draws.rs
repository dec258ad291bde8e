//! Draws for `arbitrary`, which create a value of any type from bytes.

use crate::emit::model::random::{
    Value, fields, imports, in_list, list, path, presence, type_name, value, when,
};
use crate::emit::model::states::States;
use crate::ir::{BuiltIn, Field, Form, Model, Operation, Param, Service, Type, ValueType};
use crate::text::RustFile;

pub(super) fn emit(service: &Service) -> RustFile {
    let mut file = RustFile::new("`Arbitrary` for every type, for the feature `arbitrary`.");
    imports(&mut file, service, "draws", "self, draw");
    file.blank();
    for scalar in &service.scalars {
        let value = scalar.form.random.map_or_else(
            || format!("source.arbitrary::<{}>()?", scalar.form.primitive.rust()),
            |function| format!("draws::{function}(source)?"),
        );
        one(&mut file, &path(&scalar.rust), &format!("Self::from({value})"));
    }
    for item in &service.enums {
        let function = match (item.open_ended, item.primitive().is_integer()) {
            (true, true) => "open_code",
            (true, false) => "open",
            (false, _) => "closed",
        };
        let list = list(item);
        one(&mut file, &path(&item.rust), &format!("draws::{function}(source, {list})?"));
    }
    for item in &service.models {
        model(&mut file, service, item);
    }
    for operation in &service.operations {
        query(&mut file, operation);
    }
    file
}

fn one(file: &mut RustFile, name: &str, value: &str) {
    file.line(format_args!("draw!({name}, |source| {value});"));
}

fn model(file: &mut RustFile, service: &Service, model: &Model) {
    let name = path(&model.rust);
    file.blank();
    if !model.recursive {
        file.open(format_args!("draw!({name}, |source| {{"));
        nulls(file, model);
        record(file, service, model, "Self {", "}");
        file.close("});");
        return;
    }
    one(file, &name, "Self::draw(source, gateway_model_core::codegen::DEPTH)?");
    file.blank();
    file.open(format_args!("impl {name} {{"));
    file.doc(
        "Creates a record in which records of the same type are nested up to `depth` levels deep.",
    );
    file.open("fn draw(source: &mut draws::Unstructured<'_>, depth: u32) -> draws::Result<Self> {");
    nulls(file, model);
    record(file, service, model, "Ok(Self {", "})");
    file.close("}");
    file.close("}");
}

fn nulls(file: &mut RustFile, model: &Model) {
    let mutable = if model.fields.iter().any(Field::is_option) { "mut " } else { "" };
    file.line(format_args!("let {mutable}nulls = Nulls::default();"));
}

fn record(file: &mut RustFile, service: &Service, model: &Model, open: &str, close: &str) {
    file.open(open);
    for (index, field) in model.fields.iter().enumerate() {
        file.line(format_args!(
            "{}: {},",
            field.rust.snake(),
            field_value(service, model, field, index)
        ));
    }
    file.line("extra: draws::unlisted::<Self>(source)?,");
    file.line("nulls,");
    file.close(close);
}

fn field_value(service: &Service, model: &Model, field: &Field, index: usize) -> String {
    let noted = format!("?.note({index}, &mut nulls)");
    let name = type_name(service, model, &field.ty).unwrap_or_default();
    let function = match (&field.ty, field.recursive) {
        (Type::Model(_), true) if field.required => {
            return format!(
                "alloc::boxed::Box::new({name}::draw(source, depth.saturating_sub(1))?)"
            );
        }
        (Type::Model(_), true) => {
            return format!("draws::nested(source, depth, {name}::draw){noted}");
        }
        (Type::List(_) | Type::Map(_), true) => {
            let value = called(&function(service, model, &field.ty, true));
            format!("|source| draws::below(source, depth, |source, depth| {value})")
        }
        (ty, _) => function(service, model, ty, false),
    };
    if field.is_option() {
        format!("draws::{}(source, {function}){noted}", presence(field))
    } else {
        format!("{}?", called(&function))
    }
}

/// Returns the function that draws a value of a type.
fn function(service: &Service, model: &Model, ty: &Type, is_recursive: bool) -> String {
    match ty {
        Type::Value(ValueType::BuiltIn(BuiltIn {
            form: Form { random: Some(function), .. },
            ..
        })) => {
            format!("draws::{function}")
        }
        Type::Model(_) if is_recursive => {
            let name = type_name(service, model, ty).unwrap_or_default();
            format!("|source| {name}::draw(source, depth)")
        }
        Type::Value(_) | Type::Model(_) => "draws::Unstructured::arbitrary".to_owned(),
        Type::List(of) => {
            format!("|source| draws::list(source, {})", function(service, model, of, is_recursive))
        }
        Type::Map(of) => {
            format!("|source| draws::map(source, {})", function(service, model, of, is_recursive))
        }
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

fn query(file: &mut RustFile, operation: &Operation) {
    let states = States::of(operation);
    let name = path(&operation.rust);
    file.blank();
    if operation.params.is_empty() {
        let query = if operation.is_continued() { "Self::default()" } else { "Self" };
        file.line(format_args!("draw!({name}, |_source| {query});"));
        return;
    }
    let fields = fields(operation, |index, param| parameter(&states, param, index));
    let fields = fields.join(", ");
    if states.marker().is_none() {
        file.line(format_args!("draw!({name}, |source| Self {{ {fields} }});"));
        return;
    }
    let (bounded, arguments) = (states.bounded(), states.names());
    let bounded = bounded.replacen('<', "<'a, ", 1);
    file.open(format_args!("impl{bounded} draws::Arbitrary<'a> for {name}{arguments} {{"));
    file.open("fn arbitrary(source: &mut draws::Unstructured<'a>) -> draws::Result<Self> {");
    file.line(format_args!("Ok(Self {{ {fields} }})"));
    file.close("}");
    file.close("}");
}

/// Returns the field of a parameter with its value.
fn parameter(states: &States, param: &Param, index: usize) -> String {
    let (name, value) = (param.rust.snake(), value(param));
    let list = in_list(param).map(|list| format!(".map({list})")).unwrap_or_default();
    if param.required {
        return format!("{name}: {}{list}?", drawn(param, &value));
    }
    let draw = match &value {
        _ if param.list.is_some() => format!("|source| {}{list}", drawn(param, &value)),
        Value::Sendable(name) => format!("draws::sendable::<{name}>"),
        Value::Any(name) => format!("draws::Unstructured::arbitrary::<{name}>"),
        Value::Text(_) | Value::Number { .. } => format!("|source| {}", drawn(param, &value)),
    };
    let when = when(states, param, index);
    format!("{name}: draws::{}(source, {}, {draw})?", when.function, when.condition)
}

/// Returns the expression that draws a value, which is a `Result`.
fn drawn(param: &Param, value: &Value) -> String {
    let mapped =
        |name: Option<String>| name.map_or_else(String::new, |name| format!(".map({name}::from)"));
    match value {
        Value::Text(length) => {
            let into = param.ty.name().map(path);
            format!("draws::text_of(source, {length}){}", mapped(into))
        }
        Value::Number { range, into } => {
            format!("source.int_in_range({range}){}", mapped(into.clone()))
        }
        Value::Sendable(name) => format!("draws::sendable::<{name}>(source)"),
        Value::Any(name) => format!("source.arbitrary::<{name}>()"),
    }
}
