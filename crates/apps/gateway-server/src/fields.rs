//! The fields of one record, from a file of any format or from a stored JSON text.

#![expect(
    clippy::allow_attributes,
    reason = "an `expect` would be an error after a change of the spec"
)]

use std::borrow::Cow;
use std::fmt;

pub(crate) use gateway_model::Float;
use gateway_model::{CivilDateTime, DecimalText};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{
    self, Deserialize as _, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor,
};
use serde_json::Value as Json;

/// A record of the service, which borrows its texts.
pub(crate) trait Record<'a>: Sized {
    /// The fields that an import reads.
    const FIELDS: &'static [Field];

    /// Borrows a record. Checks nothing; a field that is not given is empty.
    fn from_fields(fields: &'a Fields) -> Self;

    /// Returns a record with the values of the examples in the spec.
    fn example() -> Self;

    /// Appends the record as a JSON object with all its fields.
    fn write(&self, out: &mut Vec<u8>);
}

/// A field of a kind of record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) is_required: bool,
}

/// The values that a field may have. All but objects may be empty texts too, because an empty cell of a table is one.
#[derive(Clone, Copy, Debug)]
#[allow(dead_code, reason = "the spec decides which kinds its fields have")]
pub(crate) enum Kind {
    /// A text.
    Text,
    /// An id: a text, or the number that many tools convert it to.
    Id,
    /// One of these texts.
    Choice(&'static [&'static str]),
    /// One of these texts, or the number or the boolean with this text.
    Codes(&'static [&'static str]),
    /// A plain decimal number, as text.
    Decimal,
    /// A date and time, as text.
    CivilDateTime,
    /// A whole number that is not below `min`.
    Integer { min: i64 },
    /// A number.
    Float,
    /// `true` or `false`.
    Boolean,
    /// An object with these fields.
    Object(&'static [Field]),
    /// A list; in a table, its JSON text.
    List(&'static Self),
    /// An object with arbitrary keys; in a table, its JSON text.
    Map(&'static Self),
}

/// The fields of all kinds of records that a file may contain.
pub(crate) type Known = &'static [&'static [Field]];

impl Kind {
    /// Returns what a value of this kind must be.
    pub(crate) fn expected(self) -> Cow<'static, str> {
        match self {
            Self::Text => "must be a string".into(),
            Self::Id => "must be a string or a whole number".into(),
            Self::Choice(texts) | Self::Codes(texts) => {
                format!("must be one of: {}", texts.join(", ")).into()
            }
            Self::Decimal => "must be a plain decimal number such as 184.50".into(),
            Self::CivilDateTime => {
                "is not a valid date and time; expected YYYY-MM-DD HH:MM:SS".into()
            }
            Self::Integer { min } => {
                format!("must be a whole number from {min} to {}", i64::MAX).into()
            }
            Self::Float => "must be a number such as 52.25".into(),
            Self::Boolean => "must be `true` or `false`".into(),
            Self::Object(fields) => {
                let names: Vec<_> =
                    fields.iter().map(|field| format!("`{}`", field.name)).collect();
                let names = names.join(" and ");
                format!("must be an object with no fields but {names}, each at most once").into()
            }
            Self::List(of) => {
                format!("must be a list in which each value {}", of.expected()).into()
            }
            Self::Map(of) => {
                format!("must be an object in which each value {}", of.expected()).into()
            }
        }
    }

    /// Returns whether a response sends a field without a value as an empty text, or as an object of empty texts.
    fn has_empty_form(self) -> bool {
        match self {
            Self::Text | Self::Id | Self::Decimal | Self::CivilDateTime => true,
            Self::Choice(_)
            | Self::Codes(_)
            | Self::Integer { .. }
            | Self::Float
            | Self::Boolean
            | Self::List(_)
            | Self::Map(_) => false,
            Self::Object(fields) => {
                fields.iter().all(|field| !field.is_required || field.kind.has_empty_form())
            }
        }
    }
}

