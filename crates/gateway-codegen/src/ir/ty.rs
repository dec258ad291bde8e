//! Types of fields and parameters. They refer to declarations, not to positions in a list.

use std::sync::Arc;

use serde_json::Value as Json;

use crate::ir::{BuiltIn, Code, Codes, Enum, ModelId, OpenRef, Primitive, RustName, Scalar, Wire};

/// The type of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// A single value.
    Value(ValueType),
    /// A record of a model; see [`Service::model`](crate::ir::Service::model).
    Model(ModelId),
    /// A list of values of a type.
    List(Box<Self>),
    /// A JSON object with arbitrary keys, and values of a type.
    Map(Box<Self>),
}

impl Type {
    /// Returns the type of a single value; `None` if the type is not one.
    pub fn value(&self) -> Option<&ValueType> {
        match self {
            Self::Value(value) => Some(value),
            Self::Model(_) | Self::List(_) | Self::Map(_) => None,
        }
    }

    /// Returns the model if the type is one; a list or a map of its records is not.
    pub fn model(&self) -> Option<ModelId> {
        match self {
            Self::Model(id) => Some(*id),
            Self::Value(_) | Self::List(_) | Self::Map(_) => None,
        }
    }

    /// Returns the type of the values in lists and maps at any depth; the type itself if it is neither.
    pub fn element(&self) -> &Self {
        match self {
            Self::Value(_) | Self::Model(_) => self,
            Self::List(of) | Self::Map(of) => of.element(),
        }
    }

    /// Returns whether a type is this one, or occurs in it as a list or a map.
    pub fn has(&self, fits: fn(&Self) -> bool) -> bool {
        fits(self)
            || match self {
                Self::Value(_) | Self::Model(_) => false,
                Self::List(of) | Self::Map(of) => of.has(fits),
            }
    }

    /// Returns whether it is a list.
    pub fn is_list(&self) -> bool {
        matches!(self, Self::List(_))
    }

    /// Returns whether it is a map.
    pub fn is_map(&self) -> bool {
        matches!(self, Self::Map(_))
    }
}

/// The type of a parameter, or of a field with a single value: a JSON value that is neither an object nor a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueType {
    /// A built-in type.
    BuiltIn(&'static BuiltIn),
    /// A scalar.
    Scalar(Arc<Scalar>),
    /// An enum.
    Enum(Arc<Enum>),
}

impl ValueType {
    /// Returns the name of a declared type; `None` for a built-in one.
    pub fn name(&self) -> Option<&RustName> {
        match self {
            Self::BuiltIn(_) => None,
            Self::Scalar(scalar) => Some(&scalar.rust),
            Self::Enum(one) => Some(&one.rust),
        }
    }

    /// Returns the type in Rust, by its bare name.
    pub fn rust(&self) -> String {
        self.name().map_or_else(|| self.in_record().rust().to_owned(), RustName::pascal)
    }

    /// Returns how a value is written in a record.
    pub fn in_record(&self) -> Primitive {
        match self {
            Self::BuiltIn(built_in) => built_in.form.primitive,
            Self::Scalar(scalar) => scalar.form.primitive,
            Self::Enum(one) => one.primitive(),
        }
    }

    /// Returns how a value is written in a query.
    pub fn in_query(&self) -> Primitive {
        match self {
            Self::BuiltIn(built_in) => built_in.form.primitive,
            Self::Scalar(scalar) => scalar.query_form.primitive,
            Self::Enum(one) => one.primitive(),
        }
    }

    /// Returns whether a value in the JSON body of a request has no quotes.
    pub fn is_json_literal(&self) -> bool {
        match self.in_query() {
            Primitive::Text => false,
            Primitive::Float | Primitive::Boolean if self.in_record() == Primitive::Text => false,
            Primitive::Signed | Primitive::Unsigned | Primitive::Float | Primitive::Boolean => true,
            Primitive::Coded => self.codes().is_some_and(|codes| {
                let written = [codes.yes.first(), codes.no.first()];
                written.into_iter().flatten().all(|code| !code.json().is_string())
            }),
        }
    }

    /// Returns the enum, if it is one.
    pub fn as_enum(&self) -> Option<&Enum> {
        match self {
            Self::Enum(one) => Some(one),
            Self::BuiltIn(_) | Self::Scalar(_) => None,
        }
    }

    /// Returns the enum, if only its listed values are valid.
    pub fn as_closed_enum(&self) -> Option<&Enum> {
        self.as_enum().filter(|one| !one.open_ended)
    }

    /// Returns the open points about a declared type.
    pub fn open(&self) -> &[OpenRef] {
        match self {
            Self::BuiltIn(_) => &[],
            Self::Scalar(scalar) => &scalar.open,
            Self::Enum(one) => &one.open,
        }
    }

