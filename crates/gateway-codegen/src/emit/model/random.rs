//! Parts that the two kinds of random values share: strategies for `proptest`, draws for `arbitrary`.

use crate::emit::model::queries;
use crate::emit::model::states::States;
use crate::ir::{
    Enum, Field, Leniency, Model, Operation, Param, Primitive, RustName, Service, Type,
};
use crate::text::RustFile;

/// Returns the list of an enum's values.
pub(super) fn list(one: &Enum) -> &'static str {
    if one.open_ended { "Self::KNOWN" } else { "Self::ALL" }
}

/// Returns the function for a field that is an `Option`. A field with `blank-as-none` has no empty text.
pub(super) fn presence(field: &Field) -> &'static str {
    let is_text = field.ty.value().is_some_and(|value| value.in_record() == Primitive::Text);
    if is_text && field.is(Leniency::BlankAsNone) { "filled" } else { "optional" }
}

/// Returns the path of a type from the crate root, which cannot collide with a name in scope.
pub(super) fn path(name: &RustName) -> String {
    format!("crate::{}", name.pascal())
}

/// Returns a type that is declared in the spec; the model itself is `Self`.
pub(super) fn type_name(service: &Service, model: &Model, ty: &Type) -> Option<String> {
    let name = ty.name(service)?;
    Some(if *name == model.rust { "Self".to_owned() } else { path(name) })
}

/// The values that a query may hold for a parameter.
pub(super) enum Value {
    /// Text whose length is in this range, in characters.
    Text(String),
    /// A number from a range, converted to the type in `into`, if any.
    Number { range: String, into: Option<String> },
    /// Any value of a type whose text is not empty.
    Sendable(String),
    /// Any value of a type.
    Any(String),
}

/// Returns the values that a parameter may have.
pub(super) fn value(param: &Param) -> Value {
    let into = param.ty.name().map(path);
    match (param.ty.in_record(), param.ty.in_query()) {
        (Primitive::Coded, _) | (_, Primitive::Coded) => Value::Any(into.unwrap_or_default()),
        (Primitive::Signed, _) if param.ty.as_closed_enum().is_some() => {
            Value::Any(into.unwrap_or_default())
        }
        (Primitive::Boolean, _) | (_, Primitive::Boolean) => {
            Value::Any(into.unwrap_or_else(|| Primitive::Boolean.rust().to_owned()))
        }
        (Primitive::Float, _) | (_, Primitive::Float) => {
            Value::Any(into.unwrap_or_else(|| "gateway_model_core::Float".to_owned()))
        }
        (Primitive::Signed, _) | (_, Primitive::Signed) => {
            Value::Number { range: signed(param), into }
        }
        (Primitive::Unsigned, _) | (_, Primitive::Unsigned) => {
            Value::Number { range: unsigned(param), into }
        }
        (Primitive::Text, Primitive::Text) => text(param, into),
    }
}

/// Returns the closure that turns a value of a list into a list that can be sent, if the parameter is one.
pub(super) fn in_list(param: &Param) -> Option<String> {
    let is_text = matches!(value(param), Value::Text(_) | Value::Sendable(_));
    Some(match param.list?.separator().filter(|_| is_text) {
        None => "|one| alloc::vec![one]".to_owned(),
        Some(separator) => {
            let replace = format!(".replace('{separator}', \"x\")");
            if param.ty.name().is_some() {
                let text = "alloc::string::ToString::to_string(&one)";
                format!("|one| alloc::vec![{text}{replace}.into()]")
            } else {
                format!("|one| alloc::vec![one{replace}]")
            }
        }
    })
}

fn text(param: &Param, name: Option<String>) -> Value {
    match name {
        Some(name) if param.ty.as_closed_enum().is_some() => Value::Any(name),
        Some(name) if param.max_chars.is_none_or(|max| max >= LONGEST) => Value::Sendable(name),
        _ => {
            let longest = param.max_chars.map_or_else(
                || "gateway_model_core::codegen::LONGEST".to_owned(),
                |max| max.to_string(),
            );
            Value::Text(format!("1..={longest}"))
        }
    }
}

fn signed(param: &Param) -> String {
    let limit = |limit: Option<i64>, otherwise: &str| {
        limit.map_or_else(|| otherwise.to_owned(), |limit| limit.to_string())
    };
    // One typed bound is enough.
    let suffix = if param.min.is_some() && param.max.is_some() { "_i64" } else { "" };
    format!("{}..={}{suffix}", limit(param.min, "i64::MIN"), limit(param.max, "i64::MAX"))
}

fn unsigned(param: &Param) -> String {
    let smallest = param.min.unwrap_or_default().max(0);
    let largest =
        param.max.map_or_else(|| "u64::MAX".to_owned(), |max| format!("{}_u64", max.max(0)));
    format!("{smallest}..={largest}")
}

/// Returns the fields of a query, from the text of the field of each parameter.
pub(super) fn fields(
    operation: &Operation,
    value: impl Fn(usize, &Param) -> String,
) -> Vec<String> {
    let values = |required: bool| {
        let params = operation.params.iter().enumerate();
        let params = params.filter(move |(_, param)| param.required == required);
        params.map(|(index, param)| value(index, param)).collect::<Vec<_>>()
    };
    let mut fields = values(true);
    fields.extend(
        queries::params(operation)
            .map(|name| format!("params: crate::{name} {{ {} }}", values(false).join(", "))),
    );
    fields.extend(operation.is_continued().then(|| "continued: Default::default()".to_owned()));
    fields.extend(States::of(operation).marker().map(|_| "given: PhantomData".to_owned()));
    fields
}

/// Whether a query holds an optional parameter.
pub(super) struct When {
    /// `given`, if the type of the query decides; `perhaps`, if it only allows the parameter.
    pub(super) function: &'static str,
    /// The expression for whether the type of the query allows the parameter.
    pub(super) condition: String,
}

/// Returns when a query holds the optional parameter at this position.
pub(super) fn when(states: &States, param: &Param, index: usize) -> When {
    let needed = param.needs.iter().filter_map(|index| states.is_set(*index));
    let conditions: Vec<_> = needed.chain(states.is_set(index)).collect();
    When {
        function: if states.has(index) { "given" } else { "perhaps" },
        condition: if conditions.is_empty() { "true".to_owned() } else { conditions.join(" && ") },
    }
}

/// Writes the imports, of which some are only for queries with states.
pub(super) fn imports(file: &mut RustFile, service: &Service, module: &str, names: &str) {
    let operations = &service.operations;
    let counts: Vec<_> = operations.iter().map(|one| States::of(one).len()).collect();
    let (one, several) = (counts.contains(&1), counts.iter().any(|count| *count > 1));
    if one || several {
        file.line("use core::marker::PhantomData;");
        file.blank();
    }
    file.line(format_args!("use gateway_model_core::codegen::{module}::{{{names}}};"));
    let mut support = vec!["Nulls"];
    support.extend(one.then_some("State"));
    support.extend(several.then_some("is_set"));
    file.import("use gateway_model_core::codegen", support);
    file.import("use gateway_model_core", several.then_some("At"));
}

/// Maximum length of a random text of the support code, in characters.
const LONGEST: u32 = 64;
