//! The fields of one record, from a file of any format, and their checks.

#![expect(clippy::allow_attributes, reason = "an `expect` could fail after a change of the spec")]

use std::borrow::Cow;

use gateway_model::{CivilDateTime, DecimalText};
use jiff::civil::DateTime;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value as Json};

/// A record of the service. Strings are borrowed, and a value other than a string or a record is stored as JSON text.
pub(crate) trait Record<'a>: Serialize + Deserialize<'a> + Sized {
    /// The fields that an import reads.
    const FIELDS: &'static [Field];

    /// Returns a record with the values of the examples in the spec.
    fn example() -> Self;
}

/// Writes JSON text, or `null` if the text is empty.
#[allow(dead_code, reason = "the spec decides which kinds its fields have")]
pub(crate) fn value_or_null<S: Serializer>(json: &&str, out: S) -> Result<S::Ok, S::Error> {
    serde_json::from_str(json).unwrap_or(Json::Null).serialize(out)
}

/// Writes JSON text, or an empty list if the text is empty.
#[allow(dead_code, reason = "the spec decides which kinds its fields have")]
pub(crate) fn value_or_list<S: Serializer>(json: &&str, out: S) -> Result<S::Ok, S::Error> {
    serde_json::from_str(json).unwrap_or(Json::Array(Vec::new())).serialize(out)
}

/// A field that records of a kind have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) is_required: bool,
}

/// The kind of values that a field may have. Every kind except objects also accepts an empty string, because that is
/// what an empty table cell contains.
#[derive(Clone, Copy, Debug)]
#[allow(dead_code, reason = "the spec decides which kinds its fields have")]
pub(crate) enum Kind {
    /// Text.
    Text,
    /// An id: a string, or the number that many tools convert it to.
    Id,
    /// A plain decimal number, as text.
    Decimal,
    /// A date and time, as text.
    CivilDateTime,
    /// A whole number of at least `min`.
    Integer { min: i64 },
    /// `true` or `false`.
    Boolean,
    /// An object with these fields.
    Object(&'static [Field]),
    /// A list; in a table, its JSON text.
    List(&'static Self),
}

/// The fields of all kinds of records that a file may contain.
pub(crate) type Known = &'static [&'static [Field]];

impl Kind {
    /// Returns what a value of this kind must be, for an error message.
    pub(crate) fn expected(self) -> Cow<'static, str> {
        match self {
            Self::Text => "must be a string".into(),
            Self::Id => "must be a string or a whole number".into(),
            Self::Decimal => "must be a plain decimal number such as 184.50".into(),
            Self::CivilDateTime => {
                "is not a valid date and time; expected YYYY-MM-DD HH:MM:SS".into()
            }
            Self::Integer { min } => {
                format!("must be a whole number from {min} to {}", i64::MAX).into()
            }
            Self::Boolean => "must be `true` or `false`".into(),
            Self::Object(fields) => {
                let names: Vec<_> =
                    fields.iter().map(|field| format!("`{}`", field.name)).collect();
                let names = names.join(" and ");
                format!("must be an object with only the fields {names}").into()
            }
            Self::List(of) => {
                format!("must be a list in which each value {}", of.expected()).into()
            }
        }
    }

    /// Returns whether responses write a missing value of this kind as an empty string, or an object of empty strings.
    fn has_empty_form(self) -> bool {
        match self {
            Self::Text | Self::Id | Self::Decimal | Self::CivilDateTime => true,
            Self::Integer { .. } | Self::Boolean | Self::List(_) => false,
            Self::Object(fields) => {
                fields.iter().all(|field| !field.is_required || field.kind.has_empty_form())
            }
        }
    }
}

