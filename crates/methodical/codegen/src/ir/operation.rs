//! Operations: their parameters, their commands, and their responses with failures and pages.

use std::sync::Arc;

use serde_json::Value;

use crate::ir::name::is_in;
use crate::ir::{About, Example, ModelId, RustName, Type, ValueType};
use crate::spec::read::words;
use crate::text::{json_string, list, percent_encoded};

/// One operation of the service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The operation's name, such as `list_photos` for a method and `ListPhotos` for a type.
    pub rust: RustName,
    /// The selector's value, sent verbatim, such as `photos/list`. The first `/` separates the values of two selectors.
    pub select: String,
    /// The parameters, in the order in which they are sent. A parameter is never listed before one that it needs.
    pub params: Vec<Param>,
    /// How the operation is called by POST; `None` if it is called by GET.
    pub post: Option<Post>,
    /// The operation's successful response.
    pub response: Response,
    /// How the pages of a list follow each other, if it has pages.
    pub paging: Option<Paging>,
    /// The amount that the response reports, if a mirror samples it.
    pub gauge: Option<Gauge>,
    /// The operation's description.
    pub about: About,
}

/// An amount in the object that an operation returns, such as a balance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gauge {
    /// The keys that lead to the field with the number.
    pub value: Vec<String>,
    /// The keys that lead to the field with the unit, such as a currency code; `None` without a unit.
    pub unit: Option<Vec<String>>,
}

/// One parameter, in the query or in the body of a POST.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// The parameter's name in Rust.
    pub rust: RustName,
    /// The name on the wire, which consists of unreserved characters and brackets.
    pub wire: String,
    /// The type of the value, or of each value in a list.
    pub ty: Arc<ValueType>,
    /// How a list is encoded in a query or a form; `None` if the value is not a list.
    pub list: Option<ListStyle>,
    /// Whether every call must send the parameter. A required parameter never needs another.
    pub required: bool,
    /// Indices of all parameters of the same operation that must be sent with this one, including
    /// those that a needed parameter needs in turn.
    pub needs: Vec<usize>,
    /// The attribute that this parameter recovers, if any. Records do not contain the attribute, but its value in every
    /// selected record is the parameter's value.
    pub recovers: Option<String>,
    /// Maximum length of text, in characters.
    pub max_chars: Option<u32>,
    /// The parameter's description.
    pub about: About,
}

/// An operation's command, such as `photos list` for the selector `photos/list`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The top-level command: the part of the selector before its first `/`, or before its last `.` if it has no `/`.
    pub noun: String,
    /// The top-level command's name in Rust.
    pub rust: RustName,
    /// The subcommand; `None` if the selector contains neither separator.
    pub verb: Option<String>,
}

impl Operation {
    /// Returns whether the parameters are in a JSON body.
    pub fn is_json(&self) -> bool {
        self.post.is_some_and(|post| post.format == BodyFormat::Json)
    }

    /// Returns the parameters that every call must send.
    pub fn required(&self) -> Vec<&Param> {
        self.params.iter().filter(|param| param.required).collect()
    }

    /// Returns the parameters that a call may omit.
    pub fn optional(&self) -> Vec<&Param> {
        self.params.iter().filter(|param| !param.required).collect()
    }

    /// Returns the parameter whose value changes from page to page, if the list has pages.
    pub fn position_param(&self) -> Option<&Param> {
        self.params.get(self.paging.as_ref()?.param)
    }

    /// Returns the parameter that sets the maximum number of records per page, if any.
    pub fn size_param(&self) -> Option<&Param> {
        self.params.get(self.paging.as_ref()?.size?)
    }

    /// Returns whether a parameter selects records by an attribute that they do not contain.
    pub fn recovers(&self) -> bool {
        self.params.iter().any(|param| param.recovers.is_some())
    }

