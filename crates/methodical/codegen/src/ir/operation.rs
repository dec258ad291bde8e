//! Operations, their parameters and their commands.

use std::sync::Arc;

use crate::ir::name::is_in;
use crate::ir::{About, Paging, Response, RustName, ValueType};
use crate::spec::read::words;

/// One operation of the service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The name: `list_photos` for a method, `ListPhotos` for a type.
    pub rust: RustName,
    /// The value of the selector, sent verbatim: `photos/list`. The first `/` separates the values of two
    /// selectors.
    pub select: String,
    /// The parameters, in the order in which they are sent. A parameter is never listed before
    /// one that it needs.
    pub params: Vec<Param>,
    /// How it is called by POST; `None` if it is called by GET.
    pub post: Option<Post>,
    /// A successful response.
    pub response: Response,
    /// How the pages of a list follow each other, if it has pages.
    pub paging: Option<Paging>,
    /// The amount that the response reports, if a mirror keeps samples of it.
    pub gauge: Option<Gauge>,
    /// Its description.
    pub about: About,
}

/// An amount in the object that an operation returns, such as a balance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gauge {
    /// The keys that lead to the field with the number.
    pub value: Vec<String>,
    /// The keys that lead to the field with the unit, such as a currency code.
    pub unit: Option<Vec<String>>,
}

/// One parameter, in the query or in the body of a POST.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// The name of the Rust method.
    pub rust: RustName,
    /// The name on the wire, of unreserved characters and brackets.
    pub wire: String,
    /// The type of the value, or of each value of a list.
    pub ty: Arc<ValueType>,
    /// How a list is written; `None` if the value is not a list.
    pub list: Option<ListStyle>,
    /// Whether every call must send it. A required parameter needs no other.
    pub required: bool,
    /// Indices of all parameters of the same operation that must be sent with this one, including
    /// those that a needed parameter needs in turn.
    pub needs: Vec<usize>,
    /// The attribute, absent from the records, that the selected records have with the value of the
    /// parameter.
    pub recovers: Option<String>,
    /// Maximum length of a text, in characters.
    pub max_chars: Option<u32>,
    /// The smallest integer that the service accepts.
    pub min: Option<i64>,
    /// The largest integer that the service accepts.
    pub max: Option<i64>,
    /// Its description.
    pub about: About,
}

/// The command of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The top-level command: the part of the selector before its first `/`, or before its last `.` if it has no `/`.
    pub noun: String,
    /// The name of that command in Rust.
    pub rust: RustName,
    /// The subcommand; `None` if the selector has neither.
    pub verb: Option<String>,
}

impl Operation {
    /// Returns the command of the operation.
    pub fn command(&self) -> Command {
        let parts = self.select.split_once('/').or_else(|| self.select.rsplit_once('.'));
        let (noun, verb) = match parts {
            Some((noun, verb)) if !noun.is_empty() && !verb.is_empty() => {
                (noun, Some(verb.replace('/', "-")))
            }
            _ => (self.select.as_str(), None),
        };
        let reserved = is_in(RESERVED_COMMANDS, noun);
        let noun = if reserved { format!("service-{noun}") } else { noun.to_owned() };
        // A command may begin with a digit, a Rust name may not.
        let rust = RustName::new(&noun).or_else(|| RustName::new(&format!("service-{noun}")));
        Command { rust: rust.unwrap_or_else(|| self.rust.clone()), noun, verb }
    }
}

impl Param {
    /// Returns the flag of the parameter, with a prefix if the program already has such a flag.
    pub fn flag(&self) -> String {
        let is_bracketed = self.wire.contains('[');
        let name = if is_bracketed { self.rust.kebab() } else { self.wire.replace('_', "-") };
        if is_in(RESERVED_FLAGS, &name) { format!("param-{name}") } else { name }
    }
}

/// Commands that are written by hand.
const RESERVED_COMMANDS: &str = "\
    api auth board check completions config dashboard duplicates help man mcp mirror placements \
    profile report tap watch";

/// Flags that every command has.
const RESERVED_FLAGS: &str = "\
    allow-insecure-http base-url cache color columns count-by csv-raw demo \
    dry-run excel fields filter from help jq limit new-since no-pager \
    output output-file profile quiet separator since sort timeout token token-file \
    token-stdin verbose version wide";

/// How an operation is called by POST. Its parameters are in the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Post {
    /// The format of the body.
    pub format: BodyFormat,
    /// Whether several calls have the effect of one, so that a client may repeat a call.
    pub is_idempotent: bool,
}

words! {
    /// The format of the body of a call.
    pub enum BodyFormat {
        /// Parameters as in a query.
        Form = "form",
        /// A JSON object whose members are the parameters.
        Json = "json",
    }
}

impl BodyFormat {
    /// Returns the value of the header `Content-Type`.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Form => "application/x-www-form-urlencoded",
            Self::Json => "application/json",
        }
    }
}

words! {
    /// How a list is written in a query or a form.
    pub enum ListStyle {
        /// `id=1,2`.
        Comma = "comma",
        /// `id=1|2`.
        Pipe = "pipe",
        /// `id=1&id=2`.
        Repeat = "repeat",
        /// `id[]=1&id[]=2`.
        Bracket = "bracket",
        /// `id[0]=1&id[1]=2`.
        Index = "index",
        /// An array in a JSON body, which no spec names.
        #[serde(skip)]
        Array = "array",
    }
}

/// The text between two values of a list in the wire text of an example, which has no control character.
pub const ITEM: char = '\u{1f}';

impl ListStyle {
    /// Returns the style in the runtime, for which it does not matter in JSON.
    #[must_use]
    pub fn in_runtime(self) -> Self {
        if self == Self::Array { Self::Repeat } else { self }
    }

    /// Returns the text between two values of one parameter.
    pub fn separator(self) -> Option<&'static str> {
        match self {
            Self::Comma => Some(","),
            Self::Pipe => Some("|"),
            Self::Repeat | Self::Bracket | Self::Index | Self::Array => None,
        }
    }

    /// Returns the name of the parameter with the value at this index.
    pub fn name(self, name: &str, index: usize) -> String {
        match self {
            Self::Comma | Self::Pipe | Self::Repeat | Self::Array => name.to_owned(),
            Self::Bracket => format!("{name}[]"),
            Self::Index => format!("{name}[{index}]"),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::ir::{About, Operation, Response, RustName};

    #[track_caller]
    fn check(select: &str, noun: &str, rust: &str, verb: Option<&str>) {
        let operation = Operation {
            rust: RustName::new("name").expect("a name"),
            select: select.to_owned(),
            params: Vec::new(),
            post: None,
            response: Response::default(),
            paging: None,
            gauge: None,
            about: About::default(),
        };
        let command = operation.command();
        assert_eq!(
            (command.noun.as_str(), command.rust.variant().as_str(), command.verb.as_deref()),
            (noun, rust, verb)
        );
    }

    #[test]
    fn a_selector_becomes_a_command() {
        check("photos/list", "photos", "Photos", Some("list"));
        check("a.b/c/d", "a.b", "AB", Some("c-d"));
        check("photos.search", "photos", "Photos", Some("search"));
        check("crm.lead.list", "crm.lead", "CrmLead", Some("list"));
        check("esearch.", "esearch.", "Esearch", None);
        check("match", "match", "Match", None);
        check("self/get", "self", "Self_", Some("get"));
        check("2fa/get", "2fa", "Service2fa", Some("get"));
        check("config/get", "service-config", "ServiceConfig", Some("get"));
        check("~/get", "~", "Service", Some("get"));
    }
}
