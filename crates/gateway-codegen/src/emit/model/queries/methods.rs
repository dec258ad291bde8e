//! The constructor and the setters of a query, in one `impl` block for each state they need.

use crate::emit::model::queries::paging::CONTINUED;
use crate::emit::model::queries::{docs, params};
use crate::emit::model::states::States;
use crate::ir::{Example, Operation, Param, Primitive, Response, Service};
use crate::project::Project;
use crate::text::{RustFile, string};

pub(super) fn write(
    file: &mut RustFile,
    project: &Project<'_>,
    operation: &Operation,
    states: &States,
) {
    let name = operation.rust.pascal();
    let mut shown = docs::shown(project.service, operation);
    for Block { header: (generics, arguments), methods } in blocks(operation, states) {
        file.blank();
        file.open(format_args!("impl{generics} {name}{arguments} {{"));
        for (index, method) in methods.iter().enumerate() {
            if index > 0 {
                file.blank();
            }
            match *method {
                Method::New => constructor(file, project, operation, states),
                Method::With(ref name) => {
                    docs::of_with(file, project, operation);
                    with(file, operation, name);
                }
                Method::Decode => decode(file, project, operation),
                Method::Set(position, param) => {
                    setter(file, project, operation, states, (position, param), &mut shown);
                }
                Method::Restated => restated(file, operation),
            }
        }
        file.close("}");
        if matches!(methods.first(), Some(Method::New)) {
            default(file, operation);
        }
    }
}

/// An `impl` block: its generics, the type arguments of the query, and its methods.
struct Block<'a> {
    header: (String, String),
    methods: Vec<Method<'a>>,
}

enum Method<'a> {
    New,
    /// The method that takes all optional parameters, with the name of their type.
    With(String),
    Decode,
    /// The setter of a parameter, with its position.
    Set(usize, &'a Param),
    Restated,
}

fn blocks<'a>(operation: &'a Operation, states: &States) -> Vec<Block<'a>> {
    let params = operation.params.iter().enumerate().filter(|(_, param)| !param.required);
    let setters = params
        .map(|(position, param)| (states.needed_by(param, position), Method::Set(position, param)));
    let restated = (states.len() > 1).then(|| ((states.names(), states.names()), Method::Restated));
    let with = params::name(operation).map(Method::With);
    let first = [Some(Method::New), with, Some(Method::Decode)].into_iter().flatten();
    let first = first.map(|method| ((String::new(), String::new()), method));
    let mut blocks: Vec<Block<'_>> = Vec::new();
    for (header, method) in first.chain(setters).chain(restated) {
        match blocks.iter_mut().find(|block| block.header == header) {
            Some(block) => block.methods.push(method),
            None => blocks.push(Block { header, methods: vec![method] }),
        }
    }
    blocks
}

fn constructor(file: &mut RustFile, project: &Project<'_>, operation: &Operation, states: &States) {
    docs::of_constructor(file, project, operation);
    if let Some(why) = &operation.deprecated {
        file.line(format_args!("#[deprecated = {}]", string(why)));
    }
    file.line("#[must_use]");
    let required = operation.params.iter().filter(|param| param.required);
    let arguments: Vec<_> =
        required.map(|param| format!("{}: {}", param.rust.snake(), argument_type(param))).collect();
    file.open(format_args!("pub fn new({}) -> Self {{", arguments.join(", ")));
    if operation.params.is_empty() {
        file.line(if operation.is_continued() { "Self::default()" } else { "Self" });
    } else {
        let required = operation.params.iter().filter(|param| param.required);
        let mut fields: Vec<_> = required
            .map(|param| {
                let field = param.rust.snake();
                if is_converted(param) {
                    format!("{field}: {}", converted(&field, param))
                } else {
                    field
                }
            })
            .collect();
        fields.extend(params::name(operation).map(|name| format!("params: {name}::default()")));
        fields.extend(
            operation.is_continued().then(|| format!("{CONTINUED}: codegen::Continued::new()")),
        );
        fields.extend(states.marker().map(|_| "given: PhantomData".to_owned()));
        file.line(format_args!("Self {{ {} }}", fields.join(", ")));
    }
    file.close("}");
}

/// Implements `Default`, which `#[derive]` does for a query without parameters.
fn default(file: &mut RustFile, operation: &Operation) {
    if operation.params.is_empty() || operation.params.iter().any(|param| param.required) {
        return;
    }
    file.blank();
    file.open(format_args!("impl Default for {} {{", operation.rust.pascal()));
    if operation.deprecated.is_some() {
        let reason = "only a direct call of the constructor should warn";
        file.line(format_args!("#[expect(deprecated, reason = {})]", string(reason)));
    }
    file.open("fn default() -> Self {");
    file.line("Self::new()");
    file.close("}");
    file.close("}");
}

