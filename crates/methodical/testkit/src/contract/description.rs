//! The description of a service that the checks follow. The generator writes it from the spec.

use std::slice;

use methodical_model::codegen::{Body, Decides};
use methodical_model::{Auth, BodyFormat, Dispatch, ListOperation, Service};
use serde_json::Value;

use crate::contract::record::{found, quoted};

/// The contract of a service: its path, its operations, and the records in their responses.
///
/// The generator writes a contract for each service. It is the constant `CONTRACT` of the generated test kit.
#[derive(Debug)]
pub struct Contract {
    /// The path of the service, without a prefix.
    #[doc(hidden)]
    pub path: &'static str,
    /// How a call selects its operation.
    #[doc(hidden)]
    pub dispatch: Dispatch,
    /// How a call is authenticated.
    #[doc(hidden)]
    pub auth: Auth,
    /// The value of the `Accept` header.
    #[doc(hidden)]
    pub accept: &'static str,
    /// The section of the contract that describes the service.
    #[doc(hidden)]
    pub source: &'static str,
    /// The section about access tokens.
    #[doc(hidden)]
    pub token_source: &'static str,
    /// The service's operations.
    #[doc(hidden)]
    pub operations: &'static [Operation],
}

/// An operation of the service: how to call it, and what it returns.
#[derive(Debug)]
pub struct Operation {
    /// The group that the operation's checks belong to, such as `photos`.
    pub group: &'static str,
    /// The value of the selector, such as `photos/list`.
    pub select: &'static str,
    /// The section of the contract.
    pub source: &'static str,
    /// The format of the POST body, and whether the call is idempotent; `None` for a GET.
    pub post: Option<(BodyFormat, bool)>,
    /// The parameters whose values are unquoted in a JSON body.
    pub literals: &'static [&'static str],
    /// The parameters that are arrays in a JSON body.
    pub lists: &'static [&'static str],
    /// The data in a successful response.
    pub response: Data,
    /// Whether the service may refuse a call with status 200 and a failure in the body.
    pub reports_failures: bool,
    /// The kind of the list's records, or of the object itself.
    pub record: &'static Record,
    /// The operation's parameters.
    pub params: &'static [Param],
}

/// The place of the data in a response.
#[derive(Debug)]
pub struct Data {
    /// Whether the data is a list.
    pub is_list: bool,
    /// Where the data is, and how the body reports a failure.
    pub body: &'static Body,
}

/// A kind of record: its fields, and which of them identifies it.
#[derive(Debug)]
pub struct Record {
    /// The JSON key of the field that identifies a record.
    pub identity: Option<&'static str>,
    /// The record's fields.
    pub fields: &'static [Field],
}

/// A field of a record.
#[derive(Debug)]
pub struct Field {
    /// The name of the field's check, such as `taken_at`.
    pub check: &'static str,
    /// The field's JSON key, such as `takenAt`.
    pub name: &'static str,
    /// The kind of its value.
    pub kind: Kind,
    /// Whether the value is always present and not `null`.
    pub required: bool,
    /// The section of the contract.
    pub source: &'static str,
    /// The open points about the field.
    pub open: &'static [&'static str],
}

