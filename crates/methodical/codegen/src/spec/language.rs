//! The spec language: a type for each table. serde reads a spec into these types, and the JSON Schema for editors follows from
//! them. The comment of a key is its description for editors.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::ir::{
    BodyFormat, Code, ErrorClass, Leniency, ListStyle, Meaning, Place, SecretPlace, Wire,
};
use crate::spec::form::{
    AnyType, Bracketed, File, Id, Ident, Kebab, Keys, Line, Media, Param, Path, Prose, Query,
    Select, Snake, Type, Version, Wire as WireText,
};
use crate::spec::read::{At, Named, OneOrMany, Text, tables};

tables!(
    Document, Head, Dispatch, Secret, Envelope, Success, Failure, ErrorPlace, Empty, Scalar, Enum,
    EnumValue, Model, Field, Operation, Parameter, Records, Data, NoData, Pages, Offset, Cursor,
    Gauge, Example, OpenPoint, Nothing
);

/// A service whose operations share one address. A part of the request selects the operation.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(remote = "Self", deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Document {
    /// The version of the spec language.
    #[serde(rename = "spec-language")]
    pub(crate) _language: u32,
    /// The service.
    pub(crate) service: Head,
    /// How a call selects its operation.
    pub(crate) dispatch: At<Dispatch>,
    /// How a call is authenticated.
    pub(crate) auth: Auth,
    /// Objects around the data, which say whether the call succeeded.
    #[serde(default)]
    pub(crate) envelope: Named<Kebab, Envelope>,
    /// Scalars: single values with a format and a meaning.
    #[serde(rename = "scalar", default)]
    pub(crate) scalars: Named<Type, Scalar>,
    /// Sets of named values.
    #[serde(rename = "enum", default)]
    pub(crate) enums: Named<Type, Enum>,
    /// JSON objects.
    #[serde(rename = "model")]
    pub(crate) models: Named<Type, Model>,
    /// Operations.
    #[serde(rename = "operation")]
    pub(crate) operations: At<Named<Snake, Operation>>,
    /// Exact requests and responses.
    #[serde(rename = "example")]
    pub(crate) examples: Vec<Example>,
    /// Questions that the contract leaves open, and how we handle them.
    #[serde(rename = "open-point", default)]
    pub(crate) open_points: Named<Id, OpenPoint>,
}

/// The service.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(remote = "Self", deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Head {
    /// The name for programs.
    pub(crate) name: Text<Kebab>,
    /// The name for people.
    pub(crate) title: Text<Line>,
    /// The version of this spec; the command `spec diff` shows when to raise it.
    pub(crate) version: Text<Version>,
    /// The version segment of the address.
    pub(crate) api_version: Text<Param>,
    /// The path that all operations share; `{secret}` is the place of a secret.
    pub(crate) path: Text<Path>,
    /// The value of the `Accept` header.
    pub(crate) accept: Text<Media>,
    /// The envelope of all operations that name no other one.
    pub(crate) envelope: Option<Text<Kebab>>,
    /// The description, in sentences; `code` in backticks.
    pub(crate) doc: Text<Prose>,
    /// The sections of the contract that it follows.
    pub(crate) source: Option<Text<Line>>,
    /// The open points that affect it.
    #[serde(default)]
    pub(crate) open: Vec<Text<Id>>,
}

/// How a call selects its operation.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(remote = "Self", deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Dispatch {
    /// The parameter that selects the operation, or two that select it together.
    #[schemars(with = "Option<OneOrMany<Text<Param>>>")]
    pub(crate) selector: Option<At<OneOrMany<String>>>,
    /// The part of a request that selects the operation; `query` by default.
    #[serde(rename = "in")]
    pub(crate) place: Option<Place>,
    /// The parameters, with their values, that every call has.
    #[serde(default)]
    pub(crate) constants: Named<Param, At<Code>>,
}

