//! The fields of each kind of record, and the kinds of their values.

use std::borrow::Cow;

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
    pub(super) fn has_empty_form(self) -> bool {
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
pub(super) fn find(known: &[&'static [Field]], name: &str) -> Option<&'static Field> {
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
