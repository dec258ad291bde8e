//! Types: scalars, enums, models with their fields, and the kinds of single values: how a value is written, what it
//! means, and everything that the generator knows about both.
//!
//! To add a meaning, begin with a variant of [`Meaning`]; `spec/README.md` has all steps.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use toml::value::Datetime;

use crate::ir::{About, RustName, Service};
use crate::spec::read::words;

/// The type of a single value, a JSON value other than an object or a list: built-in, or a declared scalar or enum.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValueType {
    /// The built-in type; `None` if the type is declared.
    pub built_in: Option<BuiltIn>,
    /// The name of a declared type in Rust; empty for a built-in type.
    pub rust: RustName,
    /// The JSON type in records.
    pub wire: Wire,
    /// How a value is written in a record.
    pub in_record: Primitive,
    /// How a value is written in a query. An `AlbumId` that is text in a record may be an unsigned integer here.
    pub in_query: Primitive,
    /// The meaning of a scalar; `None` for other types.
    pub meaning: Option<Meaning>,
    /// Whether the text in a record must consist of decimal digits. A client keeps any other text.
    pub digits: bool,
    /// The JSON values of a boolean that is written as codes; `None` for other types.
    pub codes: Option<Codes>,
    /// The listed values of an enum; empty for other types.
    pub values: Vec<EnumValue>,
    /// An example value, as wire text.
    pub example: String,
    /// The type's description.
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

    /// Returns the unqualified name of the Rust type.
    pub fn rust(&self) -> String {
        self.name().map_or_else(|| self.in_record.rust().to_owned(), RustName::pascal)
    }

    /// Returns whether the type is an enum.
    pub fn is_enum(&self) -> bool {
        !self.values.is_empty()
    }

    /// Returns whether the type is text other than an enum.
    pub fn is_any_text(&self) -> bool {
        self.in_record == Primitive::Text && !self.is_enum()
    }

    /// Returns whether a value in the JSON body of a request has no quotes.
    pub fn is_json_literal(&self) -> bool {
        match self.in_query {
            Primitive::Text => false,
            Primitive::Boolean | Primitive::Signed | Primitive::Unsigned => true,
            Primitive::Coded => self.codes.as_ref().is_some_and(|codes| {
                codes.written().into_iter().flatten().all(|code| !code.json().is_string())
            }),
        }
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

    /// Returns a sample value as wire text. A built-in type uses `example` if given; other types use their own.
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
    /// The value's description.
    pub doc: String,
}

/// Identifies a model in its service; see [`Service::model`](crate::ir::Service::model). Ids are in declaration order.
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
        if let Self::Value(value) = self { Some(value) } else { None }
    }

    /// Returns the model if the type is a single record; `None` for a list or a map of records.
    pub fn model(&self) -> Option<ModelId> {
        if let Self::Model(id) = self { Some(*id) } else { None }
    }

    /// Returns the type of the values in nested lists and maps, or the type itself if it is neither.
    pub fn element(&self) -> &Self {
        match self {
            Self::Value(_) | Self::Model(_) => self,
            Self::List(of) | Self::Map(of) => of.element(),
        }
    }

    /// Returns whether the type is a list.
    pub fn is_list(&self) -> bool {
        matches!(self, Self::List(_))
    }
}

/// A JSON object of a fixed shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// The id by which types refer to this model.
    pub id: ModelId,
    /// The name of the Rust type.
    pub rust: RustName,
    /// The index in `fields` of the required field that identifies a record, if any.
    pub identity: Option<usize>,
    /// The paths of a table's columns, if the spec declares them. See
    /// [`Service::columns`](crate::ir::Service::columns).
    pub columns: Option<Vec<String>>,
    /// The fields, in order; at least one.
    pub fields: Vec<Field>,
    /// The model's description.
    pub about: About,
}

impl Model {
    /// Returns the field that identifies a record, if any.
    pub fn identity_field(&self) -> Option<&Field> {
        self.identity.and_then(|index| self.fields.get(index))
    }
}

impl Field {
    /// Returns whether a reader accepts this other form of the value.
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
    /// The field's JSON key.
    pub wire: String,
    /// The type of the value.
    pub ty: Type,
    /// Whether the value must be present and not null.
    pub required: bool,
    /// Other forms of the value that a reader accepts.
    pub lenient: Vec<Leniency>,
    /// Whether the value is personal data, which `Debug` output and logs must not show.
    pub personal: bool,
    /// An example value, as wire text. Only a field of a built-in type can have one.
    pub example: Option<String>,
    /// The field's description.
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
    /// Returns a phrase for documents about the form that a reader accepts, such as `or a single value`.
    pub fn phrase(self) -> &'static str {
        match self {
            Self::OneAsList => "or a single value",
            Self::EmptyArrayAsMap => "or `[]` if it is empty",
            Self::BlankAsNone => "or an empty string",
            Self::AbsentAsEmpty => "absent if it is empty",
        }
    }
}

