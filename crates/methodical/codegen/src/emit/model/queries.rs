//! Queries: one type for each operation. Its type parameter says which parameters were given.

use askama::Template;

use crate::config::Project;
use crate::emit::model::{examples, marker};
use crate::emit::{GeneratedFile, distinct, filters};
use crate::ir::{
    BodyFormat, Decides, Field, Layout, Mark, Operation, Otherwise, PagedBy, Paging, Param,
    Primitive, Response, Says, Service, Verdict,
};
use crate::text::string;

#[derive(Template)]
#[template(path = "model/queries.rs.jinja")]
struct Queries<'a> {
    project: &'a Project<'a>,
    service: &'a Service,
    marker: String,
    verdicts: Vec<&'a Verdict>,
}

pub(super) fn emit(project: &Project<'_>, path: String) -> GeneratedFile {
    let service = project.service;
    let (marker, verdicts) = (marker(service), verdicts(service));
    GeneratedFile::rust(path, &Queries { project, service, marker, verdicts })
}

impl Queries<'_> {
    /// Returns the number of the constant with a verdict.
    fn number(&self, verdict: &Verdict) -> usize {
        self.verdicts.iter().position(|other| *other == verdict).map_or(0, |index| index + 1)
    }
}

/// Returns whether a query has more type states than clippy accepts in one type.
pub(in crate::emit) fn is_wide(service: &Service) -> bool {
    service.operations.iter().any(|one| one.states().count() > 7)
}

/// Returns the type parameters and arguments of the `impl` blocks with the setters, by the parameters that are set. The
/// first one is that of the constructor.
fn blocks(operation: &Operation, states: &States) -> Vec<(String, String)> {
    let setters = optional(operation).into_iter().map(|param| states.with_set(&param.needs));
    distinct(std::iter::once(Default::default()).chain(setters))
}

/// Returns the setters of a block, with their positions.
fn setters<'a>(
    operation: &'a Operation,
    states: &States,
    block: &(String, String),
) -> Vec<(usize, &'a Param)> {
    let fits = |(_, param): &(usize, &Param)| states.with_set(&param.needs) == *block;
    let params = operation.params.iter().enumerate().filter(|(_, param)| !param.required);
    params.filter(fits).collect()
}

/// Returns the type arguments of a query after a setter, if they differ from those before.
fn after(states: &States, position: usize, param: &Param) -> Option<String> {
    let after = || states.with_set(&[param.needs.as_slice(), &[position]].concat()).1;
    states.has(position).then(after)
}

/// Returns code with the shortest example that has a parameter, unless it is shown at the query or at another parameter.
fn example(project: &Project<'_>, operation: &Operation, position: usize) -> Option<String> {
    let param = operation.params.get(position)?;
    let shortest = examples::shortest(project.service, operation, param)?;
    let fullest = examples::fullest(project.service, operation)?;
    let is_optional = |index: &usize| operation.params.get(*index).is_some_and(|one| !one.required);
    let first = shortest.params.iter().map(|(index, _)| *index).find(is_optional);
    let is_new = fullest.name != shortest.name && first == Some(position);
    is_new.then(|| examples::call(project, operation, shortest))?
}

fn setter_doc(operation: &Operation, param: &Param) -> String {
    let sections = param.source.phrase().map(|sections| format!("See {sections}."));
    let are = if param.needs.len() > 1 { "are" } else { "is" };
    let needs = needed(operation, param).map(|names| format!("Available once {names} {are} set."));
    let about: Vec<_> = sections.into_iter().chain(needs).chain(param.default_note()).collect();
    format!("Sets `{}`.\n\n{}\n\n{}", param.wire, param.doc.0, about.join(" "))
}

/// Describes an optional parameter in its structure.
fn param_doc(operation: &Operation, param: &Param) -> String {
    let needs = needed(operation, param).map(|names| format!("Needs {names}."));
    let parts = [Some(param.doc.0.clone()), needs, param.default_note()].into_iter().flatten();
    let doc = parts.collect::<Vec<_>>().join("\n\n");
    filters::deprecated(&doc, param.deprecated.as_ref())
}

fn constructor_doc(operation: &Operation) -> String {
    let required = required(operation).into_iter();
    let required = required.map(|one| format!("\n\n`{}`: {}", one.rust.snake(), one.doc.0));
    let required: String = required.collect();
    if !required.is_empty() {
        return format!("Creates the query from its required parameters.{required}");
    }
    let optional = if operation.params.is_empty() { "" } else { " without optional parameters" };
    format!("Creates the query{optional}.")
}

