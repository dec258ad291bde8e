//! Records: one file for each model, with its owned and its borrowed form.

use askama::Template;

use crate::config::{Project, Role};
use crate::emit::{GeneratedFile, filters};
use crate::ir::{Field, Leniency, Model, Primitive, Service, Type, ValueType};
use crate::text::{json_string, string};

#[derive(Template)]
#[template(path = "model/record.rs.jinja")]
struct Record<'a> {
    service: &'a Service,
    krate: String,
    model: &'a Model,
    name: String,
    required: Vec<&'a Field>,
    /// The record with only its required fields, as a call of the constructor, and as JSON.
    constructed: String,
    json: String,
}

#[derive(Template)]
#[template(
    ext = "rs",
    source = "//! The models of the service.
{% for model in models %}
mod {{ model.rust.module() }};
{%- endfor %}
{% for model in models %}
pub use self::{{ model.rust.module() }}::{ {{- model.rust.pascal() }}, {{ model.rust.followed_by(\"ref\").pascal() }}};
{%- endfor %}"
)]
struct Root<'a> {
    models: Vec<&'a Model>,
}

pub(super) fn emit(project: &Project<'_>) -> Vec<GeneratedFile> {
    let service = project.service;
    let folder = format!("{}/models", project.config.modules(Role::Model));
    let mut models: Vec<_> = service.models.iter().collect();
    models.sort_by_key(|model| model.rust.module());
    let files = models.iter().map(|model| {
        let template = Record {
            service,
            krate: project.config.rust_name(Role::Model),
            model,
            name: model.rust.pascal(),
            required: required(model).collect(),
            constructed: constructor(project, model),
            json: required_fields(service, model),
        };
        GeneratedFile::rust(format!("{folder}/{}.rs", model.rust.module()), &template)
    });
    let mut files: Vec<_> = files.collect();
    files.push(GeneratedFile::rust(format!("{folder}.rs"), &Root { models }));
    files
}

impl Record<'_> {
    /// Returns the words for a JSON object of the record in messages: `a photo object`.
    fn noun(&self) -> String {
        let words = self.model.rust.spaced();
        let article = if words.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
        format!("{article} {words} object")
    }

    /// Returns the type of a field in the owned form.
    fn owned(&self, field: &Field) -> String {
        boxed(field, field.ty.rust(self.service))
    }

    /// Returns the type of a field in the owned form, in the definition of the record.
    fn within_itself(&self, field: &Field) -> String {
        self.owned(field).replace(&format!("<{}>", self.name), "<Self>")
    }

    /// Returns the type of a field in the borrowed form.
    fn borrowed(&self, field: &Field) -> String {
        boxed(field, self.borrowed_of(&field.ty))
    }

    fn borrowed_of(&self, ty: &Type) -> String {
        match ty {
            Type::Value(ty) if is_text(ty) => "Cow<'a, str>".to_owned(),
            Type::Value(ty) => ty.rust(),
            Type::Model(id) if *id == self.model.id => "Self".to_owned(),
            Type::Model(id) => {
                format!("{}<'a>", self.service.model(*id).rust.followed_by("ref").pascal())
            }
            Type::List(of) => format!("Vec<{}>", self.borrowed_of(of)),
            Type::Map(of) => format!("Map<{}, Cow<'a, str>>", self.borrowed_of(of)),
        }
    }

    /// Returns the type that reads a field: the one of its value, or one that accepts other forms, too.
    fn reader(&self, field: &Field) -> String {
        match &field.ty {
            Type::List(of) if field.is(Leniency::OneAsList) => {
                format!("codegen::OneAsList<{}>", of.rust(self.service))
            }
            _ if field.is(Leniency::EmptyArrayAsMap) => {
                format!("codegen::EmptyArrayAsMap<{}>", self.owned(field))
            }
            _ => self.owned(field),
        }
    }

    /// Returns the type of the constructor's argument for a field.
    fn argument_type(&self, field: &Field) -> String {
        match &field.ty {
            Type::Value(ty) if converts(ty) => format!("impl Into<{}>", ty.rust()),
            ty => ty.rust(self.service),
        }
    }
}

