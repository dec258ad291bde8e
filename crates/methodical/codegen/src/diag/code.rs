//! The table of diagnostic codes, with the text that the command `explain` prints for each.

use std::fmt;

/// A kind of mistake in a spec.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    /// The stable identifier, such as `GW012`.
    pub id: &'static str,
    /// A summary of a few words.
    pub title: &'static str,
    /// The mistake and its fix, in sentences. Backticks enclose code, and an empty line separates
    /// paragraphs.
    pub explanation: &'static str,
    /// Whether the spec is rejected.
    pub level: Level,
}

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// The spec is rejected.
    Error,
    /// The spec is accepted.
    Warning,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
        })
    }
}

/// Defines one static per code, and the list of all of them.
macro_rules! codes {
    ($($level:ident $id:ident $name:ident: $title:literal, $explanation:literal;)+) => {
        $(
            #[doc = concat!(stringify!($id), ": ", $title, ".")]
            pub static $name: Code = Code {
                id: stringify!($id),
                title: $title,
                explanation: $explanation,
                level: Level::$level,
            };
        )+

        /// All codes, by number.
        pub static CODES: &[&Code] = &[$(&$name),+];
    };
}

codes! {
    Error GW001 NOT_TEXT: "unreadable spec",
        "The spec must be a UTF-8 file of at most 4 MiB that is not empty. A byte-order mark at the \
        start and Windows line endings are allowed.";
    Error GW002 SYNTAX: "invalid TOML",
        "The file is not valid TOML 1.1. One run reports the first mistake in every line, and at \
        most 20.\n\nA duplicate key is a syntax error too.";
    Error GW003 UNKNOWN_KEY: "unknown key",
        "The table does not allow this key. Use the key that the help line suggests, or remove it.";
    Error GW004 MISSING_KEY: "missing key",
        "The table lacks a required key. Add it. The message describes its value.";
    Error GW005 WRONG_KIND: "wrong kind of value",
        "The value has the wrong TOML type, such as a table where a list is required. A number in a \
        key that takes text needs quotes: `version = \"1.0.0\"`.";
    Error GW006 UNKNOWN_CHOICE: "unknown value",
        "The key accepts only a few fixed words. Use one of those that the help line lists.";
    Error GW007 MALFORMED: "malformed text",
        "The text does not have the form that its key requires. A type name is written `LikeThis`, an \
        operation `like_this`, an example `like-this`. A path begins with `/`. A query parameter \
        consists of letters, digits, `-`, `.`, `_` and `~`.";
    Error GW008 OUT_OF_RANGE: "number out of range",
        "The number is too small or too large for this key. Integers in a spec have at most 64 bits.";
    Error GW009 LANGUAGE_VERSION: "unsupported version of the spec language",
        "`spec-language` states the version of the language in which the file is written. This \
        generator reads version 2. Update the generator to read a newer spec.";
    Error GW010 HIDDEN_CHARACTER: "invisible character",
        "The text contains a control character, a line separator, or a character that changes the \
        writing direction. Such characters can make text look different from what it is \
        (CVE-2021-42574), so a spec must not contain them. Remove the character.";
    Error GW011 UNKNOWN_TYPE: "unknown type",
        "A field, a parameter or a response refers to a type that does not exist. Use a built-in type \
        (`text`, `integer`, `boolean`, `float`), or declare the type as `[scalar.…]`, `[enum.…]` or \
        `[model.…]`.";
    Error GW012 UNKNOWN_PARAM: "unknown parameter",
        "`needs` or an example refers to a parameter that the operation does not have. Correct the \
        name, or declare the parameter in `[operation.….param]`.";
    Error GW013 NEEDS_CYCLE: "parameters that need each other",
        "`needs` leads back to the parameter itself. Remove one `needs` from the cycle.";
    Error GW014 NEEDS_ORDER: "parameter declared before one that it needs",
        "Parameters are sent in the order of their declaration, and a parameter follows the ones that \
        it needs. Move it below them.";
    Error GW015 UNKNOWN_OPERATION: "unknown operation",
        "An example refers to an operation that does not exist. Correct the name, or declare the \
        operation as `[operation.…]`.";
    Error GW016 UNKNOWN_OPEN_POINT: "unknown open point",
        "`open` refers to an open point that does not exist. Correct the name, or declare the point as \
        `[open-point.…]`.";
    Error GW017 NAMES_COLLIDE: "conflicting names",
        "Two names differ in the spec but become the same name in Rust or the same file name: \
        `phoneMobile`, `phone_mobile` and `PhoneMobile` conflict. Give a field or parameter another \
        `rust-name`; rename any other declaration.\n\nTypes and operations share one set of names, \
        because the operation `tool` has a query of type `Tool`. A model `Tool` also has a borrowed \
        form, `ToolRef`. An open-ended enum `State` also has `UnknownState`, for values outside its \
        list. If `shelf` is the only parameter that others need, its state is `HasShelf`. The operation \
        `tool` has the mock `MockTool`; no type can have these names.";
    Error GW018 NO_RUST_NAME: "name that Rust does not allow",
        "The wire name does not start with a letter or contains letters other than ASCII, so it cannot \
        be turned into a Rust name. Choose one with `rust-name`.";
    Error GW019 DUPLICATE_WIRE: "duplicate wire text",
        "Two operations have the same `select`, two values of an enum have the same `wire`, or the \
        marker and the list of an envelope have the same key. They could not be distinguished. Change \
        one of them.";
    Error GW020 EXACTLY_ONE: "not exactly one of several keys",
        "The table must have exactly one of its keys: an operation has one response shape, and \
        a service one kind of authentication. Keep one of the keys that the message lists.";
    Error GW021 EMPTY: "empty declaration",
        "An enum needs at least one value, a model at least one field, and a service at least one \
        operation. Add one, or remove the declaration.";
    Error GW022 UNFIT_TYPE: "type not allowed here",
        "The type exists but is not allowed here. A query parameter cannot be a model. A response \
        must be a model. The `meaning` of a scalar decides which `wire` it can have, and the help line \
        names one that fits. `max-chars` applies to text, `min` and `max` to integers.";
    Error GW023 IDENTITY: "invalid identity",
        "`identity` names the field that identifies a record. It must be a field of the model with \
        `presence = \"required\"`, whose type is `text`, `integer` or a scalar.";
    Error GW024 ENDLESS: "infinite model",
        "A model contains itself through required fields only, so every record would be infinite. \
        Make one of these fields `presence = \"optional\"`.";
    Error GW025 EXAMPLE_QUERY: "query of an example differs",
        "The query of an example must be exactly what the client sends: the selector, then the \
        parameters in the order of their declaration. All characters of a value are percent-encoded \
        except letters, digits, `-`, `.`, `_` and `~`. Copy the query from the help line.";
    Error GW026 EXAMPLE_FILE: "response file cannot be read",
        "The file that `response` names does not exist, is larger than 1 MiB or is not UTF-8. The path \
        is relative to the folder of the spec.";
    Error GW027 EXAMPLE_ANSWER: "response file does not match the operation",
        "The file that `response` names is not JSON, or is not a response of this operation: it has \
        another shape, has the same key twice, lacks a required field, or has a value of the wrong \
        type. Correct the file. If a record is invalid on purpose, list its position in `rejected`.";
    Error GW028 EXAMPLE_PARAMS: "invalid parameters in an example",
        "The example has a value of the wrong kind, lacks a required parameter, or has a parameter \
        without one that it needs. Correct its `params`.";
    Error GW029 NUMBERING: "open points not numbered 1, 2, 3, …",
        "Open points are cited by number, so each needs its own number, without gaps. Give a new \
        open point the next number.";
    Error GW030 LIMITS_CROSSED: "`min` above `max`",
        "`min` is greater than `max`, so no value is allowed. Lower `min` or raise `max`.";
    Error GW031 EXAMPLE_VALUE: "malformed example value",
        "The `example` of a scalar or field must be a value of its type. The message describes the \
        values of the type. Fields of a scalar or enum type have no `example`.";
    Error GW032 NO_EXAMPLE: "operation without an example",
        "Every operation needs at least one `[[example]]`: reference pages, mocks and contract checks \
        are generated from them. Add one.";
    Error GW033 SELECTOR_TAKEN: "parameter named like the selector, a constant or a secret",
        "The selector chooses the operation, and every call sends the constants and secrets. A parameter with \
        the same name would be sent twice. Remove the parameter.";
    Error GW034 REQUIRED_NEEDS: "required parameter that needs an optional one",
        "A required parameter is always sent, so the parameters that it needs must be required too, \
        and `needs` is then redundant. Remove `needs`, or make the parameter optional.";
    Warning GW035 UNUSED: "unused declaration",
        "Nothing refers to the declaration, so it has no effect. Remove it or use it.";
    Error GW036 COMMANDS_COLLIDE: "conflicting commands or flags",
        "The program has a command for every operation: `albums/list` is `albums list`, and \
        `a/b/c` is `a b-c`. Every operation needs its own command, and a selector without `/` \
        needs a first word that no other selector has. A parameter `page_size` is the flag \
        `--page-size`, and every parameter of an operation needs its own flag. First words that \
        differ only in case or punctuation, such as `Page` and `page`, are two commands but one name \
        in Rust. The spec cannot override these names: remove one of the two.";
    Error GW037 COLUMNS: "invalid columns",
        "`columns` lists the columns that the program shows of a record, in order: names of fields, \
        or `portal.name` for a field of a nested model. Every column must exist, and none may be \
        listed twice. Without `columns`, the program shows all fields.";
    Error GW038 RECOVERS: "attribute that cannot be recovered",
        "`recovers` names an attribute that the records of a list do not contain: the records that \
        the parameter selects have this attribute, with the value of the parameter. The operation \
        must return a list, the record must not have a field of that name, and only one parameter \
        of an operation can recover an attribute.";
    Error GW040 UNKNOWN_ENVELOPE: "unknown envelope",
        "`envelope` refers to an envelope that does not exist. Correct the name, declare the \
        envelope as `[envelope.…]`, or write `none` for a response without one.";
    Error GW041 UNSUPPORTED: "not supported yet",
        "The language can describe this, but this generator cannot generate it. Use the form that \
        the message suggests, or a newer generator.";
    Error GW042 SELECTORS: "`selector` and `select` do not match",
        "Every operation has one value for each selector of `[dispatch]`: `select = \"photos/list\"` \
        for one, `select = [\"photos\", \"list\"]` for two. If the last segments of the path select \
        the operation (`in = \"path\"`), there is no selector, and `select` is these segments.";
    Error GW043 ENVELOPE: "invalid envelope",
        "An envelope has either `success` (a member with one of a few values) or `failure` (a member \
        that only a failure has). Error classes and failures that mean an empty list need the place of \
        the code or of the message in `error`. The member of `success` and the fields beside a list \
        are in objects around the data, so a list that is the whole body has neither. It can have \
        `failure`: then an object in place of the list is a failure.";
    Error GW044 SECRETS: "secret that cannot be sent",
        "A secret has a name and a place of its own: a query parameter that no call has otherwise, a \
        header that the client does not set itself, or the text `{secret}` in the `path` of the \
        service. The path has this text exactly if one secret is in the path. A secret in the form needs \
        a form in every call: `verb = \"post\"` and `body = \"form\"`.";
    Error GW045 PAGING: "invalid paging",
        "Only a list has pages. `param` and `size` name parameters of the operation: an `integer`, or \
        text for a cursor. `last`, `total` and `next` name fields of the model `beside` the list, with \
        dots between the keys of nested models. The number of pages or records is an integer or text, \
        the next offset and a cursor a single value. The field of the next page is optional, because the last page lacks it. Without one of \
        these fields, an empty page is the last one.";
    Error GW047 STYLE: "style of a list",
        "A parameter of the type `list<…>` has a `style` that says how it is written in a query or a \
        form. In a JSON body, a list is an array, and has no `style`.";
    Error GW046 BODY: "body that cannot be sent",
        "`body` and `idempotent` describe a POST (`verb = \"post\"`). If the selector is in the form \
        (`in = \"form\"`), every call is a POST with a form.";
    Error GW048 GAUGE: "invalid gauge",
        "`gauge` names the amount that an operation reports, such as a balance: `value` is a field of \
        the object that it returns, an `integer`, a `float` or a `decimal`, and `unit` a field with text. \
        A mirror reads it without parameters, so none is required. The gauge has the name of the \
        top-level command of the operation, and adds the subcommands `check` and `forecast` to it.";
}
