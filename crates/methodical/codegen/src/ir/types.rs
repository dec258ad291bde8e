//! Types: scalars, enums, models with their fields, and how values are written.

use std::sync::Arc;

use serde_json::Value as Json;

use crate::ir::{About, BuiltIn, Code, Codes, Meaning, Primitive, RustName, Service, Wire};
use crate::spec::read::words;

/// The type of a parameter, or of a field with a single value: a JSON value that is neither an object nor a list. It is
/// built-in, or a declared scalar or enum.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValueType {
    /// The built-in type; `None` if the type is declared.
    pub built_in: Option<BuiltIn>,
    /// The name of the Rust type of a declared one.
    pub rust: RustName,
    /// The JSON type in records.
    pub wire: Wire,
    /// How a value is written in a record.
    pub in_record: Primitive,
    /// How a value is written in a query: `AlbumId` may be text in a record, and an unsigned integer in a query.
    pub in_query: Primitive,
    /// The meaning of a scalar.
    pub meaning: Option<Meaning>,
    /// Whether it is text that has only decimal digits in a record. A client keeps other text.
    pub digits: bool,
    /// The JSON values of a boolean that is written as codes.
    pub codes: Option<Codes>,
    /// The listed values of an enum; empty for other types.
    pub values: Vec<EnumValue>,
    /// A value, as its wire text.
    pub example: String,
    /// Its description.
    pub about: About,
}

impl ValueType {
    /// Creates a built-in type.
    pub fn built_in(built_in: BuiltIn) -> Self {
        let (primitive, example) = match built_in {
            BuiltIn::Text => (Primitive::Text, "text"),
            BuiltIn::Integer => (Primitive::Signed, "1"),
            BuiltIn::Boolean => (Primitive::Boolean, "true"),
        };
        Self {
            built_in: Some(built_in),
            in_record: primitive,
            in_query: primitive,
            example: example.to_owned(),
            ..Self::default()
        }
    }

    /// Returns the name of a declared type; `None` for a built-in one.
    pub fn name(&self) -> Option<&RustName> {
        self.built_in.is_none().then_some(&self.rust)
    }

    /// Returns the name of the type in the spec, such as `PhotoId` or `text`.
    pub fn label(&self) -> String {
        self.built_in.map_or_else(|| self.rust.plain(), |one| one.word().to_owned())
    }

    /// Returns the type in Rust, with an unqualified name.
    pub fn rust(&self) -> String {
        self.name().map_or_else(|| self.in_record.rust().to_owned(), RustName::pascal)
    }

    /// Returns whether it is an enum.
    pub fn is_enum(&self) -> bool {
        !self.values.is_empty()
    }

    /// Returns whether values are text that is not limited to an enum.
    pub fn is_any_text(&self) -> bool {
        self.in_record == Primitive::Text && !self.is_enum()
    }

    /// Returns whether a value in the JSON body of a request has no quotes.
    pub fn is_json_literal(&self) -> bool {
        match self.in_query {
            Primitive::Text => false,
            Primitive::Boolean => self.in_record != Primitive::Text,
            Primitive::Signed | Primitive::Unsigned => true,
            Primitive::Coded => self.codes.as_ref().is_some_and(|codes| {
                codes.written().into_iter().flatten().all(|code| !code.json().is_string())
            }),
        }
    }

    /// Returns how the contract checks judge a value in a record: a variant of the test kit's `Kind`.
    pub fn check(&self) -> &'static str {
        if self.digits { "Digits" } else { self.names().check }
    }

    /// Returns the type of a field in a typed format: a variant of the runtime's `FieldType`.
    pub fn field_type(&self) -> &'static str {
        match self.codes.as_ref().map(Codes::written) {
            Some([Some(Code::Text(_)), Some(Code::Text(_))]) => "Text",
            Some([Some(Code::Integer(_)), Some(Code::Integer(_))]) => "Integer",
            Some([Some(Code::Boolean(_)), Some(Code::Boolean(_))]) => "Boolean",
            _ => self.names().field_type,
        }
    }

    /// Returns the example of a declared type as wire text; `None` for a built-in type.
    pub fn example(&self) -> Option<&str> {
        self.built_in.is_none().then_some(&self.example)
    }

    /// Returns a value as wire text: the example of a declared type; for a built-in type, the given example or else a
    /// sample.
    pub fn sample<'a>(&'a self, example: Option<&'a str>) -> &'a str {
        example.filter(|_| self.built_in.is_some()).unwrap_or(&self.example)
    }

    /// Returns the JSON value of a wire text; `None` if the text is not valid for this type.
    pub fn json(&self, text: &str) -> Option<Json> {
        match &self.codes {
            Some(codes) => codes.all().find(|code| code.text() == text).map(Code::json),
            None => self.in_record.json(text),
        }
    }

    /// Returns a value that an enum does not list, for examples.
    pub fn unlisted(&self) -> String {
        let mut text = "later".to_owned();
        while self.values.iter().any(|value| value.wire == text) {
            text.push_str(" still");
        }
        text
    }
}