    /// Returns the parameters of an example, each with its value as wire text.
    pub fn given<'a>(&'a self, example: &'a Example) -> impl Iterator<Item = (&'a Param, &'a str)> {
        self.params.iter().filter_map(|param| Some((param, example.given(param)?)))
    }

    /// Returns the parameters that a parameter needs.
    pub fn needed_by<'a>(&'a self, param: &'a Param) -> impl Iterator<Item = &'a Param> {
        param.needs.iter().filter_map(|&index| self.params.get(index))
    }

    /// Returns the optional parameters that a parameter needs, in order.
    pub fn needed_options<'a>(&'a self, param: &'a Param) -> impl Iterator<Item = &'a Param> {
        self.needed_by(param).filter(|needed| !needed.required)
    }

    /// Returns the parameters that an optional parameter's setter takes: the optional ones that it needs, and itself.
    pub fn set_with<'a>(&'a self, param: &'a Param) -> Vec<&'a Param> {
        self.needed_options(param).chain([param]).collect()
    }

    /// Returns the name of the method that sets an optional parameter: `status`, or `album_status` if `status` needs
    /// `album_id`, whose value the method then also takes.
    pub fn setter(&self, param: &Param) -> String {
        let needed = self.needed_options(param).map(|one| one.rust.without_last("id"));
        let joined = needed.chain([param.rust.clone()]).reduce(|one, next| one.joined_with(&next));
        let mut name = joined.map(|name| name.snake()).unwrap_or_default();
        let mut others = self.params.iter().filter(|other| other.wire != param.wire);
        if others.any(|other| other.rust.snake() == name) {
            name.push('_');
        }
        name
    }

    /// Returns a sentence about the body of a POST; `None` for a GET.
    pub fn post_note(&self) -> Option<String> {
        let Post { format, is_idempotent } = self.post?;
        let what = match format {
            BodyFormat::Form => "a form",
            BodyFormat::Json => "a JSON object",
        };
        let repeated = if is_idempotent {
            "The call is idempotent: a client may repeat it."
        } else {
            "A client does not repeat a call that may have reached the service."
        };
        Some(format!("The parameters are sent in the body, as {what}. {repeated}"))
    }

    /// Returns the names of the parameters that `param` needs, if any, such as "`a`, `b` and `c`". `name` formats each.
    pub fn needed_names(&self, param: &Param, name: impl Fn(&str) -> String) -> Option<String> {
        let names: Vec<_> = self.needed_by(param).map(|needed| name(&needed.wire)).collect();
        (!names.is_empty()).then(|| list(&names, " and "))
    }

    /// Returns a sentence about how the pages of the list follow each other, if it has pages.
    pub fn pages(&self) -> Option<String> {
        let paging = self.paging.as_ref()?;
        let param = &self.position_param()?.wire;
        let by = match paging.by {
            PagedBy::Number { first } => format!("the number of the page, from {first}"),
            PagedBy::Offset => "the number of records before the page".to_owned(),
            PagedBy::Cursor => "the cursor of the page".to_owned(),
        };
        let size = self.size_param().map(|param| format!(", and `{}` its size", param.wire));
        let ends = paging.marks.iter().map(|mark| {
            let says = match mark.says {
                Says::Last => "is the number of pages",
                Says::Total => "is the number of all records",
                Says::Next => "is the position of the next page; the last page has none",
                Says::More => "is false on the last page",
            };
            format!("`{}` {says}.", mark.path.join("."))
        });
        let mut end = ends.collect::<Vec<_>>().join(" ");
        if end.is_empty() {
            "An empty page follows the last one.".clone_into(&mut end);
        }
        Some(format!("The list has pages: `{param}` is {by}{}. {end}", size.unwrap_or_default()))
    }

    /// Returns the operation's command.
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
        // A command may begin with a digit, but a Rust name may not.
        let rust = RustName::new(&noun).or_else(|| RustName::new(&format!("service-{noun}")));
        Command { rust: rust.unwrap_or_else(|| self.rust.clone()), noun, verb }
    }
}

impl Param {
    /// Returns the `name=value` pairs that send this wire text in a query or a form.
    pub(super) fn pairs(&self, text: &str) -> Vec<String> {
        let pair = |name: &str, value: &str| {
            format!("{}={}", percent_encoded(name), percent_encoded(value))
        };
        let Some(style) = self.list else { return vec![pair(&self.wire, text)] };
        let items = self.items(text);
        if let Some(separator) = style.separator() {
            return vec![pair(&self.wire, &items.join(separator))];
        }
        let items = items.into_iter().enumerate();
        items.map(|(index, item)| pair(&style.name(&self.wire, index), item)).collect()
    }

    /// Returns the parameter's type in Rust, with an unqualified name.
    pub fn rust_type(&self) -> String {
        let ty = self.ty.rust();
        if self.list.is_some() { format!("Vec<{ty}>") } else { ty }
    }

