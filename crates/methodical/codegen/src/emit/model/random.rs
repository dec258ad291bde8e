//! Random values of every type: draws for `arbitrary`, which create a value from bytes, and strategies for `proptest`.

use askama::Template;

use crate::emit::GeneratedFile;
use crate::emit::model::queries;
use crate::emit::model::states::States;
use crate::ir::{
    BuiltIn, Enum, Field, Form, Leniency, Model, Operation, Param, Primitive, Service, Type,
    ValueType,
};

#[derive(Template)]
#[template(path = "model/draws.rs.jinja")]
struct Draws<'a> {
    service: &'a Service,
}

#[derive(Template)]
#[template(path = "model/strategies.rs.jinja")]
struct Strategies<'a> {
    service: &'a Service,
}

pub(super) fn emit(service: &Service, folder: &str) -> [GeneratedFile; 2] {
    [
        GeneratedFile::rust(format!("{folder}/draws.rs"), &Draws { service }),
        GeneratedFile::rust(format!("{folder}/strategies.rs"), &Strategies { service }),
    ]
}

/// Returns the function for the values of an enum, and their list.
fn listed(one: &Enum, closed: &'static str) -> (&'static str, &'static str) {
    match (one.open_ended, one.primitive().is_integer()) {
        (true, true) => ("open_code", "Self::KNOWN"),
        (true, false) => ("open", "Self::KNOWN"),
        (false, _) => (closed, "Self::ALL"),
    }
}

/// Returns the function for a field that is an `Option`. A field with `blank-as-none` has no empty text.
fn presence(field: &Field) -> &'static str {
    let is_text = field.ty.value().is_some_and(|value| value.in_record() == Primitive::Text);
    if is_text && field.is(Leniency::BlankAsNone) { "filled" } else { "optional" }
}

/// Returns a type that is declared in the spec; the model itself is `Self`.
fn type_name(service: &Service, model: &Model, ty: &Type) -> String {
    match ty.name(service) {
        Some(name) if *name == model.rust => "Self".to_owned(),
        Some(name) => format!("crate::{}", name.pascal()),
        None => String::new(),
    }
}

/// Returns the value that is drawn for a field.
fn drawn_field(service: &Service, model: &Model, field: &Field) -> String {
    let name = type_name(service, model, &field.ty);
    let function = match (&field.ty, field.recursive) {
        (Type::Model(_), true) if field.required => {
            return format!(
                "alloc::boxed::Box::new({name}::draw(source, depth.saturating_sub(1))?)"
            );
        }
        (Type::Model(_), true) => {
            return format!("draws::nested(source, depth, {name}::draw)?");
        }
        (Type::List(_) | Type::Map(_), true) => {
            let value = called(&draw(service, model, &field.ty, true));
            format!("|source| draws::below(source, depth, |source, depth| {value})")
        }
        (ty, _) => draw(service, model, ty, false),
    };
    if field.is_option() {
        format!("draws::{}(source, {function})?", presence(field))
    } else {
        format!("{}?", called(&function))
    }
}

/// Returns the function that draws a value of a type.
fn draw(service: &Service, model: &Model, ty: &Type, is_recursive: bool) -> String {
    match ty {
        Type::Value(ValueType::BuiltIn(BuiltIn {
            form: Form { random: Some(function), .. },
            ..
        })) => {
            format!("draws::{function}")
        }
        Type::Model(_) if is_recursive => {
            format!("|source| {}::draw(source, depth)", type_name(service, model, ty))
        }
        Type::Value(_) | Type::Model(_) => "draws::Unstructured::arbitrary".to_owned(),
        Type::List(of) => {
            format!("|source| draws::list(source, {})", draw(service, model, of, is_recursive))
        }
        Type::Map(of) => {
            format!("|source| draws::map(source, {})", draw(service, model, of, is_recursive))
        }
    }
}

/// Returns the call of a function with `source`.
fn called(function: &str) -> String {
    match function.strip_prefix("|source| ") {
        Some(body) => body.to_owned(),
        None if function == "draws::Unstructured::arbitrary" => "source.arbitrary()".to_owned(),
        None => format!("{function}(source)"),
    }
}

