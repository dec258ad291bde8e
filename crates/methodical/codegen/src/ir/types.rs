//! Types: scalars, enums, models with their fields, and how values are written.

use std::sync::Arc;

use serde_json::Value as Json;

use crate::ir::{BuiltIn, Doc, Form, Meaning, OpenRef, RustName, Source};
use crate::text::string;
use crate::words::words;

/// A named scalar: how it is written, and what it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scalar {
    /// The name of the Rust type.
    pub rust: RustName,
    /// The JSON type in records.
    pub wire: Wire,
    /// The type in a query, if it differs from `wire`: `AlbumId` is a string in a record and
    /// an (unsigned, 64-bit) integer in a query.
    pub query_wire: Option<Wire>,
    /// Whether it is text in a record that has only decimal digits. A client keeps other text.
    pub digits: bool,
    /// The JSON values of a boolean that is written as codes.
    pub codes: Option<Codes>,
    /// The meaning of a value.
    pub meaning: &'static Meaning,
    /// How values are handled: the form of the meaning for `wire`.
    pub form: &'static Form,
    /// How values in a query are handled.
    pub query_form: &'static Form,
    /// A value, as its wire text.
    pub example: String,
    /// The description.
    pub doc: Doc,
    /// The sections of the contract that describe it.
    pub source: Source,
    /// Open points about it.
    pub open: Vec<OpenRef>,
}

impl Scalar {
    /// Returns how a value is written in a query.
    pub fn sent_as(&self) -> Wire {
        self.query_wire.unwrap_or_else(|| self.wire.written())
    }
}

/// The JSON values that represent a boolean. The first one of each list is written; none is in both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Codes {
    /// Those of `true`; at least one.
    pub yes: Vec<Code>,
    /// Those of `false`; at least one.
    pub no: Vec<Code>,
}

/// A JSON value that represents a boolean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Code {
    /// A string.
    Text(String),
    /// An integer.
    Integer(i64),
    /// `true` or `false`.
    Boolean(bool),
}

impl Codes {
    /// Returns all values, those of `true` first.
    pub fn all(&self) -> impl Iterator<Item = &Code> {
        self.yes.iter().chain(&self.no)
    }

    /// Returns the code that is written for a value.
    pub fn of(&self, value: bool) -> Option<&Code> {
        if value { &self.yes } else { &self.no }.first()
    }

    /// Returns the boolean that a text represents.
    pub fn value(&self, text: &str) -> Option<bool> {
        let has = |codes: &[Code]| codes.iter().any(|code| code.text() == text);
        if has(&self.yes) { Some(true) } else { has(&self.no).then_some(false) }
    }
}

impl Code {
    /// Returns the text in a query.
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Integer(number) => number.to_string(),
            Self::Boolean(flag) => flag.to_string(),
        }
    }

    /// Returns the value in a record.
    pub fn json(&self) -> Json {
        match self {
            Self::Text(text) => Json::from(text.as_str()),
            Self::Integer(number) => Json::from(*number),
            Self::Boolean(flag) => Json::from(*flag),
        }
    }

    /// Returns the expression for the variant of a type with the same variants.
    pub fn expression(&self) -> String {
        match self {
            Self::Text(text) => format!("Code::Text({})", string(text)),
            Self::Integer(number) => format!("Code::Integer({number})"),
            Self::Boolean(flag) => format!("Code::Boolean({flag})"),
        }
    }
}

/// A set of named values, written as strings or as integers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enum {
    /// The name of the Rust type.
    pub rust: RustName,
    /// Whether values outside the list are kept (`true`) or rejected.
    pub open_ended: bool,
    /// The JSON type of the values.
    pub wire: Wire,
    /// The listed values; at least one.
    pub values: Vec<EnumValue>,
    /// The description.
    pub doc: Doc,
    /// The sections of the contract that describe it.
    pub source: Source,
    /// Open points about it.
    pub open: Vec<OpenRef>,
}

impl Enum {
    /// Returns how a value is written.
    pub fn primitive(&self) -> Primitive {
        if self.wire.written() == Wire::Integer { Primitive::Signed } else { Primitive::Text }
    }

    /// Returns whether a text is one of the listed values.
    pub fn lists(&self, text: &str) -> bool {
        self.values.iter().any(|value| value.wire == text)
    }

