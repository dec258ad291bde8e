//! A random service: first as data, then as a spec with hostile or with dull descriptions.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use proptest::prelude::*;

/// A random service as data, which is written as a spec with hostile or with dull descriptions.
#[derive(Clone, Debug)]
pub(crate) struct Random {
    /// The dispatch of a spec in language 2; `None` for language 1.
    dispatch: Option<Dispatching>,
    docs: Vec<String>,
    wires: Vec<String>,
    models: Vec<(String, Vec<FieldKind>)>,
    enums: Vec<(String, bool, u8, &'static str)>,
    /// The shape of each response, its model, its method, its parameters, and how its pages follow each other.
    operations: Vec<(u8, usize, Verb, Vec<ParamKind>, usize)>,
}

/// How a call names its operation, and whether every call has constants.
#[derive(Clone, Copy, Debug)]
struct Dispatching {
    place: Dispatched,
    constants: bool,
    auth: Authenticated,
}

#[derive(Clone, Copy, Debug)]
enum Authenticated {
    None,
    Bearer,
    Secret,
    Secrets,
}

impl Authenticated {
    /// Returns the keys of `[auth]`, with a description.
    fn table(self, place: Dispatched, doc: &str) -> String {
        match self {
            Self::Secret if matches!(place, Dispatched::Form) => {
                format!("secret = {{ in = \"form\", name = \"key\", doc = {doc} }}")
            }
            Self::None => "none = {}".to_owned(),
            Self::Bearer => "bearer = {}".to_owned(),
            Self::Secret => format!("secret = {{ in = \"query\", name = \"key\", doc = {doc} }}"),
            Self::Secrets => {
                let header = format!("{{ in = \"header\", name = \"X-Key\", doc = {doc} }}");
                format!("secrets = [{header}, {{ in = \"path\", doc = {doc} }}]")
            }
        }
    }

    /// Returns the path of the service.
    fn path(self) -> &'static str {
        if matches!(self, Self::Secrets) { "/r{secret}" } else { "/r" }
    }
}

#[derive(Clone, Copy, Debug)]
enum Dispatched {
    One,
    Two,
    Form,
    Path,
}

/// How an operation in language 2 is called, unless the selector is in the form.
#[derive(Clone, Copy, Debug)]
enum Verb {
    Get,
    PostForm,
    PostJson,
}

impl Verb {
    /// Returns the keys of an operation.
    fn keys(self, dispatch: Option<Dispatching>) -> &'static str {
        match (self, dispatch.map(|one| one.place)) {
            (_, None) | (Self::Get, _) => "",
            (_, Some(Dispatched::Form)) => "idempotent = true",
            (Self::PostForm, _) => "verb = \"post\"\nidempotent = true",
            (Self::PostJson, _) => "verb = \"post\"\nbody = \"json\"",
        }
    }
}

impl Dispatching {
    /// Returns the table of the dispatch.
    fn table(self) -> String {
        let place = match self.place {
            Dispatched::One => "selector = \"op\"",
            Dispatched::Two => "selector = [\"op\", \"to\"]",
            Dispatched::Form => "selector = \"op\"\nin = \"form\"",
            Dispatched::Path => "in = \"path\"",
        };
        let constants =
            if self.constants { "constants = { a = \"& é\", b = 7, c = true }" } else { "" };
        format!("[dispatch]\n{place}\n{constants}\n")
    }

    /// Returns the `select` of an operation.
    fn select(self, at: usize) -> String {
        match self.place {
            Dispatched::Two => format!("[\"ask\", \"{at}\"]"),
            Dispatched::One | Dispatched::Form | Dispatched::Path => format!("\"ask/{at}\""),
        }
    }

    /// Returns the query of an operation without its parameters.
    fn query(self, at: usize) -> String {
        let select = match self.place {
            Dispatched::One | Dispatched::Form => format!("op=ask/{at}"),
            Dispatched::Two => format!("op=ask&to={at}"),
            Dispatched::Path => String::new(),
        };
        let constants = if self.constants { "&a=%26%20%C3%A9&b=7&c=true" } else { "" };
        format!("{select}{constants}").trim_start_matches('&').to_owned()
    }
}

