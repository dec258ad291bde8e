//! Kinds of single values: built-in types, and the meanings of scalars, with all that the generator knows about them.
//!
//! To add a meaning, write its `Meaning` and add it to [`MEANINGS`]; `spec/README.md` has the steps.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer};

use crate::ir::{Primitive, Wire};

/// A kind of single value, in one place. Emitters ask it instead of telling kinds apart.
#[derive(Debug)]
pub struct Form {
    /// How a value is written.
    pub primitive: Primitive,
    /// Returns whether a wire text is a value, for the examples in the spec.
    pub fits: fn(&str) -> bool,
    /// The wire texts that fit, which follows "the example must be" in messages.
    pub expected: &'static str,
    /// The value of `x-meaning` in JSON Schemas; `None` if the primitive says all.
    pub schema: Option<&'static str>,
    /// The argument of the macro `scalar!` that adds the conversions of the meaning to the newtype, if it has any.
    pub kind: Option<&'static str>,
    /// The argument of the macro `scalar!` for text in digits, which a query may send as an integer; `None` if the text
    /// need not be digits.
    pub digits: Option<&'static str>,
    /// The function of the module `random::draws` that creates a value; `None` for any
    /// value of the primitive.
    pub random: Option<&'static str>,
    /// The type of a field in a typed format: a variant of the runtime's `FieldType`. For codes, they decide.
    pub field_type: &'static str,
    /// How the contract checks judge a value in a record: a variant of the test kit's `Kind`.
    pub check: &'static str,
    /// The variant of the server's `Kind`, which says how an import reads a field.
    pub import: &'static str,
}

/// A form exists once, so two forms are equal if they are the same.
impl PartialEq for Form {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Form {}

impl Form {
    /// Any text.
    const TEXT: Self = Self {
        primitive: Primitive::Text,
        fits: |_| true,
        expected: "text",
        schema: None,
        kind: None,
        digits: None,
        random: Some("text"),
        field_type: "Text",
        check: "Text",
        import: "Text",
    };

    /// Any integer of 64 bits with a sign.
    const INTEGER: Self = Self {
        primitive: Primitive::Signed,
        fits: |text| text.parse::<i64>().is_ok(),
        expected: "an integer",
        random: None,
        field_type: "Integer",
        check: "Integer",
        import: "Integer { min: i64::MIN }",
        ..Self::TEXT
    };

    /// Returns the form of any text, for scalars that were rejected.
    pub(crate) fn any() -> &'static Self {
        &TEXT.form
    }
}

/// A built-in type. It has no newtype in Rust.
#[derive(Debug)]
pub struct BuiltIn {
    /// The word in the spec.
    pub word: &'static str,
    /// The word as code, with a note if the word needs one, for the reference pages.
    pub described: &'static str,
    /// How values are handled.
    pub form: Form,
    /// An example, as its wire text, for a field without one.
    pub sample: &'static str,
}

impl BuiltIn {
    /// Returns the word as code.
    pub(crate) fn code(&self) -> String {
        format!("`{}`", self.word)
    }
}

impl PartialEq for BuiltIn {
    fn eq(&self, other: &Self) -> bool {
        self.word == other.word
    }
}

impl Eq for BuiltIn {}

static TEXT: BuiltIn =
    BuiltIn { word: "text", described: "`text`", form: Form::TEXT, sample: "text" };

static INTEGER: BuiltIn = BuiltIn {
    word: "integer",
    described: "`integer` (64-bit, signed)",
    form: Form::INTEGER,
    sample: "1",
};

static FLOAT: BuiltIn = BuiltIn {
    word: "float",
    described: "`float` (64-bit floating-point number)",
    form: Form {
        primitive: Primitive::Float,
        fits: |text| Primitive::Float.json(text).is_some(),
        expected: "a number such as `52.25`",
        random: Some("float"),
        field_type: "Real",
        check: "Number",
        import: "Float",
        ..Form::TEXT
    },
    sample: "52.25",
};

static BOOLEAN: BuiltIn = BuiltIn {
    word: "boolean",
    described: "`boolean`",
    form: Form {
        primitive: Primitive::Boolean,
        fits: |text| text.parse::<bool>().is_ok(),
        expected: "`true` or `false`",
        random: None,
        field_type: "Boolean",
        check: "Boolean",
        import: "Boolean",
        ..Form::TEXT
    },
    sample: "true",
};

/// All built-in types, in the order in which messages list them.
pub static BUILT_IN: &[&BuiltIn] = &[&TEXT, &INTEGER, &FLOAT, &BOOLEAN];

