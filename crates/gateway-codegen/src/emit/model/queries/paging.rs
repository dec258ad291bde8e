//! How a query requests the other pages of its list.

use crate::emit::model::states::States;
use crate::ir::{Field, Mark, Operation, PagedBy, Paging, Param, Primitive, Says, Service};
use crate::text::{RustFile, string};

/// The field of a query with the parameters of a continuation.
pub(super) const CONTINUED: &str = "continued";

/// Writes the implementation of `PagedOperation`, if the list has pages.
pub(super) fn write(
    file: &mut RustFile,
    service: &Service,
    operation: &Operation,
    states: &States,
) {
    let Some(paging) = &operation.paging else { return };
    let (name, generics) = (operation.rust.pascal(), states.names());
    let bounded = generics.replace('>', ": Clone + 'static>");
    file.blank();
    file.open(format_args!("impl{bounded} PagedOperation for {name}{generics} {{"));
    rule(file, service, operation, paging);
    file.blank();
    file.open(format_args!("fn position(&self) -> Option<paging::Position> {{"));
    file.line(position(operation));
    file.close("}");
    if let Some(size) = operation.size_param() {
        file.blank();
        file.open("fn page_size(&self) -> Option<u64> {");
        file.line(if size.required {
            format!("u64::try_from(self.{}).ok()", size.rust.snake())
        } else {
            format!("self.params.{}.and_then(|size| u64::try_from(size).ok())", size.rust.snake())
        });
        file.close("}");
    }
    file.blank();
    file.open(format_args!("fn turn_to(&mut self, position: paging::Position) {{"));
    turn(file, operation);
    file.close("}");
    file.blank();
    let beside = if paging.marks.is_empty() { "_" } else { "beside" };
    file.open(format_args!("fn marks({beside}: &Self::Beside) -> paging::PageMarks {{"));
    let marks: String =
        paging.marks.iter().map(|mark| self::mark(service, operation, mark)).collect();
    file.line(format_args!("paging::PageMarks::new(){marks}"));
    file.close("}");
    file.close("}");
}

/// Writes how the pages follow each other.
fn rule(file: &mut RustFile, service: &Service, operation: &Operation, paging: &Paging) {
    let param =
        operation.position_param().map(|param| format!(".parameter({})", string(&param.wire)));
    let has_identity =
        service.response_model(operation).is_some_and(|model| model.identity.is_some());
    file.line(format_args!(
        "const PAGING: paging::Paging = paging::Paging::by(paging::{}){}{}{};",
        paging.code(),
        param.unwrap_or_default(),
        if paging.short_page_ends { ".short_page_ends()" } else { "" },
        if has_identity { ".has_identity()" } else { "" },
    ));
}

/// Returns the expression for the position of the page that a query requests.
fn position(operation: &Operation) -> String {
    let Some(param) = operation.position_param() else {
        return format!(
            "(!self.{CONTINUED}.is_empty()).then(|| paging::Position::Continuation(self.{CONTINUED}.clone()))"
        );
    };
    let name = param.rust.snake();
    match (is_number(param), param.required) {
        (true, true) => format!("Some(paging::Position::Number(self.{name}))"),
        (true, false) => format!("self.params.{name}.map(paging::Position::Number)"),
        (false, true) => format!("Some(paging::Position::cursor(&self.{name}))"),
        (false, false) => format!("self.params.{name}.as_ref().map(paging::Position::cursor)"),
    }
}

/// Writes the change of a query to another page.
fn turn(file: &mut RustFile, operation: &Operation) {
    let (kind, place, value) = match operation.position_param() {
        None => ("Continuation", CONTINUED.to_owned(), "value".to_owned()),
        Some(param) => {
            let kind = if is_number(param) { "Number" } else { "Cursor" };
            let value = if param.ty.name().is_some() { "value.into()" } else { "value" };
            let name = param.rust.snake();
            if param.required {
                (kind, name, value.to_owned())
            } else {
                (kind, format!("params.{name}"), format!("Some({value})"))
            }
        }
    };
    file.open(format_args!("if let paging::Position::{kind}(value) = position {{"));
    file.line(format_args!("self.{place} = {value};"));
    file.close("}");
}

fn is_number(param: &Param) -> bool {
    param.ty.in_record() == Primitive::Signed
}

/// Returns the call that sets a mark.
fn mark(service: &Service, operation: &Operation, mark: &Mark) -> String {
    let by = operation.paging.as_ref().map(|paging| paging.by);
    let function = match (mark.says, by) {
        (Says::Last, _) => "last",
        (Says::Total, _) => "total",
        (Says::Next, Some(PagedBy::Offset)) => "next_offset",
        (Says::Next, Some(PagedBy::Continuation)) => "continuation",
        (Says::Next, _) => "next_cursor",
        (Says::More, _) => "more",
    };
    let beside = operation.response.beside();
    let fields =
        beside.and_then(|beside| service.fields_at(beside, &mark.path)).unwrap_or_default();
    format!(".{function}({})", value(&fields))
}

/// Returns the expression for a field of `beside`, as an `Option` of a reference.
fn value(fields: &[&Field]) -> String {
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
