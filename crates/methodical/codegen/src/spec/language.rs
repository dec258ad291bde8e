//! The spec language: a type for each table. serde reads a spec into these types, and the JSON Schema for editors
//! follows from them. The comment of a key is its description for editors.

use std::num::NonZeroU32;

use crate::ir::{
    BodyFormat, Code, ErrorClass, Leniency, ListStyle, Meaning, Place, SecretPlace, Wire,
};
use crate::spec::form::{
    AnyType, Bracketed, File, Id, Ident, Kebab, Keys, Line, Media, Param, Path, Prose, Query,
    Select, Snake, Type, Version, Wire as WireText,
};
use crate::spec::read::{At, Named, OneOrMany, Text, choices, declarations, tables, words};

tables! {
    /// A service whose operations share one address. A part of the request selects the operation.
    struct Document {
        /// The version of the spec language.
        #[serde(rename = "spec-language")]
        _language: u32,
        /// The service.
        service: Head,
        /// How a call selects its operation.
        dispatch: At<Dispatch>,
        /// How a call is authenticated.
        auth: Auth,
        /// Objects around the data, which say whether the call succeeded.
        #[serde(default)]
        envelope: Named<Kebab, Envelope>,
        /// Scalars: single values with a format and a meaning.
        #[serde(rename = "scalar", default)]
        scalars: Named<Type, Scalar>,
        /// Sets of named values.
        #[serde(rename = "enum", default)]
        enums: Named<Type, Enum>,
        /// JSON objects.
        #[serde(rename = "model")]
        models: Named<Type, Model>,
        /// Operations.
        #[serde(rename = "operation")]
        operations: At<Named<Snake, Operation>>,
        /// Exact requests and responses.
        #[serde(rename = "example")]
        examples: Vec<Example>,
        /// Questions that the contract leaves open, and how we handle them.
        #[serde(rename = "open-point", default)]
        open_points: Named<Id, OpenPoint>,
    }
}

declarations! {
    /// The service.
    struct Head {
        /// The name for programs.
        name: Text<Kebab>,
        /// The name for people.
        title: Text<Line>,
        /// The version of this spec; the command `spec diff` shows when to raise it.
        version: Text<Version>,
        /// The path that all operations share; `{secret}` is the place of a secret.
        path: Text<Path>,
        /// The value of the `Accept` header.
        accept: Text<Media>,
        /// The envelope of all operations that do not name another.
        envelope: Option<Text<Kebab>>,
    }
}

tables! {
    /// How a call selects its operation.
    struct Dispatch {
        /// The parameter that selects the operation, or two that select it together.
        #[schemars(with = "Option<OneOrMany<Text<Param>>>")]
        selector: Option<At<OneOrMany<String>>>,
        /// The part of a request that selects the operation; `query` by default.
        #[serde(rename = "in")]
        place: Option<Place>,
        /// The parameters, with their values, that every call has.
        #[serde(default)]
        constants: Named<Param, At<Code>>,
    }
}

choices! {
    /// How a call is authenticated: exactly one.
    enum Auth {
        /// Calls are not authenticated.
        None(Nothing) = "none",
        /// `Authorization: Bearer …`, RFC 6750.
        Bearer(Nothing) = "bearer",
        /// Secrets, such as API keys.
        Secrets(Vec<At<Secret>>) = "secrets",
    }
}

tables! {
    /// An empty table.
    #[schemars(inline)]
    struct Nothing {}

    /// A secret of every call, such as an API key: its name and its place, not its value.
    struct Secret {
        /// The place in a request.
        #[serde(rename = "in")]
        place: SecretPlace,
        /// The name of the parameter or header; `secret` by default for one in the path.
        name: Option<Text<Param>>,
        /// The description, in sentences; `code` in backticks.
        doc: Text<Prose>,
    }

    /// An object around the data, which says whether the call succeeded.
    struct Envelope {
        /// The marker of a successful response.
        success: Option<At<Success>>,
        /// The marker of a failure.
        failure: Option<Failure>,
        /// Where the error code and the error message are.
        error: Option<At<ErrorPlace>>,
        /// The classes of error codes, or of messages without a code. A `*` at the end is any text.
        error_class: Option<At<Named<Line, ErrorClass>>>,
        /// The codes, or messages, of failures that mean an empty list.
        empty: Option<At<Vec<Text<WireText>>>>,
    }

    /// A member that says that the call succeeded.
    struct Success {
        /// The keys that lead to the marker, with dots between them.
        at: Text<Keys>,
        /// Its values in a successful response; `true` is also the boolean, and `1` the number.
        is: At<Vec<Text<WireText>>>,
    }

    /// A member that says that the call failed.
    struct Failure {
        /// The keys that lead to a member that only a failure has, with dots between them.
        present: Text<Keys>,
    }

    /// Where the error code and the error message are.
    struct ErrorPlace {
        /// The keys that lead to the code, with dots between them.
        code: Option<Text<Keys>>,
        /// The keys that lead to the message, with dots between them.
        message: Option<Text<Keys>>,
    }
}