    /// Returns a value that is not listed, for examples.
    pub fn unlisted(&self) -> String {
        let is_code = self.primitive().is_integer();
        let mut text = if is_code { "99" } else { "later" }.to_owned();
        while self.lists(&text) {
            text.push_str(if is_code { "9" } else { " still" });
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
    pub doc: Doc,
    /// The reason not to use it any more, if it is deprecated.
    pub deprecated: Option<String>,
}

/// A reference to a model of the same service; see [`Service::model`](crate::ir::Service::model). Ids are in the order
/// of declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModelId(usize);

impl ModelId {
    /// Creates the id of the model at this position. Only for the reader of specs, which declares the model.
    pub(crate) fn new(position: usize) -> Self {
        Self(position)
    }

    /// Returns the position of the model.
    pub(crate) fn position(self) -> usize {
        self.0
    }
}

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

    /// Returns a value as its wire text: the example of a declared type, or of a built-in type this one or its sample.
    pub fn sample<'a>(&'a self, example: Option<&'a str>) -> &'a str {
        match self {
            Self::BuiltIn(built_in) => example.unwrap_or(built_in.sample),
            Self::Scalar(_) | Self::Enum(_) => self.example().unwrap_or_default(),
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
    /// The description.
    pub doc: Doc,
    /// The sections of the contract that describe it.
    pub source: Source,
    /// Open points about it.
    pub open: Vec<OpenRef>,
    /// Whether it contains itself, directly or through others.
    pub recursive: bool,
}

impl Field {
    /// Returns whether the field is boxed in Rust. Lists and maps have no need of it.
    pub fn is_boxed(&self) -> bool {
        self.recursive && self.ty.model().is_some()
    }

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
    /// Whether the values contain the model that holds the field, at any depth.
    pub recursive: bool,
    /// A value, as its wire text; present for the built-in types if the spec gives one.
    pub example: Option<String>,
    /// The description.
    pub doc: Doc,
    /// The sections of the contract that describe it.
    pub source: Source,
    /// Open points about it.
    pub open: Vec<OpenRef>,
    /// The reason not to use it any more, if it is deprecated.
    pub deprecated: Option<String>,
}

words! {
    /// How a scalar is written.
    pub enum Wire {
        /// A string.
        String = "string",
        /// An integer of 64 bits; the meaning decides whether it has a sign.
        Integer = "integer",
        /// An integer, or text in its digits; written as an integer.
        IntegerOrText = "integer-or-text",
        /// A string, or a number, whose digits are kept; written as a string.
        TextOrNumber = "text-or-number",
        /// The JSON values in `true` and `false`; the first one of each is written.
        Codes = "codes",
    }
}

impl Wire {
    /// Returns the word with its article, for messages.
    pub fn noun(self) -> &'static str {
        match self {
            Self::String => "a string",
            Self::Integer => "an integer",
            Self::IntegerOrText => "an integer or text",
            Self::TextOrNumber => "text or a number",
            Self::Codes => "written as codes",
        }
    }

    /// Returns how a value is written, of the ways in which it can be read.
    #[must_use]
    pub fn written(self) -> Self {
        match self {
            Self::String | Self::TextOrNumber => Self::String,
            Self::Integer | Self::IntegerOrText => Self::Integer,
            Self::Codes => Self::Codes,
        }
    }

    /// Returns the suffix of the kind of a scalar or an enum that can be read in two ways: an argument of its macro.
    pub fn either(self) -> Option<&'static str> {
        match self {
            Self::IntegerOrText => Some("or_text"),
            Self::TextOrNumber => Some("or_number"),
            Self::String | Self::Integer | Self::Codes => None,
        }
    }
}

words! {
    /// Another form of a field that a reader accepts.
    pub enum Leniency {
        /// A single value may replace a list of one.
        OneAsList = "one-as-list",
        /// An empty list may replace an empty object.
        EmptyArrayAsMap = "empty-array-as-map",
        /// An empty text may replace an absent value.
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
            Self::BlankAsNone => "or an empty text",
            Self::AbsentAsEmpty => "absent if it is empty",
        }
    }
}

/// How a single value is written, in a record or in a query. A new one needs an arm wherever the compiler asks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Primitive {
    /// Text: a JSON string; in a query, its percent-encoded text.
    Text,
    /// A signed 64-bit integer; in a query, its decimal digits.
    Signed,
    /// An unsigned 64-bit integer; in a query, its decimal digits.
    Unsigned,
    /// A finite number; in a query, the shortest decimal number that is read back as the same one.
    Float,
    /// `true` or `false`, in a query too.
    Boolean,
    /// True or false, as one of the codes of a scalar; in a query, the text of the code.
    Coded,
}

impl Primitive {
    /// Returns the type in Rust.
    pub fn rust(self) -> &'static str {
        match self {
            Self::Text => "String",
            Self::Signed => "i64",
            Self::Unsigned => "u64",
            Self::Float => "Float",
            Self::Boolean | Self::Coded => "bool",
        }
    }

    /// Returns whether it is written in decimal digits.
    pub fn is_integer(self) -> bool {
        match self {
            Self::Signed | Self::Unsigned => true,
            Self::Text | Self::Float | Self::Boolean | Self::Coded => false,
        }
    }

    /// Returns the JSON value of a wire text; `None` if the text is not one of this primitive, or the primitive alone does
    /// not decide.
    pub fn json(self, text: &str) -> Option<Json> {
        match self {
            Self::Text => Some(Json::from(text)),
            Self::Signed => text.parse::<i64>().ok().map(Json::from),
            Self::Unsigned => text.parse::<u64>().ok().map(Json::from),
            Self::Float => {
                let digits = text.trim_start_matches('-');
                let is_number = digits.starts_with(|first: char| first.is_ascii_digit());
                text.parse::<f64>().ok().filter(|one| is_number && one.is_finite()).map(Json::from)
            }
            Self::Boolean => text.parse::<bool>().ok().map(Json::from),
            Self::Coded => None,
        }
    }

    /// Returns whether a JSON value is of this primitive.
    pub fn is(self, value: &Json) -> bool {
        match self {
            Self::Text => value.is_string(),
            Self::Signed => value.is_i64(),
            Self::Unsigned => value.is_u64(),
            Self::Float => value.is_number(),
            Self::Boolean => value.is_boolean(),
            Self::Coded => false,
        }
    }

    /// Returns the expected JSON value, which follows "expected" in messages.
    pub fn expected(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::Signed => "a 64-bit integer",
            Self::Unsigned => "an unsigned 64-bit integer",
            Self::Float => "a number",
            Self::Boolean => "true or false",
            Self::Coded => "a code",
        }
    }
}
