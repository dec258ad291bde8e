//! The spec language: a type for each table. The reader and the JSON Schema for editors follow from these types.
//!
//! The comment of a key is its description for editors and in messages, and the title of a table is its name there.
//! `check` reports what these types cannot hold before serde reads them.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

use crate::ir::{
    BodyFormat, ErrorClass, Leniency, ListStyle, Meaning, Otherwise, Place, SecretPlace, Wire,
};
use crate::spec::form::{
    AnyType, Bracketed, File, Id, Ident, Kebab, Line, Media, Param, Path, Prose, Query, Select,
    Snake, Type, Version, Wire as WireText,
};
use crate::spec::value::{At, Codes, Named, OneOrMany, OneOrTwo, Single, Text};
use crate::words::words;

/// Defines the types of tables. The text after a name is its title; after a `+` follow keys that many tables have.
macro_rules! tables {
    ($($(#[$meta:meta])* $name:ident $title:literal $(+ $($more:ident)+)? { $($body:tt)* })+) => {
        $(tables! { @table [$(#[$meta])*] $name $title [$($($more)+)?] { $($body)* } })+
    };
    (@table $meta:tt $name:ident $title:literal [doc $($more:ident)*] { $($body:tt)* }) => {
        tables! { @table $meta $name $title [$($more)*] { $($body)*
            /// The description, in sentences; `code` in backticks.
            pub(crate) doc: Text<Prose>,
        } }
    };
    (@table $meta:tt $name:ident $title:literal [source $($more:ident)*] { $($body:tt)* }) => {
        tables! { @table $meta $name $title [$($more)*] { $($body)*
            /// The sections of the contract that it follows.
            pub(crate) source: Option<Text<Line>>,
        } }
    };
    (@table $meta:tt $name:ident $title:literal [open $($more:ident)*] { $($body:tt)* }) => {
        tables! { @table $meta $name $title [$($more)*] { $($body)*
            /// The open points that affect it.
            #[serde(default)]
            pub(crate) open: Vec<Text<Id>>,
        } }
    };
    (@table $meta:tt $name:ident $title:literal [deprecated] { $($body:tt)* }) => {
        tables! { @table $meta $name $title [] { $($body)*
            /// Why it is deprecated, and what to use instead.
            pub(crate) deprecated: Option<Text<Line>>,
        } }
    };
    (@table [$($meta:tt)*] $name:ident $title:literal [] { $($body:tt)* }) => {
        #[derive(Debug, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields, rename_all = "kebab-case")]
        #[schemars(title = $title)]
        $($meta)*
        pub(crate) struct $name { $($body)* }
    };
}

pub(crate) use tables;

tables! {
    /// A service whose operations share one address. A part of the request selects the operation.
    Document "spec" {
        /// The version of the spec language.
        #[schemars(schema_with = "language")]
        #[expect(dead_code, reason = "the check of the file compares it")]
        spec_language: i64,
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
        #[serde(default, rename = "scalar")]
        pub(crate) scalars: Named<Type, Scalar>,
        /// Sets of named values.
        #[serde(default, rename = "enum")]
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
        #[serde(default, rename = "open-point")]
        pub(crate) open_points: Named<Id, OpenPoint>,
    }

    /// The service.
    Head "service" + doc source open {
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
    }

    /// How a call selects its operation.
    Dispatch "`[dispatch]`" {
        /// The parameter that selects the operation, or two that select it together.
        pub(crate) selector: Option<OneOrTwo<Param>>,
        /// The part of a request that selects the operation; `query` by default.
        #[serde(rename = "in")]
        pub(crate) place: Option<Place>,
        /// The parameters, with their values, that every call has.
        #[serde(default)]
        pub(crate) constants: Named<Param, Single>,
    }

    /// How a call is authenticated: exactly one.
    #[schemars(extend("minProperties" = 1, "maxProperties" = 1))]
    Auth "`[auth]`" {
        /// Calls are not authenticated.
        pub(crate) none: Option<Nothing>,
        /// `Authorization: Bearer …`, RFC 6750.
        #[expect(dead_code, reason = "it is the only kind of authentication left")]
        bearer: Option<Nothing>,
        /// A secret, such as an API key.
        pub(crate) secret: Option<At<Secret>>,
        /// Several secrets.
        #[serde(default)]
        pub(crate) secrets: Vec<At<Secret>>,
    }

    /// No further keys.
    Nothing "empty table" {}

    /// A secret of every call, such as an API key: its name and its place, not its value.
    Secret "secret" {
        /// The place in a request.
        #[serde(rename = "in")]
        pub(crate) place: SecretPlace,
        /// The name of the parameter or header; `secret` by default for one in the path.
        pub(crate) name: Option<Text<Param>>,
        /// The description, in sentences; `code` in backticks.
        pub(crate) doc: Text<Prose>,
    }

    /// An object around the data, which says whether the call succeeded.
    Envelope "envelope" {
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
    Success "success marker" {
        /// The keys that lead to the marker, with dots between them.
        pub(crate) at: Text<WireText>,
        /// Its values in a successful response; `true` is also the boolean, and `1` the number.
        pub(crate) is: At<Vec<Text<WireText>>>,
    }

    /// A member that says that the call failed.
    Failure "failure marker" {
        /// The keys that lead to a member that only a failure has, with dots between them.
        pub(crate) present: Text<WireText>,
    }

    /// Where the error code and the error message are.
    ErrorPlace "place of an error" {
        /// The keys that lead to the object with both; without it, the body.
        pub(crate) at: Option<Text<Line>>,
        /// The keys that lead to the code, below `at`.
        pub(crate) code: Option<Text<WireText>>,
        /// The keys that lead to the message, below `at`.
        pub(crate) message: Option<Text<WireText>>,
    }

    /// The failures that mean an empty list.
    Empty "empty list" {
        /// Their codes.
        pub(crate) code: Option<At<Vec<Text<WireText>>>>,
        /// Their messages.
        pub(crate) message: Option<At<Vec<Text<WireText>>>>,
    }

    /// A single value with a named type.
    Scalar "scalar" + doc source open {
        /// How it is written in records.
        pub(crate) wire: At<Wire>,
        /// The JSON values that are true, for the wire `codes`; the first one is written.
        #[serde(rename = "true")]
        pub(crate) yes: Option<At<Codes>>,
        /// The JSON values that are false, for the wire `codes`; the first one is written.
        #[serde(rename = "false")]
        pub(crate) no: Option<At<Codes>>,
        /// How it is written in a query, if that differs.
        #[serde(default)]
        #[schemars(schema_with = "query_wires")]
        pub(crate) query_wire: Option<At<Wire>>,
        /// Whether the text of an id has only decimal digits. Contract checks require it; clients keep any text.
        pub(crate) digits: Option<At<bool>>,
        /// The meaning of the value.
        pub(crate) meaning: Meaning,
        /// A value, as its wire text.
        pub(crate) example: Text<WireText>,
    }

    /// A set of named values, written as strings or integers.
    Enum "enum" + doc source open {
        /// How the values are written; `string` by default.
        #[serde(default)]
        #[schemars(schema_with = "enum_wires")]
        pub(crate) wire: Option<Wire>,
        /// Whether values outside the list are kept (`true`) or rejected (`false`).
        pub(crate) open_ended: bool,
        /// The values, by the name of their Rust variant.
        #[serde(rename = "value")]
        pub(crate) values: At<Named<Type, EnumValue>>,
    }

    /// One value of an enum.
    EnumValue "value" + doc deprecated {
        /// The text on the wire.
        pub(crate) wire: Text<WireText>,
    }

    /// A JSON object of a fixed shape.
    Model "model" + doc source open {
        /// The field that identifies a record.
        pub(crate) identity: Option<Text<WireText>>,
        /// The columns of a table, most important first: fields, or `field.field` of a nested model.
        pub(crate) columns: Option<At<Vec<Text<WireText>>>>,
        /// The fields, by their JSON key.
        #[serde(rename = "field")]
        pub(crate) fields: At<Named<WireText, Field>>,
    }

    /// One field of a model.
    Field "field" + doc source open deprecated {
        /// `text`, `integer`, `float`, `boolean`, the name of a scalar, enum or model, or `list<…>` or `map<…>` of one of them.
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
    }

    /// One operation.
    Operation "operation" + doc source open deprecated {
        /// The value of the selector, or those of two, sent verbatim.
        pub(crate) select: OneOrTwo<Select>,
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
        #[serde(default, rename = "param")]
        pub(crate) params: Named<Bracketed, Parameter>,
    }

    /// One parameter, in the query or in the body of a POST.
    Parameter "parameter" + doc source open deprecated {
        /// `text`, `integer`, `float`, `boolean`, the name of a scalar or enum, or `list<…>` of one of them.
        #[serde(rename = "type")]
        pub(crate) ty: Text<AnyType>,
        /// How a list is written in a query or a form.
        #[serde(default)]
        #[schemars(schema_with = "list_styles")]
        pub(crate) style: Option<At<ListStyle>>,
        /// The value that the service uses without the parameter. A client does not send it.
        pub(crate) default: Option<Single>,
        /// Whether every call must send it; `false` by default.
        #[serde(default)]
        pub(crate) required: bool,
        /// The parameters that must be sent with it.
        pub(crate) needs: Option<At<Vec<Text<Bracketed>>>>,
        /// The effect of the parameter if one of them is missing.
        pub(crate) otherwise: Option<At<Otherwise>>,
        /// The attribute, absent from the records, that the selected records have with this value.
        pub(crate) recovers: Option<Text<Snake>>,
        /// The maximum number of characters that the service accepts.
        #[schemars(range(min = 1, max = 100_000))]
        pub(crate) max_chars: Option<At<u32>>,
        /// The smallest integer that the service accepts.
        pub(crate) min: Option<At<i64>>,
        /// The largest integer that the service accepts.
        pub(crate) max: Option<At<i64>>,
        /// The name in generated code, if it differs from the wire name.
        pub(crate) rust_name: Option<Text<Ident>>,
    }

    /// The shape of a successful response: exactly one.
    #[schemars(extend("minProperties" = 1, "maxProperties" = 1))]
    Response "response" {
        /// A list.
        pub(crate) list: Option<At<Records>>,
        /// A single object.
        pub(crate) object: Option<At<Object>>,
        /// A value that is not a record.
        pub(crate) value: Option<At<Value>>,
        /// No data.
        pub(crate) nothing: Option<At<NoData>>,
    }

    /// A list.
    Records "list" {
        /// The model of an item.
        pub(crate) of: Text<Type>,
        /// The keys that lead to the data, with dots between them; without it, the body is the data.
        pub(crate) at: Option<Text<WireText>>,
        /// The envelope, or `none`; by default the `envelope` of the service.
        pub(crate) envelope: Option<Text<Kebab>>,
        /// The model of the fields beside the list, in the object that holds it.
        pub(crate) beside: Option<Text<Type>>,
        /// The path of the object with the fields beside the list, if it is around the one that holds the list; `$` is the whole body.
        pub(crate) beside_at: Option<Text<WireText>>,
        /// Other forms of the list that a reader accepts.
        #[serde(default)]
        #[schemars(schema_with = "list_leniencies")]
        pub(crate) lenient: Vec<At<Leniency>>,
    }

    /// A single object.
    Object "object" {
        /// The model of the object.
        pub(crate) of: Text<Type>,
        /// The keys that lead to the data, with dots between them; without it, the body is the data.
        pub(crate) at: Option<Text<WireText>>,
        /// The envelope, or `none`; by default the `envelope` of the service.
        pub(crate) envelope: Option<Text<Kebab>>,
    }

    /// A value that is not a record, such as a text, a number, a list of these, or a map.
    Value "value" {
        /// The type of the value.
        pub(crate) of: Text<AnyType>,
        /// The keys that lead to the data, with dots between them; without it, the body is the data.
        pub(crate) at: Option<Text<WireText>>,
        /// The envelope, or `none`; by default the `envelope` of the service.
        pub(crate) envelope: Option<Text<Kebab>>,
    }

    /// A response without data: an empty body, or JSON of which only the envelope matters.
    NoData "response without data" {
        /// The envelope, or `none`; by default the `envelope` of the service.
        pub(crate) envelope: Option<Text<Kebab>>,
    }

    /// How the pages of a list follow each other: exactly one.
    #[schemars(extend("minProperties" = 1, "maxProperties" = 1))]
    Paging "paging" {
        /// A parameter is the number of the page.
        pub(crate) page: Option<At<Pages>>,
        /// A parameter is the number of records before the page.
        pub(crate) offset: Option<At<Offset>>,
        /// A parameter is a text that the page before contains.
        pub(crate) cursor: Option<At<Cursor>>,
    }

    /// A parameter is the number of the page.
    Pages "paging by page" {
        /// The parameter whose value changes from page to page.
        pub(crate) param: Text<Bracketed>,
        /// The number of the first page; 1 by default.
        #[schemars(range(min = 0, max = 1))]
        pub(crate) first: Option<i64>,
        /// The parameter with the maximum number of records of a page.
        pub(crate) size: Option<Text<Bracketed>>,
        /// The field beside the list with the number of pages.
        pub(crate) last: Option<Text<WireText>>,
        /// The field beside the list with the number of records of all pages.
        pub(crate) total: Option<Text<WireText>>,
        /// The boolean field beside the list that is false on the last page.
        pub(crate) more: Option<Text<WireText>>,
        /// Whether a page with fewer records than its size is the last one.
        pub(crate) short_page_ends: Option<At<bool>>,
    }

    /// A parameter is the number of records before the page.
    Offset "paging by offset" {
        /// The parameter whose value changes from page to page.
        pub(crate) param: Text<Bracketed>,
        /// The parameter with the maximum number of records of a page.
        pub(crate) size: Option<Text<Bracketed>>,
        /// The field beside the list with the number of records of all pages.
        pub(crate) total: Option<Text<WireText>>,
        /// The field beside the list with the value for the next page. The last page lacks it.
        pub(crate) next: Option<Text<WireText>>,
        /// The boolean field beside the list that is false on the last page.
        pub(crate) more: Option<Text<WireText>>,
        /// Whether a page with fewer records than its size is the last one.
        pub(crate) short_page_ends: Option<At<bool>>,
    }

    /// A parameter is a text that the page before contains.
    Cursor "paging by cursor" {
        /// The parameter whose value changes from page to page.
        pub(crate) param: Text<Bracketed>,
        /// The parameter with the maximum number of records of a page.
        pub(crate) size: Option<Text<Bracketed>>,
        /// The field beside the list with the value for the next page. The last page lacks it.
        pub(crate) next: Text<WireText>,
        /// The boolean field beside the list that is false on the last page.
        pub(crate) more: Option<Text<WireText>>,
    }

    /// An amount in an object, such as a balance.
    Gauge "gauge" {
        /// The field with the amount: an `integer`, a `float` or a `decimal`, with dots between the keys of nested models.
        pub(crate) value: Text<WireText>,
        /// The field with the unit, such as a currency code.
        pub(crate) unit: Option<Text<WireText>>,
    }

    /// An exact request and its response.
    Example "example" {
        /// The name.
        pub(crate) name: Text<Kebab>,
        /// The operation.
        pub(crate) operation: Text<Snake>,
        /// The description, in sentences; `code` in backticks.
        pub(crate) doc: Text<Prose>,
        /// The parameters with their values.
        pub(crate) params: Option<At<Named<WireText, OneOrMany>>>,
        /// The exact query that is sent; absent if the call has none.
        pub(crate) query: Option<Text<Query>>,
        /// The exact body of the POST that is sent.
        pub(crate) body: Option<Text<Line>>,
        /// The file with the response.
        pub(crate) response: Text<File>,
        /// Positions of the records that a reader must reject.
        pub(crate) rejected: Option<At<Vec<u32>>>,
        /// The sides that the example binds; both by default.
        pub(crate) applies_to: Option<Vec<Side>>,
    }

    /// A question that the contract leaves open.
    OpenPoint "open point" {
        /// The number: 1, 2, 3, …
        #[schemars(range(min = 1, max = 9999))]
        pub(crate) number: At<u32>,
        /// The question.
        pub(crate) question: Text<Prose>,
        /// How our libraries behave.
        pub(crate) client: Text<Prose>,
        /// How our server behaves.
        pub(crate) server: Text<Prose>,
        /// The sections of the contract that it follows.
        pub(crate) source: Option<Text<Line>>,
    }
}

words! {
    /// Whether a record must have a field.
    pub(crate) enum Presence {
        /// Always present and never null.
        Required = "required",
        /// May be absent or null.
        Optional = "optional",
    }
}

words! {
    /// The HTTP method of a call.
    pub(crate) enum Verb {
        /// GET, with the parameters in the query.
        Get = "get",
        /// POST, with the parameters in the body.
        Post = "post",
    }
}

words! {
    /// A side that an example binds.
    pub(crate) enum Side {
        /// A client must be able to read it.
        Client = "client",
        /// A server must be able to send it.
        Server = "server",
    }
}

/// The version of the language.
pub(crate) const LANGUAGE: i64 = 2;

fn language(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "const": LANGUAGE })
}

fn query_wires(_: &mut SchemaGenerator) -> Schema {
    Wire::schema_of(&[Wire::String, Wire::Integer])
}

fn enum_wires(_: &mut SchemaGenerator) -> Schema {
    Wire::schema_of(&[Wire::String, Wire::Integer, Wire::IntegerOrText])
}

fn list_styles(_: &mut SchemaGenerator) -> Schema {
    use ListStyle::{Bracket, Comma, Index, Pipe, Repeat};
    ListStyle::schema_of(&[Comma, Pipe, Repeat, Bracket, Index])
}

fn list_leniencies(_: &mut SchemaGenerator) -> Schema {
    let words = Leniency::schema_of(&[Leniency::OneAsList, Leniency::AbsentAsEmpty]);
    json_schema!({ "type": "array", "items": words })
}
