//! Queries: one type for each operation. Its type parameter says which parameters were given.

use crate::emit::model::queries::methods::decoded;
use crate::emit::model::service::marker;
use crate::emit::model::states::States;
use crate::ir::{BodyFormat, ListStyle, Operation, Param, Primitive, Response, Service};
use crate::project::Project;
use crate::text::{RustFile, string};

mod bodies;
mod docs;
mod imports;
mod methods;
mod paging;
pub(in crate::emit) mod params;

pub(crate) use crate::emit::model::queries::docs::chain as example_query;
pub(in crate::emit) use crate::emit::model::queries::docs::smallest_query;
pub(crate) use crate::emit::model::queries::methods::output;

pub(super) fn emit(project: &Project<'_>) -> RustFile {
    let service = project.service;
    let mut file =
        RustFile::new("The queries of the operations, and how their responses are decoded.");
    imports::write(&mut file, service);
    for operation in &service.operations {
        file.blank();
        query(&mut file, project, operation);
    }
    bodies::write(&mut file, service);
    file.blank();
    file.doc("A query with any method and any parameters, for everything that the typed queries do not cover.");
    file.line(format_args!(
        "pub type RawQuery = gateway_model_core::RawQuery<service::{}>;",
        marker(service)
    ));
    file
}

fn query(file: &mut RustFile, project: &Project<'_>, operation: &Operation) {
    let service = project.service;
    let states = States::of(operation);
    docs::of_query(file, project, operation);
    structure(file, operation, &states);
    optional(file, operation);
    methods::write(file, project, operation, &states);
    operation_impl(file, service, operation, &states);
    if operation.response.is_list() {
        list_operation_impl(file, service, operation, &states);
        paging::write(file, service, operation, &states);
    }
}

fn structure(file: &mut RustFile, operation: &Operation, states: &States) {
    let name = operation.rust.pascal();
    if operation.params.is_empty() {
        file.line("#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]");
        file.line("#[non_exhaustive]");
        if !operation.is_continued() {
            file.line(format_args!("pub struct {name};"));
            return;
        }
    } else {
        file.line("#[derive(Clone, Debug, PartialEq, Eq, Hash)]");
    }
    file.open(format_args!("pub struct {name}{} {{", states.declared()));
    for param in operation.params.iter().filter(|param| param.required) {
        file.line(format_args!("pub(super) {}: {},", param.rust.snake(), param.rust_type()));
    }
    if let Some(name) = params::name(operation) {
        file.line(format_args!("pub(super) params: {name},"));
    }
    if operation.is_continued() {
        file.line(format_args!("pub(super) {}: codegen::Continued,", paging::CONTINUED));
    }
    if let Some(marker) = states.marker() {
        file.line(format_args!("pub(super) given: {marker},"));
    }
    file.close("}");
}

/// Declares the structure of the optional parameters.
fn optional(file: &mut RustFile, operation: &Operation) {
    let Some(name) = params::name(operation) else { return };
    file.blank();
    docs::of_params(file, operation);
    file.line("#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]");
    file.line("#[non_exhaustive]");
    file.open(format_args!("pub struct {name} {{"));
    for param in params::optional(operation) {
        docs::of_param(file, operation, param);
        file.line(format_args!("pub {}: Option<{}>,", param.rust.snake(), param.rust_type()));
    }
    file.close("}");
}

fn operation_impl(file: &mut RustFile, service: &Service, operation: &Operation, states: &States) {
    let (name, generics) = (operation.rust.pascal(), states.names());
    file.blank();
    file.open(format_args!("impl{generics} Operation for {name}{generics} {{"));
    file.line(format_args!("type Service = service::{};", marker(service)));
    file.line(format_args!("type Output = {};", output(service, operation)));
    file.blank();
    file.line(format_args!("const NAME: &'static str = {};", string(&operation.rust.words())));
    file.line(format_args!("const METHOD: &'static str = {};", string(&operation.select)));
    if operation.response.may_be_empty() {
        file.line("const MAY_BE_EMPTY: bool = true;");
    }
    file.blank();
    file.open("fn query(&self) -> Result<Query, Error> {");
    let begun = match operation.post {
        None => "QueryBuilder::select::<Self::Service>(Self::METHOD)".to_owned(),
        Some(post) => format!(
            "QueryBuilder::post::<Self::Service>(Self::METHOD, {}, {})",
            post.format.variant(),
            post.is_idempotent
        ),
    };
    if operation.params.is_empty() && !operation.is_continued() {
        file.line(format_args!("Ok({begun}.finish())"));
    } else {
        file.line(format_args!("let mut query = {begun};"));
        let is_json = operation.post.is_some_and(|post| post.format == BodyFormat::Json);
        for param in &operation.params {
            push(file, param, is_json);
        }
        if operation.is_continued() {
            file.line(format_args!(
                "query.continued::<Self::Service>(&self.{})?;",
                paging::CONTINUED
            ));
        }
        file.line("Ok(query.finish())");
    }
    file.close("}");
    file.blank();
    file.open("fn decode(&self, body: &[u8]) -> Result<Self::Output, Error> {");
    file.line(decoded(service, operation));
    let layout = operation.rust.screaming_snake();
    file.close("}");
    if let Some(body) = operation.response.body()
        && body.verdict.as_ref().is_some_and(|verdict| !verdict.classes.is_empty())
    {
        file.blank();
        file.open("fn error_class(body: &[u8]) -> Option<ErrorClass> {");
        let layout = if body.is_list { layout } else { format!("Layout::Body(&{layout})") };
        file.line(format_args!("codegen::error_class({layout}, body)"));
        file.close("}");
    }
    file.close("}");
    if let (Some(body), false) = (operation.response.body(), operation.response.is_list()) {
        let value = bodies::value(service, body);
        file.blank();
        file.line(format_args!(
            "const {}: codegen::Body = {value};",
            operation.rust.screaming_snake()
        ));
    }
}