    /// Returns the values in an example's wire text: all items of a list, or the only value.
    pub fn items<'a>(&self, text: &'a str) -> Vec<&'a str> {
        if self.list.is_some() { text.split(ITEM).collect() } else { vec![text] }
    }

    /// Returns a value as a command-line argument. A boolean that is written as codes becomes `true` or `false`.
    pub fn argument<'a>(&self, text: &'a str) -> &'a str {
        match self.ty.codes.as_ref().and_then(|codes| codes.value(text)) {
            Some(true) => "true",
            Some(false) => "false",
            None => text,
        }
    }

    /// Returns the parameter as a member of a JSON object.
    pub(super) fn member(&self, text: &str) -> String {
        let is_literal = self.ty.is_json_literal();
        let one = |text: &str| if is_literal { text.to_owned() } else { json_string(text) };
        let items: Vec<_> = self.items(text).into_iter().map(one).collect();
        let (name, items) = (json_string(&self.wire), items.join(","));
        if self.list.is_some() { format!("{name}:[{items}]") } else { format!("{name}:{items}") }
    }

    /// Returns the parameter's flag without `--`. A flag that the program already has gets the prefix `param-`.
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
    allow-insecure-http base-url count-by csv-raw demo dry-run fields filter from help jq limit \
    new-since no-pager output output-file profile quiet separator since sort timeout token \
    token-file token-stdin verbose version wide";

/// How an operation is called by POST. Its parameters are in the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Post {
    /// The format of the body.
    pub format: BodyFormat,
    /// Whether the call is idempotent, so that a client may repeat it.
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
    }
}

/// The separator of list values in an example's wire text. Values have no control characters, so none contains it.
pub const ITEM: char = '\u{1f}';

impl ListStyle {
    /// Returns the text between two values of one parameter; `None` if each value is a separate parameter.
    pub fn separator(self) -> Option<&'static str> {
        match self {
            Self::Comma => Some(","),
            Self::Pipe => Some("|"),
            Self::Repeat | Self::Bracket | Self::Index => None,
        }
    }

    /// Returns the parameter name under which the value at this index is sent.
    pub fn name(self, name: &str, index: usize) -> String {
        match self {
            Self::Comma | Self::Pipe | Self::Repeat => name.to_owned(),
            Self::Bracket => format!("{name}[]"),
            Self::Index => format!("{name}[{index}]"),
        }
    }
}

/// A successful response: its data, where the data is in the body, and how the body reports a failure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// The type of the data, or of each record if the data is a list; `None` without data.
    pub of: Option<Type>,
    /// Whether the data is a list of records.
    pub is_list: bool,
    /// The keys that lead to the data; empty if the body is the data.
    pub at: Vec<String>,
    /// How the body reports a failure, if it does.
    pub verdict: Option<Verdict>,
    /// The model of the list's metadata, if the contract declares any.
    pub metadata: Option<ModelId>,
    /// How many levels above the list's object the metadata is: 0 if both are in the same object.
    pub metadata_above: usize,
    /// Whether an empty list may be absent or null.
    pub absent_as_empty: bool,
    /// Whether a single record may replace a list of one record.
    pub one_as_list: bool,
}

/// How a body reports success or failure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// The keys that lead to the member that decides.
    pub at: Vec<String>,
    /// The member's values after a success, as text. If empty, the call failed if the member is present and not null.
    pub is: Vec<String>,
    /// The keys that lead to the error code; empty for a service without codes.
    pub code: Vec<String>,
    /// The keys that lead to the error message; empty for a service without messages.
    pub message: Vec<String>,
    /// The classes of codes or, without codes, of messages, in the order of the spec. A final `*` matches any text.
    pub classes: Vec<(String, ErrorClass)>,
    /// The codes, or messages, of failures that mean an empty list.
    pub empty: Vec<String>,
}

words! {
    /// The class of a failure, which decides what the caller does.
    pub enum ErrorClass {
        /// The service does not accept the credentials.
        Auth = "auth",
        /// Too many calls.
        RateLimit = "rate-limit",
        /// The service cannot answer now.
        Unavailable = "unavailable",
        /// Any other failure.
        Other = "other",
    }
}