#[derive(Clone, Copy, Debug)]
enum FieldKind {
    Text,
    Integer,
    Boolean,
    Id,
    Number,
    /// A type of language 2.
    Newer(&'static str),
    Enum(usize),
    Model(usize),
    /// Lists and maps in each other, outermost first, of a model, an enum or text; in language 2 only.
    Collection(&'static [&'static str], usize),
    /// A field with other forms: its type and its leniency; in language 2 only.
    Lenient(&'static str, &'static str),
}

#[derive(Clone, Copy, Debug)]
enum ParamKind {
    Text,
    Integer,
    Boolean,
    Id,
    /// A type of language 2.
    Newer(&'static str),
    Enum(usize),
    /// Needs the parameter before it.
    Needing,
    Required,
    /// A list in this style; in language 2 only.
    List(&'static str, &'static str),
}

/// Pieces that end comments, literals, Markdown, templates and shells.
const HOSTILE: &[&str] = &[
    "*/",
    "/*",
    "//",
    "\"",
    "\\",
    "'",
    "`",
    "```",
    "#",
    "#![allow(x)]",
    "r#\"",
    "\"#",
    "{",
    "}",
    "{}",
    "${x}",
    "$(x)",
    "{{",
    "]]>",
    "<!--",
    "-->",
    "<script>",
    "\n",
    "\n\n",
    " ",
    "word",
    "é",
    "ключ",
    "☂",
    "|",
    "=1+1",
    "- ",
    "1. ",
    "> ",
    "fn evil() {}",
    "&amp;",
    "snake_case",
    "CamelCase",
    "https://example.com",
    "[a](b)",
    "\u{a0}",
];

/// Types of single values that only language 2 has.
const NEWER: &[&str] =
    &["float", "SomeCount", "SomeAmount", "SomeMoment", "SomeFlag", "SomeSwitch"];

/// The scalars of language 2.
const NEWER_SCALARS: &[(&str, &str, &str)] = &[
    ("SomeCount", "wire = \"integer-or-text\"\nmeaning = \"id\"", "7"),
    ("SomeAmount", "wire = \"text-or-number\"\nmeaning = \"decimal\"", "1.50"),
    ("SomeMoment", "wire = \"integer\"\nmeaning = \"epoch-milliseconds\"", "-1"),
    (
        "SomeFlag",
        "wire = \"codes\"\nmeaning = \"boolean\"\ntrue = [1, \"1\", true]\nfalse = [0]",
        "0",
    ),
    (
        "SomeSwitch",
        "wire = \"codes\"\nmeaning = \"boolean\"\ntrue = [\"\\\"#{}\"]\nfalse = [false, \"r#\"]",
        "false",
    ),
];

/// Types of fields with their leniency.
const LENIENT: &[(&str, &str)] = &[
    ("list<float>", "\"one-as-list\""),
    ("list<SomeFlag>", "\"one-as-list\", \"absent-as-empty\""),
    ("list<map<text>>", "\"one-as-list\", \"blank-as-none\""),
    ("map<SomeAmount>", "\"empty-array-as-map\""),
    ("map<list<integer>>", "\"empty-array-as-map\", \"absent-as-empty\""),
    ("SomeMoment", "\"blank-as-none\""),
    ("text", "\"blank-as-none\""),
];

/// The wires of enums in language 2; the first one is the default.
const ENUM_WIRES: &[&str] = &["", "integer", "integer-or-text"];

/// The styles of lists.
const STYLES: &[&str] = &["comma", "pipe", "repeat", "bracket", "index"];

/// The types of the values of lists.
const ITEMS: &[&str] = &["text", "integer", "boolean", "SomeId", "SomeNumber"];

/// Lists and maps in each other.
const COLLECTIONS: &[&[&str]] =
    &[&["list"], &["map"], &["list", "list"], &["list", "map"], &["map", "list", "map"]];

/// How the pages of a list follow each other, with fields beside it.
const PAGING: &[&str] = &[
    "page = { param = \"at\", size = \"size\", last = \"last\" }",
    "page = { param = \"at\", total = \"count.total\" }",
    "offset = { param = \"at\", size = \"size\", total = \"last\" }",
    "offset = { param = \"at\", next = \"next\" }",
    "cursor = { param = \"cursor\", size = \"size\", next = \"count.total\" }",
    "continuation = { next = \"more\" }",
    "page = { param = \"at\", more = \"goes_on\" }",
    "offset = { param = \"at\", next = \"count.total\", more = \"goes_on\" }",
];

/// How they follow each other without such fields.
const PAGING_WITHOUT_FIELDS: &[&str] = &[
    "page = { param = \"at\", first = 0 }",
    "page = { param = \"at\", size = \"size\", short-page-ends = true }",
    "offset = { param = \"at\" }",
];

/// The fields beside a page.
const ONWARD: &str = r#"[model.Onward]
doc = "Fields beside a page."
[model.Onward.field]
last = { type = "integer", presence = "optional", doc = "A number." }
next = { type = "integer", presence = "optional", doc = "An offset." }
more = { type = "map<text>", presence = "optional", doc = "Parameters." }
count = { type = "Count", presence = "optional", doc = "A count." }
goes_on = { type = "boolean", presence = "optional", doc = "Whether a page follows." }
[model.Count]
doc = "A count."
field.total = { type = "text", presence = "optional", doc = "A total." }"#;

/// Names with a meaning in Rust.
const TAKEN: &[&str] = &[
    "Option",
    "Vec",
    "String",
    "Result",
    "Box",
    "Some",
    "Self",
    "Error",
    "Listing",
    "Iterator",
    "Tool",
    "HttpServer",
];
const KEYWORDS: &[&str] = &[
    "type", "self", "crate", "super", "gen", "async", "fn", "new", "extra", "clone", "query", "id",
    "map", "record",
];

fn prose() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(HOSTILE), 0..12)
        .prop_map(|pieces| format!("It {}", pieces.concat()))
}