/// Returns the parameters that a call with does not compile without another one, each with the reason and an example.
fn refused(project: &Project<'_>, operation: &Operation) -> Vec<(String, String)> {
    let needs = |param: &&Param| !optional_needs(operation, param).is_empty();
    let refused = optional(operation).into_iter().filter(needs).filter_map(|param| {
        let (wire, needs) = (&param.wire, needed(operation, param)?);
        let effect = match param.otherwise {
            Otherwise::NoEffect => format!("`{wire}` has no effect"),
            Otherwise::Error => format!("the service refuses `{wire}`"),
        };
        let why = format!("Without {needs}, {effect}, so such a query does not compile:");
        Some((why, examples::without(project, operation, param)?))
    });
    refused.collect()
}

/// Returns the names of the parameters that a parameter needs.
fn needed(operation: &Operation, param: &Param) -> Option<String> {
    operation.needed_names(param, |name| format!("`{name}`"))
}

/// Returns the name of the structure of the optional parameters; `None` if the operation has none.
pub(in crate::emit) fn params(operation: &Operation) -> Option<String> {
    let has_optional = operation.params.iter().any(|param| !param.required);
    has_optional.then(|| operation.rust.followed_by("params").pascal())
}

/// Returns the optional parameters.
pub(in crate::emit) fn optional(operation: &Operation) -> Vec<&Param> {
    operation.params.iter().filter(|param| !param.required).collect()
}

/// Returns the required parameters.
pub(in crate::emit) fn required(operation: &Operation) -> Vec<&Param> {
    operation.params.iter().filter(|param| param.required).collect()
}

/// Returns the optional parameters that a parameter needs.
fn optional_needs<'a>(operation: &'a Operation, param: &'a Param) -> Vec<&'a Param> {
    operation.needed_by(param).filter(|needed| !needed.required).collect()
}

fn argument_type(param: &Param) -> String {
    let ty = param.ty.rust();
    let one = if converts(param) { format!("impl Into<{ty}>") } else { ty };
    if param.list.is_some() { format!("impl IntoIterator<Item = {one}>") } else { one }
}

/// Returns what follows an argument to store it.
fn conversion(param: &Param) -> &'static str {
    match (param.list, converts(param)) {
        (Some(_), true) => ".into_iter().map(Into::into).collect()",
        (Some(_), false) => ".into_iter().collect()",
        (None, true) => ".into()",
        (None, false) => "",
    }
}

/// Returns whether a setter takes all that converts into the type. Nothing else converts into a flag.
fn converts(param: &Param) -> bool {
    param.ty.in_record() != Primitive::Boolean
}

/// Returns the expression for a query without parameters.
fn begun(operation: &Operation) -> String {
    match operation.post {
        None => "QueryBuilder::select::<Self::Service>(Self::METHOD)".to_owned(),
        Some(post) => format!(
            "QueryBuilder::post::<Self::Service>(Self::METHOD, BodyFormat::{:?}, {})",
            post.format, post.is_idempotent
        ),
    }
}

/// Returns whether the failures in a body have classes.
fn has_classes(operation: &Operation) -> bool {
    let verdict = operation.response.reported();
    verdict.is_some_and(|verdict| !verdict.classes.is_empty())
}

/// Returns the code that adds a parameter, which is in a variable with its name, to the query.
fn push(operation: &Operation, param: &Param) -> String {
    let (name, wire) = (param.rust.snake(), string(&param.wire));
    let (in_record, in_query) = (param.ty.in_record(), param.ty.in_query());
    if let Some(style) = param.list {
        let items = match (in_record, in_query) {
            (Primitive::Text, Primitive::Signed | Primitive::Unsigned) => "Digits",
            _ if param.ty.is_json_literal() => "Literal",
            _ => "Text",
        };
        let (root, style) = ("methodical_model", style.in_runtime());
        let from = if param.required { format!("self.{name}") } else { name };
        let values = format!("{from}.iter().map(ToString::to_string)");
        return format!(
            "query.push_list({wire}, {root}::ListStyle::{style:?}, {root}::codegen::Items::{items}, {values})?;"
        );
    }
    // JSON has numbers and Booleans without quotes.
    let is_json = operation.post.is_some_and(|post| post.format == BodyFormat::Json);
    let literal = if is_json && param.ty.is_json_literal() { "push_literal" } else { "push" };
    match (in_record, in_query) {
        (Primitive::Boolean, _) => {
            format!("query.{literal}({wire}, if *{name} {{ \"true\" }} else {{ \"false\" }});")
        }
        (Primitive::Text, Primitive::Signed | Primitive::Unsigned) => {
            format!("query.push_integer({wire}, {name}.as_str())?;")
        }
        (Primitive::Text, _) => format!("query.push_text({wire}, {name}.as_str())?;"),
        _ => format!("query.{literal}({wire}, &ToString::to_string({name}));"),
    }
}

