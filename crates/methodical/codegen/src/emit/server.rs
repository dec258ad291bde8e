//! Code of the server: the operations, their parameters, the trait of their storage, and the records it writes.

use askama::Template;

use crate::config::{Project, Role};
use crate::emit::model::records::field_value;
use crate::emit::{GeneratedFile, filters};
use crate::ir::{
    Code, Field, Layout, Model, Operation, Otherwise, Param, Primitive, Service, Type, ValueType,
};
use crate::text::{json_string, raw_string, string, strings};

/// The files. Adding an operation to the spec adds a method to the trait of its storage, so the server does not compile until
/// its storage is written.
#[derive(Template)]
enum File<'a> {
    #[template(path = "server/root.rs.jinja")]
    Root { purpose: String },
    #[template(path = "server/call.rs.jinja")]
    Calls { service: &'a Service },
    #[template(path = "server/operation.rs.jinja")]
    Operations { service: &'a Service },
    #[template(path = "server/parameters.rs.jinja")]
    Parameters { service: &'a Service },
}

/// An attribute, which a parameter of a list recovers.
struct Attribute<'a> {
    operation: &'a Operation,
    param: &'a Param,
    name: &'a str,
    model: &'a Model,
    /// The parameters that select its records, the identity of a record, and the value, each with its kind.
    fields: Vec<(String, String)>,
}

pub(super) fn emit(project: &Project<'_>) -> Vec<GeneratedFile> {
    let service = project.service;
    let folder = project.config.modules(Role::Server);
    let file = |name: &str| format!("{folder}/{name}.rs");
    vec![
        GeneratedFile::rust(format!("{folder}.rs"), &File::Root { purpose: project.purpose() }),
        GeneratedFile::rust(file("call"), &File::Calls { service }),
        GeneratedFile::rust(file("operation"), &File::Operations { service }),
        GeneratedFile::rust(file("parameters"), &File::Parameters { service }),
        GeneratedFile::rust(file("record"), &Records { service }),
    ]
}

fn has_no_params(service: &Service) -> bool {
    service.operations.iter().all(|one| one.params.is_empty())
}

/// Returns the attributes that filters recover. No record contains them, so the server imports them on their own.
fn attributes(service: &Service) -> Vec<Attribute<'_>> {
    let operations = service.operations.iter();
    let params = operations.flat_map(|one| one.params.iter().map(move |param| (one, param)));
    params.filter_map(|(one, param)| attribute(service, one, param)).collect()
}

/// Returns the attribute that a parameter recovers, unless it is a part of another one. A photo has a rating in an
/// album: this names the album too.
fn attribute<'a>(
    service: &'a Service,
    operation: &'a Operation,
    param: &'a Param,
) -> Option<Attribute<'a>> {
    let name = param.recovers.as_deref()?;
    let is_part = |other: &Param| {
        other.recovers.is_some() && operation.needed_by(other).any(|needed| needed == param)
    };
    let model = service.response_model(operation)?;
    let identity = model.identity_field()?;
    let name_of_identity = format!("{}_{}", model.rust.snake(), identity.wire);
    let identity = (name_of_identity, value_kind(identity.ty.value()?));
    let of = |param: &Param| (param.wire.clone(), value_kind(&param.ty));
    let fields = operation.needed_by(param).map(of).chain([identity, of(param)]).collect();
    let is_whole = !operation.params.iter().any(is_part);
    is_whole.then_some(Attribute { operation, param, name, model, fields })
}

fn ty(param: &Param) -> String {
    let ty = match param.ty.in_query() {
        Primitive::Text | Primitive::Boolean | Primitive::Coded => "String",
        Primitive::Signed if param.ty.as_closed_enum().is_some() => "String",
        Primitive::Signed => "i64",
        Primitive::Unsigned => "u64",
        Primitive::Float => "parameter::Float",
    };
    if param.required { ty.to_owned() } else { format!("Option<{ty}>") }
}

