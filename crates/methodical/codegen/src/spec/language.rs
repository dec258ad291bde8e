//! The spec language: a type for each table. The reader and the JSON Schema for editors follow from these types.
//!
//! The comment of a key is its description for editors and in messages, and the title of a table is its name there.

use crate::ir::{
    BodyFormat, Code, ErrorClass, Leniency, ListStyle, Meaning, Place, SecretPlace, Wire,
};
use crate::spec::form::{
    AnyType, Bracketed, File, Id, Ident, Kebab, Keys, Line, Media, Param, Path, Prose, Query,
    Select, Snake, Type, Version, Wire as WireText,
};
use crate::spec::read::{At, Int, Named, OneOrMany, Only, Single, Text, tables, words};

tables! {
    /// A service whose operations share one address. A part of the request selects the operation.
    Document "spec" {
        _language as "spec-language": Int<LANGUAGE, LANGUAGE>, "The version of the spec language.";
        service: Head, "The service.";
        dispatch: At<Dispatch>, "How a call selects its operation.";
        auth: Auth, "How a call is authenticated.";
        envelope: Named<Kebab, Envelope> = default,
            "Objects around the data, which say whether the call succeeded.";
        scalars as "scalar": Named<Type, Scalar> = default,
            "Scalars: single values with a format and a meaning.";
        enums as "enum": Named<Type, Enum> = default, "Sets of named values.";
        models as "model": Named<Type, Model>, "JSON objects.";
        operations as "operation": At<Named<Snake, Operation>>, "Operations.";
        examples as "example": Vec<Example>, "Exact requests and responses.";
        open_points as "open-point": Named<Id, OpenPoint> = default,
            "Questions that the contract leaves open, and how we handle them.";
    }

    /// The service.
    Head "service" + doc source open {
        name: Text<Kebab>, "The name for programs.";
        title: Text<Line>, "The name for people.";
        version: Text<Version>, "The version of this spec; the command `spec diff` shows when to raise it.";
        api_version: Text<Param>, "The version segment of the address.";
        path: Text<Path>, "The path that all operations share; `{secret}` is the place of a secret.";
        accept: Text<Media>, "The value of the `Accept` header.";
        envelope: Option<Text<Kebab>>, "The envelope of all operations that name no other one.";
    }

    /// How a call selects its operation.
    Dispatch "`[dispatch]`" {
        selector: Option<At<OneOrMany<Text<Param>>>>,
            "The parameter that selects the operation, or two that select it together.";
        place as "in": Option<Place>, "The part of a request that selects the operation; `query` by default.";
        constants: Named<Param, At<Single>> = default,
            "The parameters, with their values, that every call has.";
    }

    /// How a call is authenticated: exactly one.
    Auth "`[auth]`" choice {
        none: Option<Nothing>, "Calls are not authenticated.";
        bearer: Option<Nothing>, "`Authorization: Bearer …`, RFC 6750.";
        secrets: Vec<At<Secret>> = default, "Secrets, such as API keys.";
    }

    /// No further keys.
    Nothing "empty table" {}

    /// A secret of every call, such as an API key: its name and its place, not its value.
    Secret "secret" {
        place as "in": SecretPlace, "The place in a request.";
        name: Option<Text<Param>>,
            "The name of the parameter or header; `secret` by default for one in the path.";
        doc: Text<Prose>, "The description, in sentences; `code` in backticks.";
    }

    /// An object around the data, which says whether the call succeeded.
    Envelope "envelope" {
        success: Option<At<Success>>, "The marker of a successful response.";
        failure: Option<Failure>, "The marker of a failure.";
        error: Option<At<ErrorPlace>>, "Where the error code and the error message are.";
        error_class: Option<At<Named<Line, ErrorClass>>>,
            "The classes of error codes, or of messages without a code. A `*` at the end is any text.";
        empty: Option<Empty>, "The failures that mean an empty list.";
    }

    /// A member that says that the call succeeded.
    Success "success marker" {
        at: Text<Keys>, "The keys that lead to the marker, with dots between them.";
        is: At<Vec<Text<WireText>>>,
            "Its values in a successful response; `true` is also the boolean, and `1` the number.";
    }

    /// A member that says that the call failed.
    Failure "failure marker" {
        present: Text<Keys>,
            "The keys that lead to a member that only a failure has, with dots between them.";
    }

    /// Where the error code and the error message are.
    ErrorPlace "place of an error" {
        at: Option<Text<Keys>>, "The keys that lead to the object with both; without it, the body.";
        code: Option<Text<Keys>>, "The keys that lead to the code, below `at`.";
        message: Option<Text<Keys>>, "The keys that lead to the message, below `at`.";
    }

    /// The failures that mean an empty list.
    Empty "empty list" {
        code: Option<At<Vec<Text<WireText>>>>, "Their codes.";
        message: Option<At<Vec<Text<WireText>>>>, "Their messages.";
    }

    /// A single value with a named type.
    Scalar "scalar" + doc source open {
        wire: At<Wire>, "How it is written in records.";
        yes as "true": Option<At<Vec<Code>>>,
            "The JSON values that are true, for the wire `codes`; the first one is written.";
        no as "false": Option<At<Vec<Code>>>,
            "The JSON values that are false, for the wire `codes`; the first one is written.";
        query_wire: Option<At<Only<Wire, QUERY_WIRES>>>, "How it is written in a query, if that differs.";
        digits: Option<At<bool>>,
            "Whether the text of an id has only decimal digits. Contract checks require it; clients keep any text.";
        meaning: Meaning, "The meaning of the value.";
        example: Text<WireText>, "A value, as its wire text.";
    }

    /// A set of named texts. Values outside the list are kept.
    Enum "enum" + doc source open {
        values as "value": At<Named<Type, EnumValue>>, "The values, by the name of their Rust variant.";
    }

    /// One value of an enum.
    EnumValue "value" + doc {
        wire: Text<WireText>, "The text on the wire.";
    }

    /// A JSON object of a fixed shape.
    Model "model" + doc source open {
        identity: Option<Text<WireText>>, "The field that identifies a record.";
        columns: Option<At<Vec<Text<WireText>>>>,
            "The columns of a table, most important first: fields, or `field.field` of a nested model.";
        fields as "field": At<Named<WireText, Field>>, "The fields, by their JSON key.";
    }

    /// One field of a model.
    Field "field" + doc source open {
        ty as "type": Text<AnyType>,
            "`text`, `integer`, `boolean`, the name of a scalar, enum or model, or `list<…>` or `map<…>` of one of them.";
        presence: Presence, "`required` if it is always present, otherwise `optional`.";
        lenient: At<Vec<At<Leniency>>> = default, "Other forms of the value that a reader accepts.";
        personal: bool = default, "Whether it is personal data, which is never logged.";
        rust_name: Option<Text<Ident>>, "The name in generated code, if it differs from the wire name.";
        example: Option<Text<Line>>, "A value, as its wire text.";
    }

    /// One operation.
    Operation "operation" + doc source open {
        select: At<OneOrMany<Text<Select>>>, "The value of the selector, or those of two, sent verbatim.";
        verb: Option<At<Verb>>,
            "The HTTP method; `get` by default, but `post` if the selector is in the form.";
        body: Option<At<BodyFormat>>, "The format of the body of a POST; `form` by default.";
        idempotent: Option<At<bool>>,
            "Whether several calls by POST have the effect of one, so that a client may repeat a call; `false` by default.";
        response: Response, "The shape of a successful response.";
        paging: Option<Paging>, "How the pages of the list follow each other.";
        gauge: Option<At<Gauge>>, "The amount that the object reports, of which a mirror keeps samples.";
        params as "param": Named<Bracketed, Parameter> = default,
            "The parameters, in the order in which they are sent.";
    }

    /// One parameter, in the query or in the body of a POST.
    Parameter "parameter" + doc source open {
        ty as "type": Text<AnyType>,
            "`text`, `integer`, `boolean`, the name of a scalar or enum, or `list<…>` of one of them.";
        style: Option<At<Only<ListStyle, LIST_STYLES>>>, "How a list is written in a query or a form.";
        required: bool = default, "Whether every call must send it; `false` by default.";
        needs: Option<At<Vec<Text<Bracketed>>>>,
            "The parameters without which the service ignores or refuses it.";
        recovers: Option<Text<Snake>>,
            "The attribute, absent from the records, that the selected records have with this value.";
        max_chars: Option<At<Int<1, 100_000>>>, "The maximum number of characters that the service accepts.";
        min: Option<At<Int>>, "The smallest integer that the service accepts.";
        max: Option<At<Int>>, "The largest integer that the service accepts.";
        rust_name: Option<Text<Ident>>, "The name in generated code, if it differs from the wire name.";
    }

    /// The shape of a successful response: exactly one.
    Response "response" choice {
        list: Option<At<Records>>, "A list.";
        object: Option<At<Data>>, "A single object.";
        value: Option<At<Data>>, "A value that is not a record.";
        nothing: Option<At<NoData>>, "No data.";
    }

    /// A list.
    Records "list" {
        of: Text<Type>, "The model of an item.";
        at: Option<Text<Keys>>,
            "The keys that lead to the data, with dots between them; without it, the body is the data.";
        envelope: Option<Text<Kebab>>, "The envelope, or `none`; by default the `envelope` of the service.";
        beside: Option<Text<Type>>, "The model of the fields beside the list, in the object that holds it.";
        beside_at: Option<Text<Keys>>,
            "The path of the object with the fields beside the list, if it is around the one that holds the list; `$` is the whole body.";
        lenient: Vec<At<Only<Leniency, LIST_LENIENCIES>>> = default,
            "Other forms of the list that a reader accepts.";
    }

    /// A single object, or a value that is not a record, such as a text, a number, a list of these, or a map.
    Data "response" {
        of: Text<AnyType>, "The model of the object, or the type of the value.";
        at: Option<Text<Keys>>,
            "The keys that lead to the data, with dots between them; without it, the body is the data.";
        envelope: Option<Text<Kebab>>, "The envelope, or `none`; by default the `envelope` of the service.";
    }

    /// A response without data: an empty body, or JSON of which only the envelope matters.
    NoData "response without data" {
        envelope: Option<Text<Kebab>>, "The envelope, or `none`; by default the `envelope` of the service.";
    }

    /// How the pages of a list follow each other: exactly one.
    Paging "paging" choice {
        page: Option<At<Pages>>, "A parameter is the number of the page.";
        offset: Option<At<Offset>>, "A parameter is the number of records before the page.";
        cursor: Option<At<Cursor>>, "A parameter is a text that the page before contains.";
    }

    /// A parameter is the number of the page.
    Pages "paging by page" {
        param: Text<Bracketed>, "The parameter whose value changes from page to page.";
        first: Option<Int<0, 1>>, "The number of the first page; 1 by default.";
        size: Option<Text<Bracketed>>, "The parameter with the maximum number of records of a page.";
        last: Option<Text<Keys>>, "The field beside the list with the number of pages.";
        total: Option<Text<Keys>>, "The field beside the list with the number of records of all pages.";
        more: Option<Text<Keys>>, "The boolean field beside the list that is false on the last page.";
    }

    /// A parameter is the number of records before the page.
    Offset "paging by offset" {
        param: Text<Bracketed>, "The parameter whose value changes from page to page.";
        size: Option<Text<Bracketed>>, "The parameter with the maximum number of records of a page.";
        total: Option<Text<Keys>>, "The field beside the list with the number of records of all pages.";
        next: Option<Text<Keys>>,
            "The field beside the list with the value for the next page. The last page lacks it.";
        more: Option<Text<Keys>>, "The boolean field beside the list that is false on the last page.";
    }

    /// A parameter is a text that the page before contains.
    Cursor "paging by cursor" {
        param: Text<Bracketed>, "The parameter whose value changes from page to page.";
        size: Option<Text<Bracketed>>, "The parameter with the maximum number of records of a page.";
        next: Text<Keys>,
            "The field beside the list with the value for the next page. The last page lacks it.";
        more: Option<Text<Keys>>, "The boolean field beside the list that is false on the last page.";
    }

    /// An amount in an object, such as a balance.
    Gauge "gauge" {
        value: Text<Keys>,
            "The field with the amount: an `integer` or a `decimal`, with dots between the keys of nested models.";
        unit: Option<Text<Keys>>, "The field with the unit, such as a currency code.";
    }

    /// An exact request and its response.
    Example "example" {
        name: Text<Kebab>, "The name.";
        operation: Text<Snake>, "The operation.";
        doc: Text<Prose>, "The description, in sentences; `code` in backticks.";
        params: Option<At<Named<WireText, At<OneOrMany<Single>>>>>, "The parameters with their values.";
        query: Option<Text<Query>>, "The exact query that is sent; absent if the call has none.";
        body: Option<Text<Line>>, "The exact body of the POST that is sent.";
        response: Text<File>, "The file with the response.";
        rejected: Option<At<Vec<Int<0, { u32::MAX as i64 }>>>>,
            "Positions of the records that a reader must reject.";
        applies_to: Option<Vec<Side>>, "The sides that the example binds; both by default.";
    }

    /// A question that the contract leaves open.
    OpenPoint "open point" {
        question: Text<Prose>, "The question.";
        client: Text<Prose>, "How our libraries behave.";
        server: Text<Prose>, "How our server behaves.";
        source: Option<Text<Line>>, "The sections of the contract that it follows.";
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

const QUERY_WIRES: u32 = 1 << Wire::String as u32 | 1 << Wire::Integer as u32;
/// Of the styles, all but that of an array in a JSON body.
const LIST_STYLES: u32 = (1 << ListStyle::Array as u32) - 1;
const LIST_LENIENCIES: u32 = 1 << Leniency::OneAsList as u32 | 1 << Leniency::AbsentAsEmpty as u32;
