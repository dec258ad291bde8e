//! Strategies for `proptest`, such as `any::<Photo>()`.

use crate::emit::model::random::{
    Value, fields, imports, in_list, list, path, presence, type_name, value, when,
};
use crate::emit::model::states::States;
use crate::ir::{Field, Form, Model, Operation, Param, Service, Type, ValueType};
use crate::text::RustFile;

pub(super) fn emit(service: &Service) -> RustFile {
    let mut file = RustFile::new("Strategies for every type, for the feature `proptest`.");
    imports(&mut file, service, "strategies", "self, Strategy as _, strategy");
    file.blank();
    for scalar in &service.scalars {
        let strategy = of_form(scalar.form);
        one(&mut file, &path(&scalar.rust), &format!("{strategy}.prop_map(Self::from)"));
    }
    for item in &service.enums {
        let function = match (item.open_ended, item.primitive().is_integer()) {
            (true, true) => "open_code",
            (true, false) => "open",
            (false, _) => "select",
        };
        let list = list(item);
        one(&mut file, &path(&item.rust), &format!("strategies::{function}({list})"));
    }
    for item in &service.models {
        model(&mut file, service, item);
    }
    for operation in &service.operations {
        query(&mut file, operation);
    }
    file
}

fn one(file: &mut RustFile, name: &str, strategy: &str) {
    file.line(format_args!("strategy!({name}, {strategy});"));
}

fn model(file: &mut RustFile, service: &Service, model: &Model) {
    let name = path(&model.rust);
    file.blank();
    if !model.recursive {
        file.open(format_args!("strategy!({name}, {{"));
        record(file, service, model);
        file.close("});");
        return;
    }
    one(file, &name, "Self::strategy(gateway_model_core::codegen::DEPTH)");
    file.blank();
    file.open(format_args!("impl {name} {{"));
    file.doc(
        "Creates a record in which records of the same type are nested up to `depth` levels deep.",
    );
    file.open("fn strategy(depth: u32) -> strategies::BoxedStrategy<Self> {");
    record(file, service, model);
    file.close("}");
    file.close("}");
}

fn record(file: &mut RustFile, service: &Service, model: &Model) {
    let names: Vec<_> = model.fields.iter().map(|field| field.rust.snake()).collect();
    let parts: Vec<_> =
        model.fields.iter().map(|field| field_strategy(service, model, field)).collect();
    file.line(format_args!("let fields = {};", tuple(&parts)));
    file.open(format_args!(
        "(fields, strategies::unlisted::<Self>()).prop_map(|({}, extra)| {{",
        tuple(&names)
    ));
    let mutable = if model.fields.iter().any(Field::is_option) { "mut " } else { "" };
    file.line(format_args!("let {mutable}nulls = Nulls::default();"));
    file.open("Self {");
    for (index, (field, name)) in model.fields.iter().zip(&names).enumerate() {
        if field.is_option() {
            file.line(format_args!("{name}: {name}.note({index}, &mut nulls),"));
        } else {
            file.line(format_args!("{name},"));
        }
    }
    file.line("extra,");
    file.line("nulls,");
    file.close("}");
    file.close(if model.recursive { "}).boxed()" } else { "})" });
}

fn field_strategy(service: &Service, model: &Model, field: &Field) -> String {
    let strategy = match (&field.ty, field.recursive) {
        (ty @ Type::Model(_), true) => {
            let name = type_name(service, model, ty).unwrap_or_default();
            if !field.required {
                return format!("strategies::nested(depth, {name}::strategy)");
            }
            format!("{name}::strategy(depth.saturating_sub(1)).prop_map(alloc::boxed::Box::new)")
        }
        (ty @ (Type::List(_) | Type::Map(_)), true) => {
            format!("strategies::below(depth, |depth| {})", of_type(service, model, ty, true))
        }
        (ty, _) => of_type(service, model, ty, false),
    };
    if field.is_option() {
        format!("strategies::{}({strategy})", presence(field))
    } else {
        strategy
    }
}