/// Returns any text on one line: a JSON key, an enum value, a marker.
fn wire() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(HOSTILE), 0..5)
        .prop_map(|pieces| format!("w{}", pieces.concat()).replace('\n', "_").trim().to_owned())
}

fn dispatching() -> impl Strategy<Value = Option<Dispatching>> {
    let auth = prop_oneof![
        Just(Authenticated::None),
        Just(Authenticated::Bearer),
        Just(Authenticated::Secret),
        Just(Authenticated::Secrets)
    ];
    let place = prop::sample::select(vec![
        Dispatched::One,
        Dispatched::Two,
        Dispatched::Form,
        Dispatched::Path,
    ]);
    let dispatch = (place, any::<bool>(), auth).prop_map(|(place, constants, auth)| Dispatching {
        place,
        constants,
        auth,
    });
    prop::option::weighted(0.7, dispatch)
}

pub(crate) fn random() -> impl Strategy<Value = Random> {
    let field = prop_oneof![
        Just(FieldKind::Text),
        Just(FieldKind::Integer),
        Just(FieldKind::Boolean),
        Just(FieldKind::Id),
        Just(FieldKind::Number),
        prop::sample::select(NEWER).prop_map(FieldKind::Newer),
        (0..3_usize).prop_map(FieldKind::Enum),
        (0..3_usize).prop_map(FieldKind::Model),
        prop::sample::select(LENIENT).prop_map(|(ty, words)| FieldKind::Lenient(ty, words)),
        (prop::sample::select(COLLECTIONS), 0..9_usize)
            .prop_map(|(outer, of)| FieldKind::Collection(outer, of)),
    ];
    let param = prop_oneof![
        Just(ParamKind::Text),
        Just(ParamKind::Integer),
        Just(ParamKind::Boolean),
        Just(ParamKind::Id),
        prop::sample::select(NEWER).prop_map(ParamKind::Newer),
        (0..3_usize).prop_map(ParamKind::Enum),
        Just(ParamKind::Needing),
        Just(ParamKind::Required),
        (prop::sample::select(STYLES), prop::sample::select(ITEMS))
            .prop_map(|(style, of)| ParamKind::List(style, of)),
    ];
    let verb = prop::sample::select(vec![Verb::Get, Verb::PostForm, Verb::PostJson]);
    let names = || prop::sample::subsequence(TAKEN, 1..4).prop_shuffle();
    (
        dispatching(),
        prop::collection::vec(prose(), 40),
        prop::collection::vec(wire(), 40),
        names().prop_flat_map(move |names| {
            let fields = prop::collection::vec(field.clone(), 1..6);
            prop::collection::vec(fields, names.len()).prop_map(move |fields| {
                names.iter().map(|name| (*name).to_owned()).zip(fields).collect()
            })
        }),
        prop::collection::vec((any::<bool>(), 1..4_u8, prop::sample::select(ENUM_WIRES)), 1..3)
            .prop_map(|enums| {
                let enums = enums.into_iter().enumerate();
                enums
                    .map(|(at, (open, size, wire))| (format!("Kind{at}"), open, size, wire))
                    .collect()
            }),
        prop::collection::vec(
            (0..6_u8, 0..3_usize, verb, prop::collection::vec(param, 0..5), 0..9_usize),
            1..4,
        ),
    )
        .prop_map(|(dispatch, docs, wires, models, enums, operations)| Random {
            dispatch,
            docs,
            wires,
            models,
            enums,
            operations,
        })
}