declarations! {
    /// A single value with a named type.
    struct Scalar {
        /// How it is written in records.
        wire: At<Wire>,
        /// The JSON values that are true, for the wire `codes`; the first one is written.
        #[serde(rename = "true")]
        yes: Option<At<Vec<Code>>>,
        /// The JSON values that are false, for the wire `codes`; the first one is written.
        #[serde(rename = "false")]
        no: Option<At<Vec<Code>>>,
        /// How it is written in a query, if that differs.
        query_wire: Option<At<QueryWire>>,
        /// Whether the text of an id has only decimal digits. Contract checks require it; clients keep any text.
        digits: Option<At<bool>>,
        /// The meaning of the value.
        meaning: Meaning,
        /// A value, as its wire text.
        example: Text<WireText>,
    }

    /// A set of named texts. Values outside the list are kept.
    struct Enum {
        /// The values, by the name of their Rust variant.
        #[serde(rename = "value")]
        values: At<Named<Type, EnumValue>>,
    }
}

tables! {
    /// One value of an enum.
    struct EnumValue {
        /// The text on the wire.
        wire: Text<WireText>,
        /// The description, in sentences; `code` in backticks.
        doc: Text<Prose>,
    }
}

declarations! {
    /// A JSON object of a fixed shape.
    struct Model {
        /// The field that identifies a record.
        identity: Option<Text<WireText>>,
        /// The columns of a table, most important first: fields, or `field.field` of a nested model.
        columns: Option<At<Vec<Text<WireText>>>>,
        /// The fields, by their JSON key.
        #[serde(rename = "field")]
        fields: At<Named<WireText, Field>>,
    }

    /// One field of a model.
    struct Field {
        /// `text`, `integer`, `boolean`, the name of a scalar, enum or model, or `list<…>` or `map<…>` of one of them.
        #[serde(rename = "type")]
        ty: Text<AnyType>,
        /// `required` if it is always present, otherwise `optional`.
        presence: Presence,
        /// Other forms of the value that a reader accepts.
        #[serde(default)]
        lenient: At<Vec<At<Leniency>>>,
        /// Whether it is personal data, which is never logged.
        #[serde(default)]
        personal: bool,
        /// The name in generated code, if it differs from the wire name.
        rust_name: Option<Text<Ident>>,
        /// A value, as its wire text.
        example: Option<Text<Line>>,
    }

    /// One operation.
    struct Operation {
        /// The value of the selector, or those of two, sent verbatim.
        #[schemars(with = "OneOrMany<Text<Select>>")]
        select: At<OneOrMany<String>>,
        /// The HTTP method; `get` by default, but `post` if the selector is in the form.
        verb: Option<At<Verb>>,
        /// The format of the body of a POST; `form` by default.
        body: Option<At<BodyFormat>>,
        /// Whether a POST is idempotent, so that a client may repeat it; `false` by default.
        idempotent: Option<At<bool>>,
        /// The shape of a successful response.
        response: Response,
        /// How the pages of the list follow each other.
        paging: Option<Paging>,
        /// The amount that the object reports, of which a mirror keeps samples.
        gauge: Option<At<Gauge>>,
        /// The parameters, in the order in which they are sent.
        #[serde(rename = "param", default)]
        params: Named<Bracketed, Parameter>,
    }

    /// One parameter, in the query or in the body of a POST.
    struct Parameter {
        /// `text`, `integer`, `boolean`, the name of a scalar or enum, or `list<…>` of one of them.
        #[serde(rename = "type")]
        ty: Text<AnyType>,
        /// How a list is written in a query or a form.
        style: Option<At<ListStyle>>,
        /// Whether every call must send it; `false` by default.
        #[serde(default)]
        required: bool,
        /// The parameters without which the service ignores or refuses it.
        needs: Option<At<Vec<Text<Bracketed>>>>,
        /// The attribute, absent from the records, that the selected records have with this value.
        recovers: Option<Text<Snake>>,
        /// The maximum number of characters that the service accepts.
        max_chars: Option<At<NonZeroU32>>,
        /// The name in generated code, if it differs from the wire name.
        rust_name: Option<Text<Ident>>,
    }
}

choices! {
    /// The shape of a successful response: exactly one.
    enum Response {
        /// A list.
        List(At<Records>) = "list",
        /// A single object.
        Object(At<Data>) = "object",
        /// A value that is not a record.
        Value(At<Data>) = "value",
        /// No data.
        Nothing(At<NoData>) = "nothing",
    }
}