/// Returns a list of at least two built-in types, with a word or a comma before the last.
pub(crate) fn built_in_list(
    types: impl Iterator<Item = &'static BuiltIn>,
    shown: impl Fn(&BuiltIn) -> String,
    before_last: &str,
) -> String {
    let shown: Vec<_> = types.map(shown).collect();
    shown.split_last().map_or_else(String::new, |(last, first)| {
        format!("{}{before_last}{last}", first.join(", "))
    })
}

/// The meaning of a scalar, which decides the conversions that its newtype offers.
#[derive(Debug)]
pub struct Meaning {
    /// The word in the spec.
    pub word: &'static str,
    /// The description in the JSON Schema of the spec language.
    pub doc: &'static str,
    /// How values are handled that are written as strings; `None` if none are.
    pub string: Option<Form>,
    /// Whether a record may have a number instead of a string.
    pub numeric: bool,
    /// How values are handled that are written as integers; `None` if none are.
    pub integer: Option<Form>,
    /// How values are handled that are written as codes; `None` if none are.
    pub codes: Option<Form>,
}

/// The meaning of identifiers, which cannot be mixed up with each other.
pub static ID: Meaning = Meaning {
    word: "id",
    doc: "An identifier.",
    string: Some(Form {
        digits: Some("digits"),
        random: Some("identifier"),
        field_type: "Id",
        import: "Id",
        ..Form::TEXT
    }),
    numeric: true,
    integer: Some(Form {
        primitive: Primitive::Unsigned,
        fits: |text| text.parse::<u64>().is_ok(),
        expected: "an unsigned 64-bit integer, because `wire` or `query-wire` is `integer`",
        field_type: "Id",
        import: "Integer { min: 0 }",
        ..Form::INTEGER
    }),
    codes: None,
};

static NAMED_TEXT: Meaning = Meaning {
    word: "text",
    doc: "Text with a named type.",
    string: Some(Form::TEXT),
    numeric: true,
    integer: None,
    codes: None,
};

/// A decimal number in a string.
static DECIMAL: Meaning = Meaning {
    word: "decimal",
    doc: "A decimal number; its exact text is kept.",
    string: Some(Form {
        fits: is_decimal,
        expected: "a plain decimal number such as `12.50`",
        schema: Some("decimal"),
        kind: Some("decimal"),
        random: Some("decimal"),
        field_type: "Decimal",
        check: "Decimal",
        import: "Decimal",
        ..Form::TEXT
    }),
    numeric: true,
    integer: None,
    codes: None,
};

fn is_decimal(text: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let parts = unsigned.split_once('.');
    parts.map_or_else(|| digits(unsigned), |(whole, part)| digits(whole) && digits(part))
}

/// A date and time without a zone. Text that is not a date is kept.
static CIVIL_DATE_TIME: Meaning = Meaning {
    word: "civil-datetime",
    doc: "`YYYY-MM-DD HH:MM:SS` without a time zone.",
    string: Some(Form {
        fits: is_date_time,
        expected: "a date and time such as `2024-03-31 02:30:00`",
        schema: Some("civil-datetime"),
        kind: Some("civil_date_time"),
        random: Some("date_time"),
        field_type: "DateTime",
        check: "CivilDateTime",
        import: "CivilDateTime",
        ..Form::TEXT
    }),
    numeric: false,
    integer: None,
    codes: None,
};

fn is_date_time(text: &str) -> bool {
    let pattern = "0000-00-00 00:00:00";
    let fits = |(c, p): (char, char)| if p == '0' { c.is_ascii_digit() } else { c == p };
    let same_form = text.len() == pattern.len() && text.chars().zip(pattern.chars()).all(fits);
    let part =
        |from: usize, to: usize| text.get(from..to).and_then(|part| part.parse::<u32>().ok());
    let (Some(year), Some(month), Some(day)) = (part(0, 4), part(5, 7), part(8, 10)) else {
        return false;
    };
    let leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    let days = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    let below = |from, to, end| part(from, to).is_some_and(|number| number < end);
    same_form
        && (1..=days).contains(&day)
        && below(11, 13, 24)
        && below(14, 16, 60)
        && below(17, 19, 60)
}

static CURRENCY: Meaning = Meaning {
    word: "currency",
    doc: "A currency code.",
    string: Some(Form {
        schema: Some("currency"),
        random: Some("currency"),
        check: "Currency",
        ..Form::TEXT
    }),
    numeric: false,
    integer: None,
    codes: None,
};