/// Returns a field by its name.
pub(crate) fn find(known: &[&'static [Field]], name: &str) -> Option<&'static Field> {
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

/// The values of a record except `null`, as read from a file or after the checks.
pub(crate) type Fields = Map<String, Json>;

/// Adds a cell, which may belong to a nested record. A nested record whose cells are all empty counts as missing.
pub(crate) fn set_cell(mut fields: &mut Fields, column: &Column, text: &str) {
    let Some((name, parents)) = column.path.split_last() else { return };
    if text.is_empty() && !parents.is_empty() {
        return;
    }
    for parent in parents {
        let inner = fields.entry(*parent).or_insert_with(|| Map::new().into());
        let Some(inner) = inner.as_object_mut() else { return };
        fields = inner;
    }
    fields.insert((*name).to_owned(), text.into());
}

/// Returns a checked value: the string itself, or the JSON text of any other value. Empty if the value is missing.
pub(crate) fn text<'f>(fields: &'f Fields, name: &str) -> &'f str {
    fields.get(name).and_then(Json::as_str).unwrap_or_default()
}

/// Why a record is invalid.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The field does not belong to this kind of record, so it would be lost.
    Foreign(String),
    /// The value's kind does not match the field's kind.
    Wrong(&'static Field),
    /// The required field has no value.
    Missing(&'static Field),
}

/// Checks the values of a record: it may have only the fields in `known`, and no required field may be missing.
/// Converts any value that is neither text nor a record to its JSON text.
pub(crate) fn check(known: &[&'static [Field]], given: Fields) -> Result<Fields, Fault> {
    let fields = read(known, given)?;
    let mut all = known.iter().copied().flatten();
    match all.find(|field| lacks(&fields, field)) {
        Some(field) => Err(Fault::Missing(field)),
        None => Ok(fields),
    }
}

fn read(known: &[&'static [Field]], given: Fields) -> Result<Fields, Fault> {
    let given = given.into_iter().map(|(name, value)| {
        let Some(field) = find(known, &name) else { return Err(Fault::Foreign(name)) };
        if value.is_null() {
            return Ok((name, value));
        }
        Ok((name, field.kind.read(value).ok_or(Fault::Wrong(field))?))
    });
    given.filter(|one| !one.as_ref().is_ok_and(|(_, value)| value.is_null())).collect()
}

/// Returns whether a required field has no value.
fn lacks(fields: &Fields, field: &Field) -> bool {
    field.is_required
        && match fields.get(field.name) {
            None => true,
            Some(value) => value == "" && !field.kind.has_empty_form(),
        }
}

/// Returns the name of a field that contains a NUL character.
pub(crate) fn with_nul(fields: &Fields) -> Option<String> {
    fields.iter().find_map(|(name, value)| match value {
        Json::Object(inner) => with_nul(inner).map(|inner| format!("{name}.{inner}")),
        value => value.as_str()?.contains('\0').then(|| name.clone()),
    })
}

impl Kind {
    /// Converts a value; `None` if it is not of this kind. Every kind except a record may be text, as in a table cell.
    fn read(self, json: Json) -> Option<Json> {
        match (self, json) {
            (Self::Object(known), Json::Object(members)) => {
                let fields = read(&[known], members).ok()?;
                // A field may be missing if a response can send it as an empty string.
                let is_whole =
                    known.iter().all(|one| one.kind.has_empty_form() || !lacks(&fields, one));
                is_whole.then(|| fields.into())
            }
            (Self::Object(_), _) => None,
            (Self::Id, Json::Number(number)) if !number.is_f64() => Some(number.to_string().into()),
            (kind, Json::String(text)) => {
                let is_valid = text.is_empty() || kind.fits(&Json::from(&*text)) || {
                    let value = serde_json::from_str::<Json>(&text);
                    value.is_ok_and(|value| !value.is_string() && kind.fits(&value))
                };
                is_valid.then(|| text.into())
            }
            (kind, json) => kind.fits(&json).then(|| json.to_string().into()),
        }
    }

    /// Returns whether a value is of this kind without conversion.
    fn fits(self, json: &Json) -> bool {
        match (self, json) {
            (Self::Text | Self::Id, Json::String(_)) | (Self::Boolean, Json::Bool(_)) => true,
            (Self::Decimal, Json::String(text)) => DecimalText::from(&**text).is_plain(),
            (Self::CivilDateTime, Json::String(text)) => {
                DateTime::try_from(&CivilDateTime::from(&**text)).is_ok()
            }
            (Self::Integer { min }, Json::Number(number)) => {
                number.as_i64().is_some_and(|number| number >= min)
            }
            (Self::List(of), Json::Array(values)) => values.iter().all(|value| of.fits(value)),
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
            _ => false,
        }
    }
}

/// A column of a table: a field, or a field of a nested record.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    /// The name, such as `portal.id` for the field `id` of the record `portal`, as in CSV from the `gateway` program.
    pub(crate) name: String,
    path: Vec<&'static str>,
}

impl Column {
    /// Returns whether a table may use this name for the column: `portal_id` is common where names have no dots.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        self.name == name || self.name.replace('.', "_") == name
    }
}

/// Returns the columns of all known fields, without duplicates.
pub(crate) fn columns(known: Known) -> Vec<Column> {
    fn add(all: &mut Vec<Column>, fields: &'static [Field], parents: &[&'static str]) {
        for field in fields {
            let path = [parents, &[field.name]].concat();
            let name = path.join(".");
            if let Kind::Object(inner) = field.kind {
                add(all, inner, &path);
            } else if all.iter().all(|other| other.name != name) {
                all.push(Column { name, path });
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
    use super::*;

    const INNER: &[Field] = &[
        Field { name: "id", kind: Kind::Id, is_required: true },
        Field { name: "count", kind: Kind::Integer { min: 0 }, is_required: true },
    ];

    const OUTER: &[Field] = &[
        Field { name: "name", kind: Kind::Text, is_required: false },
        Field { name: "open", kind: Kind::Boolean, is_required: false },
        Field { name: "price", kind: Kind::Decimal, is_required: false },
        Field { name: "inner", kind: Kind::Object(INNER), is_required: false },
    ];

    const LISTS: &[Field] = &[
        Field { name: "tags", kind: Kind::List(&Kind::Text), is_required: false },
        Field { name: "parts", kind: Kind::List(&Kind::Object(INNER)), is_required: false },
        Field { name: "sums", kind: Kind::List(&Kind::List(&Kind::Decimal)), is_required: false },
    ];

    fn checked(known: &'static [Field], json: &str) -> Result<Fields, Fault> {
        check(&[known], serde_json::from_str(json).unwrap())
    }

    /// Returns the name of the field whose value is wrong.
    fn wrong(known: &'static [Field], json: &str) -> Option<&'static str> {
        match checked(known, json) {
            Err(Fault::Wrong(field)) => Some(field.name),
            _ => None,
        }
    }

    #[test]
    fn lists_are_read_and_checked() {
        let good = r#"{"tags":["a",""],"parts":[{"id":"7","count":0}],"sums":[["1.5"],[]]}"#;
        assert_eq!(text(&checked(LISTS, good).unwrap(), "tags"), r#"["a",""]"#);
        for (json, name) in [
            (r#"{"tags":"a"}"#, "tags"),
            (r#"{"tags":["a",1]}"#, "tags"),
            (r#"{"tags":[null]}"#, "tags"),
            (r#"{"parts":[{"count":0}]}"#, "parts"),
            (r#"{"parts":[{"id":"1","count":0,"x":1}]}"#, "parts"),
            (r#"{"parts":[{"id":"1","count":"0"}]}"#, "parts"),
            (r#"{"sums":[["one"]]}"#, "sums"),
            (r#"{"sums":["1"]}"#, "sums"),
            (r#"{"sums":{}}"#, "sums"),
        ] {
            assert_eq!(wrong(LISTS, json), Some(name), "{json}");
        }
        let mut cells = Fields::default();
        for column in columns(&[LISTS]) {
            set_cell(&mut cells, &column, if column.name == "tags" { r#"["a"]"# } else { "" });
        }
        let cells = check(&[LISTS], cells).unwrap();
        assert_eq!((text(&cells, "tags"), text(&cells, "parts")), (r#"["a"]"#, ""));
    }

    #[test]
    fn values_of_every_kind_are_read_and_checked() {
        let good = r#"{"name":"n","open":true,"price":"1.5","inner":{"id":7,"count":0}}"#;
        checked(OUTER, r#"{"name":null,"open":"","inner":{"count":1}}"#).unwrap();
        for (json, name) in [
            (r#"{"name":1}"#, "name"),
            (r#"{"name":[]}"#, "name"),
            (r#"{"name":{}}"#, "name"),
            (r#"{"open":"yes"}"#, "open"),
            (r#"{"price":"1e3"}"#, "price"),
            (r#"{"inner":{"count":-1}}"#, "inner"),
            (r#"{"inner":{"id":true,"count":1}}"#, "inner"),
            (r#"{"inner":{"id":"1"}}"#, "inner"),
            (r#"{"inner":{"id":"1","count":""}}"#, "inner"),
        ] {
            assert_eq!(wrong(OUTER, json), Some(name), "{json}");
        }
        assert!(matches!(checked(OUTER, r#"{"a":1}"#), Err(Fault::Foreign(name)) if name == "a"));
        let missing = checked(INNER, r#"{"count":1}"#);
        assert!(matches!(missing, Err(Fault::Missing(field)) if field.name == "id"));
        let fields = checked(OUTER, good).unwrap();
        assert_eq!((text(&fields, "name"), text(&fields, "open")), ("n", "true"));
        let inner = fields["inner"].as_object().unwrap();
        assert_eq!((text(inner, "id"), text(inner, "count")), ("7", "0"));
    }

    #[test]
    fn a_cell_sets_the_field_of_its_column() {
        let columns = columns(&[OUTER, INNER]);
        let names: Vec<_> = columns.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(names, ["name", "open", "price", "inner.id", "inner.count", "id", "count"]);
        let mut given = Fields::default();
        for column in columns.iter().filter(|column| column.name.starts_with("inner")) {
            set_cell(&mut given, column, "1");
        }
        let fields = check(&[OUTER], given).unwrap();
        assert_eq!(text(fields["inner"].as_object().unwrap(), "count"), "1");
    }
}