/// Returns the expression that decodes a body.
fn decoded(service: &Service, operation: &Operation) -> String {
    let place = operation.rust.screaming_snake();
    match &operation.response {
        response if response.is_list => format!("list({place}, body)"),
        response if !response.is_body() => "object(body)".to_owned(),
        response => match (response.model(), &response.of) {
            (None, Some(of)) => format!("codegen::value::<{}>(&{place}, body)", of.rust(service)),
            (None, None) => format!("codegen::nothing(&{place}, body)"),
            (Some(_), _) => format!("codegen::object_in(&{place}, body)"),
        },
    }
}

/// Returns whether a body has more than the place of the data in each respect.
fn is_complete(body: &Response) -> bool {
    let is_lenient = body.absent_as_empty && body.one_as_list;
    !body.at.is_empty() && body.verdict.is_some() && is_lenient && body.beside_above > 0
}

/// Returns the type to which a response decodes.
pub(crate) fn output(service: &Service, operation: &Operation) -> String {
    let Some(model) = service.response_model(operation) else {
        let value = operation.response.value();
        return value.map_or_else(|| "()".to_owned(), |of| of.rust(service));
    };
    let model = model.rust.pascal();
    match beside(service, operation) {
        Some(beside) => format!("Listing<{model}, {beside}>"),
        None if operation.response.is_list => format!("Listing<{model}>"),
        None => model,
    }
}

/// Returns the type of the fields beside a list.
pub(in crate::emit) fn beside(service: &Service, operation: &Operation) -> Option<String> {
    service.beside_model(operation).map(|model| model.rust.pascal())
}

/// Returns the verdicts of the service, each once, in the order of the operations.
fn verdicts(service: &Service) -> Vec<&Verdict> {
    distinct(service.operations.iter().filter_map(|one| one.response.reported()))
}

/// The type states of a query: one type parameter for each optional parameter that another one needs, in their order, as in
/// `ListPhotos<HasAlbumId>`. Holds the parameters that have a state, with their positions and the names of their type parameters.
pub(in crate::emit) struct States(Vec<(usize, String)>);

impl States {
    /// Returns the states of an operation's query.
    pub(in crate::emit) fn of(operation: &Operation) -> Self {
        let name = |param: &Param| param.rust.preceded_by("has").plain();
        Self(operation.states().map(|(index, param)| (index, name(param))).collect())
    }

    pub(in crate::emit) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns `<HasAlbumId = Unset>`, for the definition.
    pub(in crate::emit) fn declared(&self) -> String {
        self.each(" = Unset")
    }

    /// Returns `<HasAlbumId>`, for code that is the same for all states.
    pub(in crate::emit) fn names(&self) -> String {
        self.each("")
    }

    /// Returns the type parameters with what follows each, such as a bound.
    pub(in crate::emit) fn each(&self, after: &str) -> String {
        angled(self.0.iter().map(|(_, name)| format!("{name}{after}")))
    }

    /// Returns the type of the field that carries the states.
    pub(in crate::emit) fn marker(&self) -> String {
        if let [(_, one)] = self.0.as_slice() {
            return format!("Given<{one}>");
        }
        self.names().replace('<', "Given<(").replace('>', ")>")
    }

    /// Returns whether the parameter at this position has a state.
    pub(in crate::emit) fn has(&self, position: usize) -> bool {
        self.0.iter().any(|(index, _)| *index == position)
    }