    /// Returns how the contract checks judge a value in a record: a variant of the test kit's `Kind`.
    pub fn check(&self) -> &'static str {
        match self {
            Self::BuiltIn(built_in) => built_in.form.check,
            Self::Scalar(scalar) if scalar.digits => "Digits",
            Self::Scalar(scalar) => scalar.form.check,
            Self::Enum(one) if one.primitive().is_integer() => "Integer",
            Self::Enum(_) => "Text",
        }
    }

    /// Returns the type of a field in a typed format: a variant of the runtime's `FieldType`.
    pub fn field_type(&self) -> &'static str {
        match self {
            Self::BuiltIn(built_in) => built_in.form.field_type,
            Self::Scalar(scalar) => match self.written_codes() {
                None => scalar.form.field_type,
                Some([Code::Text(_), Code::Text(_)]) => "Text",
                Some([Code::Integer(_), Code::Integer(_)]) => "Integer",
                Some([Code::Boolean(_), Code::Boolean(_)]) => "Boolean",
                Some(_) => "Json",
            },
            Self::Enum(one) if one.primitive().is_integer() => "Integer",
            Self::Enum(_) => "Text",
        }
    }

    /// Returns the codes of a boolean that are written: that of `true`, and that of `false`.
    fn written_codes(&self) -> Option<[&Code; 2]> {
        let codes = self.codes()?;
        Some([codes.yes.first()?, codes.no.first()?])
    }

    /// Returns the example of a declared type, as its wire text; `None` for a built-in type.
    pub fn example(&self) -> Option<&str> {
        match self {
            Self::BuiltIn(_) => None,
            Self::Scalar(scalar) => Some(&scalar.example),
            Self::Enum(one) => one.values.first().map(|value| value.wire.as_str()),
        }
    }

    /// Returns whether a parameter may have `min` and `max`.
    pub fn has_range(&self) -> bool {
        match self {
            Self::BuiltIn(built_in) => built_in.form.primitive.is_integer(),
            Self::Scalar(_) | Self::Enum(_) => false,
        }
    }

    /// Returns whether a value of the type may identify a record.
    pub fn can_identify(&self) -> bool {
        match self {
            Self::BuiltIn(built_in) => match built_in.form.primitive {
                Primitive::Text | Primitive::Signed | Primitive::Unsigned => true,
                Primitive::Float | Primitive::Boolean | Primitive::Coded => false,
            },
            Self::Scalar(scalar) => scalar.codes.is_none(),
            Self::Enum(_) => false,
        }
    }

    /// Returns the codes of a boolean.
    pub fn codes(&self) -> Option<&Codes> {
        match self {
            Self::Scalar(scalar) => scalar.codes.as_ref(),
            Self::BuiltIn(_) | Self::Enum(_) => None,
        }
    }

    /// Returns the JSON type of a declared type, with what else a record may have.
    pub fn wire(&self) -> Option<Wire> {
        match self {
            Self::BuiltIn(_) => None,
            Self::Scalar(scalar) => Some(scalar.wire),
            Self::Enum(one) => Some(one.wire),
        }
    }

    /// Returns the JSON value of a wire text; `None` if the text is not one of this type.
    pub fn json(&self, text: &str) -> Option<Json> {
        match self.codes() {
            Some(codes) => codes.all().find(|code| code.text() == text).map(Code::json),
            None => self.in_record().json(text),
        }
    }

    /// Returns whether a record may have a JSON value. Ignores which values of an enum are listed.
    pub fn accepts(&self, value: &Json) -> bool {
        let digits = |text: &str| self.in_record().json(text).is_some() && !text.starts_with('+');
        match (self.codes(), self.wire()) {
            (Some(codes), _) => codes.all().any(|code| code.json() == *value),
            (None, Some(Wire::IntegerOrText)) if value.is_string() => {
                value.as_str().is_some_and(digits)
            }
            (None, Some(Wire::TextOrNumber)) if value.is_number() => true,
            _ => self.in_record().is(value),
        }
    }

    /// Returns the JSON values that a record may have, which follows "expected" in messages.
    pub fn expected(&self) -> String {
        match (self.codes(), self.wire()) {
            (Some(codes), _) => {
                let codes: Vec<_> = codes.all().map(|code| format!("`{}`", code.json())).collect();
                codes.join(" or ")
            }
            (None, Some(Wire::IntegerOrText)) => {
                format!("{}, or text with one", self.in_record().expected())
            }
            (None, Some(Wire::TextOrNumber)) => "a string or a number".to_owned(),
            _ => self.in_record().expected().to_owned(),
        }
    }
}
