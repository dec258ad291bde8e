//! Queries: one type for each operation, with a setter for each optional parameter.

use askama::Template;

use crate::config::Project;
use crate::emit::model::{examples, marker};
use crate::emit::{GeneratedFile, distinct, filters};
use crate::ir::{
    Field, Mark, Operation, PagedBy, Paging, Param, Primitive, Response, Says, Service, Verdict,
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

/// Describes the setter of an optional parameter.
fn setter_doc(operation: &Operation, param: &Param) -> String {
    let sections = param.about.source.phrase().map(|sections| format!("See {sections}."));
    let set: Vec<_> =
        set_by(operation, param).iter().map(|one| format!("`{}`", one.wire)).collect();
    format!(
        "Sets {}.\n\n{}\n\n{}",
        set.join(" and "),
        param.about.doc,
        sections.unwrap_or_default()
    )
}

fn constructor_doc(operation: &Operation) -> String {
    let required = required(operation).into_iter();
    let required = required.map(|one| format!("\n\n`{}`: {}", one.rust.snake(), one.about.doc));
    let required: String = required.collect();
    if !required.is_empty() {
        return format!("Creates the query from its required parameters.{required}");
    }
    let optional = if operation.params.is_empty() { "" } else { " without optional parameters" };
    format!("Creates the query{optional}.")
}

/// Returns the parameters that the setter of a parameter takes: those that it needs, and itself.
fn set_by<'a>(operation: &'a Operation, param: &'a Param) -> Vec<&'a Param> {
    operation.needed_options(param).chain([param]).collect()
}

/// Returns the optional parameters.
pub(in crate::emit) fn optional(operation: &Operation) -> Vec<&Param> {
    operation.params.iter().filter(|param| !param.required).collect()
}

/// Returns the required parameters.
pub(in crate::emit) fn required(operation: &Operation) -> Vec<&Param> {
    operation.params.iter().filter(|param| param.required).collect()
}

fn argument_type(param: &Param) -> String {
    let ty = param.ty.rust();
    let one = if converts(param) { format!("impl Into<{ty}>") } else { ty };
    if param.list.is_some() { format!("impl IntoIterator<Item = {one}>") } else { one }
}

/// Returns the conversion that an argument needs to be stored.
fn conversion(param: &Param) -> &'static str {
    match (param.list, converts(param)) {
        (Some(_), true) => ".into_iter().map(Into::into).collect()",
        (Some(_), false) => ".into_iter().collect()",
        (None, true) => ".into()",
        (None, false) => "",
    }
}

/// Returns whether a setter takes `impl Into` of the type. For a flag that would be useless.
fn converts(param: &Param) -> bool {
    param.ty.in_record != Primitive::Boolean
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

/// Returns the code that adds a parameter, which is in a variable with its name, to the query.
fn push(operation: &Operation, param: &Param) -> String {
    let (name, wire) = (param.rust.snake(), string(&param.wire));
    let (in_record, in_query) = (param.ty.in_record, param.ty.in_query);
    if let Some(style) = param.list {
        let items = match (in_record, in_query) {
            (Primitive::Text, Primitive::Signed | Primitive::Unsigned) => "Digits",
            _ if param.ty.is_json_literal() => "Literal",
            _ => "Text",
        };
        let root = "methodical_model";
        let from = if param.required { format!("self.{name}") } else { name };
        let values = format!("{from}.iter().map(ToString::to_string)");
        return format!(
            "query.push_list({wire}, {root}::ListStyle::{style:?}, {root}::codegen::Items::{items}, {values})?;"
        );
    }
    // JSON has numbers and Booleans without quotes.
    let literal =
        if operation.is_json() && param.ty.is_json_literal() { "push_literal" } else { "push" };
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
    let (place, response) = (place(operation), &operation.response);
    match &response.of {
        _ if response.is_list => format!("list({place}, body)"),
        Some(of) => format!("value::<{}>({place}, body)", of.rust(service)),
        None => format!("codegen::nothing({place}, body)"),
    }
}

/// Returns the expression for the place of the data in a body.
fn place(operation: &Operation) -> String {
    if operation.response.is_bare() {
        "&codegen::Body::ROOT".to_owned()
    } else {
        format!("&{}", operation.rust.screaming_snake())
    }
}

/// Returns whether a body uses every optional feature.
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
    distinct(service.operations.iter().filter_map(|one| one.response.verdict.as_ref()))
}

/// Returns the expression for how the pages follow each other.
fn paging_rule(service: &Service, operation: &Operation, paging: &Paging) -> String {
    let param =
        operation.position_param().map(|param| format!(".parameter({})", string(&param.wire)));
    let model = service.response_model(operation);
    let has_identity = model.is_some_and(|model| model.identity.is_some());
    format!(
        "paging::Paging::by(paging::{}){}{}",
        paging.code(),
        param.unwrap_or_default(),
        if has_identity { ".has_identity()" } else { "" },
    )
}

/// Returns the expression for the position of the page that a query requests, the variant of a position, and the statement
/// that changes a query to one.
fn page_position(operation: &Operation) -> (String, &'static str, String) {
    let Some(param) = operation.position_param() else {
        return ("None".to_owned(), "Cursor", String::new());
    };
    let name = param.rust.snake();
    let value = if param.ty.name().is_some() { "value.into()" } else { "value" };
    let turn = if param.required { value.to_owned() } else { format!("Some({value})") };
    let (kind, position) = match (param.ty.in_record, param.required) {
        (Primitive::Signed, true) => {
            ("Number", format!("Some(paging::Position::Number(self.{name}))"))
        }
        (Primitive::Signed, false) => {
            ("Number", format!("self.{name}.map(paging::Position::Number)"))
        }
        (_, true) => ("Cursor", format!("Some(paging::Position::cursor(&self.{name}))")),
        (_, false) => ("Cursor", format!("self.{name}.as_ref().map(paging::Position::cursor)")),
    };
    (position, kind, format!("self.{name} = {turn};"))
}

/// Returns the expression for the size of a page, if a parameter has it.
fn page_size(operation: &Operation) -> Option<String> {
    let size = operation.size_param()?;
    let name = size.rust.snake();
    Some(if size.required {
        format!("u64::try_from(self.{name}).ok()")
    } else {
        format!("self.{name}.and_then(|size| u64::try_from(size).ok())")
    })
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
        let name = field.rust.snake();
        value = match (depth, field.is_option()) {
            (0, false) => format!("Some(&beside.{name})"),
            (0, true) => format!("beside.{name}.as_ref()"),
            (_, false) => format!("{value}.map(|object| &object.{name})"),
            (_, true) => format!("{value}.and_then(|object| object.{name}.as_ref())"),
        };
    }
    value
}