/// The kind of value that a field has.
#[derive(Debug)]
pub enum Kind {
    /// Any text.
    Text,
    /// Text of decimal digits.
    Digits,
    /// A JSON number without a fraction.
    Integer,
    /// `true` or `false`.
    Boolean,
    /// A decimal number as text.
    Decimal,
    /// A date and time without a zone, as `YYYY-MM-DD HH:MM:SS`.
    CivilDateTime,
    /// Seconds since 1970-01-01 00:00:00 UTC, as text of digits.
    EpochSeconds,
    /// A currency code.
    Currency,
    /// One of these JSON values.
    Values(&'static [&'static str]),
    /// A value of this kind, or a JSON number.
    OrNumber(&'static Self),
    /// Another record.
    Record(&'static Record),
    /// A list of values of this kind.
    List(&'static Self),
    /// A list of values of this kind, or one such value instead of a list.
    OneOrList(&'static Self),
    /// An object of this kind, or an empty list instead of an empty object.
    OrEmptyList(&'static Self),
    /// A value of this kind, or an empty string instead.
    OrBlank(&'static Self),
    /// An object with arbitrary keys, whose values are of this kind.
    Map(&'static Self),
}

impl Kind {
    /// Returns the kind of the innermost values of lists and maps, or the kind itself if it is neither.
    pub(crate) fn element(&self) -> &Self {
        match self {
            Self::List(of)
            | Self::Map(of)
            | Self::OneOrList(of)
            | Self::OrEmptyList(of)
            | Self::OrBlank(of) => of.element(),
            _ => self,
        }
    }
}

/// A parameter of an operation.
#[derive(Debug)]
pub struct Param {
    /// The name of the parameter's checks, such as `album`.
    pub check: &'static str,
    /// The parameter's name in a query, such as `album_id`.
    pub name: &'static str,
    /// The kind of its values.
    pub values: Values,
    /// Where to find an existing value: the selector of an operation, and the JSON key of a field.
    pub origin: Option<(&'static str, &'static str)>,
    /// A value that the service accepts, which may match no record.
    pub sample: &'static str,
    /// A value that the service accepts and that no record has.
    pub unknown: Option<&'static str>,
    /// Whether every call must send the parameter.
    pub required: bool,
    /// The parameters without which this one has no effect.
    pub needs: &'static [&'static str],
    /// The attribute that all records selected by this parameter have, although the records do not contain it.
    pub recovers: Option<&'static str>,
    /// The section of the contract.
    pub source: &'static str,
    /// The open points about the parameter.
    pub open: &'static [&'static str],
}

/// The values that a parameter can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// Any text.
    Text,
    /// An integer in decimal digits that identifies something.
    NumericId,
    /// Any other integer of 64 bits in decimal digits.
    Integer,
    /// Text that identifies something.
    TextId,
    /// One of a closed set of values, or text or an integer of a certain form.
    Other,
}

impl Contract {
    /// Creates a contract from the constants of `S`. Its list of operations is empty.
    #[doc(hidden)]
    pub const fn of<S: Service>() -> Self {
        Self {
            path: S::PATH,
            dispatch: S::DISPATCH,
            auth: S::AUTH,
            accept: S::ACCEPT,
            source: "",
            token_source: "",
            operations: &[],
        }
    }

    pub(crate) fn operation(&self, select: &str) -> Option<&'static Operation> {
        self.operations.iter().find(|operation| operation.select == select)
    }

    /// Returns the operations that the checks call.
    pub(crate) fn called(&self) -> impl Iterator<Item = &'static Operation> {
        self.operations.iter().filter(|one| one.is_called())
    }

    /// Returns the operation that the general checks call: preferably a GET with few required parameters and no list.
    pub(crate) fn probe(&self) -> Option<&'static Operation> {
        self.called().min_by_key(|one| {
            let required = one.params.iter().filter(|param| param.required).count();
            (one.post.is_some(), required, one.response.is_list, one.params.len())
        })
    }

    /// Returns whether the general checks use GET.
    pub(crate) fn probes_by_get(&self) -> bool {
        self.probe().is_none_or(|probe| probe.post.is_none())
    }

    /// Returns the first list that can be requested without a parameter.
    pub(crate) fn first_list(&self) -> Option<&'static Operation> {
        self.plain().find(|operation| operation.response.is_list)
    }

    /// Returns the operations that can be requested without a parameter.
    pub(crate) fn plain(&self) -> impl Iterator<Item = &'static Operation> {
        self.called().filter(|one| one.params.iter().all(|param| !param.required))
    }
}

impl Operation {
    /// Describes a list of records, without parameters.
    pub const fn list<O: ListOperation>(record: &'static Record) -> Self {
        Self { response: Data { is_list: true, body: O::BODY }, ..Self::object::<O>(record) }
    }

    /// Describes an operation that returns an object, without parameters.
    pub const fn object<O: methodical_model::Operation>(record: &'static Record) -> Self {
        Self {
            group: "",
            select: O::METHOD,
            source: "",
            post: O::POST,
            literals: &[],
            lists: &[],
            response: Data { is_list: false, body: O::BODY },
            reports_failures: false,
            record,
            params: &[],
        }
    }

    /// Returns whether the checks call the operation. They skip a non-idempotent POST, because it may change data.
    pub(crate) fn is_called(&self) -> bool {
        self.post.is_none_or(|(_, is_idempotent)| is_idempotent)
    }

    /// Returns whether the parameters are in a JSON body instead of being percent-encoded.
    pub(crate) fn is_json(&self) -> bool {
        self.post.is_some_and(|(format, _)| format == BodyFormat::Json)
    }

    /// Returns whether a body reports a failure.
    pub(crate) fn failure_in(&self, json: &Value) -> bool {
        let has_marker = match self.response.decides() {
            Some(Decides::Success { at: path, .. }) => at(json, path).is_some(),
            _ => false,
        };
        (self.reports_failures || has_marker) && self.response.failure_of(json).is_some()
    }

