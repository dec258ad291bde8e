//! The records that the server imports, stores and writes: borrowed, and without serde.

use askama::Template;

use crate::emit::filters;
use crate::emit::model::records::smallest_value;
use crate::ir::{Code, Codes, Field, Model, Primitive, Service, Type, ValueType};
use crate::text::{json_string, raw_string, string, strings};

#[derive(Template)]
#[template(path = "server/record.rs.jinja")]
pub(super) struct Records<'a> {
    service: &'a Service,
}

pub(super) fn template(service: &Service) -> Records<'_> {
    Records { service }
}

/// Returns how an import reads a value.
pub(super) fn value_kind(ty: &ValueType) -> String {
    if let Some(codes) = ty.codes() {
        return format!("Kind::Codes(&[{}])", strings(codes.all().map(Code::text)));
    }
    let one = match ty {
        ValueType::BuiltIn(built_in) => return format!("Kind::{}", built_in.form.import),
        ValueType::Scalar(scalar) => return format!("Kind::{}", scalar.form.import),
        ValueType::Enum(one) => one,
    };
    let texts = strings(one.values.iter().map(|value| &value.wire));
    match (one.open_ended, one.primitive().is_integer()) {
        (true, true) => "Kind::Integer { min: i64::MIN }".to_owned(),
        (true, false) => "Kind::Text".to_owned(),
        (false, true) => format!("Kind::Codes(&[{texts}])"),
        (false, false) => format!("Kind::Choice(&[{texts}])"),
    }
}

/// Returns the name of the type of a record.
pub(super) fn row(model: &Model) -> String {
    model.rust.followed_by("row").pascal()
}

fn has_optional(model: &Model) -> bool {
    model.fields.iter().any(|field| !field.required)
}

fn is_personal(model: &Model) -> bool {
    model.fields.iter().any(|field| field.personal)
}