/// Returns the call that reads a parameter within the limits of the spec.
fn reader(param: &Param) -> String {
    let wire = string(&param.wire);
    if let Some(texts) = listed(param) {
        return format!("parameter::listed(pairs, {wire}, &[{texts}])");
    }
    match param.ty.in_query() {
        Primitive::Signed => {
            let end = |limit: Option<i64>, end: &str| {
                limit.map_or_else(|| format!("i64::{end}"), |limit| limit.to_string())
            };
            let (min, max) = (end(param.min, "MIN"), end(param.max, "MAX"));
            format!("parameter::between(pairs, {wire}, {min}..={max})")
        }
        Primitive::Unsigned => format!("parameter::integer(pairs, {wire})"),
        Primitive::Float => format!("parameter::float(pairs, {wire})"),
        Primitive::Text | Primitive::Boolean | Primitive::Coded => {
            let most = param.max_chars.map(|_| format!("Some(Self::{})", max_chars(param)));
            let most = most.unwrap_or_else(|| "None".to_owned());
            format!("parameter::text(pairs, {wire}, {most})")
        }
    }
}

/// Returns the name of the constant with the maximum length of a parameter.
fn max_chars(param: &Param) -> String {
    param.rust.followed_by("max_chars").screaming_snake()
}

/// Returns the only texts that the parameter may have, as literals, if the spec lists them.
fn listed(param: &Param) -> Option<String> {
    if param.ty.in_query() == Primitive::Boolean {
        return Some(strings(["true", "false"]));
    }
    if let Some(codes) = param.ty.codes() {
        return Some(strings(codes.all().map(Code::text)));
    }
    let closed = param.ty.as_closed_enum()?;
    Some(strings(closed.values.iter().map(|value| &value.wire)))
}

/// Returns the parameters that have this effect without an optional one that they need, each with
/// the one it needs.
fn dependent(operation: &Operation, otherwise: Otherwise) -> Vec<(&Param, &Param)> {
    let params = operation.params.iter().filter(|param| param.otherwise == otherwise);
    let pairs =
        params.flat_map(|param| operation.needed_by(param).map(move |needed| (param, needed)));
    pairs.filter(|(_, needed)| !needed.required).collect()
}

/// The records that the server imports, stores and writes: borrowed, and without serde.
#[derive(Template)]
#[template(path = "server/record.rs.jinja")]
struct Records<'a> {
    service: &'a Service,
}

/// Returns how an import reads a value.
fn value_kind(ty: &ValueType) -> String {
    if let Some(codes) = ty.codes() {
        return format!("Kind::Codes(&[{}])", strings(codes.all().map(Code::text)));
    }
    let one = match ty {
        ValueType::Enum(one) => one,
        ty => return format!("Kind::{}", ty.kind().import()),
    };
    let texts = strings(one.values.iter().map(|value| &value.wire));
    match (one.open_ended, one.is_coded()) {
        (true, true) => "Kind::Integer { min: i64::MIN }".to_owned(),
        (true, false) => "Kind::Text".to_owned(),
        (false, true) => format!("Kind::Codes(&[{texts}])"),
        (false, false) => format!("Kind::Choice(&[{texts}])"),
    }
}

/// Returns the name of the type of a record.
fn row(model: &Model) -> String {
    model.rust.followed_by("row").pascal()
}

fn has_optional(model: &Model) -> bool {
    model.fields.iter().any(|field| !field.required)
}

fn is_personal(model: &Model) -> bool {
    model.fields.iter().any(|field| field.personal)
}