/// The names that generated code uses for values of a type.
#[derive(Clone, Copy, Debug)]
pub struct Names {
    /// The argument of the macro `scalar!` that gives the newtype the conversions of its meaning.
    pub scalar: &'static str,
    /// A field's type in a typed format: a variant of `FieldType`. For a boolean written as codes, the codes decide.
    pub field_type: &'static str,
    /// How the contract checks judge a value in a record: a variant of the test kit's `Kind`.
    pub check: &'static str,
    /// How an import reads a field: a variant of the server's `Kind`.
    pub import: &'static str,
}

words! {
    /// The meaning of a scalar, which decides the conversions that its newtype offers.
    pub enum Meaning {
        /// An identifier.
        Id = "id",
        /// Text with a named type.
        Text = "text",
        /// A decimal number; its exact text is kept.
        Decimal = "decimal",
        /// `YYYY-MM-DD HH:MM:SS` without a time zone.
        CivilDateTime = "civil-datetime",
        /// Seconds since 1970-01-01 00:00:00 UTC.
        EpochSeconds = "epoch-seconds",
        /// A currency code.
        Currency = "currency",
        /// True or false, written as other JSON values, such as 0 and 1.
        Boolean = "boolean",
    }
}

words! {
    /// A built-in type. It has no newtype in Rust.
    pub enum BuiltIn {
        /// Any text.
        Text = "text",
        /// A signed 64-bit integer.
        Integer = "integer",
        /// `true` or `false`.
        Boolean = "boolean",
    }
}

words! {
    /// How a scalar is written.
    #[derive(Default)]
    pub enum Wire {
        /// A string.
        #[default]
        String = "string",
        /// An integer of 64 bits; the meaning decides whether it has a sign.
        Integer = "integer",
        /// A string, or a number, whose digits are kept; written as a string.
        TextOrNumber = "text-or-number",
        /// The JSON values in `true` and `false`; the first one of each is written.
        Codes = "codes",
    }
}

/// How a single value is written in a record or a query. The compiler finds all code that must handle a new variant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Primitive {
    /// Text: a JSON string; in a query, its percent-encoded text.
    #[default]
    Text,
    /// A signed 64-bit integer; in a query, its decimal digits.
    Signed,
    /// An unsigned 64-bit integer; in a query, its decimal digits.
    Unsigned,
    /// `true` or `false`, in a query too.
    Boolean,
    /// True or false, as one of a scalar's codes; in a query, the code's text.
    Coded,
}

impl ValueType {
    /// Returns the names that generated code uses for values of this type.
    pub fn names(&self) -> Names {
        let signed = "Integer { min: i64::MIN }";
        let [scalar, field_type, check, import] = match (self.meaning, self.in_record) {
            (Some(Meaning::Id), Primitive::Text) => ["text", "Id", "Text", "Id"],
            (Some(Meaning::Id), _) => ["integer", "Id", "Integer", "Integer { min: 0 }"],
            (Some(Meaning::Decimal), _) => ["decimal", "Decimal", "Decimal", "Decimal"],
            (Some(Meaning::CivilDateTime), _) => {
                ["civil_date_time", "DateTime", "CivilDateTime", "CivilDateTime"]
            }
            (Some(Meaning::Currency), _) => ["text", "Text", "Currency", "Text"],
            (Some(Meaning::EpochSeconds), Primitive::Text) => {
                ["epoch_seconds_text", "Text", "EpochSeconds", "Text"]
            }
            (_, Primitive::Text) => ["text", "Text", "Text", "Text"],
            (_, Primitive::Signed) => ["signed_integer", "Integer", "Integer", signed],
            (_, Primitive::Unsigned) => ["integer", "Integer", "Integer", "Integer { min: 0 }"],
            (_, Primitive::Boolean) => ["boolean", "Boolean", "Boolean", "Boolean"],
            (_, Primitive::Coded) => ["boolean", "Json", "Values", "Codes"],
        };
        let check = if self.digits { "Digits" } else { check };
        Names { scalar, field_type, check, import }
    }
}

impl Meaning {
    /// Returns this meaning's word if the meaning restricts the format of a value.
    pub fn format(self) -> Option<&'static str> {
        (!matches!(self, Self::Id | Self::Text)).then(|| self.word())
    }

    /// Returns how values with this `wire` are written; `None` if the meaning does not allow it.
    pub fn primitive(self, wire: Wire) -> Option<Primitive> {
        Some(match (self, wire) {
            (Self::Boolean, Wire::Codes) => Primitive::Coded,
            (Self::Boolean, _)
            | (_, Wire::Codes)
            | (Self::CivilDateTime | Self::Currency, Wire::TextOrNumber) => return None,
            (_, Wire::String | Wire::TextOrNumber) => Primitive::Text,
            (Self::Id, _) => Primitive::Unsigned,
            (Self::EpochSeconds, _) => Primitive::Signed,
            _ => return None,
        })
    }

    /// Returns how values are written in a query; `None` if the meaning does not allow this combination of wires.
    pub fn in_query(self, wire: Wire, query_wire: Wire) -> Option<Primitive> {
        self.primitive(wire)?;
        match (wire.written(), query_wire.written()) {
            // Only identifiers have exactly one text for each number.
            (Wire::String, Wire::Integer) if self != Self::Id => None,
            (Wire::Codes, Wire::String | Wire::Integer) => None,
            _ => self.primitive(query_wire.written()),
        }
    }

    /// Returns whether a wire text is a valid value that is written in this way. Always true for a boolean, because its
    /// codes are not known here.
    pub fn fits(self, primitive: Primitive, text: &str) -> bool {
        match self {
            Self::Decimal => is_decimal(text),
            Self::CivilDateTime => is_date_time(text),
            Self::EpochSeconds => !text.starts_with('+') && text.parse::<i64>().is_ok(),
            Self::Boolean => true,
            Self::Id | Self::Text | Self::Currency => primitive.json(text).is_some(),
        }
    }
}

