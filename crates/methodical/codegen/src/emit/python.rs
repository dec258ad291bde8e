//! Code of the Python package: the classes of the records, the calls, and the module that gives them types.

use askama::Template;

use crate::config::{Role, Workspace};
use crate::emit::model::tables::columns;
use crate::emit::{GeneratedFile, MARK, filters};
use crate::ir::{Field, Model, Operation, Param, Primitive, Service, Type, ValueType};

/// The files. The last one is a Python module.
#[derive(Template)]
enum File<'a> {
    #[template(path = "python/calls.rs.jinja")]
    Calls { service: &'a Service, client: String },
    #[template(path = "python/records.rs.jinja")]
    Records { service: &'a Service, client: String },
    #[template(path = "python/generated.py.jinja")]
    Module { service: &'a Service },
}

pub(super) fn emit(workspace: &Workspace) -> Vec<GeneratedFile> {
    let Workspace { service, config, .. } = workspace;
    let client = || config.rust_name(Role::Client);
    let folder = config.modules(Role::Python);
    let name = config.rust_name(Role::Python);
    let package = folder.replace("src/generated", "python/") + name.trim_end_matches("_python");
    let file = |name: &str, file| GeneratedFile::new(format!("{folder}/{name}.rs"), &file);
    let modules = "pub(crate) mod calls; pub(crate) mod records;";
    vec![
        GeneratedFile::root(workspace, Role::Python, modules),
        file("calls", File::Calls { service, client: client() }),
        file("records", File::Records { service, client: client() }),
        GeneratedFile::new(format!("{package}/_generated.py"), &File::Module { service }),
    ]
}

/// Returns the operations that get a method: those that return records without pages, and take only single values.
fn operations(service: &Service) -> Vec<&Operation> {
    let is_simple = |one: &&Operation| one.paging.is_none() && one.response.model().is_some();
    let has_values = |one: &&Operation| one.params.iter().all(|param| param.list.is_none());
    service.operations.iter().filter(is_simple).filter(has_values).collect()
}

/// Returns how the value of a parameter is passed: its types in Python and Rust, and the conversion.
fn value(param: &Param) -> (String, &'static str, &'static str) {
    let ty = &param.ty;
    let (python, rust, convert) = match ty.in_query {
        Primitive::Text => ("str", "Argument", ".text()"),
        Primitive::Unsigned | Primitive::Signed if ty.in_record == Primitive::Text => {
            ("int | str", "Argument", ".text()")
        }
        integer @ (Primitive::Signed | Primitive::Unsigned) => ("int", integer.rust(), ""),
        Primitive::Boolean | Primitive::Coded => ("bool", "bool", ""),
    };
    let of_enum = ty.is_enum().then(|| ty.rust.pascal() + " | str");
    (of_enum.unwrap_or_else(|| python.to_owned()), rust, convert)
}

/// Returns a parameter's type in Rust.
fn rust_type(param: &Param) -> String {
    let (_, ty, _) = value(param);
    if param.required { ty.to_owned() } else { format!("Option<{ty}>") }
}

/// Returns a parameter as it is written in a Python signature.
fn argument(param: &Param) -> String {
    let ((ty, ..), name) = (value(param), python_name(&param.rust.snake()));
    if param.required { format!("{name}: {ty}") } else { format!("{name}: {ty} | None = None") }
}

/// Returns the Rust expression for a parameter's value.
fn given(param: &Param) -> String {
    let (.., convert) = value(param);
    format!("{}.clone(){convert}", param.rust.snake())
}

/// Returns, for each method of an operation, whether it is async. The result of a list can be read either way.
fn forms(operation: &Operation) -> &'static [bool] {
    if operation.response.is_list { &[false] } else { &[false, true] }
}

/// Returns the arguments in the call of the native function, after the client.
fn arguments(operation: &Operation) -> String {
    let argument = |param: &Param| format!(", {}", python_name(&param.rust.snake()));
    operation.params.iter().map(argument).collect()
}

/// Returns the Python type of a response's records.
fn record(service: &Service, operation: &Operation) -> String {
    service.response_model(operation).map(|model| model.rust.pascal()).unwrap_or_default()
}

/// Returns a field's type in Python.
fn python_type(service: &Service, ty: &Type) -> String {
    match ty {
        Type::Value(value) => match value.in_record {
            Primitive::Text => "str",
            Primitive::Signed | Primitive::Unsigned => "int",
            Primitive::Boolean | Primitive::Coded => "bool",
        }
        .to_owned(),
        Type::Model(id) => service.model(*id).rust.pascal(),
        Type::List(of) => format!("list[{}]", plain_type(service, of)),
        Type::Map(of) => format!("dict[str, {}]", plain_type(service, of)),
    }
}

/// Returns the type of a value in a list or a map, where a record is a dictionary.
fn plain_type(service: &Service, ty: &Type) -> String {
    if ty.model().is_some() { "dict[str, Any]".to_owned() } else { python_type(service, ty) }
}

/// Returns the Rust return type of a field's property, and the expression for its value.
fn getter(service: &Service, field: &Field) -> (String, String) {
    let value = format!("self.0.{}", field.rust.snake());
    let option = |ty: String| if field.is_option() { format!("Option<{ty}>") } else { ty };
    match &field.ty {
        Type::Value(ty) if ty.in_record == Primitive::Text => {
            (option("&str".to_owned()), text_of("self.0", field))
        }
        Type::Model(id) => {
            let name = service.model(*id).rust.pascal();
            let made = if field.is_option() {
                format!("{value}.clone().map(|one| {name}(one))")
            } else {
                format!("{{ let one = {value}.clone(); {name}(one) }}")
            };
            (option(name), made)
        }
        _ => ("PyResult<Bound<'_, PyAny>>".to_owned(), format!("record::plain(py, &{value})")),
    }
}

/// Returns the expression for a field's text: an `Option` if the field is one.
fn text_of(record: &str, field: &Field) -> String {
    let (name, is_enum) = (field.rust.snake(), field.ty.value().is_some_and(ValueType::is_enum));
    let is_scalar = record == "self.0" && field.ty.value().is_some_and(|ty| ty.name().is_some());
    match (field.is_option(), is_enum || is_scalar) {
        (true, true) => format!("{record}.{name}.as_ref().map(|one| one.as_str())"),
        (true, false) => format!("{record}.{name}.as_deref()"),
        (false, true) => format!("{record}.{name}.as_str()"),
        (false, false) => format!("&*{record}.{name}"),
    }
}

/// Returns the models of the records in lists.
fn listed(service: &Service) -> Vec<&Model> {
    let lists = || operations(service).into_iter().filter(|one| one.response.is_list);
    let is_listed = |model: &&Model| lists().any(|one| one.response.model() == Some(model.id));
    service.models.iter().filter(is_listed).collect()
}

/// Returns the columns of a model's table: for each, its expression and the statement that appends a value.
fn table(service: &Service, model: &Model) -> Vec<(String, String)> {
    let columns = columns(service, model).unwrap_or_default();
    let append = |path: &[String]| {
        let fields = service.fields_at(model, path)?;
        let (field, outer) = fields.split_last()?;
        let is_text = field.ty.value().is_some_and(|ty| ty.in_record == Primitive::Text);
        let of = |record: &str| {
            let other = || format!("&{record}.{}", field.rust.snake());
            if is_text { text_of(record, field) } else { other() }
        };
        let names =
            ["record".to_owned()].into_iter().chain(outer.iter().map(|one| one.rust.snake()));
        let record = names.collect::<Vec<_>>().join(".");
        let value = match outer {
            [outer] if outer.is_option() => {
                let then = if is_text && field.is_option() { "and_then" } else { "map" };
                format!("{record}.as_ref().{then}(|outer| {})", of("outer"))
            }
            _ if is_text && !field.is_option() => format!("Some({})", of(&record)),
            _ => of(&record),
        };
        Some(if is_text { format!("row.text({value});") } else { format!("row.value(&{value});") })
    };
    columns.into_iter().filter_map(|one| Some((one.code, append(&one.path)?))).collect()
}

/// Returns a name for Python: a keyword gets a trailing underscore.
fn python_name(name: &str) -> String {
    let keywords = "and as assert class def del elif except finally from global import is lambda nonlocal not or pass raise self with";
    let is_keyword = keywords.split(' ').any(|keyword| keyword == name);
    if is_keyword { format!("{name}_") } else { name.to_owned() }
}

/// Returns a description as a docstring.
fn docstring(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace("\"\"\"", "\\\"\\\"\\\"");
    let end = if text.ends_with('"') { " " } else { "" };
    format!("\"\"\"{text}{end}\"\"\"")
}