/// Returns the strategy for a field.
fn field_strategy(service: &Service, model: &Model, field: &Field) -> String {
    let name = || type_name(service, model, &field.ty);
    let strategy = match (&field.ty, field.recursive) {
        (Type::Model(_), true) if !field.required => {
            return format!("strategies::nested(depth, {}::strategy)", name());
        }
        (Type::Model(_), true) => {
            let strategy = format!("{}::strategy(depth.saturating_sub(1))", name());
            format!("{strategy}.prop_map(alloc::boxed::Box::new)")
        }
        (ty @ (Type::List(_) | Type::Map(_)), true) => {
            format!("strategies::below(depth, |depth| {})", strategy(service, model, ty, true))
        }
        (ty, _) => strategy(service, model, ty, false),
    };
    if field.is_option() {
        format!("strategies::{}({strategy})", presence(field))
    } else {
        strategy
    }
}

/// Returns the strategy for the values of a type.
fn strategy(service: &Service, model: &Model, ty: &Type, is_recursive: bool) -> String {
    let name = || type_name(service, model, ty);
    match ty {
        Type::Value(ValueType::BuiltIn(built_in)) => form_strategy(&built_in.form),
        Type::Model(_) if is_recursive => format!("{}::strategy(depth)", name()),
        Type::Value(_) | Type::Model(_) => format!("strategies::any::<{}>()", name()),
        Type::List(of) => {
            format!("strategies::list({})", strategy(service, model, of, is_recursive))
        }
        Type::Map(of) => format!("strategies::map({})", strategy(service, model, of, is_recursive)),
    }
}

/// Returns the strategy for the values of a form.
fn form_strategy(form: &Form) -> String {
    form.random.map_or_else(
        || format!("strategies::any::<{}>()", form.primitive.rust()),
        |function| format!("strategies::{function}()"),
    )
}

/// The values that a query may hold for a parameter.
enum Value {
    /// Text whose length is in this range, in characters.
    Text(String),
    /// A number from a range.
    Number(String),
    /// Any value of a type whose text is not empty.
    Sendable(String),
    /// Any value of a type.
    Any(String),
}

/// Returns the values that a parameter may have.
fn value(param: &Param) -> Value {
    let name = || param.ty.name().map(|name| format!("crate::{}", name.pascal()));
    let is = |one| param.ty.in_record() == one || param.ty.in_query() == one;
    let any = |other: &str| Value::Any(name().unwrap_or_else(|| other.to_owned()));
    let limit = |limit: Option<i64>, other: &str| {
        limit.map_or_else(|| other.to_owned(), |one| one.to_string())
    };
    if is(Primitive::Coded) || param.ty.as_closed_enum().is_some() {
        any("")
    } else if is(Primitive::Boolean) {
        any(Primitive::Boolean.rust())
    } else if is(Primitive::Float) {
        any("methodical_model::Float")
    } else if is(Primitive::Signed) {
        // One typed bound is enough.
        let suffix = if param.min.is_some() && param.max.is_some() { "_i64" } else { "" };
        let (min, max) = (limit(param.min, "i64::MIN"), limit(param.max, "i64::MAX"));
        Value::Number(format!("{min}..={max}{suffix}"))
    } else if is(Primitive::Unsigned) {
        let most = |max: i64| format!("{}_u64", max.max(0));
        let max = param.max.map_or_else(|| "u64::MAX".to_owned(), most);
        Value::Number(format!("{}..={max}", param.min.unwrap_or_default().max(0)))
    } else {
        match name() {
            Some(name) if param.max_chars.is_none_or(|max| max >= LONGEST) => Value::Sendable(name),
            _ => Value::Text(format!(
                "1..={}",
                limit(param.max_chars.map(i64::from), "methodical_model::codegen::LONGEST")
            )),
        }
    }
}

/// Maximum length of a random text of the support code, in characters.
const LONGEST: u32 = 64;

/// Returns the function that converts a value to the type of the parameter, if it has one.
fn conversion(param: &Param) -> Option<String> {
    param.ty.name().map(|name| format!("crate::{}::from", name.pascal()))
}