tables! {
    /// A list.
    struct Records {
        /// The model of an item.
        of: Text<Type>,
        /// The keys that lead to the data, with dots between them; without it, the body is the data.
        at: Option<Text<Keys>>,
        /// The envelope, or `none`; by default the `envelope` of the service.
        envelope: Option<Text<Kebab>>,
        /// The model of the metadata of the list: the fields next to it, such as the number of pages.
        metadata: Option<Text<Type>>,
        /// The path of the object with the metadata, if it is around the one that holds the list; `$` is the whole body.
        metadata_at: Option<Text<Keys>>,
        /// Other forms of the list that a reader accepts.
        #[serde(default)]
        lenient: Vec<At<ListLeniency>>,
    }

    /// A single object, or a value that is not a record, such as a string, a number, a list of these, or a map.
    struct Data {
        /// The model of the object, or the type of the value.
        of: Text<AnyType>,
        /// The keys that lead to the data, with dots between them; without it, the body is the data.
        at: Option<Text<Keys>>,
        /// The envelope, or `none`; by default the `envelope` of the service.
        envelope: Option<Text<Kebab>>,
    }

    /// A response without data: an empty body, or JSON of which only the envelope matters.
    struct NoData {
        /// The envelope, or `none`; by default the `envelope` of the service.
        envelope: Option<Text<Kebab>>,
    }
}

choices! {
    /// How the pages of a list follow each other: exactly one.
    enum Paging {
        /// A parameter is the number of the page.
        Page(At<Pages>) = "page",
        /// A parameter is the number of records before the page.
        Offset(At<Offset>) = "offset",
        /// A parameter is text that the previous page contains.
        Cursor(At<Cursor>) = "cursor",
    }
}

tables! {
    /// A parameter is the number of the page.
    struct Pages {
        /// The parameter whose value changes from page to page.
        param: Text<Bracketed>,
        /// The parameter with the maximum number of records of a page.
        size: Option<Text<Bracketed>>,
        /// The number of the first page, 0 or 1; 1 by default.
        first: Option<At<i64>>,
        /// The field of the metadata with the number of pages.
        last: Option<Text<Keys>>,
        /// The field of the metadata with the number of records of all pages.
        total: Option<Text<Keys>>,
        /// The boolean field of the metadata that is false on the last page.
        more: Option<Text<Keys>>,
    }

    /// A parameter is the number of records before the page.
    struct Offset {
        /// The parameter whose value changes from page to page.
        param: Text<Bracketed>,
        /// The parameter with the maximum number of records of a page.
        size: Option<Text<Bracketed>>,
        /// The field of the metadata with the number of records of all pages.
        total: Option<Text<Keys>>,
        /// The field of the metadata with the value for the next page. The last page lacks it.
        next: Option<Text<Keys>>,
        /// The boolean field of the metadata that is false on the last page.
        more: Option<Text<Keys>>,
    }

    /// A parameter is text that the previous page contains.
    struct Cursor {
        /// The parameter whose value changes from page to page.
        param: Text<Bracketed>,
        /// The parameter with the maximum number of records of a page.
        size: Option<Text<Bracketed>>,
        /// The field of the metadata with the value for the next page. The last page lacks it.
        next: Text<Keys>,
        /// The boolean field of the metadata that is false on the last page.
        more: Option<Text<Keys>>,
    }

    /// An amount in an object, such as a balance.
    struct Gauge {
        /// The field with the amount: an `integer` or a `decimal`, with dots between the keys of nested models.
        value: Text<Keys>,
        /// The field with the unit, such as a currency code.
        unit: Option<Text<Keys>>,
    }

    /// An exact request and its response.
    struct Example {
        /// The name.
        name: Text<Kebab>,
        /// The operation.
        operation: Text<Snake>,
        /// The description, in sentences; `code` in backticks.
        doc: Text<Prose>,
        /// The parameters with their values.
        params: Option<At<Named<WireText, At<OneOrMany<Code>>>>>,
        /// The exact query that is sent; absent if the call has none.
        query: Option<Text<Query>>,
        /// The exact body of the POST that is sent.
        body: Option<Text<Line>>,
        /// The file with the response.
        response: Text<File>,
        /// Positions of the records that a reader must reject.
        rejected: Option<At<Vec<usize>>>,
        /// The sides that the example binds; both by default.
        applies_to: Option<Vec<Side>>,
    }

    /// A question that the contract leaves open.
    struct OpenPoint {
        /// The question.
        question: Text<Prose>,
        /// How our libraries behave.
        client: Text<Prose>,
        /// How our server behaves.
        server: Text<Prose>,
        /// The sections of the contract that it follows.
        source: Option<Text<Line>>,
    }
}

words! {
    /// How a scalar is written in a query.
    pub(crate) enum QueryWire {
        /// Text.
        String = "string",
        /// The decimal digits of an integer.
        Integer = "integer",
    }
}

words! {
    /// Another form of a list that a reader accepts.
    pub(crate) enum ListLeniency {
        /// A single record may replace a list of one.
        OneAsList = "one-as-list",
        /// An empty list may be absent or null.
        AbsentAsEmpty = "absent-as-empty",
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