    /// Returns the type parameters and the type arguments of an `impl` for queries in which these parameters are set.
    pub(in crate::emit) fn with_set(&self, set: &[usize]) -> (String, String) {
        let others = self.0.iter().filter(|(index, _)| !set.contains(index));
        let all = self
            .0
            .iter()
            .map(|(index, name)| if set.contains(index) { "Set".to_owned() } else { name.clone() });
        (angled(others.map(|(_, name)| name.clone())), angled(all))
    }
}

fn angled(parts: impl Iterator<Item = String>) -> String {
    let parts: Vec<_> = parts.collect();
    if parts.is_empty() { String::new() } else { format!("<{}>", parts.join(", ")) }
}

/// Returns the expression for how the pages follow each other.
fn paging_rule(service: &Service, operation: &Operation, paging: &Paging) -> String {
    let param =
        operation.position_param().map(|param| format!(".parameter({})", string(&param.wire)));
    let model = service.response_model(operation);
    let has_identity = model.is_some_and(|model| model.identity.is_some());
    format!(
        "paging::Paging::by(paging::{}){}{}{}",
        paging.code(),
        param.unwrap_or_default(),
        if paging.short_page_ends { ".short_page_ends()" } else { "" },
        if has_identity { ".has_identity()" } else { "" },
    )
}

/// Returns the expression for the position of the page that a query requests.
fn page_position(operation: &Operation) -> String {
    let Some(param) = operation.position_param() else { return "None".to_owned() };
    let name = param.rust.snake();
    match (has_number(param), param.required) {
        (true, true) => format!("Some(paging::Position::Number(self.{name}))"),
        (true, false) => format!("self.params.{name}.map(paging::Position::Number)"),
        (false, true) => format!("Some(paging::Position::cursor(&self.{name}))"),
        (false, false) => format!("self.params.{name}.as_ref().map(paging::Position::cursor)"),
    }
}

/// Returns the expression for the size of a page, if a parameter has it.
fn page_size(operation: &Operation) -> Option<String> {
    let size = operation.size_param()?;
    let name = size.rust.snake();
    Some(if size.required {
        format!("u64::try_from(self.{name}).ok()")
    } else {
        format!("self.params.{name}.and_then(|size| u64::try_from(size).ok())")
    })
}

/// Returns the variant of a position, and the statement that changes a query to it.
fn page_turn(operation: &Operation) -> (&'static str, String) {
    let Some(param) = operation.position_param() else { return ("Cursor", String::new()) };
    let kind = if has_number(param) { "Number" } else { "Cursor" };
    let value = if param.ty.name().is_some() { "value.into()" } else { "value" };
    let name = param.rust.snake();
    (
        kind,
        if param.required {
            format!("self.{name} = {value};")
        } else {
            format!("self.params.{name} = Some({value});")
        },
    )
}

fn has_number(param: &Param) -> bool {
    param.ty.in_record() == Primitive::Signed
}

/// Returns the call that sets a mark.
fn page_mark(service: &Service, operation: &Operation, mark: &Mark) -> String {
    let by = operation.paging.as_ref().map(|paging| paging.by);
    let function = match (mark.says, by) {
        (Says::Last, _) => "last",
        (Says::Total, _) => "total",
        (Says::Next, Some(PagedBy::Offset)) => "next_offset",
        (Says::Next, _) => "next_cursor",
        (Says::More, _) => "more",
    };
    let beside = operation.response.beside;
    let fields = beside.and_then(|beside| service.fields_at(beside, &mark.path));
    format!(".{function}({})", page_field(&fields.unwrap_or_default()))
}

/// Returns the expression for a field of `beside`, as an `Option` of a reference.
fn page_field(fields: &[&Field]) -> String {
    let mut value = String::new();
    for (depth, field) in fields.iter().enumerate() {
        let (name, boxed) = (field.rust.snake(), field.is_boxed());
        let of = |object: &str| match (!field.is_option(), boxed) {
            (true, false) => format!("&{object}.{name}"),
            (true, true) => format!("&*{object}.{name}"),
            (false, false) => format!("{object}.{name}.as_ref()"),
            (false, true) => format!("{object}.{name}.as_deref()"),
        };
        value = match (depth, !field.is_option()) {
            (0, true) => format!("Some({})", of("beside")),
            (0, false) => of("beside"),
            (_, true) => format!("{value}.map(|object| {})", of("object")),
            (_, false) => format!("{value}.and_then(|object| {})", of("object")),
        };
    }
    value
}