/// How a call is authenticated: exactly one.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) enum Auth {
    /// Calls are not authenticated.
    None(Nothing),
    /// `Authorization: Bearer …`, RFC 6750.
    Bearer(Nothing),
    /// Secrets, such as API keys.
    Secrets(Vec<At<Secret>>),
}

/// An empty table.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
#[schemars(inline)]
#[expect(clippy::empty_structs_with_brackets, reason = "a table, not null")]
pub(crate) struct Nothing {}

/// A secret of every call, such as an API key: its name and its place, not its value.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(remote = "Self", deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Secret {
    /// The place in a request.
    #[serde(rename = "in")]
    pub(crate) place: SecretPlace,
    /// The name of the parameter or header; `secret` by default for one in the path.
    pub(crate) name: Option<Text<Param>>,
    /// The description, in sentences; `code` in backticks.
    pub(crate) doc: Text<Prose>,
}

/// An object around the data, which says whether the call succeeded.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(remote = "Self", deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Envelope {
    /// The marker of a successful response.
    pub(crate) success: Option<At<Success>>,
    /// The marker of a failure.
    pub(crate) failure: Option<Failure>,
    /// Where the error code and the error message are.
    pub(crate) error: Option<At<ErrorPlace>>,
    /// The classes of error codes, or of messages without a code. A `*` at the end is any text.
    pub(crate) error_class: Option<At<Named<Line, ErrorClass>>>,
    /// The failures that mean an empty list.
    pub(crate) empty: Option<Empty>,
}

/// A member that says that the call succeeded.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(remote = "Self", deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Success {
    /// The keys that lead to the marker, with dots between them.
    pub(crate) at: Text<Keys>,
    /// Its values in a successful response; `true` is also the boolean, and `1` the number.
    pub(crate) is: At<Vec<Text<WireText>>>,
}

/// A member that says that the call failed.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(remote = "Self", deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Failure {
    /// The keys that lead to a member that only a failure has, with dots between them.
    pub(crate) present: Text<Keys>,
}

/// Where the error code and the error message are.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(remote = "Self", deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ErrorPlace {
    /// The keys that lead to the code, with dots between them.
    pub(crate) code: Option<Text<Keys>>,
    /// The keys that lead to the message, with dots between them.
    pub(crate) message: Option<Text<Keys>>,
}

/// The failures that mean an empty list.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(remote = "Self", deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Empty {
    /// Their codes.
    pub(crate) code: Option<At<Vec<Text<WireText>>>>,
    /// Their messages.
    pub(crate) message: Option<At<Vec<Text<WireText>>>>,
}

/// A single value with a named type.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(remote = "Self", deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Scalar {
    /// How it is written in records.
    pub(crate) wire: At<Wire>,
    /// The JSON values that are true, for the wire `codes`; the first one is written.
    #[serde(rename = "true")]
    pub(crate) yes: Option<At<Vec<Code>>>,
    /// The JSON values that are false, for the wire `codes`; the first one is written.
    #[serde(rename = "false")]
    pub(crate) no: Option<At<Vec<Code>>>,
    /// How it is written in a query, if that differs.
    pub(crate) query_wire: Option<At<QueryWire>>,
    /// Whether the text of an id has only decimal digits. Contract checks require it; clients keep any text.
    pub(crate) digits: Option<At<bool>>,
    /// The meaning of the value.
    pub(crate) meaning: Meaning,
    /// A value, as its wire text.
    pub(crate) example: Text<WireText>,
    /// The description, in sentences; `code` in backticks.
    pub(crate) doc: Text<Prose>,
    /// The sections of the contract that it follows.
    pub(crate) source: Option<Text<Line>>,
    /// The open points that affect it.
    #[serde(default)]
    pub(crate) open: Vec<Text<Id>>,
}

