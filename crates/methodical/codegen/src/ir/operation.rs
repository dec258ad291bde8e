//! Operations, their parameters and their commands.

use std::sync::Arc;

use crate::ir::name::is_in;
use crate::ir::{About, Example, PagedBy, Paging, Response, RustName, Says, ValueType};
use crate::spec::read::words;
use crate::text::{json_string, list, percent_encoded};

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
    /// The amount that the response reports, if a mirror samples it.
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
    /// How a list is written, except in a JSON body; `None` if the value is not a list.
    pub list: Option<ListStyle>,
    /// Whether every call must send it. A required parameter never needs another.
    pub required: bool,
    /// Indices of all parameters of the same operation that must be sent with this one, including
    /// those that a needed parameter needs in turn.
    pub needs: Vec<usize>,
    /// The attribute, absent from the records, that the selected records have with the value of the
    /// parameter.
    pub recovers: Option<String>,
    /// Maximum length of text, in characters.
    pub max_chars: Option<u32>,
    /// Its description.
    pub about: About,
}

/// The command of an operation: `photos list` for the selector `photos/list`.
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
    /// Returns whether the parameters are in a JSON body.
    pub fn is_json(&self) -> bool {
        self.post.is_some_and(|post| post.format == BodyFormat::Json)
    }

    /// Returns the parameters that every call must send.
    pub fn required(&self) -> Vec<&Param> {
        self.params.iter().filter(|param| param.required).collect()
    }

    /// Returns the other parameters.
    pub fn optional(&self) -> Vec<&Param> {
        self.params.iter().filter(|param| !param.required).collect()
    }

    /// Returns the parameter with the value that changes from page to page.
    pub fn position_param(&self) -> Option<&Param> {
        self.params.get(self.paging.as_ref()?.param)
    }

    /// Returns the parameter with the maximum number of records of a page.
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

    /// Returns the parameters that the setter of an optional parameter takes: those that it needs, and itself.
    pub fn set_with<'a>(&'a self, param: &'a Param) -> Vec<&'a Param> {
        self.needed_options(param).chain([param]).collect()
    }

    /// Returns the name of the method that sets an optional parameter: `status`, or `album_status` if it also takes the
    /// value of `album_id`, because `status` needs it.
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

    /// Returns a sentence about the body of a POST.
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
        Some(format!("The parameters are in the body, {what}. {repeated}"))
    }

    /// Returns the names of the parameters that a parameter needs: "`a`, `b` and `c`". `name` formats a name.
    pub fn needed_names(&self, param: &Param, name: impl Fn(&str) -> String) -> Option<String> {
        let names: Vec<_> = self.needed_by(param).map(|needed| name(&needed.wire)).collect();
        (!names.is_empty()).then(|| list(&names, " and "))
    }

    /// Returns a sentence about how the pages of the list follow each other.
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
        // A command may begin with a digit, but a Rust name may not.
        let rust = RustName::new(&noun).or_else(|| RustName::new(&format!("service-{noun}")));
        Command { rust: rust.unwrap_or_else(|| self.rust.clone()), noun, verb }
    }
}

impl Param {
    /// Returns the parameter as it is sent in a query or a form.
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

    /// Returns the type in Rust, with an unqualified name.
    pub fn rust_type(&self) -> String {
        let ty = self.ty.rust();
        if self.list.is_some() { format!("Vec<{ty}>") } else { ty }
    }

    /// Returns the values in the wire text of an example: those of a list, or the only one.
    pub fn items<'a>(&self, text: &'a str) -> Vec<&'a str> {
        if self.list.is_some() { text.split(ITEM).collect() } else { vec![text] }
    }

    /// Returns a value as an argument of the program, in which a boolean by codes is `true` or `false`.
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
    allow-insecure-http base-url columns count-by csv-raw demo dry-run fields filter from help jq \
    limit new-since no-pager output output-file profile quiet separator since sort timeout token \
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

impl BodyFormat {
    /// Returns the value of the `Content-Type` header.
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
    }
}

/// The text between two values of a list in the wire text of an example, which has no control character.
pub const ITEM: char = '\u{1f}';

impl ListStyle {
    /// Returns the text between two values of one parameter.
    pub fn separator(self) -> Option<&'static str> {
        match self {
            Self::Comma => Some(","),
            Self::Pipe => Some("|"),
            Self::Repeat | Self::Bracket | Self::Index => None,
        }
    }

    /// Returns the name of the parameter with the value at this index.
    pub fn name(self, name: &str, index: usize) -> String {
        match self {
            Self::Comma | Self::Pipe | Self::Repeat => name.to_owned(),
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