fn boxed(field: &Field, ty: String) -> String {
    if field.is_boxed() { format!("Box<{ty}>") } else { ty }
}

/// Returns whether a value is borrowed as text.
fn is_text(ty: &ValueType) -> bool {
    ty.in_record() == Primitive::Text && ty.as_enum().is_none()
}

/// Returns whether the constructor takes all that converts into the type.
fn converts(ty: &ValueType) -> bool {
    ty.name().is_some() || ty.in_record() == Primitive::Text
}

/// Returns the expression in the constructor for a field.
fn initial(field: &Field) -> String {
    let name = field.rust.snake();
    match &field.ty {
        _ if field.is_option() => "None".to_owned(),
        Type::Map(_) if !field.required => "Map::new()".to_owned(),
        _ if !field.required => "Vec::new()".to_owned(),
        Type::Value(ty) if converts(ty) => format!("{name}.into()"),
        _ if field.is_boxed() => format!("Box::new({name})"),
        _ => name,
    }
}

/// Returns the word of the macro for the presence of a field.
fn presence(field: &Field) -> &'static str {
    match field {
        field if field.required => "required",
        field if field.is(Leniency::AbsentAsEmpty) => "absent",
        field if field.is(Leniency::BlankAsNone) => "blank",
        _ => "optional",
    }
}

/// Returns the constructor call that creates a record with only its required fields.
pub(crate) fn constructor(project: &Project<'_>, model: &Model) -> String {
    let arguments: Vec<_> = required(model).map(|field| argument(project, field)).collect();
    let krate = project.config.rust_name(Role::Model);
    format!("{krate}::{}::new({})", model.rust.pascal(), arguments.join(", "))
}

fn required(model: &Model) -> impl Iterator<Item = &Field> {
    model.fields.iter().filter(|field| field.required)
}

/// Returns the JSON text of the record with only its required fields.
fn required_fields(service: &Service, model: &Model) -> String {
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

/// Returns the JSON text of a value of a field: its example if it has one.
pub(in crate::emit) fn field_value(service: &Service, field: &Field) -> String {
    value(service, &field.ty, field.example.as_deref())
}

/// Returns the JSON text of a value of a type, with one value in each list and map that is not in a record.
fn value(service: &Service, ty: &Type, example: Option<&str>) -> String {
    match ty {
        Type::Value(ty) => ty.json(ty.sample(example)).unwrap_or_default().to_string(),
        Type::Model(id) => required_fields(service, service.model(*id)),
        Type::List(of) => format!("[{}]", value(service, of, None)),
        Type::Map(of) => format!("{{\"key\":{}}}", value(service, of, None)),
    }
}

fn argument(project: &Project<'_>, field: &Field) -> String {
    let ty = match &field.ty {
        Type::Value(ty) => ty,
        Type::Model(id) => return constructor(project, project.service.model(*id)),
        Type::List(_) | Type::Map(_) => return "[].into()".to_owned(),
    };
    let text = ty.sample(field.example.as_deref());
    match (ty, ty.in_record()) {
        (ValueType::Enum(one), _) => {
            let value = one.values.first().map_or_else(String::new, |value| value.rust.variant());
            format!("{}::{}::{value}", project.config.rust_name(Role::Model), one.rust.pascal())
        }
        (_, Primitive::Text) => string(text),
        (_, Primitive::Coded) => {
            let value = ty.codes().and_then(|codes| codes.value(text));
            value.unwrap_or_default().to_string()
        }
        (ValueType::BuiltIn(_), Primitive::Float) => {
            format!("serde_json::from_str({})?", string(text))
        }
        (ValueType::BuiltIn(_), _) => text.to_owned(),
        (ValueType::Scalar(_), primitive) => format!("{text}_{}", primitive.rust()),
    }
}