impl Wire {
    /// Returns the form in which a value is written; a reader may accept others.
    #[must_use]
    pub fn written(self) -> Self {
        if self == Self::TextOrNumber { Self::String } else { self }
    }
}

impl Primitive {
    /// Returns the Rust type of a value.
    pub fn rust(self) -> &'static str {
        match self {
            Self::Text => "String",
            Self::Signed => "i64",
            Self::Unsigned => "u64",
            Self::Boolean | Self::Coded => "bool",
        }
    }

    /// Returns whether values are written in decimal digits.
    pub fn is_integer(self) -> bool {
        matches!(self, Self::Signed | Self::Unsigned)
    }

    /// Returns the JSON value of a wire text; `None` if it is invalid, and always for codes, which are not known here.
    pub fn json(self, text: &str) -> Option<Json> {
        match self {
            Self::Text => Some(Json::from(text)),
            Self::Signed => text.parse::<i64>().ok().map(Json::from),
            Self::Unsigned => text.parse::<u64>().ok().map(Json::from),
            Self::Boolean => text.parse::<bool>().ok().map(Json::from),
            Self::Coded => None,
        }
    }
}

/// The JSON values that represent a boolean. The first value of each list is written. No value is in both lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Codes {
    /// The values that mean `true`; at least one.
    pub yes: Vec<Code>,
    /// The values that mean `false`; at least one.
    pub no: Vec<Code>,
}

/// A JSON value that is neither a list nor an object, such as one that represents a boolean.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(untagged, expecting = "must be a string, an integer or a boolean")]
pub enum Code {
    /// `true` or `false`.
    Boolean(bool),
    /// An integer.
    Integer(i64),
    /// A string.
    Text(String),
}

impl Codes {
    /// Returns all values, those of `true` first.
    pub fn all(&self) -> impl Iterator<Item = &Code> {
        self.yes.iter().chain(&self.no)
    }

    /// Returns the codes that are written: for `true`, and for `false`.
    pub fn written(&self) -> [Option<&Code>; 2] {
        [self.yes.first(), self.no.first()]
    }

    /// Returns the boolean that a code represents; `None` for any other text.
    pub fn value(&self, text: &str) -> Option<bool> {
        let has = |codes: &[Code]| codes.iter().any(|code| code.text() == text);
        if has(&self.yes) { Some(true) } else { has(&self.no).then_some(false) }
    }
}

impl Code {
    /// Returns the code's text in a query.
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Integer(_) | Self::Boolean(_) => self.json().to_string(),
        }
    }

    /// Returns the code's value in a record.
    pub fn json(&self) -> Json {
        json!(self)
    }
}

fn is_decimal(text: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let parts = unsigned.split_once('.');
    parts.map_or_else(|| digits(unsigned), |(whole, part)| digits(whole) && digits(part))
}

fn is_date_time(text: &str) -> bool {
    let has_form =
        text.len() == "0000-00-00 00:00:00".len() && text.as_bytes().get(10) == Some(&b' ');
    // A civil time cannot represent a leap second.
    has_form && text.parse::<Datetime>().is_ok() && !text.ends_with(":60")
}

#[cfg(test)]
mod tests {
    use super::{is_date_time, is_decimal};

    #[test]
    fn texts_have_their_meaning() {
        for good in ["2024-02-29 23:59:59", "2000-02-29 00:00:00"] {
            assert!(is_date_time(good), "{good}");
        }
        for bad in [
            "2023-02-29 00:00:00",
            "1900-02-29 00:00:00",
            "0000-00-00 00:00:00",
            "2024-01-01T00:00:00",
            "2024-01-01 24:00:00",
            "2024-01-01 23:59:60",
            "2024-01-01 02:30:00Z",
            "2024-1-01 00:00:00",
            "2024-1-01 00:00:00Z",
            "2024-01-01 02:30+01",
            "2024-01-01 02:30.00",
            "2024-01-01 02:30Z  ",
            "",
        ] {
            assert!(!is_date_time(bad), "{bad}");
        }
        assert!(["0", "12.50", "-3.0"].into_iter().all(is_decimal));
        assert!(!["", "1e3", "1,234.50", ".5", "5.", "NaN", "--1"].into_iter().any(is_decimal));
    }
}