/// A set of named texts. Values outside the list are kept.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(remote = "Self", deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Enum {
    /// The values, by the name of their Rust variant.
    #[serde(rename = "value")]
    pub(crate) values: At<Named<Type, EnumValue>>,
    /// The description, in sentences; `code` in backticks.
    pub(crate) doc: Text<Prose>,
    /// The sections of the contract that it follows.
    pub(crate) source: Option<Text<Line>>,
    /// The open points that affect it.
    #[serde(default)]
    pub(crate) open: Vec<Text<Id>>,
}

/// One value of an enum.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(remote = "Self", deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct EnumValue {
    /// The text on the wire.
    pub(crate) wire: Text<WireText>,
    /// The description, in sentences; `code` in backticks.
    pub(crate) doc: Text<Prose>,
}

/// A JSON object of a fixed shape.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(remote = "Self", deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Model {
    /// The field that identifies a record.
    pub(crate) identity: Option<Text<WireText>>,
    /// The columns of a table, most important first: fields, or `field.field` of a nested model.
    pub(crate) columns: Option<At<Vec<Text<WireText>>>>,
    /// The fields, by their JSON key.
    #[serde(rename = "field")]
    pub(crate) fields: At<Named<WireText, Field>>,
    /// The description, in sentences; `code` in backticks.
    pub(crate) doc: Text<Prose>,
    /// The sections of the contract that it follows.
    pub(crate) source: Option<Text<Line>>,
    /// The open points that affect it.
    #[serde(default)]
    pub(crate) open: Vec<Text<Id>>,
}

/// One field of a model.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(remote = "Self", deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Field {
    /// `text`, `integer`, `boolean`, the name of a scalar, enum or model, or `list<…>` or `map<…>` of one of them.
    #[serde(rename = "type")]
    pub(crate) ty: Text<AnyType>,
    /// `required` if it is always present, otherwise `optional`.
    pub(crate) presence: Presence,
    /// Other forms of the value that a reader accepts.
    #[serde(default)]
    pub(crate) lenient: At<Vec<At<Leniency>>>,
    /// Whether it is personal data, which is never logged.
    #[serde(default)]
    pub(crate) personal: bool,
    /// The name in generated code, if it differs from the wire name.
    pub(crate) rust_name: Option<Text<Ident>>,
    /// A value, as its wire text.
    pub(crate) example: Option<Text<Line>>,
    /// The description, in sentences; `code` in backticks.
    pub(crate) doc: Text<Prose>,
    /// The sections of the contract that it follows.
    pub(crate) source: Option<Text<Line>>,
    /// The open points that affect it.
    #[serde(default)]
    pub(crate) open: Vec<Text<Id>>,
}

/// One operation.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(remote = "Self", deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Operation {
    /// The value of the selector, or those of two, sent verbatim.
    #[schemars(with = "OneOrMany<Text<Select>>")]
    pub(crate) select: At<OneOrMany<String>>,
    /// The HTTP method; `get` by default, but `post` if the selector is in the form.
    pub(crate) verb: Option<At<Verb>>,
    /// The format of the body of a POST; `form` by default.
    pub(crate) body: Option<At<BodyFormat>>,
    /// Whether several calls by POST have the effect of one, so that a client may repeat a call; `false` by default.
    pub(crate) idempotent: Option<At<bool>>,
    /// The shape of a successful response.
    pub(crate) response: Response,
    /// How the pages of the list follow each other.
    pub(crate) paging: Option<Paging>,
    /// The amount that the object reports, of which a mirror keeps samples.
    pub(crate) gauge: Option<At<Gauge>>,
    /// The parameters, in the order in which they are sent.
    #[serde(rename = "param", default)]
    pub(crate) params: Named<Bracketed, Parameter>,
    /// The description, in sentences; `code` in backticks.
    pub(crate) doc: Text<Prose>,
    /// The sections of the contract that it follows.
    pub(crate) source: Option<Text<Line>>,
    /// The open points that affect it.
    #[serde(default)]
    pub(crate) open: Vec<Text<Id>>,
}