/// Returns a text as a quoted TOML string.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

impl Random {
    /// Returns the spec, and writes its fixtures to a folder.
    pub(crate) fn write(&self, folder: &Path, dull: bool) -> String {
        let mut writer = Writer { random: self, dull, docs: 0, wires: 0, spec: String::new() };
        writer.head();
        writer.types();
        for (at, operation) in self.operations.iter().enumerate() {
            writer.operation(at, operation, folder);
        }
        writer.spec
    }
}

struct Writer<'a> {
    random: &'a Random,
    dull: bool,
    docs: usize,
    wires: usize,
    spec: String,
}

impl Writer<'_> {
    fn line(&mut self, line: impl std::fmt::Display) {
        _ = writeln!(self.spec, "{line}");
    }

    fn doc(&mut self) -> String {
        self.docs += 1;
        let docs = &self.random.docs;
        if self.dull { "\"Dull.\"".to_owned() } else { quoted(&docs[self.docs % docs.len()]) }
    }

    fn wire(&mut self) -> String {
        self.wires += 1;
        quoted(&format!(
            "{}{}",
            self.random.wires[self.wires % self.random.wires.len()],
            self.wires
        ))
    }

    fn enum_name(&self, index: usize) -> String {
        self.random.enums[index % self.random.enums.len()].0.clone()
    }

    /// Returns a type that only language 2 has, or text in language 1.
    fn newer(&self, name: &str) -> String {
        if self.random.dispatch.is_some() { name } else { "text" }.to_owned()
    }

    fn collection(&self, outer: &[&str], index: usize) -> String {
        let of = match index % 4 {
            0 => self.model_name(index),
            1 => self.enum_name(index),
            2 => self.newer(NEWER[index % NEWER.len()]),
            _ => "text".to_owned(),
        };
        if self.random.dispatch.is_none() {
            return of;
        }
        format!("{}<{of}{}", outer.join("<"), ">".repeat(outer.len()))
    }

    fn model_name(&self, index: usize) -> String {
        self.random.models[index % self.random.models.len()].0.clone()
    }

    fn head(&mut self) {
        let doc = self.doc();
        let (language, head, path, tables) = match self.random.dispatch {
            Some(dispatch) => {
                let tables = format!(
                    "{}[auth]\n{}",
                    dispatch.table(),
                    dispatch.auth.table(dispatch.place, &doc)
                );
                (2, "", dispatch.auth.path(), tables)
            }
            None => (1, "selector = \"op\"\nauth = \"bearer\"\n", "/r", String::new()),
        };
        self.line(format_args!("spec-language = {language}\n[service]\n{head}name = \"random\""));
        self.line(format_args!(
            "title = \"Random\"\nversion = \"1.0.0\"\napi-version = \"v1\"\npath = \"{path}\"\naccept = \"application/json\""
        ));
        let doc = self.doc();
        self.line(format_args!("doc = {doc}\n{tables}"));
        for (name, wire) in [
            ("SomeId", "wire = \"string\"\nquery-wire = \"integer\""),
            ("SomeNumber", "wire = \"integer\""),
        ] {
            let doc = self.doc();
            self.line(format_args!(
                "[scalar.{name}]\n{wire}\nmeaning = \"id\"\nexample = \"1\"\ndoc = {doc}"
            ));
        }
    }

    fn types(&mut self) {
        if self.random.dispatch.is_some() {
            self.line(ONWARD);
        }
        let newer = if self.random.dispatch.is_some() { NEWER_SCALARS } else { &[] };
        for (name, wire, example) in newer {
            let doc = self.doc();
            self.line(format_args!(
                "[scalar.{name}]\n{wire}\nexample = \"{example}\"\ndoc = {doc}"
            ));
        }
        for (name, open, size, wire) in &self.random.enums {
            let doc = self.doc();
            self.line(format_args!("[enum.{name}]\nopen-ended = {open}\ndoc = {doc}"));
            let coded =
                self.random.dispatch.is_some().then_some(wire).filter(|wire| !wire.is_empty());
            if let Some(wire) = coded {
                self.line(format_args!("wire = \"{wire}\""));
            }
            let variants = ["Default", "Some", "Ok", "None"].iter().take(usize::from(*size));
            for (at, variant) in variants.enumerate() {
                let (wire, doc) = (self.wire(), self.doc());
                let wire = if coded.is_some() {
                    format!("\"{}\"", 50 - i64::try_from(at).expect("it is small") * 49)
                } else {
                    wire
                };
                self.line(format_args!("value.{variant} = {{ wire = {wire}, doc = {doc} }}"));
            }
        }
        for (name, fields) in &self.random.models {
            let doc = self.doc();
            self.line(format_args!("[model.{name}]\ndoc = {doc}\n[model.{name}.field]"));
            for (field, rust) in fields.iter().zip(KEYWORDS) {
                let ty = match field {
                    FieldKind::Text => "text".to_owned(),
                    FieldKind::Integer => "integer".to_owned(),
                    FieldKind::Boolean => "boolean".to_owned(),
                    FieldKind::Id => "SomeId".to_owned(),
                    FieldKind::Number => "SomeNumber".to_owned(),
                    FieldKind::Newer(name) => self.newer(name),
                    FieldKind::Enum(index) => self.enum_name(*index),
                    FieldKind::Model(index) => self.model_name(*index),
                    FieldKind::Collection(outer, index) => self.collection(outer, *index),
                    FieldKind::Lenient(ty, _) => self.newer(ty),
                };
                let lenient = match field {
                    FieldKind::Lenient(_, words) if self.random.dispatch.is_some() => {
                        format!("lenient = [{words}], ")
                    }
                    _ => String::new(),
                };
                let (wire, doc) = (self.wire(), self.doc());
                self.line(format_args!(
                    "{wire} = {{ type = \"{ty}\", presence = \"optional\", {lenient}rust-name = \"{rust}\", doc = {doc} }}"
                ));
            }
        }
    }

    /// Returns the shape of a response, and one of its bodies. Declares its envelope.
    fn response(&mut self, at: usize, shape: u8, model: usize) -> (String, String) {
        let of = self.model_name(model);
        let newer = self.random.dispatch.is_some();
        let (mut marker, success, mut items) = (self.wire(), self.wire(), self.wire());
        let mut code = self.wire();
        if newer {
            // A dot separates the keys of a path.
            for path in [&mut marker, &mut items, &mut code] {
                *path = path.replace('.', "_");
            }
        }
        match shape {
            0 if newer => (format!("list = {{ of = \"{of}\" }}"), "[]".to_owned()),
            0 => (format!("array = {{ of = \"{of}\" }}"), "[]".to_owned()),
            1 => (format!("object = {{ of = \"{of}\" }}"), "{}".to_owned()),
            3 if newer => {
                self.line(format_args!(
                    "[envelope.e{at}]\nsuccess = {{ at = {marker}, is = [{success}, \"true\"] }}\n\
                     error = {{ at = \"error\", code = {code}, message = \"text\" }}\n\
                     error-class = {{ {code} = \"auth\", \"29\" = \"rate-limit\" }}\n\
                     empty = {{ code = [{code}], message = [{success}] }}"
                ));
                (
                    format!(
                        "list = {{ at = \"in.{}, of = \"{of}\", envelope = \"e{at}\" }}",
                        items.trim_start_matches('"')
                    ),
                    format!("{{\"in\":{{{items}:[]}},{marker}:true}}"),
                )
            }
            4 if newer => {
                self.line(format_args!(
                    "[envelope.e{at}]\nfailure = {{ present = {marker} }}\nerror = {{ code = {code} }}"
                ));
                (
                    format!("object = {{ at = {items}, of = \"{of}\", envelope = \"e{at}\" }}"),
                    format!("{{{items}:{{}}}}"),
                )
            }
            5 if newer => {
                let beside = self.model_name(model + 1);
                let (place, body) = if at.is_multiple_of(2) {
                    (format!("at = {items}"), format!("{{{items}:{{}}}}"))
                } else {
                    let inner = items.trim_start_matches('"');
                    (
                        format!("at = \"in.{inner}, beside-at = \"$\""),
                        format!("{{\"in\":{{{items}:{{}}}}}}"),
                    )
                };
                (
                    format!(
                        "list = {{ {place}, of = \"{of}\", beside = \"{beside}\", lenient = [\"absent-as-empty\", \"one-as-list\"] }}"
                    ),
                    body,
                )
            }
            _ if newer => {
                self.line(format_args!(
                    "[envelope.e{at}]\nsuccess = {{ at = {marker}, is = [{success}] }}"
                ));
                (
                    format!("list = {{ at = {items}, of = \"{of}\", envelope = \"e{at}\" }}"),
                    format!("{{{marker}:{success},{items}:[]}}"),
                )
            }
            _ => (
                format!(
                    "envelope = {{ marker = {marker}, success = {success}, items = {items}, of = \"{of}\" }}"
                ),
                format!("{{{marker}:{success},{items}:[]}}"),
            ),
        }
    }

    fn operation(
        &mut self,
        at: usize,
        (shape, model, verb, params, paging): &(u8, usize, Verb, Vec<ParamKind>, usize),
        folder: &Path,
    ) {
        let dispatch = self.random.dispatch;
        let (mut response, body) = self.response(at, *shape, *model);
        let paging = match (&dispatch, shape) {
            (None, _) | (_, 1 | 4) => None,
            (Some(_), 5) => PAGING.get(*paging).copied(),
            (Some(_), _) => PAGING_WITHOUT_FIELDS.get(*paging).copied(),
        };
        // A continuation cannot be in a JSON body.
        let is_json = verb.keys(dispatch).contains("json");
        let paging = paging.filter(|paging| !is_json || !paging.starts_with("continuation"));
        if paging.is_some() && *shape == 5 {
            let beside = self.model_name(*model + 1);
            response = response.replace(&format!("beside = \"{beside}\""), "beside = \"Onward\"");
        }
        fs::write(folder.join(format!("{at}.json")), body).expect("written");
        let doc = self.doc();
        let (select, first) = match dispatch {
            Some(dispatch) => (dispatch.select(at), dispatch.query(at)),
            None => (format!("\"ask/{at}\""), format!("op=ask/{at}")),
        };
        self.line(format_args!(
            "[operation.ask_{at}]\nselect = {select}\ndoc = {doc}\nresponse.{response}\n{}",
            verb.keys(dispatch)
        ));
        if let Some(paging) = paging {
            self.line(format_args!("paging.{paging}"));
        }
        self.line(format_args!("[operation.ask_{at}.param]"));
        let (mut params_sent, mut given) = (Vec::new(), String::new());
        let mut before = None;
        for (param, name) in params.iter().zip(KEYWORDS) {
            let (ty, more) = match (param, before) {
                (ParamKind::Required, _) => ("text".to_owned(), "required = true, ".to_owned()),
                (ParamKind::Needing, Some(before)) => {
                    ("text".to_owned(), format!("needs = [\"{before}\"], otherwise = \"error\", "))
                }
                (ParamKind::Text, _) if dispatch.is_some() => {
                    ("text".to_owned(), "default = \"`x`\", ".to_owned())
                }
                (ParamKind::Text | ParamKind::Needing, _) => ("text".to_owned(), String::new()),
                (ParamKind::List(_, of), _) if dispatch.is_none() => {
                    ((*of).to_owned(), String::new())
                }
                (ParamKind::List(style, of), _) => {
                    let is_json = matches!(verb, Verb::PostJson)
                        && !matches!(dispatch.map(|one| one.place), Some(Dispatched::Form));
                    let style =
                        if is_json { String::new() } else { format!("style = \"{style}\", ") };
                    (format!("list<{of}>"), style)
                }
                (ParamKind::Integer, _) => ("integer".to_owned(), String::new()),
                (ParamKind::Boolean, _) => ("boolean".to_owned(), String::new()),
                (ParamKind::Id, _) => ("SomeId".to_owned(), String::new()),
                (ParamKind::Newer(name), _) => (self.newer(name), String::new()),
                (ParamKind::Enum(index), _) => (self.enum_name(*index), String::new()),
            };
            before = Some(name);
            let doc = self.doc();
            self.line(format_args!("{name} = {{ type = \"{ty}\", {more}doc = {doc} }}"));
            if matches!(param, ParamKind::Required) {
                params_sent.push(*name);
                _ = write!(given, "{name} = \"x\", ");
            }
        }
        if paging.is_some() {
            self.line(
                "at = { type = \"integer\", doc = \"A position.\" }\n\
                 size = { type = \"integer\", doc = \"A size.\" }\n\
                 cursor = { type = \"text\", doc = \"A cursor.\" }",
            );
        }
        let doc = self.doc();
        let sent = request(dispatch, *verb, &first, &params_sent);
        self.line(format_args!(
            "[[example]]\nname = \"e{at}\"\noperation = \"ask_{at}\"\ndoc = {doc}"
        ));
        self.line(format_args!("params = {{ {given} }}\n{sent}\nresponse = \"{at}.json\""));
    }
}

/// Returns the exact request of an example, whose parameters all have the value `x`.
fn request(dispatch: Option<Dispatching>, verb: Verb, first: &str, params: &[&str]) -> String {
    let joined = |pairs: Vec<String>| {
        pairs.into_iter().filter(|pair| !pair.is_empty()).collect::<Vec<_>>().join("&")
    };
    let pairs = || params.iter().map(|name| format!("{name}=x"));
    let all = || joined([first.to_owned()].into_iter().chain(pairs()).collect());
    let members: Vec<_> = params.iter().map(|name| format!("\"{name}\":\"x\"")).collect();
    let (query, body) = match (verb, dispatch.map(|one| one.place)) {
        (_, Some(Dispatched::Form)) => (String::new(), all()),
        (_, None) | (Verb::Get, _) => (all(), String::new()),
        (Verb::PostForm, _) => (first.to_owned(), joined(pairs().collect())),
        (Verb::PostJson, _) => (first.to_owned(), format!("{{{}}}", members.join(","))),
    };
    let given = [("query", query), ("body", body)].into_iter().filter(|(_, text)| !text.is_empty());
    let given = given.map(|(key, text)| format!("{key} = {}", quoted(&text)));
    given.collect::<Vec<_>>().join("\n")
}