    /// Returns how a request is refused, as a phrase that follows "is".
    pub(crate) fn refused_with(&self, status: u16) -> String {
        let or = if self.reports_failures { " or a failure in the body" } else { "" };
        format!("refused with {status}{or}")
    }
}

impl Data {
    /// Returns how a body reports success or failure, if it reports either.
    fn decides(&self) -> Option<Decides> {
        self.body.verdict.map(|verdict| verdict.decides)
    }

    /// Describes the marker of success in a body, for the title of a check; `None` if bodies have no marker.
    pub(crate) fn success_title(&self) -> Option<String> {
        Some(match self.decides()? {
            Decides::Success { at, is } => format!("`{}` is `{}`", at.join("."), is.join("` or `")),
            Decides::Failure { present } => format!("`{}` is absent", present.join(".")),
        })
    }

    /// Describes the data and its place in a body.
    pub(crate) fn place(&self) -> (String, &'static str) {
        let path = self.body.at.join(".");
        let place = if path.is_empty() { "the response".to_owned() } else { format!("`{path}`") };
        (place, if self.is_list { "a list" } else { "an object" })
    }

    /// Describes what a body has in place of the data.
    pub(crate) fn mistake(&self, data: Option<&Value>) -> String {
        let (place, what) = self.place();
        format!("{place} is {}, expected {what}", found(data))
    }

    pub(crate) fn data<'v>(&self, json: &'v Value) -> Option<&'v Value> {
        at(json, self.body.at)
    }

    /// Returns the elements of the list. A record in place of a list is its only element, and an absent list is empty.
    pub(crate) fn elements<'v>(&self, json: &'v Value) -> Option<&'v [Value]> {
        match self.data(json).filter(|data| !data.is_null()) {
            Some(Value::Array(list)) => Some(list),
            Some(one) if self.body.one_as_list && one.is_object() => Some(slice::from_ref(one)),
            None if self.body.absent_as_empty => Some(&[]),
            _ => None,
        }
    }

    /// Returns why a response does not report success.
    pub(crate) fn failure_of(&self, json: &Value) -> Option<String> {
        match self.decides()? {
            Decides::Success { at: path, is } => {
                let text = at(json, path).map(|found| match found {
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                });
                let is_right = text.as_deref().is_some_and(|text| is.contains(&text));
                let found = quoted(&text.unwrap_or_default());
                let (path, is) = (path.join("."), is.join("` or `"));
                (!is_right).then(|| format!("`{path}` is {found}, expected `{is}`"))
            }
            Decides::Failure { present } => {
                let is_present = at(json, present).is_some_and(|value| !value.is_null());
                is_present.then(|| format!("`{}` is present", present.join(".")))
            }
        }
    }
}

/// Returns whether a value has this JSON text.
pub(crate) fn is_code(value: &Value, code: &str) -> bool {
    serde_json::from_str::<Value>(code).is_ok_and(|code| code == *value)
}

fn at<'v>(json: &'v Value, path: &[&str]) -> Option<&'v Value> {
    path.iter().try_fold(json, |json, key| json.get(key))
}

impl Record {
    /// Returns the field that identifies a record.
    pub(crate) fn identity(&self) -> Option<&'static Field> {
        let name = self.identity?;
        self.fields.iter().find(|field| field.name == name)
    }

    /// Returns all fields, including the fields of nested records, each once.
    pub(crate) fn all_fields(&'static self) -> Vec<&'static Field> {
        let mut records = vec![self];
        let mut fields = Vec::new();
        let mut next = 0;
        while let Some(record) = records.get(next).copied() {
            next += 1;
            for field in record.fields {
                fields.push(field);
                if let Kind::Record(inner) = *field.kind.element()
                    && !records.iter().any(|known| std::ptr::eq(*known, inner))
                {
                    records.push(inner);
                }
            }
        }
        fields
    }
}

/// Returns the open point about a topic: the first whose name ends with the topic, or the first of all, or `general`.
pub(crate) fn point(
    open: &'static [&'static str],
    topic: &str,
    general: &'static str,
) -> &'static str {
    // `PRESENCE` is the source of another check.
    let mut open = open.iter().filter(|name| **name != PRESENCE);
    let first = open.clone().next();
    open.find(|name| name.ends_with(topic)).or(first).copied().unwrap_or(general)
}

/// The open point about absent fields.
pub(crate) const PRESENCE: &str = "D-presence";
