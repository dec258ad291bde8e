//! The functions that run a command, one for each, so that no function grows with the spec.

use crate::emit::cli::columns::constant;
use crate::emit::cli::flags::{self, BESIDE_FLAG, PAGING_FLAGS, value_type};
use crate::emit::model::queries;
use crate::ir::{Operation, Param, Service, Type};
use crate::text::{RustFile, string};

/// Writes the `run` method of a command, with the arms of its `match`.
pub(super) fn by_command(file: &mut RustFile, command: &str, arms: impl FnOnce(&mut RustFile)) {
    file.blank();
    file.open(format_args!("impl {command} {{"));
    file.doc(CALLS);
    function(file, "pub(crate) ", arms);
    file.close("}");
}

/// Writes a `run` function, with the arms of its `match`.
pub(super) fn function(file: &mut RustFile, visibility: &str, arms: impl FnOnce(&mut RustFile)) {
    begin(file, visibility);
    file.open("match self {");
    arms(file);
    file.close("}");
    file.close("}");
}

/// Writes the arm of an operation, which runs its flags or, without parameters, calls the service.
pub(super) fn arm(file: &mut RustFile, service: &Service, operation: &Operation, variant: &str) {
    if flags::has_any(operation) {
        file.line(format_args!("Self::{variant}(flags) => flags.run(session),"));
    } else {
        // Only the constructor of a deprecated operation warns.
        let create = if operation.deprecated.is_some() { "default" } else { "new" };
        let query = format!("model::{}::{create}()", operation.rust.pascal());
        let call = call(service, operation, &query);
        file.line(format_args!("Self::{variant} => {call},"));
    }
}

/// Writes the `run` method of the flags of an operation.
pub(super) fn by_flags(file: &mut RustFile, service: &Service, operation: &Operation) {
    file.blank();
    file.open(format_args!("impl {}Flags {{", operation.rust.pascal()));
    file.doc(CALLS);
    expect_deprecated(file, operation);
    begin(file, "");
    let required = operation.params.iter().filter(|param| param.required);
    let required: Vec<_> = required.map(|param| format!("self.{}", param.rust.snake())).collect();
    let new = format!("model::{}::new({})", operation.rust.pascal(), required.join(", "));
    if let Some(name) = queries::params(operation) {
        file.line(format_args!("let mut params = model::{name}::default();"));
        for param in queries::optional(operation) {
            file.line(format_args!("params.{} = {};", param.rust.snake(), value(param)));
        }
        let refused = if operation.states().next().is_some() { "?" } else { "" };
        file.line(format_args!("let query = {new}.with(params){refused};"));
    } else {
        file.line(format_args!("let query = {new};"));
    }
    if let Some(beside) = operation.response.beside() {
        let record = constant(service.model(beside));
        file.open(format_args!("if self.{BESIDE_FLAG}.is_set() {{"));
        file.line(format_args!("return session.beside(&query, {record});"));
        file.close("}");
    }
    file.line(call(service, operation, "query"));
    file.close("}");
    file.close("}");
}

/// Writes the attribute of a function that calls the deprecated constructor of a query.
pub(super) fn expect_deprecated(file: &mut RustFile, operation: &Operation) {
    if operation.deprecated.is_some() {
        let reason = string("the program offers deprecated operations too");
        file.line(format_args!("#[expect(deprecated, reason = {reason})]"));
    }
}

fn begin(file: &mut RustFile, visibility: &str) {
    file.open(format_args!(
        "{visibility}fn run(self, session: &Session) -> Result<(), Failure> {{"
    ));
}

const CALLS: &str = "Calls the service and prints the response.";

/// Returns the call of the session that runs an operation.
fn call(service: &Service, operation: &Operation, query: &str) -> String {
    let Some(model) = service.response_model(operation) else {
        let call = match operation.response.value() {
            Some(Type::List(_)) => "values",
            Some(Type::Map(_)) => "entries",
            Some(Type::Value(_) | Type::Model(_)) => "value",
            None => "nothing",
        };
        return format!("session.{call}(&{query})");
    };
    let record = constant(model);
    let (call, paging) = match &operation.paging {
        Some(_) => ("list_all", format!("self.{PAGING_FLAGS}, ")),
        None if operation.response.is_list() => ("list", String::new()),
        None => ("object", String::new()),
    };
    format!("session.{call}(&{query}, {paging}{record})")
}

/// Returns the value of an optional parameter, from its flag.
fn value(param: &Param) -> String {
    let name = param.rust.snake();
    let is_same = value_type(param).trim_start_matches("model::") == param.ty.rust();
    let is_same = is_same || param.ty.as_closed_enum().is_some();
    if param.list.is_some() {
        let is_given = format!("(!self.{name}.is_empty())");
        return if is_same {
            format!("{is_given}.then_some(self.{name})")
        } else {
            let values = format!("self.{name}.into_iter().map(Into::into).collect()");
            format!("{is_given}.then(|| {values})")
        };
    }
    if is_same { format!("self.{name}") } else { format!("self.{name}.map(Into::into)") }
}