/// Returns a field by its name.
fn find(known: &[&'static [Field]], name: &str) -> Option<&'static Field> {
    known.iter().copied().flatten().find(|field| field.name == name)
}

/// Returns the names of all known fields, without duplicates.
pub(crate) fn names(known: Known) -> Vec<&'static str> {
    let mut names = Vec::new();
    for field in known.iter().copied().flatten() {
        if !names.contains(&field.name) {
            names.push(field.name);
        }
    }
    names
}

/// Returns the kind of a field.
pub(crate) fn kind(known: Known, name: &str) -> Option<Kind> {
    find(known, name).map(|field| field.kind)
}

/// The fields of a record that are given, in their order.
#[derive(Debug, Default)]
pub(crate) struct Fields(Vec<(&'static str, Value)>);

/// The value of a field, as the file has it.
#[derive(Debug)]
enum Value {
    Text(String),
    /// A number, in decimal digits.
    Number(String),
    Boolean(bool),
    Object(Fields),
    /// A list, or an object with arbitrary keys, as JSON text.
    Json(String),
}

impl Fields {
    /// Returns a text; an empty one if it is not given.
    pub(crate) fn text(&self, name: &str) -> &str {
        match self.get(name) {
            Some(Value::Text(text) | Value::Number(text)) => text,
            _ => "",
        }
    }

    /// Returns the JSON text of a value that is neither a text nor a record; an empty text if it is not given.
    #[allow(dead_code, reason = "the spec decides which kinds its fields have")]
    pub(crate) fn json(&self, name: &str) -> &str {
        match self.get(name) {
            Some(Value::Boolean(true)) => "true",
            Some(Value::Boolean(false)) => "false",
            Some(Value::Text(text) | Value::Number(text) | Value::Json(text)) => text,
            Some(Value::Object(_)) | None => "",
        }
    }

    /// Returns the JSON text that a response sends for one of some texts; an empty text if no text fits.
    #[allow(dead_code, reason = "the spec decides which kinds its fields have")]
    pub(crate) fn listed(&self, name: &str, texts: &[(&str, &'static str)]) -> &'static str {
        let given = self.json(name);
        let is_given = |(text, _): &&(&str, _)| !given.is_empty() && *text == given;
        texts.iter().find(is_given).map_or("", |(_, json)| json)
    }

    pub(crate) fn object(&self, name: &str) -> Option<&Self> {
        match self.get(name)? {
            Value::Object(fields) => Some(fields),
            _ => None,
        }
    }

    /// Returns whether a field is given.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Returns whether a required field has no value.
    pub(crate) fn lacks(&self, field: &Field) -> bool {
        field.is_required
            && match self.get(field.name) {
                None => true,
                Some(Value::Text(text)) => text.is_empty() && !field.kind.has_empty_form(),
                Some(_) => false,
            }
    }

    /// Returns the names of the fields that are given.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|(name, _value)| *name)
    }

    /// Returns the number of bytes of all values.
    pub(crate) fn size(&self) -> usize {
        let sizes = self.0.iter().map(|(_name, value)| match value {
            Value::Text(text) | Value::Number(text) | Value::Json(text) => text.len(),
            Value::Object(fields) => fields.size(),
            Value::Boolean(_) => 0,
        });
        sizes.sum()
    }

    /// Returns the name of a field that contains a NUL character.
    pub(crate) fn with_nul(&self) -> Option<String> {
        self.0.iter().find_map(|(name, value)| match value {
            Value::Text(text) => text.contains('\0').then(|| (*name).to_owned()),
            Value::Object(fields) => fields.with_nul().map(|inner| format!("{name}.{inner}")),
            Value::Json(json) => json.contains("\\u0000").then(|| (*name).to_owned()),
            Value::Number(_) | Value::Boolean(_) => None,
        })
    }

    /// Sets the text of a field, which may be in a nested record. A nested record whose cells are all empty is not given.
    pub(crate) fn set(&mut self, column: &Column, text: &str) {
        if text.is_empty() && !column.parents.is_empty() {
            return;
        }
        let mut fields = self;
        for name in &column.parents {
            let found = fields.0.iter().position(|(given, _value)| given == name);
            let index = found.unwrap_or(fields.0.len());
            if found.is_none() {
                fields.0.push((name, Value::Object(Self::default())));
            }
            match fields.0.get_mut(index) {
                Some((_, Value::Object(inner))) => fields = inner,
                _ => return,
            }
        }
        fields.0.push((column.field, Value::Text(text.to_owned())));
    }

    fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(given, _)| *given == name).map(|(_, value)| value)
    }
}

/// Why a field of a JSON object was not read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fault {
    /// No record has a field of this name.
    Unknown,
    /// The field is given twice.
    Repeated,
}

impl Fields {
    /// Reads the value of the field `key` of a JSON object; `null` counts as not given. The outer error is the one of
    /// the parser.
    pub(crate) fn read<'de, A: MapAccess<'de>>(
        &mut self,
        known: &[&'static [Field]],
        key: &str,
        map: &mut A,
    ) -> Result<Result<(), Fault>, A::Error> {
        let Some(field) = find(known, key) else { return Ok(Err(Fault::Unknown)) };
        if self.has(field.name) {
            return Ok(Err(Fault::Repeated));
        }
        let same = known.iter().copied().flatten().filter(|other| other.name == key);
        let kinds = same.map(|field| field.kind).collect();
        if let Some(value) = map.next_value_seed(ReadValue(kinds))? {
            self.0.push((field.name, value));
        }
        Ok(Ok(()))
    }

    /// Reads a JSON object with only these fields, each at most once.
    pub(crate) fn from_json(known: &'static [Field], json: &[u8]) -> Option<Self> {
        let mut parser = serde_json::Deserializer::from_slice(json);
        let value = ReadValue(vec![Kind::Object(known)]).deserialize(&mut parser).ok()?;
        parser.end().ok()?;
        match value {
            Some(Value::Object(fields)) => Some(fields),
            _ => None,
        }
    }
}

/// Reads a value, or `None` for `null`. An object has the fields of one of these kinds, or arbitrary keys. Only
/// [`Fields::wrong`] compares the value with the kind of its field: fields of one name may have several kinds.
struct ReadValue(Vec<Kind>);

impl<'de> DeserializeSeed<'de> for ReadValue {
    type Value = Option<Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ReadValue {
    type Value = Option<Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of a field")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Some(Value::Boolean(value)))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Some(Value::Number(number.to_string())))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Some(Value::Number(number.to_string())))
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Self::Value, E> {
        if !self.0.iter().any(|kind| matches!(kind, Kind::Float)) {
            return Err(E::invalid_type(de::Unexpected::Float(number), &self));
        }
        Ok(Some(Value::Number(number.to_string())))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Some(Value::Text(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
        if !self.0.iter().any(|kind| matches!(kind, Kind::List(_))) {
            return Err(de::Error::custom("a list"));
        }
        let json = Json::deserialize(SeqAccessDeserializer::new(list))?;
        Ok(Some(Value::Json(json.to_string())))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        if self.0.iter().any(|kind| matches!(kind, Kind::Map(_))) {
            let json = Json::deserialize(MapAccessDeserializer::new(map))?;
            return Ok(Some(Value::Json(json.to_string())));
        }
        let objects = self.0.into_iter().filter_map(|kind| match kind {
            Kind::Object(fields) => Some(fields),
            _ => None,
        });
        let known: Vec<_> = objects.collect();
        if known.is_empty() {
            return Err(de::Error::custom("an object"));
        }
        let mut fields = Fields::default();
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            let read = fields.read(&known, &key, &mut map)?;
            read.map_err(|_fault| de::Error::custom("unknown or repeated field"))?;
        }
        Ok(Some(Value::Object(fields)))
    }
}

impl Fields {
    /// Returns a field whose value is not of its kind, and what it must be. Ignores fields that are not among `known`.
    pub(crate) fn wrong(&self, known: &[&'static [Field]]) -> Option<(&'static str, Kind)> {
        self.0.iter().find_map(|(name, value)| {
            let field = find(known, name)?;
            (!field.kind.accepts(value)).then_some((field.name, field.kind))
        })
    }
}

impl Kind {
    fn accepts(self, value: &Value) -> bool {
        match (self, value) {
            (Self::Object(fields), Value::Object(given)) => {
                let is_known = |(name, value): &(&str, Value)| {
                    fields.iter().any(|field| field.name == *name && field.kind.accepts(value))
                };
                let is_complete =
                    |field: &Field| field.kind.has_empty_form() || !given.lacks(field);
                given.0.iter().all(is_known) && fields.iter().all(is_complete)
            }
            (Self::Object(_), _) => false,
            (Self::List(_) | Self::Map(_), Value::Json(json) | Value::Text(json)) => {
                json.is_empty() || serde_json::from_str(json).is_ok_and(|json| self.fits(&json))
            }
            (_, Value::Text(text)) if text.is_empty() => true,
            (Self::Text | Self::Id, Value::Text(_))
            | (Self::Id, Value::Number(_))
            | (Self::Boolean, Value::Boolean(_)) => true,
            (Self::Choice(texts), Value::Text(text))
            | (Self::Codes(texts), Value::Text(text) | Value::Number(text)) => {
                texts.contains(&text.as_str())
            }
            (Self::Codes(texts), Value::Boolean(value)) => {
                texts.contains(&value.to_string().as_str())
            }
            (Self::Decimal, Value::Text(text)) => DecimalText::from(text.as_str()).is_plain(),
            (Self::CivilDateTime, Value::Text(text)) => {
                CivilDateTime::from(text.as_str()).civil().is_some()
            }
            (Self::Integer { min }, Value::Text(text) | Value::Number(text)) => {
                serde_json::from_str::<i64>(text).is_ok_and(|number| number >= min)
            }
            (Self::Float, Value::Text(text) | Value::Number(text)) => {
                serde_json::from_str::<Float>(text).is_ok()
            }
            (Self::Boolean, Value::Text(text)) => text.parse::<bool>().is_ok(),
            _ => false,
        }
    }

    /// Returns whether a value in a list or a map, which is sent as it is, is of this kind.
    fn fits(self, json: &Json) -> bool {
        match (self, json) {
            (Self::Text | Self::Id, Json::String(_))
            | (Self::Float, Json::Number(_))
            | (Self::Boolean, Json::Bool(_)) => true,
            (Self::Choice(_) | Self::Decimal | Self::CivilDateTime, Json::String(text)) => {
                !text.is_empty() && self.accepts(&Value::Text(text.clone()))
            }
            (Self::Codes(texts), json) => {
                let text = json.as_str().map_or_else(|| json.to_string(), str::to_owned);
                texts.contains(&text.as_str())
            }
            (Self::Integer { min }, Json::Number(number)) => {
                number.as_i64().is_some_and(|number| number >= min)
            }
            (Self::Object(fields), Json::Object(members)) => {
                let is_known = |(name, value): (&String, &Json)| {
                    let field = fields.iter().find(|field| field.name == name);
                    let is_absent = |field: &Field| value.is_null() && !field.is_required;
                    field.is_some_and(|field| is_absent(field) || field.kind.fits(value))
                };
                let is_there = |field: &Field| members.contains_key(field.name);
                members.iter().all(is_known)
                    && fields.iter().all(|field| !field.is_required || is_there(field))
            }
            (Self::List(of), Json::Array(values)) => values.iter().all(|value| of.fits(value)),
            (Self::Map(of), Json::Object(members)) => members.values().all(|value| of.fits(value)),
            _ => false,
        }
    }
}

/// A column of a table: a field, or a field of a nested record.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    /// The name: `portal.id` for the field `id` of the record `portal`, as in the CSV of the `gateway` program.
    pub(crate) name: String,
    parents: Vec<&'static str>,
    field: &'static str,
}

impl Column {
    /// Returns whether a table names this column so. Where a dot is not allowed in a name, `portal_id` is usual.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        self.name == name || self.name.replace('.', "_") == name
    }
}

/// Returns the columns of all known fields, without duplicates.
pub(crate) fn columns(known: Known) -> Vec<Column> {
    fn add(all: &mut Vec<Column>, fields: &'static [Field], parents: &[&'static str]) {
        for field in fields {
            let path = [parents, &[field.name]].concat();
            if let Kind::Object(inner) = field.kind {
                add(all, inner, &path);
            } else {
                let column =
                    Column { name: path.join("."), parents: parents.to_vec(), field: field.name };
                if all.iter().all(|other| other.name != column.name) {
                    all.push(column);
                }
            }
        }
    }
    let mut all = Vec::new();
    for fields in known {
        add(&mut all, fields, &[]);
    }
    all
}

#[cfg(test)]
mod tests {
    use serde::de::DeserializeSeed as _;

    use super::*;

    const INNER: &[Field] = &[
        Field { name: "id", kind: Kind::Id, is_required: true },
        Field { name: "count", kind: Kind::Integer { min: 0 }, is_required: true },
    ];

    const OUTER: &[Field] = &[
        Field { name: "name", kind: Kind::Text, is_required: true },
        Field { name: "size", kind: Kind::Choice(&["S", "M"]), is_required: false },
        Field { name: "open", kind: Kind::Boolean, is_required: false },
        Field { name: "price", kind: Kind::Decimal, is_required: false },
        Field { name: "inner", kind: Kind::Object(INNER), is_required: false },
    ];

    const LISTS: &[Field] = &[
        Field { name: "tags", kind: Kind::List(&Kind::Text), is_required: true },
        Field { name: "parts", kind: Kind::List(&Kind::Object(INNER)), is_required: false },
        Field { name: "sums", kind: Kind::Map(&Kind::List(&Kind::Decimal)), is_required: false },
    ];

    #[test]
    fn lists_and_maps_are_read_and_checked() {
        let good = r#"{"tags":["a",""],"parts":[{"id":"7","count":0}],"sums":{"x":["1.5"],"":[]}}"#;
        let fields = Fields::from_json(LISTS, good.as_bytes()).unwrap();
        assert_eq!(fields.wrong(&[LISTS]).map(|(name, _kind)| name), None);
        assert_eq!(fields.json("tags"), r#"["a",""]"#);
        assert!(!fields.lacks(&LISTS[0]));
        for (json, name) in [
            (r#"{"tags":"a"}"#, "tags"),
            (r#"{"tags":["a",1]}"#, "tags"),
            (r#"{"tags":[null]}"#, "tags"),
            (r#"{"parts":[{"count":0}]}"#, "parts"),
            (r#"{"parts":[{"id":"1","count":0,"x":1}]}"#, "parts"),
            (r#"{"parts":[{"id":"1","count":"0"}]}"#, "parts"),
            (r#"{"sums":{"x":["one"]}}"#, "sums"),
            (r#"{"sums":{"x":"1"}}"#, "sums"),
        ] {
            let fields = Fields::from_json(LISTS, json.as_bytes()).unwrap();
            assert_eq!(fields.wrong(&[LISTS]).map(|(name, _kind)| name), Some(name), "{json}");
        }
        assert!(Fields::from_json(LISTS, br#"{"sums":[]}"#).is_none());
        let mut cells = Fields::default();
        for column in columns(&[LISTS]) {
            cells.set(&column, if column.name == "tags" { r#"["a"]"# } else { "" });
        }
        assert_eq!(cells.wrong(&[LISTS]).map(|(name, _kind)| name), None);
        assert_eq!((cells.json("tags"), cells.json("parts")), (r#"["a"]"#, ""));
    }

    #[test]
    fn values_of_every_kind_are_read_and_checked() {
        let wrong = |json: &str| {
            let fields = Fields::from_json(OUTER, json.as_bytes()).unwrap();
            fields.wrong(&[OUTER]).map(|(name, _kind)| name)
        };
        let good =
            r#"{"name":"n","size":"M","open":true,"price":"1.5","inner":{"id":7,"count":0}}"#;
        assert_eq!(wrong(good), None);
        assert_eq!(wrong(r#"{"name":null,"size":"","inner":{"count":1}}"#), None);
        for (json, name) in [
            (r#"{"name":1}"#, "name"),
            (r#"{"size":"L"}"#, "size"),
            (r#"{"open":"yes"}"#, "open"),
            (r#"{"price":"1e3"}"#, "price"),
            (r#"{"inner":{"count":-1}}"#, "inner"),
            (r#"{"inner":{"id":true,"count":1}}"#, "inner"),
            (r#"{"inner":{"id":"1"}}"#, "inner"),
            (r#"{"inner":{"id":"1","count":""}}"#, "inner"),
        ] {
            assert_eq!(wrong(json), Some(name), "{json}");
        }
        for json in [r#"{"a":1}"#, r#"{"name":"","name":""}"#, r#"{"name":[]}"#, r#"{"name":{}}"#] {
            assert!(Fields::from_json(OUTER, json.as_bytes()).is_none(), "{json}");
        }
        let fields = Fields::from_json(OUTER, good.as_bytes()).unwrap();
        assert_eq!((fields.text("name"), fields.json("open")), ("n", "true"));
        let sizes = [("", "0"), ("S", "1"), ("M", "2")];
        assert_eq!((fields.listed("size", &sizes), fields.listed("none", &sizes)), ("2", ""));
        let inner = fields.object("inner").unwrap();
        assert_eq!((inner.text("id"), inner.json("count")), ("7", "0"));
    }

    /// One file may contain records of several kinds, whose fields the spec names independently.
    #[test]
    fn fields_of_one_name_may_have_several_kinds() {
        const TEXT: &[Field] = &[Field { name: "inner", kind: Kind::Text, is_required: false }];
        const OTHER: &[Field] = &[Field { name: "x", kind: Kind::Text, is_required: false }];
        const OBJECT: &[Field] =
            &[Field { name: "inner", kind: Kind::Object(OTHER), is_required: false }];
        let known = [TEXT, OUTER, OBJECT];
        for (json, kind) in [
            (r#"{"inner":"text"}"#, TEXT),
            (r#"{"inner":{"id":7,"count":0}}"#, OUTER),
            (r#"{"inner":{"x":"text"}}"#, OBJECT),
        ] {
            let mut parser = serde_json::Deserializer::from_str(json);
            let kinds = known.map(Kind::Object).to_vec();
            let value = ReadValue(kinds).deserialize(&mut parser).unwrap();
            let Some(Value::Object(fields)) = value else { panic!("{json}") };
            for other in known {
                assert_eq!(fields.wrong(&[other]).is_none(), std::ptr::eq(other, kind), "{json}");
            }
        }
    }

    #[test]
    fn a_cell_sets_the_field_of_its_column() {
        let columns = columns(&[OUTER, INNER]);
        let names: Vec<_> = columns.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(
            names,
            ["name", "size", "open", "price", "inner.id", "inner.count", "id", "count"]
        );
        let mut fields = Fields::default();
        for column in &columns {
            fields.set(column, "1");
        }
        let inner = fields.object("inner").unwrap();
        assert_eq!((inner.json("count"), fields.text("count")), ("1", "1"));
        assert_eq!(fields.wrong(&[OUTER]).map(|(name, _kind)| name), Some("size"));
    }
}