fn setter<'a>(
    file: &mut RustFile,
    project: &Project<'a>,
    operation: &Operation,
    states: &States,
    (position, param): (usize, &Param),
    shown: &mut Vec<&'a Example>,
) {
    let (name, setter) = (operation.rust.pascal(), param.rust.snake());
    let (ty, value) = (argument_type(param), converted("value", param));
    docs::of_setter(file, project, operation, param, shown);
    if let Some(why) = &param.deprecated {
        file.line(format_args!("#[deprecated = {}]", string(why)));
    }
    file.line("#[must_use]");
    match states.after(position) {
        None => {
            file.open(format_args!("pub fn {setter}(mut self, value: {ty}) -> Self {{"));
            file.line(format_args!("self.params.{setter} = Some({value});"));
            file.line("self");
        }
        // The only setter that changes the type can write down the fields.
        Some((after, None)) => {
            file.open(format_args!("pub fn {setter}(mut self, value: {ty}) -> {name}{after} {{"));
            file.line(format_args!("self.params.{setter} = Some({value});"));
            fields(file, operation);
        }
        Some((after, Some(bound))) => {
            file.line(format_args!("pub fn {setter}(mut self, value: {ty}) -> {name}{after}"));
            file.line("where");
            file.line(format_args!("    {bound},"));
            file.open("{");
            file.line(format_args!("self.params.{setter} = Some({value});"));
            file.line("self.restated()");
        }
    }
    file.close("}");
}

/// Writes the method that changes the type of a query with several states.
fn restated(file: &mut RustFile, operation: &Operation) {
    let name = operation.rust.pascal();
    file.doc("Returns the same query with other states in its type.");
    file.open(format_args!("fn restated<Next>(self) -> {name}<Next> {{"));
    fields(file, operation);
    file.close("}");
}

/// Writes the same query, of another type.
fn fields(file: &mut RustFile, operation: &Operation) {
    let required = operation.params.iter().filter(|param| param.required);
    let mut fields: Vec<_> = required.map(|param| param.rust.snake()).collect();
    fields.push("params".to_owned());
    fields.extend(operation.is_continued().then(|| CONTINUED.to_owned()));
    let mut fields: Vec<_> = fields.iter().map(|field| format!("{field}: self.{field}")).collect();
    fields.push("given: PhantomData".to_owned());
    file.line(format_args!("{} {{ {} }}", operation.rust.pascal(), fields.join(", ")));
}

fn decode(file: &mut RustFile, project: &Project<'_>, operation: &Operation) {
    docs::of_decode(file);
    let output = output(project.service, operation);
    file.open(format_args!("pub fn decode(body: &[u8]) -> Result<{output}, Error> {{"));
    file.line(decoded(project.service, operation));
    file.close("}");
}

fn argument_type(param: &Param) -> String {
    let ty = param.ty.rust();
    let one = if converts(param) { format!("impl Into<{ty}>") } else { ty };
    if param.list.is_some() { format!("impl IntoIterator<Item = {one}>") } else { one }
}

fn converted(name: &str, param: &Param) -> String {
    match (param.list, converts(param)) {
        (Some(_), true) => format!("{name}.into_iter().map(Into::into).collect()"),
        (Some(_), false) => format!("{name}.into_iter().collect()"),
        (None, true) => format!("{name}.into()"),
        (None, false) => name.to_owned(),
    }
}

/// Returns whether the argument of a parameter is not stored as it is.
fn is_converted(param: &Param) -> bool {
    param.list.is_some() || converts(param)
}

/// Returns whether a setter takes all that converts into the type. Nothing else converts into a flag.
fn converts(param: &Param) -> bool {
    param.ty.in_record() != Primitive::Boolean
}

/// Writes the method that takes all optional parameters.
fn with(file: &mut RustFile, operation: &Operation, name: &str) {
    let is_refused = params::can_be_refused(operation);
    let is_all = !is_refused
        && !operation.is_continued()
        && !operation.params.iter().any(|param| param.required);
    let query = if is_all { "Self { params }" } else { "Self { params, ..self }" };
    if !is_refused {
        file.line("#[must_use]");
        file.open(format_args!("pub fn with(self, params: {name}) -> Self {{"));
        file.line(query);
        file.close("}");
        return;
    }
    file.open(format_args!("pub fn with(self, params: {name}) -> Result<Self, Error> {{"));
    let is_set = |param: &Param| format!("params.{}.is_some()", param.rust.snake());
    for param in params::optional(operation) {
        let needed: Vec<_> = params::optional_needs(operation, param)
            .map(|needed| format!("({}, {})", string(&needed.wire), is_set(needed)))
            .collect();
        if !needed.is_empty() {
            let (wire, is_set, needed) = (string(&param.wire), is_set(param), needed.join(", "));
            file.line(format_args!("needs({wire}, {is_set}, &[{needed}])?;"));
        }
    }
    file.line(format_args!("Ok({query})"));
    file.close("}");
}

/// Returns the expression that decodes a body.
pub(super) fn decoded(service: &Service, operation: &Operation) -> String {
    let place = operation.rust.screaming_snake();
    match &operation.response {
        response if response.is_list() => format!("list({place}, body)"),
        Response::Value { of, .. } => {
            format!("codegen::value::<{}>(&{place}, body)", of.rust(service))
        }
        Response::Nothing { .. } => format!("codegen::nothing(&{place}, body)"),
        Response::Body { .. } => format!("codegen::object_in(&{place}, body)"),
        Response::Envelope { .. } | Response::Array { .. } | Response::Object { .. } => {
            "object(body)".to_owned()
        }
    }
}

/// Returns the type to which a response decodes.
pub(crate) fn output(service: &Service, operation: &Operation) -> String {
    let Some(model) = service.response_model(operation) else {
        let value = operation.response.value();
        return value.map_or_else(|| "()".to_owned(), |of| of.rust(service));
    };
    let model = model.rust.pascal();
    match operation.response.beside().map(|id| service.model(id).rust.pascal()) {
        Some(beside) => format!("Listing<{model}, {beside}>"),
        None if operation.response.is_list() => format!("Listing<{model}>"),
        None => model,
    }
}