impl Verdict {
    /// Returns whether the verdict has only the member that decides, without codes or messages.
    pub fn is_plain(&self) -> bool {
        let (at, is) = (self.at.clone(), self.is.clone());
        *self == Self { at, is, ..Self::default() }
    }
}

impl Response {
    /// Returns the model of the data, or of the list's records; `None` without records.
    pub fn model(&self) -> Option<ModelId> {
        self.of.as_ref()?.model()
    }

    /// Returns the type of a value that is neither a record nor a list of records.
    pub fn value(&self) -> Option<&Type> {
        self.of.as_ref().filter(|of| of.model().is_none())
    }

    /// Returns whether a successful response may be an empty body.
    pub fn may_be_empty(&self) -> bool {
        self.of.is_none() && self.verdict.as_ref().is_none_or(|one| one.is.is_empty())
    }

    /// Returns whether the body is the data, and nothing else.
    pub fn is_bare(&self) -> bool {
        self.at.is_empty() && self.verdict.is_none() && self.is_strict()
    }

    /// Returns the key of the marker, its value and the key of the list, if the body is an object with a list and a
    /// text marker, such as `{"status": "success", "result": [..]}`.
    pub fn envelope(&self) -> Option<[&str; 3]> {
        let is_strict = self.is_list && self.is_strict();
        let verdict = self.verdict.as_ref().filter(|one| is_strict && one.is_plain())?;
        match (verdict.at.as_slice(), verdict.is.as_slice(), self.at.as_slice()) {
            ([marker], [success], [items]) if other_form(success).is_none() => {
                Some([marker, success, items])
            }
            _ => None,
        }
    }

    /// Returns whether the list has neither metadata nor another form that a reader accepts.
    fn is_strict(&self) -> bool {
        self.metadata.is_none() && !self.absent_as_empty && !self.one_as_list
    }

    /// Returns how the body reports a failure; `None` if it does not, or if [`envelope`](Self::envelope) describes it.
    pub fn reported(&self) -> Option<&Verdict> {
        self.verdict.as_ref().filter(|_| self.envelope().is_none())
    }

    /// Returns the keys that lead to the object with the metadata.
    pub fn metadata_at(&self) -> &[String] {
        let depth = self.at.len().saturating_sub(1 + self.metadata_above);
        self.at.get(..depth).unwrap_or_default()
    }
}

/// Returns the boolean or integer that a service may send instead of a string marker with this text, if any.
pub(crate) fn other_form(text: &str) -> Option<Value> {
    let value = serde_json::from_str::<Value>(text).ok()?;
    let is_plain = value.is_boolean() || value.is_i64();
    (is_plain && value.to_string().as_str() == text).then_some(value)
}

/// How the pages of a list follow each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paging {
    /// The value that changes from page to page.
    pub by: PagedBy,
    /// The index of the parameter with this value.
    pub param: usize,
    /// The index of the parameter that sets the maximum number of records per page, if any.
    pub size: Option<usize>,
    /// The metadata fields that tell whether another page follows, or where it begins.
    pub marks: Vec<Mark>,
}

/// The value that changes from page to page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PagedBy {
    /// The number of the page.
    Number {
        /// The number of the first page.
        first: i64,
    },
    /// The number of records before the page.
    Offset,
    /// Text from the previous page.
    Cursor,
}

/// A metadata field that says how the list continues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The meaning of the field.
    pub says: Says,
    /// The keys that lead to the field.
    pub path: Vec<String>,
}

words! {
    /// The meaning of a metadata field.
    pub enum Says {
        /// The number of the last page.
        Last = "last",
        /// The number of records of all pages.
        Total = "total",
        /// The offset, the cursor or the parameters of the next page.
        Next = "next",
        /// Whether a page follows.
        More = "more",
    }
}

impl Paging {
    /// Returns the Rust expression for the runtime's `PagedBy`.
    pub fn code(&self) -> String {
        match self.by {
            PagedBy::Number { first } => format!("PagedBy::Number {{ first: {first} }}"),
            PagedBy::Offset if self.marks.iter().any(|mark| mark.says == Says::Next) => {
                "PagedBy::NextOffset".to_owned()
            }
            PagedBy::Offset => "PagedBy::Offset".to_owned(),
            PagedBy::Cursor => "PagedBy::Cursor".to_owned(),
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