/// Returns the strategy for the values of a type.
fn of_type(service: &Service, model: &Model, ty: &Type, is_recursive: bool) -> String {
    let name = || type_name(service, model, ty).unwrap_or_default();
    match ty {
        Type::Value(ValueType::BuiltIn(built_in)) => of_form(&built_in.form),
        Type::Model(_) if is_recursive => format!("{}::strategy(depth)", name()),
        Type::Value(ValueType::Scalar(_) | ValueType::Enum(_)) | Type::Model(_) => {
            format!("strategies::any::<{}>()", name())
        }
        Type::List(of) => {
            format!("strategies::list({})", of_type(service, model, of, is_recursive))
        }
        Type::Map(of) => format!("strategies::map({})", of_type(service, model, of, is_recursive)),
    }
}

/// Returns the strategy for the values of a form.
fn of_form(form: &Form) -> String {
    form.random.map_or_else(
        || format!("strategies::any::<{}>()", form.primitive.rust()),
        |function| format!("strategies::{function}()"),
    )
}

fn query(file: &mut RustFile, operation: &Operation) {
    let states = States::of(operation);
    let name = path(&operation.rust);
    file.blank();
    if operation.params.is_empty() {
        let query = if operation.is_continued() { "Self::default()" } else { "Self" };
        one(file, &name, &format!("strategies::Just({query})"));
        return;
    }
    if states.marker().is_none() {
        file.open(format_args!("strategy!({name}, {{"));
        parameters(file, operation, &states);
        file.close("});");
        return;
    }
    let (bounded, arguments) = (states.bounded(), states.names());
    file.open(format_args!("impl{bounded} strategies::Arbitrary for {name}{arguments} {{"));
    file.line("type Parameters = ();");
    file.line("type Strategy = strategies::BoxedStrategy<Self>;");
    file.blank();
    file.open("fn arbitrary_with((): ()) -> Self::Strategy {");
    parameters(file, operation, &states);
    file.close("}");
    file.close("}");
}

fn parameters(file: &mut RustFile, operation: &Operation, states: &States) {
    let names: Vec<_> = operation.params.iter().map(|param| param.rust.snake()).collect();
    let parts: Vec<_> = operation
        .params
        .iter()
        .enumerate()
        .map(|(index, param)| {
            let strategy = parameter(param);
            if param.required {
                return strategy;
            }
            let when = when(states, param, index);
            format!("strategies::{}({}, {strategy})", when.function, when.condition)
        })
        .collect();
    let fields = fields(operation, |_, param| param.rust.snake());
    file.line(format_args!("let parameters = {};", tuple(&parts)));
    file.line(format_args!(
        "parameters.prop_map(|{}| Self {{ {} }}){}",
        tuple(&names),
        fields.join(", "),
        if states.marker().is_some() { ".boxed()" } else { "" }
    ));
}

fn parameter(param: &Param) -> String {
    let list = in_list(param).map(|list| format!(".prop_map({list})")).unwrap_or_default();
    match value(param) {
        Value::Number { range, into: None } if param.list.is_some() => format!("({range}){list}"),
        _ => one_parameter(param) + &list,
    }
}

fn one_parameter(param: &Param) -> String {
    match value(param) {
        Value::Text(length) => {
            let into = param.ty.name().map(path);
            let into = into.map_or_else(String::new, |name| format!(".prop_map({name}::from)"));
            format!("strategies::text_of({length}){into}")
        }
        Value::Number { range, into: Some(name) } => format!("({range}).prop_map({name}::from)"),
        Value::Number { range, into: None } => range,
        Value::Sendable(name) => format!("strategies::sendable::<{name}>()"),
        Value::Any(name) => format!("strategies::any::<{name}>()"),
    }
}

/// Returns a tuple of strategies. A tuple may have at most twelve parts, so a long one is nested.
fn tuple(parts: &[String]) -> String {
    match parts.split_at_checked(9) {
        Some((first, rest)) if !rest.is_empty() => {
            format!("({}, {})", first.join(", "), tuple(rest))
        }
        _ => format!("({},)", parts.join(", ")),
    }
}
