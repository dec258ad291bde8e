//! Names that generated code must not use, because they already mean something in the same place.
//! A test compares the lists with the sources.

/// Keywords of every edition, strict and reserved.
pub(super) const KEYWORDS: [&str; 51] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
    "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl",
    "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref",
    "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Reserved for fields and parameters: the generated code has variables, fields and methods with
/// these names in the same places.
pub(super) const METHODS: [&str; 24] = [
    "as_ref", "builder", "clone", "decode", "default", "drop", "eq", "expected", "extra", "fmt",
    "from", "given", "into", "map", "new", "nulls", "params", "query", "record", "request",
    "restated", "send", "strict", "with",
];

/// Reserved for the methods of operations: the clients have hand-written methods with these names.
pub(super) const METHODS_OF_CLIENTS: [&str; 10] = [
    "builder",
    "drive",
    "open",
    "receive",
    "request",
    "send",
    "send_raw",
    "stream",
    "stream_raw",
    "with",
];

/// Reserved for the modules of models: crates that the modules beside them use.
pub(super) const CRATES: [&str; 6] =
    ["alloc", "core", "gateway_model_core", "gateway_testkit_core", "serde", "std"];

/// Reserved for types: names of the prelude, of support types that generated code uses, and at the
/// root of the crate.
pub(super) const TYPES: [&str; 72] = [
    "AsMut",
    "AsRef",
    "At",
    "Beside",
    "Box",
    "Call",
    "Civil",
    "Client",
    "ClientBuilder",
    "Clone",
    "Copy",
    "Cow",
    "Debug",
    "Default",
    "Display",
    "Drop",
    "Envelope",
    "Eq",
    "Err",
    "Error",
    "ErrorClass",
    "ErrorKind",
    "Extra",
    "Fault",
    "FlatRow",
    "Float",
    "Fn",
    "FnMut",
    "FnOnce",
    "From",
    "Given",
    "Hash",
    "Into",
    "Iterator",
    "Layout",
    "ListOperation",
    "Listing",
    "Map",
    "Mock",
    "MockedCall",
    "Next",
    "None",
    "Nulls",
    "Ok",
    "Operation",
    "Option",
    "Ord",
    "Pairs",
    "PhantomData",
    "Problem",
    "Query",
    "QueryBuilder",
    "RawJson",
    "RawQuery",
    "Record",
    "Rejected",
    "Result",
    "Self",
    "Send",
    "Service",
    "ServiceError",
    "Set",
    "Sized",
    "Some",
    "States",
    "StreamDecoder",
    "String",
    "Sync",
    "ToOwned",
    "Unset",
    "Vec",
    "With",
];