/// One listed value of an enum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumValue {
    /// The name of the variant: [`RustName::variant`].
    pub rust: RustName,
    /// The text on the wire.
    pub wire: String,
    /// The description.
    pub doc: String,
}

/// A reference to a model of the same service; see [`Service::model`](crate::ir::Service::model). Ids are in the order
/// of declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModelId(pub(crate) usize);

/// The type of a field: a single value, a record, a list or a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// A single value.
    Value(Arc<ValueType>),
    /// A record of a model; see [`Service::model`](crate::ir::Service::model).
    Model(ModelId),
    /// A list of values of a type.
    List(Box<Self>),
    /// A JSON object with arbitrary keys, and values of a type.
    Map(Box<Self>),
}

impl Type {
    /// Returns the owned type in Rust, with unqualified names.
    pub fn rust(&self, service: &Service) -> String {
        match self {
            Self::Value(value) => value.rust(),
            Self::Model(id) => service.model(*id).rust.pascal(),
            Self::List(of) => format!("Vec<{}>", of.rust(service)),
            Self::Map(of) => format!("BTreeMap<String, {}>", of.rust(service)),
        }
    }

    /// Returns the name of a declared type, even within a list or a map; `None` for a built-in one.
    pub fn name<'s>(&'s self, service: &'s Service) -> Option<&'s RustName> {
        match self {
            Self::Value(value) => value.name(),
            Self::Model(id) => Some(&service.model(*id).rust),
            Self::List(of) | Self::Map(of) => of.name(service),
        }
    }

    /// Returns the name of the type in the spec, such as `PhotoId` or `list<text>`.
    pub fn label(&self, service: &Service) -> String {
        match self {
            Self::Value(value) => value.label(),
            Self::Model(id) => service.model(*id).rust.plain(),
            Self::List(of) => format!("list<{}>", of.label(service)),
            Self::Map(of) => format!("map<{}>", of.label(service)),
        }
    }

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

    /// Returns the type of the values in nested lists and maps, or the type itself if it is neither.
    pub fn element(&self) -> &Self {
        match self {
            Self::Value(_) | Self::Model(_) => self,
            Self::List(of) | Self::Map(of) => of.element(),
        }
    }

    /// Returns whether it is a list.
    pub fn is_list(&self) -> bool {
        matches!(self, Self::List(_))
    }
}

/// A JSON object of a fixed shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// The id, for references.
    pub id: ModelId,
    /// The name of the Rust type.
    pub rust: RustName,
    /// The index in `fields` of the field that identifies a record, if any; it is required.
    pub identity: Option<usize>,
    /// The paths of the columns of a table, if the spec declares them. See
    /// [`Service::columns`](crate::ir::Service::columns).
    pub columns: Option<Vec<String>>,
    /// The fields, in order; at least one.
    pub fields: Vec<Field>,
    /// Its description.
    pub about: About,
}

impl Model {
    /// Returns the field that identifies a record.
    pub fn identity_field(&self) -> Option<&Field> {
        self.identity.and_then(|index| self.fields.get(index))
    }
}

impl Field {
    /// Returns whether a reader accepts another form of the value.
    pub fn is(&self, leniency: Leniency) -> bool {
        self.lenient.contains(&leniency)
    }

    /// Returns whether the field is an `Option` in Rust.
    pub fn is_option(&self) -> bool {
        !self.required && !self.is(Leniency::AbsentAsEmpty)
    }
}

/// One field of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name of the Rust field.
    pub rust: RustName,
    /// The JSON key.
    pub wire: String,
    /// The type of the value.
    pub ty: Type,
    /// Whether the value must be present and not null.
    pub required: bool,
    /// Other forms of the value that a reader accepts.
    pub lenient: Vec<Leniency>,
    /// Whether it is personal data, which `Debug` output and logs must not show.
    pub personal: bool,
    /// A value, as its wire text; present for the built-in types if the spec gives one.
    pub example: Option<String>,
    /// Its description.
    pub about: About,
}

words! {
    /// Another form of a field that a reader accepts.
    pub enum Leniency {
        /// A single value may replace a list of one.
        OneAsList = "one-as-list",
        /// An empty list may replace an empty object.
        EmptyArrayAsMap = "empty-array-as-map",
        /// An empty string may replace an absent value.
        BlankAsNone = "blank-as-none",
        /// An empty list or map may be absent or null.
        AbsentAsEmpty = "absent-as-empty",
    }
}

impl Leniency {
    /// Returns what a reader accepts, for documents.
    pub fn phrase(self) -> &'static str {
        match self {
            Self::OneAsList => "or a single value",
            Self::EmptyArrayAsMap => "or `[]` if it is empty",
            Self::BlankAsNone => "or an empty string",
            Self::AbsentAsEmpty => "absent if it is empty",
        }
    }
}