/// The time since 1970-01-01 00:00:00 UTC, negative before it: an integer, or text in digits.
static EPOCH_SECONDS: Meaning = Meaning {
    word: "epoch-seconds",
    doc: "Seconds since 1970-01-01 00:00:00 UTC.",
    string: Some(Form {
        fits: is_moment,
        expected: "a whole number of seconds such as `1711850400`",
        schema: Some("epoch-seconds"),
        kind: Some("epoch_seconds_text"),
        random: Some("epoch_seconds_text"),
        check: "EpochSeconds",
        ..Form::TEXT
    }),
    numeric: true,
    integer: Some(Form {
        fits: is_moment,
        expected: "a whole number of seconds such as `1711850400`",
        schema: Some("epoch-seconds"),
        kind: Some("epoch_seconds"),
        random: Some("epoch_seconds"),
        ..Form::INTEGER
    }),
    codes: None,
};

static EPOCH_MILLISECONDS: Meaning = Meaning {
    word: "epoch-milliseconds",
    doc: "Milliseconds since 1970-01-01 00:00:00 UTC.",
    string: Some(Form {
        fits: is_moment,
        expected: "a whole number of milliseconds such as `1711850400000`",
        schema: Some("epoch-milliseconds"),
        kind: Some("epoch_milliseconds_text"),
        random: Some("epoch_milliseconds_text"),
        check: "EpochSeconds",
        ..Form::TEXT
    }),
    numeric: true,
    integer: Some(Form {
        fits: is_moment,
        expected: "a whole number of milliseconds such as `1711850400000`",
        schema: Some("epoch-milliseconds"),
        kind: Some("epoch_milliseconds"),
        random: Some("epoch_milliseconds"),
        ..Form::INTEGER
    }),
    codes: None,
};

fn is_moment(text: &str) -> bool {
    !text.starts_with('+') && text.parse::<i64>().is_ok()
}

/// The reader of specs compares the examples with the codes of the scalar.
static CODED: Meaning = Meaning {
    word: "boolean",
    doc: "True or false, written as other JSON values, such as 0 and 1.",
    string: None,
    numeric: false,
    integer: None,
    codes: Some(Form {
        primitive: Primitive::Coded,
        expected: "one of the codes",
        schema: Some("boolean"),
        kind: Some("boolean"),
        random: None,
        field_type: "Json",
        check: "Values",
        import: "Codes",
        ..Form::TEXT
    }),
};

/// All meanings, in the order in which messages list them.
pub static MEANINGS: [&Meaning; 8] = [
    &ID,
    &NAMED_TEXT,
    &DECIMAL,
    &CIVIL_DATE_TIME,
    &EPOCH_SECONDS,
    &CURRENCY,
    &EPOCH_MILLISECONDS,
    &CODED,
];

impl Meaning {
    /// Returns the meaning with this word.
    pub fn of(word: &str) -> Option<&'static Self> {
        MEANINGS.iter().copied().find(|meaning| meaning.word == word)
    }

    /// Returns how values are handled in a query; `None` if the meaning does not allow these wires together.
    pub fn query_form(&self, wire: Wire, query_wire: Wire) -> Option<&Form> {
        let text = self.form(wire)?;
        match (wire.written(), query_wire.written()) {
            (Wire::String, Wire::Integer) => {
                self.form(query_wire).filter(|_| text.digits.is_some())
            }
            (Wire::Codes, Wire::String | Wire::Integer) => None,
            _ => self.form(query_wire.written()),
        }
    }

    /// Returns how values on this wire are handled; `None` if the meaning does not allow the wire.
    pub fn form(&self, wire: Wire) -> Option<&Form> {
        match wire {
            Wire::String => self.string.as_ref(),
            Wire::Integer | Wire::IntegerOrText => self.integer.as_ref(),
            Wire::TextOrNumber => self.string.as_ref().filter(|_| self.numeric),
            Wire::Codes => self.codes.as_ref(),
        }
    }
}

impl PartialEq for Meaning {
    fn eq(&self, other: &Self) -> bool {
        self.word == other.word
    }
}

impl Eq for Meaning {}

impl<'de> Deserialize<'de> for &'static Meaning {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let word = String::deserialize(from)?;
        Meaning::of(&word).ok_or_else(|| serde::de::Error::custom("unknown meaning"))
    }
}

impl JsonSchema for Meaning {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Meaning".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        crate::words::schema(MEANINGS.iter().map(|one| (one.word, one.doc)))
    }
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
            "2024-1-01 00:00:00",
            "",
        ] {
            assert!(!is_date_time(bad), "{bad}");
        }
        assert!(["0", "12.50", "-3.0"].into_iter().all(is_decimal));
        assert!(!["", "1e3", "1,234.50", ".5", "5.", "NaN", "--1"].into_iter().any(is_decimal));
    }
}
