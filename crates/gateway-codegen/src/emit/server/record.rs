//! The records that the server imports, stores and writes: borrowed, and without serde.

use crate::emit::model::records::smallest_value;
use crate::ir::{Code, Codes, Field, Model, Primitive, Service, Type, ValueType};
use crate::text::{RustFile, json_string, raw_string, string};

pub(super) fn emit(service: &Service) -> RustFile {
    let mut file =
        RustFile::new("The records of the service, borrowed from the store or an import.");
    if service.models.iter().any(is_personal) {
        file.line("use std::fmt;");
        file.blank();
    }
    let mut fields = service.models.iter().flat_map(|model| &model.fields);
    let float = fields.any(|field| matches!(base(service, field), Base::Float)).then_some("Float");
    let names = ["Field", "Fields", "Kind", "Record"].into_iter().chain(float);
    file.import("use crate::fields", names);
    file.line("use crate::json;");
    for model in &service.models {
        file.blank();
        record(&mut file, service, model);
    }
    file
}

fn record(file: &mut RustFile, service: &Service, model: &Model) {
    let name = row(model);
    file.doc(&model.doc.0);
    let debug = if is_personal(model) { "" } else { "Debug, " };
    file.line(format_args!("#[derive(Clone, Copy, {debug}Default, PartialEq, Eq)]"));
    let lifetime = lifetime(service, model);
    file.open(format_args!("pub struct {name}{lifetime} {{"));
    for field in &model.fields {
        file.doc(&field.doc.0);
        file.line(format_args!("pub {}: {},", field.rust.snake(), field_type(service, field)));
    }
    file.close("}");
    file.blank();
    let parameter = if lifetime.is_empty() { "" } else { "<'a>" };
    file.open(format_args!("impl{parameter} {name}{lifetime} {{"));
    new(file, service, model);
    file.close("}");
    file.blank();
    file.open(format_args!("impl<'a> Record<'a> for {name}{lifetime} {{"));
    fields(file, service, model);
    file.blank();
    from_fields(file, service, model);
    file.blank();
    example(file, service, model);
    file.blank();
    write(file, service, model);
    file.close("}");
    if is_personal(model) {
        file.blank();
        redacted_debug(file, model, if lifetime.is_empty() { "" } else { "<'_>" });
    }
}

fn new(file: &mut RustFile, service: &Service, model: &Model) {
    let required: Vec<_> = model.fields.iter().filter(|field| field.required).collect();
    let all = required.len() == model.fields.len();
    let arguments: Vec<_> = required
        .iter()
        .map(|field| format!("{}: {}", field.rust.snake(), field_type(service, field)))
        .collect();
    let names: Vec<_> = required.iter().map(|field| format!("{}, ", field.rust.snake())).collect();
    file.doc("Creates a record from its required fields; the others are empty.");
    file.open(format_args!("pub fn new({}) -> Self {{", arguments.join(", ")));
    let rest = if all { "" } else { "..Self::default()" };
    file.line(format_args!("Self {{ {}{rest} }}", names.concat()));
    file.close("}");
}

fn fields(file: &mut RustFile, service: &Service, model: &Model) {
    file.open("const FIELDS: &'static [Field] = &[");
    for field in model.fields.iter().filter(|field| !field.recursive) {
        file.line(format_args!(
            "Field {{ name: {}, kind: {}, is_required: {} }},",
            string(&field.wire),
            kind(service, &field.ty),
            field.required
        ));
    }
    file.close("];");
}

/// Returns how an import reads a value of a type.
fn kind(service: &Service, ty: &Type) -> String {
    match ty {
        Type::Value(ty) => value_kind(ty),
        Type::Model(id) => format!("Kind::Object({}::FIELDS)", row(service.model(*id))),
        Type::List(of) => format!("Kind::List(&{})", kind(service, of)),
        Type::Map(of) => format!("Kind::Map(&{})", kind(service, of)),
    }
}

/// Returns how an import reads a value.
pub(super) fn value_kind(ty: &ValueType) -> String {
    if let Some(codes) = ty.codes() {
        let texts: Vec<_> = codes.all().map(|code| string(&code.text())).collect();
        return format!("Kind::Codes(&[{}])", texts.join(", "));
    }
    match ty {
        ValueType::BuiltIn(built_in) => format!("Kind::{}", built_in.form.import),
        ValueType::Scalar(scalar) => format!("Kind::{}", scalar.form.import),
        ValueType::Enum(one) if one.open_ended && one.primitive().is_integer() => {
            "Kind::Integer { min: i64::MIN }".to_owned()
        }
        ValueType::Enum(one) if one.primitive().is_integer() => {
            let texts: Vec<_> = one.values.iter().map(|value| string(&value.wire)).collect();
            format!("Kind::Codes(&[{}])", texts.join(", "))
        }
        ValueType::Enum(one) if one.open_ended => "Kind::Text".to_owned(),
        ValueType::Enum(one) => {
            let texts: Vec<_> = one.values.iter().map(|value| string(&value.wire)).collect();
            format!("Kind::Choice(&[{}])", texts.join(", "))
        }
    }
}