/// One parameter, in the query or in the body of a POST.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(remote = "Self", deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Parameter {
    /// `text`, `integer`, `boolean`, the name of a scalar or enum, or `list<…>` of one of them.
    #[serde(rename = "type")]
    pub(crate) ty: Text<AnyType>,
    /// How a list is written in a query or a form.
    pub(crate) style: Option<At<ListStyle>>,
    /// Whether every call must send it; `false` by default.
    #[serde(default)]
    pub(crate) required: bool,
    /// The parameters without which the service ignores or refuses it.
    pub(crate) needs: Option<At<Vec<Text<Bracketed>>>>,
    /// The attribute, absent from the records, that the selected records have with this value.
    pub(crate) recovers: Option<Text<Snake>>,
    /// The maximum number of characters that the service accepts.
    pub(crate) max_chars: Option<At<NonZeroU32>>,
    /// The smallest integer that the service accepts.
    pub(crate) min: Option<At<i64>>,
    /// The largest integer that the service accepts.
    pub(crate) max: Option<At<i64>>,
    /// The name in generated code, if it differs from the wire name.
    pub(crate) rust_name: Option<Text<Ident>>,
    /// The description, in sentences; `code` in backticks.
    pub(crate) doc: Text<Prose>,
    /// The sections of the contract that it follows.
    pub(crate) source: Option<Text<Line>>,
    /// The open points that affect it.
    #[serde(default)]
    pub(crate) open: Vec<Text<Id>>,
}

/// The shape of a successful response: exactly one.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) enum Response {
    /// A list.
    List(At<Records>),
    /// A single object.
    Object(At<Data>),
    /// A value that is not a record.
    Value(At<Data>),
    /// No data.
    Nothing(At<NoData>),
}

/// A list.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(remote = "Self", deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Records {
    /// The model of an item.
    pub(crate) of: Text<Type>,
    /// The keys that lead to the data, with dots between them; without it, the body is the data.
    pub(crate) at: Option<Text<Keys>>,
    /// The envelope, or `none`; by default the `envelope` of the service.
    pub(crate) envelope: Option<Text<Kebab>>,
    /// The model of the fields beside the list, in the object that holds it.
    pub(crate) beside: Option<Text<Type>>,
    /// The path of the object with the fields beside the list, if it is around the one that holds the list; `$` is the whole body.
    pub(crate) beside_at: Option<Text<Keys>>,
    /// Other forms of the list that a reader accepts.
    #[serde(default)]
    pub(crate) lenient: Vec<At<ListLeniency>>,
}

/// A single object, or a value that is not a record, such as a text, a number, a list of these, or a map.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(remote = "Self", deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Data {
    /// The model of the object, or the type of the value.
    pub(crate) of: Text<AnyType>,
    /// The keys that lead to the data, with dots between them; without it, the body is the data.
    pub(crate) at: Option<Text<Keys>>,
    /// The envelope, or `none`; by default the `envelope` of the service.
    pub(crate) envelope: Option<Text<Kebab>>,
}

/// A response without data: an empty body, or JSON of which only the envelope matters.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(remote = "Self", deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct NoData {
    /// The envelope, or `none`; by default the `envelope` of the service.
    pub(crate) envelope: Option<Text<Kebab>>,
}

/// How the pages of a list follow each other: exactly one.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Paging {
    /// A parameter is the number of the page.
    Page(At<Pages>),
    /// A parameter is the number of records before the page.
    Offset(At<Offset>),
    /// A parameter is a text that the page before contains.
    Cursor(At<Cursor>),
}