/// The type of a field that has a value.
enum Base<'s> {
    Text,
    /// A number or a flag.
    Plain(&'static str),
    /// A boolean that is written as codes.
    Coded(&'s Codes),
    /// Another record.
    Record(&'s Model),
    /// A list or an object with arbitrary keys, as its JSON text, with the text of an empty one.
    Json(&'static str),
}

impl Records<'_> {
    fn base<'s>(&'s self, field: &'s Field) -> Base<'s> {
        match &field.ty {
            Type::Value(value) => match (value.codes(), value.in_record()) {
                (Some(codes), _) => Base::Coded(codes),
                (None, Primitive::Text) => Base::Text,
                (None, Primitive::Signed | Primitive::Unsigned) => Base::Plain("integer"),
                (None, Primitive::Float) => Base::Plain("float"),
                (None, Primitive::Boolean | Primitive::Coded) => Base::Plain("boolean"),
            },
            Type::Model(id) => Base::Record(self.service.model(*id)),
            Type::List(_) => Base::Json("[]"),
            Type::Map(_) => Base::Json("{}"),
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
        let base = match self.base(field) {
            Base::Text | Base::Json(_) => "&'a str".to_owned(),
            Base::Plain("integer") => "i64".to_owned(),
            Base::Plain("float") => "Float".to_owned(),
            Base::Plain(_) | Base::Coded(_) => "bool".to_owned(),
            Base::Record(model) => {
                let reference = if field.recursive { "&'a " } else { "" };
                format!("{reference}{}{}", row(model), self.lifetime(model))
            }
        };
        if self.is_option(field) { format!("Option<{base}>") } else { base }
    }

    /// Returns the expression that reads a field of an import.
    fn read(&self, field: &Field) -> String {
        let (wire, is_option) = (string(&field.wire), self.is_option(field));
        let text = |of: &str| {
            let text = format!("fields.{of}({wire})");
            if is_option { format!("Some({text}).filter(|{of}| !{of}.is_empty())") } else { text }
        };
        let or_default = if is_option { "" } else { ".unwrap_or_default()" };
        match self.base(field) {
            Base::Record(_) | Base::Json(_) if field.recursive => empty(is_option),
            Base::Text => text("text"),
            Base::Json(_) => text("json"),
            Base::Plain(kind) => format!("fields.{kind}({wire}){or_default}"),
            Base::Coded(codes) => {
                let yes = strings(codes.yes.iter().map(Code::text));
                format!("fields.coded({wire}, &[{yes}])")
            }
            Base::Record(model) => {
                format!("fields.object({wire}).map({}::from_fields){or_default}", row(model))
            }
        }
    }

    /// Returns the expression for the example of a field. Sample data has a value in every field, so that clients see its
    /// type.
    fn example(&self, field: &Field) -> String {
        let text = field.ty.value().and_then(ValueType::example).or(field.example.as_deref());
        let is_option = self.is_option(field);
        let value = match self.base(field) {
            Base::Record(_) | Base::Json(_) if field.recursive => return empty(is_option),
            Base::Text => string(text.unwrap_or_default()),
            Base::Plain("integer") => text.unwrap_or("1").to_owned(),
            Base::Plain("float") => {
                let text = string(text.unwrap_or("52.25"));
                format!("{text}.parse::<Float>().unwrap_or_default()")
            }
            Base::Plain(_) => text.unwrap_or("true").to_owned(),
            Base::Coded(codes) => {
                let value = text.and_then(|text| codes.value(text));
                value.unwrap_or(true).to_string()
            }
            Base::Json(_) => raw_string(&smallest_value(self.service, &field.ty).to_string()),
            Base::Record(model) => format!("{}::example()", row(model)),
        };
        if is_option { format!("Some({value})") } else { value }
    }

    /// Returns the expression that writes a value of a field.
    fn written(&self, field: &Field, value: &str) -> String {
        match self.base(field) {
            Base::Text => format!("json::text(out, {value})"),
            Base::Plain(_) => format!("out.extend_from_slice({value}.to_string().as_bytes())"),
            Base::Coded(codes) => {
                let [yes, no] = [true, false].map(|value| {
                    let json = codes.of(value).map(Code::json).unwrap_or_default();
                    raw_string(&json.to_string())
                });
                format!("out.extend_from_slice(if {value} {{ {yes} }} else {{ {no} }}.as_bytes())")
            }
            Base::Record(_) => format!("{value}.write(out)"),
            Base::Json(empty) => format!("json::raw(out, {value}, \"{empty}\")"),
        }
    }

    /// Returns whether a field without a value is `None`, and `null` on the wire. The others have an empty form: an empty
    /// text, or a record of empty texts.
    fn is_option(&self, field: &Field) -> bool {
        field.is_boxed() || !field.required && !self.has_empty_form(field)
    }

    fn has_empty_form(&self, field: &Field) -> bool {
        match &field.ty {
            Type::Value(value) => {
                value.in_record() == Primitive::Text && value.as_closed_enum().is_none()
            }
            Type::Model(id) => {
                let mut fields = self.service.model(*id).fields.iter();
                fields.all(|field| !field.required || self.has_empty_form(field))
            }
            Type::List(_) | Type::Map(_) => false,
        }
    }

    /// Returns the lifetime of a record that borrows text or another record, itself or in a nested record.
    fn lifetime(&self, model: &Model) -> &'static str {
        if self.borrows(model) { "<'a>" } else { "" }
    }

    fn borrows(&self, model: &Model) -> bool {
        model.fields.iter().any(|field| match self.base(field) {
            Base::Text | Base::Json(_) => true,
            Base::Plain(_) | Base::Coded(_) => false,
            Base::Record(inner) => field.recursive || self.borrows(inner),
        })
    }
}

/// Returns the expression for a field without a value.
fn empty(is_option: bool) -> String {
    if is_option { "None".to_owned() } else { "\"\"".to_owned() }
}

/// Returns the JSON text before the value of a field.
fn key(before: char, field: &Field) -> String {
    format!("{before}{}:", json_string(&field.wire))
}