fn from_fields(file: &mut RustFile, service: &Service, model: &Model) {
    file.open("fn from_fields(fields: &'a Fields) -> Self {");
    file.open("Self {");
    for field in &model.fields {
        let wire = string(&field.wire);
        let is_option = is_option(service, field);
        let value = match base(service, field) {
            Base::Text if is_option => {
                format!("Some(fields.text({wire})).filter(|text| !text.is_empty())")
            }
            Base::Text => format!("fields.text({wire})"),
            Base::Integer => format!("fields.integer({wire})"),
            Base::Float => format!("fields.float({wire})"),
            Base::Coded(codes) => {
                let texts: Vec<_> = codes.yes.iter().map(|code| string(&code.text())).collect();
                format!("fields.coded({wire}, &[{}])", texts.join(", "))
            }
            Base::Boolean => format!("fields.boolean({wire})"),
            Base::Record(_) if field.recursive => "None".to_owned(),
            Base::Json(_) if field.recursive => {
                String::from(if is_option { "None" } else { "\"\"" })
            }
            Base::Json(_) if is_option => {
                format!("Some(fields.json({wire})).filter(|json| !json.is_empty())")
            }
            Base::Json(_) => format!("fields.json({wire})"),
            Base::Record(model) if is_option => {
                format!("fields.object({wire}).map({}::from_fields)", row(model))
            }
            Base::Record(model) => {
                format!(
                    "fields.object({wire}).map({}::from_fields).unwrap_or_default()",
                    row(model)
                )
            }
        };
        let is_number = matches!(base(service, field), Base::Integer | Base::Float | Base::Boolean);
        let value =
            if is_number && !is_option { format!("{value}.unwrap_or_default()") } else { value };
        file.line(format_args!("{}: {value},", field.rust.snake()));
    }
    file.close("}");
    file.close("}");
}

fn example(file: &mut RustFile, service: &Service, model: &Model) {
    file.open("fn example() -> Self {");
    file.open("Self {");
    for field in &model.fields {
        let text = example_text(field);
        let value = match base(service, field) {
            Base::Text => Some(string(text.unwrap_or_default())),
            // Sample data has a value in every field, so that clients see its type.
            Base::Integer => Some(text.unwrap_or("1").to_owned()),
            Base::Float => {
                let text = string(text.unwrap_or("52.25"));
                Some(format!("{text}.parse::<Float>().unwrap_or_default()"))
            }
            Base::Coded(codes) => {
                let value = text.and_then(|text| codes.value(text));
                Some(value.unwrap_or(true).to_string())
            }
            Base::Boolean => Some(text.unwrap_or("true").to_owned()),
            Base::Record(_) | Base::Json(_) if field.recursive => None,
            Base::Json(_) => Some(raw_string(&sample(service, &field.ty))),
            Base::Record(model) => Some(format!("{}::example()", row(model))),
        };
        let value = match value {
            Some(value) if is_option(service, field) => format!("Some({value})"),
            Some(value) => value,
            None if is_option(service, field) => "None".to_owned(),
            None => "\"\"".to_owned(),
        };
        file.line(format_args!("{}: {value},", field.rust.snake()));
    }
    file.close("}");
    file.close("}");
}

/// Returns the example of a field or of its type, as its wire text.
fn example_text(field: &Field) -> Option<&str> {
    let of_type = field.ty.value().and_then(ValueType::example);
    of_type.or(field.example.as_deref())
}

/// Returns the JSON text of a list or a map with one value.
fn sample(service: &Service, ty: &Type) -> String {
    smallest_value(service, ty).to_string()
}

