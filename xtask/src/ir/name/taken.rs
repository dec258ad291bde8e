//! Names that have a meaning where generated code stands: a test holds the lists to the sources.

/// Keywords of every edition, strict and reserved.
pub(super) const KEYWORDS: [&str; 51] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
    "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl",
    "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref",
    "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Names that a generated field or parameter must not take: the generated code has variables,
/// fields and methods of these names in the same places.
pub(super) const METHODS: [&str; 24] = [
    "as_ref", "builder", "clone", "cursor", "decode", "default", "drop", "eq", "expected", "extra",
    "fmt", "from", "given", "into", "map", "member", "new", "nulls", "query", "record", "request",
    "send", "start", "strict",
];

/// Names that the method of an operation must not take: the clients have methods of these names.
pub(super) const METHODS_OF_CLIENTS: [&str; 9] =
    ["builder", "drive", "open", "receive", "request", "send", "send_raw", "stream", "stream_raw"];

/// Names that the module of a model must not take: the crates that the modules beside it use.
pub(super) const CRATES: [&str; 4] = ["alloc", "core", "serde", "std"];

/// Names that a generated type must not take: those of the prelude, those that the hand-written
/// support code gives to the types that generated code uses, and those at the root of the crate.
pub(super) const TYPES: [&str; 76] = [
    "AsMut",
    "AsRef",
    "Box",
    "Call",
    "Civil",
    "Client",
    "Clone",
    "Copy",
    "Cow",
    "CowText",
    "Cursor",
    "Debug",
    "Default",
    "Deserialize",
    "Deserializer",
    "Display",
    "Drop",
    "Envelope",
    "Eq",
    "Err",
    "Error",
    "ErrorKind",
    "Extra",
    "Fast",
    "Fault",
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
    "MapAccess",
    "Member",
    "Members",
    "Mock",
    "Next",
    "None",
    "Nulls",
    "Object",
    "Ok",
    "Operation",
    "Option",
    "Ord",
    "Pairs",
    "PhantomData",
    "Problem",
    "Query",
    "RawJson",
    "RawQuery",
    "Record",
    "Redacted",
    "Rejected",
    "Result",
    "Sealed",
    "Self",
    "Send",
    "Serialize",
    "Serializer",
    "Set",
    "Shape",
    "Sized",
    "Slot",
    "Some",
    "Span",
    "StreamDecoder",
    "String",
    "Sync",
    "ToOwned",
    "Unset",
    "Vec",
    "Visitor",
];
