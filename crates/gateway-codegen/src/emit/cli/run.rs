//! The functions that run a command, one for each, so that no function grows with the spec.

use crate::emit::cli::flags::value_type;
use crate::ir::{Operation, Param, Response, Service};
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
    if operation.params.is_empty() {
        let call = call(service, operation, "vec![]");
        file.line(format_args!("Self::{variant} => {call},"));
    } else {
        file.line(format_args!("Self::{variant}(flags) => flags.run(session),"));
    }
}

/// Writes the `run` method of the flags of an operation.
pub(super) fn by_flags(file: &mut RustFile, service: &Service, operation: &Operation) {
    file.blank();
    file.open(format_args!("impl {}Flags {{", operation.rust.pascal()));
    file.doc(CALLS);
    begin(file, "");
    let given: Vec<_> = operation.params.iter().map(given).collect();
    file.line(format_args!("let given = vec![{}];", given.join(", ")));
    file.line(call(service, operation, "given"));
    file.close("}");
    file.close("}");
}

fn begin(file: &mut RustFile, visibility: &str) {
    file.open(format_args!(
        "{visibility}fn run(self, session: &Session) -> Result<(), Failure> {{"
    ));
}

const CALLS: &str = "Calls the service and prints the response.";

/// Returns the call of the session that runs an operation.
fn call(service: &Service, operation: &Operation, given: &str) -> String {
    let call = match operation.response {
        Response::Object { .. } => "object",
        Response::Envelope { .. } | Response::Array { .. } => "list",
    };
    let name = operation.rust.pascal();
    let model = service.response_model(operation).rust.screaming_snake();
    format!("session.{call}::<model::{name}>({given}, {model}_COLUMNS, {model}_FIELDS)")
}

/// Returns a pair of the wire name of a parameter and its value, if it was given.
fn given(param: &Param) -> String {
    let (wire, name) = (string(&param.wire), param.rust.snake());
    match (param.required, value_type(param)) {
        (true, "String") => format!("({wire}, Some(self.{name}))"),
        (true, _) => format!("({wire}, Some(self.{name}.to_string()))"),
        (false, "String") => format!("({wire}, self.{name})"),
        (false, _) => format!("({wire}, self.{name}.map(|value| value.to_string()))"),
    }
}