/// How a record has the value of a field.
enum Base<'s> {
    /// The text itself.
    Text,
    /// Its JSON text; the first text is what a response sends without a value, and the second one reads it.
    Json(&'static str, String),
    /// A nested record.
    Record(&'s Model),
}

impl Records<'_> {
    fn base(&self, field: &Field) -> Base<'_> {
        let wire = string(&field.wire);
        // An import reads no record that contains itself.
        let json = if field.recursive { "\"\"".to_owned() } else { format!("fields.json({wire})") };
        match &field.ty {
            Type::Value(value) => match listed_json(value) {
                Some(texts) => Base::Json("null", format!("fields.listed({wire}, &[{texts}])")),
                None if value.in_record() == Primitive::Text => Base::Text,
                None => Base::Json("null", json),
            },
            Type::Model(_) if field.recursive => Base::Json("null", json),
            Type::Model(id) => Base::Record(self.service.model(*id)),
            Type::List(_) => Base::Json("[]", json),
            Type::Map(_) => Base::Json("{}", json),
        }
    }

    /// Returns how an import reads a value of a type.
    fn kind(&self, ty: &Type) -> String {
        match ty {
            Type::Value(ty) => value_kind(ty),
            Type::Model(id) => format!("Kind::Object({}::FIELDS)", row(self.service.model(*id))),
            Type::List(of) => format!("Kind::List(&{})", self.kind(of)),
            Type::Map(of) => format!("Kind::Map(&{})", self.kind(of)),
        }
    }

    fn field_type(&self, field: &Field) -> String {
        match self.base(field) {
            Base::Record(model) if self.is_option(field) => format!("Option<{}<'a>>", row(model)),
            Base::Record(model) => format!("{}<'a>", row(model)),
            Base::Text | Base::Json(..) => "&'a str".to_owned(),
        }
    }

    /// Returns the expression that reads a field of an import.
    fn read(&self, field: &Field) -> String {
        match self.base(field) {
            Base::Text => format!("fields.text({})", string(&field.wire)),
            Base::Json(_, read) => read,
            Base::Record(model) => {
                let or_default = if self.is_option(field) { "" } else { ".unwrap_or_default()" };
                let (wire, row) = (string(&field.wire), row(model));
                format!("fields.object({wire}).map({row}::from_fields){or_default}")
            }
        }
    }

    /// Returns the expression for the example of a field. Sample data has a value in every field, so that clients see its
    /// type.
    fn example(&self, field: &Field) -> String {
        match self.base(field) {
            Base::Json(..) if field.recursive => "\"\"".to_owned(),
            Base::Json(..) => raw_string(&field_value(self.service, field)),
            Base::Text => {
                let text = field.ty.value().and_then(ValueType::example);
                string(text.or(field.example.as_deref()).unwrap_or_default())
            }
            Base::Record(model) if self.is_option(field) => {
                format!("Some({}::example())", row(model))
            }
            Base::Record(model) => format!("{}::example()", row(model)),
        }
    }

    /// Returns the expression that writes a value of a field.
    fn written(&self, field: &Field, value: &str) -> String {
        match self.base(field) {
            Base::Text => format!("json::text(out, {value})"),
            Base::Json(empty, _) => format!("json::raw(out, {value}, \"{empty}\")"),
            Base::Record(_) => format!("{value}.write(out)"),
        }
    }

    /// Returns whether a field without a value is `None`: a record without an empty form. Others are an empty text, or a
    /// record of empty texts.
    fn is_option(&self, field: &Field) -> bool {
        matches!(self.base(field), Base::Record(_))
            && !field.required
            && !self.has_empty_form(field)
    }

    fn has_empty_form(&self, field: &Field) -> bool {
        match self.base(field) {
            Base::Text => true,
            Base::Json(..) => false,
            Base::Record(model) => {
                model.fields.iter().all(|field| !field.required || self.has_empty_form(field))
            }
        }
    }
}

/// Returns the only texts of a value, each with the JSON text that a response sends for it, if the spec lists them.
fn listed_json(value: &ValueType) -> Option<String> {
    let pair = |text: &str, json: &str| format!("({}, {})", string(text), raw_string(json));
    let pairs: Vec<_> = if let Some(codes) = value.codes() {
        let sent = |code: &Code| {
            let [yes, no] = codes.written();
            let value = if codes.yes.contains(code) { yes } else { no }?;
            Some(pair(&code.text(), &value.json().to_string()))
        };
        codes.all().filter_map(sent).collect()
    } else {
        let one = value.as_closed_enum()?;
        let json = |wire: &str| value.in_record().json(wire).unwrap_or_default().to_string();
        one.values.iter().map(|value| pair(&value.wire, &json(&value.wire))).collect()
    };
    Some(pairs.join(", "))
}

/// Returns the JSON text before the value of a field.
fn key(before: char, field: &Field) -> String {
    format!("{before}{}:", json_string(&field.wire))
}
