//! The records that the server imports, stores and writes: borrowed, and without serde.

use askama::Template;

use crate::emit::filters;
use crate::emit::model::records::field_value;
use crate::ir::{Code, Field, Model, Primitive, Service, Type, ValueType};
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
            Type::Value(value) => match listed(value) {
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
            Base::Json(..) => raw_string(&field_value(self.service, field).to_string()),
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
fn listed(value: &ValueType) -> Option<String> {
    let pair = |text: &str, json: &str| format!("({}, {})", string(text), raw_string(json));
    let pairs: Vec<_> = if let Some(codes) = value.codes() {
        let sent = |code: &Code| {
            let value = codes.of(codes.yes.contains(code))?;
            Some(pair(&code.text(), &value.json().to_string()))
        };
        codes.all().filter_map(sent).collect()
    } else {
        let one = value.as_closed_enum()?;
        let json = |wire: &str| one.primitive().json(wire).unwrap_or_default().to_string();
        one.values.iter().map(|value| pair(&value.wire, &json(&value.wire))).collect()
    };
    Some(pairs.join(", "))
}

/// Returns the JSON text before the value of a field.
fn key(before: char, field: &Field) -> String {
    format!("{before}{}:", json_string(&field.wire))
}