/// Writes the code that adds a parameter to the query, if it was given.
fn push(file: &mut RustFile, param: &Param, is_json: bool) {
    if let Some(style) = param.list {
        push_list(file, param, style);
        return;
    }
    // JSON has numbers and Booleans without quotes.
    let literal = if is_json && param.ty.is_json_literal() { "push_literal" } else { "push" };
    let (name, wire) = (param.rust.snake(), string(&param.wire));
    let code = match (param.ty.in_record(), param.ty.in_query()) {
        (Primitive::Boolean, _) => {
            format!("query.{literal}({wire}, if *{name} {{ \"true\" }} else {{ \"false\" }});")
        }
        (Primitive::Signed | Primitive::Unsigned | Primitive::Float | Primitive::Coded, _) => {
            format!("query.{literal}({wire}, &{name}.to_string());")
        }
        (Primitive::Text, Primitive::Signed | Primitive::Unsigned) => {
            format!("query.push_integer({wire}, {name}.as_str())?;")
        }
        (
            Primitive::Text,
            Primitive::Text | Primitive::Float | Primitive::Boolean | Primitive::Coded,
        ) => {
            format!("query.push_text({wire}, {name}.as_str())?;")
        }
    };
    if param.required {
        file.line(format_args!("let {name} = &self.{name};"));
        file.line(code);
    } else {
        file.open(format_args!("if let Some({name}) = &self.params.{name} {{"));
        file.line(code);
        file.close("}");
    }
}

/// Writes the code that adds a list to the query, if it was given.
fn push_list(file: &mut RustFile, param: &Param, style: ListStyle) {
    let (name, wire, style) = (param.rust.snake(), string(&param.wire), style.variant());
    let items = match (param.ty.in_record(), param.ty.in_query()) {
        (Primitive::Text, Primitive::Signed | Primitive::Unsigned) => "Digits",
        _ if param.ty.is_json_literal() => "Literal",
        _ => "Text",
    };
    let code = |name: &str| {
        let values = format!("{name}.iter().map(alloc::string::ToString::to_string)");
        let (root, items) = ("gateway_model_core", format!("codegen::Items::{items}"));
        format!("query.push_list({wire}, {root}::{style}, {root}::{items}, {values})?;")
    };
    if param.required {
        file.line(code(&format!("self.{name}")));
    } else {
        file.open(format_args!("if let Some({name}) = &self.params.{name} {{"));
        file.line(code(&name));
        file.close("}");
    }
}

fn list_operation_impl(
    file: &mut RustFile,
    service: &Service,
    operation: &Operation,
    states: &States,
) {
    let (name, generics) = (operation.rust.pascal(), states.names());
    let layout = operation.rust.screaming_snake();
    let Some(model) = service.response_model(operation) else { return };
    let (item, borrowed) = (model.rust.pascal(), model.rust.followed_by("ref").pascal());
    file.blank();
    file.open(format_args!("impl{generics} ListOperation for {name}{generics} {{"));
    file.line(format_args!("type Item = {item};"));
    let beside = operation.response.beside().map(|id| service.model(id).rust.pascal());
    file.line(format_args!("type Beside = {};", beside.as_deref().unwrap_or("()")));
    file.blank();
    let more = beside.as_ref().map(|beside| format!(", {beside}")).unwrap_or_default();
    file.open(format_args!("fn decoder(&self) -> StreamDecoder<{item}{more}> {{"));
    file.line(format_args!("decoder({layout})"));
    file.close("}");
    file.blank();
    file.open(format_args!(
        "fn decode_borrowed<'a>(&self, body: &'a [u8]) -> Result<Listing<{borrowed}<'a>{more}>, Error> {{"
    ));
    if beside.is_some() {
        file.line(format_args!("codegen::borrowed_beside::<{item}{more}>({layout}, body)"));
    } else {
        file.line(format_args!("borrowed::<{item}>({layout}, body)"));
    }
    file.close("}");
    file.close("}");
    file.blank();
    let value = match &operation.response {
        Response::Envelope { marker, success, items, .. } => format!(
            "Layout::Envelope(&Envelope {{ marker: {}, success: {}, items: {} }})",
            string(marker),
            string(success),
            string(items)
        ),
        Response::Array { .. } | Response::Object { .. } => "Layout::Array".to_owned(),
        Response::Body { body, .. } | Response::Value { body, .. } | Response::Nothing { body } => {
            format!("Layout::Body(&{})", bodies::value(service, body))
        }
    };
    file.line(format_args!("const {layout}: Layout = {value};"));
}