/// Returns the closure that turns a value of a list into a list that can be sent, if the parameter is one.
fn in_list(param: &Param) -> Option<String> {
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

/// Returns the function for an optional parameter of a query, and the expression for whether the type of the query allows
/// it: `given`, if the type decides; `perhaps`, if it only allows the parameter.
fn when(states: &States, param: &Param, index: usize) -> (&'static str, String) {
    let needed = param.needs.iter().filter_map(|index| states.is_set(*index));
    let conditions: Vec<_> = needed.chain(states.is_set(index)).collect();
    let function = if states.has(index) { "given" } else { "perhaps" };
    let condition = conditions.join(" && ");
    (function, if condition.is_empty() { "true".to_owned() } else { condition })
}

/// Returns the expression that draws a parameter.
fn drawn_param(states: &States, param: &Param, index: usize) -> String {
    let list = in_list(param).map(|list| format!(".map({list})")).unwrap_or_default();
    let mapped = || conversion(param).map(|from| format!(".map({from})")).unwrap_or_default();
    let one = match value(param) {
        Value::Text(length) => format!("draws::text_of(source, {length}){}", mapped()),
        Value::Number(range) => format!("source.int_in_range({range}){}", mapped()),
        Value::Sendable(name) => format!("draws::sendable::<{name}>(source)"),
        Value::Any(name) => format!("source.arbitrary::<{name}>()"),
    };
    if param.required {
        return format!("{one}{list}?");
    }
    let draw = match value(param) {
        Value::Sendable(name) if list.is_empty() => format!("draws::sendable::<{name}>"),
        Value::Any(name) if list.is_empty() => format!("draws::Unstructured::arbitrary::<{name}>"),
        _ => format!("|source| {one}{list}"),
    };
    let (function, condition) = when(states, param, index);
    format!("draws::{function}(source, {condition}, {draw})?")
}

/// Returns the strategy for a parameter.
fn param_strategy(states: &States, param: &Param, index: usize) -> String {
    let mapped = |function: Option<String>| {
        function.map(|function| format!(".prop_map({function})")).unwrap_or_default()
    };
    let list = mapped(in_list(param));
    let into = mapped(conversion(param));
    let one = match value(param) {
        Value::Text(length) => format!("strategies::text_of({length}){into}"),
        Value::Number(range) if into.is_empty() && list.is_empty() => range,
        Value::Number(range) => format!("({range}){into}"),
        Value::Sendable(name) => format!("strategies::sendable::<{name}>()"),
        Value::Any(name) => format!("strategies::any::<{name}>()"),
    };
    if param.required {
        return one + &list;
    }
    let (function, condition) = when(states, param, index);
    format!("strategies::{function}({condition}, {one}{list})")
}

/// Returns the query of an operation, from the expressions for its parameters.
fn query(operation: &Operation, value: impl Fn(usize, &Param) -> String) -> String {
    let values = |required: bool| {
        let params = operation.params.iter().enumerate();
        let params = params.filter(|(_, param)| param.required == required);
        params
            .map(|(index, param)| format!("{}: {}", param.rust.snake(), value(index, param)))
            .collect::<Vec<_>>()
    };
    let params = queries::params(operation)
        .map(|name| format!("params: crate::{name} {{ {} }}", values(false).join(", ")));
    let given = operation.states().next().map(|_| "given: PhantomData".to_owned());
    let rest = [params, given].into_iter().flatten();
    format!("Self {{ {} }}", values(true).into_iter().chain(rest).collect::<Vec<_>>().join(", "))
}

/// Returns the query of an operation with drawn parameters.
fn drawn_query(operation: &Operation, states: &States) -> String {
    query(operation, |index, param| drawn_param(states, param, index))
}

/// Returns the query of an operation with parameters that are variables.
fn named_query(operation: &Operation) -> String {
    query(operation, |_, param| param.rust.snake())
}

/// Returns the strategies for the parameters of an operation.
fn param_strategies(operation: &Operation, states: &States) -> String {
    let params = operation.params.iter().enumerate();
    tuple(params.map(|(index, param)| param_strategy(states, param, index)))
}

/// Returns the names of the parameters of an operation, as the pattern of a tuple of their values.
fn param_names(operation: &Operation) -> String {
    tuple(operation.params.iter().map(|param| param.rust.snake()))
}

/// Returns the strategies for the fields of a model.
fn field_strategies(service: &Service, model: &Model) -> String {
    tuple(model.fields.iter().map(|field| field_strategy(service, model, field)))
}

/// Returns the names of the fields of a model, as the pattern of a tuple of their values.
fn field_names(model: &Model) -> String {
    tuple(model.fields.iter().map(|field| field.rust.snake()))
}

/// Returns a tuple. It may have at most twelve parts, so a long one is nested.
fn tuple(parts: impl Iterator<Item = String>) -> String {
    fn nested(parts: &[String]) -> String {
        match parts.split_at_checked(9) {
            Some((first, rest)) if !rest.is_empty() => {
                format!("({}, {})", first.join(", "), nested(rest))
            }
            _ => format!("({},)", parts.join(", ")),
        }
    }
    nested(&parts.collect::<Vec<_>>())
}
