//! How a query requests the other pages of its list.

use crate::ir::{Field, Mark, Operation, PagedBy, Paging, Param, Primitive, Says, Service};
use crate::text::string;

/// Returns the expression for how the pages follow each other.
pub(super) fn rule(service: &Service, operation: &Operation, paging: &Paging) -> String {
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
pub(super) fn position(operation: &Operation) -> String {
    let Some(param) = operation.position_param() else { return "None".to_owned() };
    let name = param.rust.snake();
    match (is_number(param), param.required) {
        (true, true) => format!("Some(paging::Position::Number(self.{name}))"),
        (true, false) => format!("self.params.{name}.map(paging::Position::Number)"),
        (false, true) => format!("Some(paging::Position::cursor(&self.{name}))"),
        (false, false) => format!("self.params.{name}.as_ref().map(paging::Position::cursor)"),
    }
}

/// Returns the expression for the size of a page, if a parameter has it.
pub(super) fn size(operation: &Operation) -> Option<String> {
    let size = operation.size_param()?;
    let name = size.rust.snake();
    Some(if size.required {
        format!("u64::try_from(self.{name}).ok()")
    } else {
        format!("self.params.{name}.and_then(|size| u64::try_from(size).ok())")
    })
}

/// Returns the variant of a position, and the statement that changes a query to it.
pub(super) fn turn(operation: &Operation) -> (&'static str, String) {
    let Some(param) = operation.position_param() else { return ("Cursor", String::new()) };
    let kind = if is_number(param) { "Number" } else { "Cursor" };
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

fn is_number(param: &Param) -> bool {
    param.ty.in_record() == Primitive::Signed
}

/// Returns the call that sets a mark.
pub(super) fn mark(service: &Service, operation: &Operation, mark: &Mark) -> String {
    let by = operation.paging.as_ref().map(|paging| paging.by);
    let function = match (mark.says, by) {
        (Says::Last, _) => "last",
        (Says::Total, _) => "total",
        (Says::Next, Some(PagedBy::Offset)) => "next_offset",
        (Says::Next, _) => "next_cursor",
        (Says::More, _) => "more",
    };
    let beside = operation.response.beside();
    let fields = beside.and_then(|beside| service.fields_at(beside, &mark.path));
    format!(".{function}({})", value(&fields.unwrap_or_default()))
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