/// A parameter is the number of the page.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub(crate) struct Pages {
    /// The parameter whose value changes from page to page.
    pub(crate) param: Text<Bracketed>,
    /// The parameter with the maximum number of records of a page.
    pub(crate) size: Option<Text<Bracketed>>,
    /// The number of the first page, 0 or 1; 1 by default.
    pub(crate) first: Option<At<i64>>,
    /// The field beside the list with the number of pages.
    pub(crate) last: Option<Text<Keys>>,
    /// The field beside the list with the number of records of all pages.
    pub(crate) total: Option<Text<Keys>>,
    /// The boolean field beside the list that is false on the last page.
    pub(crate) more: Option<Text<Keys>>,
}

/// A parameter is the number of records before the page.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub(crate) struct Offset {
    /// The parameter whose value changes from page to page.
    pub(crate) param: Text<Bracketed>,
    /// The parameter with the maximum number of records of a page.
    pub(crate) size: Option<Text<Bracketed>>,
    /// The field beside the list with the number of records of all pages.
    pub(crate) total: Option<Text<Keys>>,
    /// The field beside the list with the value for the next page. The last page lacks it.
    pub(crate) next: Option<Text<Keys>>,
    /// The boolean field beside the list that is false on the last page.
    pub(crate) more: Option<Text<Keys>>,
}

/// A parameter is a text that the page before contains.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub(crate) struct Cursor {
    /// The parameter whose value changes from page to page.
    pub(crate) param: Text<Bracketed>,
    /// The parameter with the maximum number of records of a page.
    pub(crate) size: Option<Text<Bracketed>>,
    /// The field beside the list with the value for the next page. The last page lacks it.
    pub(crate) next: Text<Keys>,
    /// The boolean field beside the list that is false on the last page.
    pub(crate) more: Option<Text<Keys>>,
}

/// An amount in an object, such as a balance.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(remote = "Self", deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Gauge {
    /// The field with the amount: an `integer` or a `decimal`, with dots between the keys of nested models.
    pub(crate) value: Text<Keys>,
    /// The field with the unit, such as a currency code.
    pub(crate) unit: Option<Text<Keys>>,
}

/// An exact request and its response.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(remote = "Self", deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Example {
    /// The name.
    pub(crate) name: Text<Kebab>,
    /// The operation.
    pub(crate) operation: Text<Snake>,
    /// The description, in sentences; `code` in backticks.
    pub(crate) doc: Text<Prose>,
    /// The parameters with their values.
    pub(crate) params: Option<At<Named<WireText, At<OneOrMany<Code>>>>>,
    /// The exact query that is sent; absent if the call has none.
    pub(crate) query: Option<Text<Query>>,
    /// The exact body of the POST that is sent.
    pub(crate) body: Option<Text<Line>>,
    /// The file with the response.
    pub(crate) response: Text<File>,
    /// Positions of the records that a reader must reject.
    pub(crate) rejected: Option<At<Vec<usize>>>,
    /// The sides that the example binds; both by default.
    pub(crate) applies_to: Option<Vec<Side>>,
}

/// A question that the contract leaves open.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(remote = "Self", deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct OpenPoint {
    /// The question.
    pub(crate) question: Text<Prose>,
    /// How our libraries behave.
    pub(crate) client: Text<Prose>,
    /// How our server behaves.
    pub(crate) server: Text<Prose>,
    /// The sections of the contract that it follows.
    pub(crate) source: Option<Text<Line>>,
}

/// How a scalar is written in a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum QueryWire {
    /// Text.
    String,
    /// The decimal digits of an integer.
    Integer,
}

/// Another form of a list that a reader accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ListLeniency {
    /// A single record may replace a list of one.
    OneAsList,
    /// An empty list may be absent or null.
    AbsentAsEmpty,
}

/// Whether a record must have a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Presence {
    /// Always present and never null.
    Required,
    /// May be absent or null.
    Optional,
}

/// The HTTP method of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Verb {
    /// GET, with the parameters in the query.
    Get,
    /// POST, with the parameters in the body.
    Post,
}

/// A side that an example binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Side {
    /// A client must be able to read it.
    Client,
    /// A server must be able to send it.
    Server,
}