fn write(file: &mut RustFile, service: &Service, model: &Model) {
    file.open("fn write(&self, out: &mut Vec<u8>) {");
    let mut before = "{";
    for field in &model.fields {
        let key = raw_string(&format!("{before}{}:", json_string(&field.wire)));
        file.line(format_args!("out.extend_from_slice({key}.as_bytes());"));
        let value = |value: &str| match base(service, field) {
            Base::Text => format!("json::text(out, {value})"),
            Base::Integer | Base::Float | Base::Boolean => {
                format!("out.extend_from_slice({value}.to_string().as_bytes())")
            }
            Base::Coded(codes) => {
                let [yes, no] = [true, false].map(|value| {
                    let json = codes.of(value).map(Code::json).unwrap_or_default();
                    raw_string(&json.to_string())
                });
                format!("out.extend_from_slice(if {value} {{ {yes} }} else {{ {no} }}.as_bytes())")
            }
            Base::Record(_) => format!("{value}.write(out)"),
            Base::Json(empty) => format!("json::raw(out, {value}, \"{empty}\")"),
        };
        let name = field.rust.snake();
        if is_option(service, field) {
            file.open(format_args!("match self.{name} {{"));
            file.line(format_args!("Some(value) => {},", value("value")));
            file.line("None => out.extend_from_slice(b\"null\"),");
            file.close("}");
        } else {
            file.line(format_args!("{};", value(&format!("self.{name}"))));
        }
        before = ",";
    }
    file.line("out.push(b'}');");
    file.close("}");
}

fn redacted_debug(file: &mut RustFile, model: &Model, elided: &str) {
    let name = row(model);
    file.doc("Shows only the identity, because other fields hold personal data.");
    file.open(format_args!("impl fmt::Debug for {name}{elided} {{"));
    file.open("fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {");
    let identity = model.identity_field().map_or_else(String::new, |field| {
        let field = field.rust.snake();
        format!(".field({}, &self.{field})", string(&field))
    });
    file.line(format_args!("f.debug_struct({}){identity}.finish_non_exhaustive()", string(&name)));
    file.close("}");
    file.close("}");
}

/// The type of a field that has a value.
enum Base<'s> {
    Text,
    Integer,
    Float,
    Boolean,
    /// A boolean that is written as codes.
    Coded(&'s Codes),
    /// Another record.
    Record(&'s Model),
    /// A list or an object with arbitrary keys, as its JSON text, with the text of an empty one.
    Json(&'static str),
}

fn base<'s>(service: &'s Service, field: &'s Field) -> Base<'s> {
    match &field.ty {
        Type::Value(value) => match value.in_record() {
            Primitive::Text => Base::Text,
            Primitive::Signed | Primitive::Unsigned => Base::Integer,
            Primitive::Float => Base::Float,
            Primitive::Boolean | Primitive::Coded => {
                value.codes().map_or(Base::Boolean, Base::Coded)
            }
        },
        Type::Model(id) => Base::Record(service.model(*id)),
        Type::List(_) => Base::Json("[]"),
        Type::Map(_) => Base::Json("{}"),
    }
}

fn field_type(service: &Service, field: &Field) -> String {
    let base = match base(service, field) {
        Base::Text | Base::Json(_) => "&'a str".to_owned(),
        Base::Integer => "i64".to_owned(),
        Base::Float => "Float".to_owned(),
        Base::Boolean | Base::Coded(_) => "bool".to_owned(),
        Base::Record(model) => {
            let reference = if field.recursive { "&'a " } else { "" };
            format!("{reference}{}{}", row(model), lifetime(service, model))
        }
    };
    if is_option(service, field) { format!("Option<{base}>") } else { base }
}

/// Returns whether a field without a value is `None`, and `null` on the wire. The others have an empty form: an empty
/// text, or a record of empty texts.
fn is_option(service: &Service, field: &Field) -> bool {
    field.is_boxed() || !field.required && !has_empty_form(service, field)
}

fn has_empty_form(service: &Service, field: &Field) -> bool {
    match &field.ty {
        Type::Value(value) => {
            value.in_record() == Primitive::Text && value.as_closed_enum().is_none()
        }
        Type::Model(id) => service
            .model(*id)
            .fields
            .iter()
            .all(|field| !field.required || has_empty_form(service, field)),
        Type::List(_) | Type::Map(_) => false,
    }
}

/// Returns the lifetime of a record that borrows text or another record, itself or in a nested record.
fn lifetime(service: &Service, model: &Model) -> &'static str {
    if borrows(service, model) { "<'a>" } else { "" }
}

fn borrows(service: &Service, model: &Model) -> bool {
    model.fields.iter().any(|field| match base(service, field) {
        Base::Text | Base::Json(_) => true,
        Base::Integer | Base::Float | Base::Boolean | Base::Coded(_) => false,
        Base::Record(inner) => field.recursive || borrows(service, inner),
    })
}

fn row(model: &Model) -> String {
    model.rust.followed_by("row").pascal()
}

fn is_personal(model: &Model) -> bool {
    model.fields.iter().any(|field| field.personal)
}
