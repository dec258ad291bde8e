//! Code of the test kit: the description for the contract checks, and typed mocks.

use askama::Template;

use crate::config::{Role, Workspace};
use crate::emit::model::examples::chain;
use crate::emit::{GeneratedFile, distinct, filters, marker};
use crate::ir::{
    Code, Example, Field, Leniency, Meaning, Model, Operation, Param, Primitive, Service, Type,
    Wire,
};
use crate::text::{percent_encoded, strings};

/// The mocks. The responses of the examples are byte-exact texts: a published package contains only files of its crate, so
/// generated code cannot include them from the folder of the spec.
#[derive(Template)]
#[template(path = "testkit/mocks.rs.jinja")]
struct Mocks<'a> {
    service: &'a Service,
    /// The name of the crate of the model.
    model: String,
}

const ROOT: &str = "\
#[cfg(feature = \"contract\")]
pub(crate) mod contract;
#[cfg(feature = \"mocks\")]
pub(crate) mod mocks;";

/// The contract: the operations that return records, which the checks judge, and the models of these records and of
/// nested ones.
#[derive(Template)]
#[template(path = "testkit/contract.rs.jinja")]
struct Contract<'a> {
    service: &'a Service,
    /// The name of the crate of the model.
    model: String,
    marker: String,
    operations: Vec<&'a Operation>,
    models: Vec<&'a Model>,
}

pub(super) fn emit(workspace: &Workspace) -> Vec<GeneratedFile> {
    let Workspace { service, config, .. } = workspace;
    let folder = config.modules(Role::Testkit);
    let file = |name: &str| format!("{folder}/{name}.rs");
    let model = || config.rust_name(Role::Model);
    let operations = service.operations.iter().filter(|one| one.response.model().is_some());
    let operations: Vec<_> = operations.collect();
    let ids = operations.iter().filter_map(|one| one.response.model());
    let ids: Vec<_> = ids.flat_map(|id| service.reachable(id)).collect();
    let models = service.models.iter().filter(|model| ids.contains(&model.id)).collect();
    vec![
        GeneratedFile::root(workspace, Role::Testkit, ROOT),
        GeneratedFile::new(
            file("contract"),
            &Contract { service, model: model(), marker: marker(service), operations, models },
        ),
        GeneratedFile::new(file("mocks"), &Mocks { service, model: model() }),
    ]
}

/// Returns the examples for clients, each with the expression for its query.
fn examples(service: &Service) -> Vec<(&Example, String)> {
    let examples = service.client_examples();
    examples.filter_map(|(operation, one)| Some((one, chain(operation, one)?))).collect()
}

impl Contract<'_> {
    /// Returns the sections about access tokens: those of the open point `D-auth` if the spec has it, or else those of
    /// the service.
    fn token_source(&self) -> &str {
        let about = self.service.open_point("D-auth");
        &about.map_or(&self.service.about.source, |point| &point.source).0
    }

    /// Returns the group of an operation's checks: its noun, followed by its verb unless it is the first operation with
    /// that noun. A new operation therefore changes no existing name.
    fn group(&self, operation: &Operation) -> String {
        let command = operation.command();
        let mut operations = self.service.operations.iter();
        let first = operations.find(|other| other.command().noun == command.noun);
        match command.verb {
            Some(verb) if first != Some(operation) => format!("{}-{verb}", command.noun),
            _ => command.noun,
        }
    }

    /// Returns the name of a parameter's checks. It includes the operation, except for the first parameter with that
    /// name.
    fn check(&self, operation: &Operation, param: &Param) -> String {
        let short = |param: &Param| {
            let words = param.rust.words();
            words.strip_suffix("_id").map(str::to_owned).unwrap_or(words)
        };
        let name = short(param);
        let operations = self.service.operations.iter();
        let mut params =
            operations.flat_map(|other| other.params.iter().map(move |one| (other, one)));
        if params.find(|(_, one)| short(one) == name) == Some((operation, param)) {
            return name;
        }
        format!("{}_{}", self.group(operation).replace('-', "_"), param.rust.words())
    }

    /// Returns a list whose records contain values of an identifier, and the key of the field.
    fn origin(&self, param: &Param) -> Option<(&str, &str)> {
        if !is_id(param) {
            return None;
        }
        let lists =
            self.service.operations.iter().filter(|one| {
                one.response.is_list && one.params.iter().all(|param| !param.required)
            });
        let mut found = lists.filter_map(|list| {
            let identity = self.service.response_model(list)?.identity_field()?;
            (identity.ty.value() == Some(&param.ty)).then_some((list, identity))
        });
        let (list, field) = found.next()?;
        Some((&list.select, &field.wire))
    }

    /// Returns the sections of the contract about a field.
    fn source<'s>(&'s self, model: &'s Model, field: &'s Field) -> &'s str {
        let source = [&field.about.source, &model.about.source, &self.service.about.source];
        source.into_iter().find(|source| !source.0.is_empty()).map_or("", |source| &source.0)
    }

    /// Returns the variant of `Kind` for a field, with the other forms that a reader accepts.
    fn lenient(&self, field: &Field) -> String {
        let mut code = match &field.ty {
            Type::List(of) if field.is(Leniency::OneAsList) => {
                format!("Kind::OneOrList(&{})", self.kind(of))
            }
            ty => self.kind(ty),
        };
        for (leniency, variant) in
            [(Leniency::EmptyArrayAsMap, "OrEmptyList"), (Leniency::BlankAsNone, "OrBlank")]
        {
            if field.is(leniency) {
                code = format!("Kind::{variant}(&{code})");
            }
        }
        code
    }

    /// Returns the variant of `Kind` for the values of a field.
    fn kind(&self, ty: &Type) -> String {
        let value = match ty {
            Type::Model(id) => return format!("Kind::Record(&{})", name(self.service.model(*id))),
            Type::List(of) => return format!("Kind::List(&{})", self.kind(of)),
            Type::Map(of) => return format!("Kind::Map(&{})", self.kind(of)),
            Type::Value(value) => value,
        };
        if let Some(codes) = &value.codes {
            return format!("Kind::Values(&[{}])", strings(codes.all().map(Code::literal)));
        }
        match value.wire {
            Wire::TextOrNumber => format!("Kind::OrNumber(&Kind::{})", value.check()),
            _ => format!("Kind::{}", value.check()),
        }
    }
}

/// Returns whether a body may report that a call is refused. The marker of a plain envelope belongs to its form.
fn reports_failures(operation: &Operation) -> bool {
    let is_form = operation.paging.is_none() && operation.response.envelope().is_some();
    !is_form && operation.response.verdict.is_some()
}

/// Returns the name of the constant of a record.
fn name(model: &Model) -> String {
    model.rust.followed_by("record").screaming_snake()
}

/// Returns the ids of the open points about a declaration and about its type, each once.
fn points(open: &[String], of_type: &[String]) -> String {
    strings(distinct(open.iter().chain(of_type)))
}

/// Returns the ids of the open points about a field.
fn field_points(field: &Field) -> String {
    points(
        &field.about.open,
        field.ty.element().value().map_or(&[], |value| value.about.open.as_slice()),
    )
}

/// Returns the name of a parameter in a query: for a list, that of its first value.
fn query_name(param: &Param) -> String {
    let name = param.list.map_or_else(|| param.wire.clone(), |style| style.name(&param.wire, 0));
    percent_encoded(&name)
}

/// Returns the variant of `Values`.
fn values(param: &Param) -> &'static str {
    let ty = &param.ty;
    match ty.in_query {
        _ if param.list.is_some() => "Other",
        Primitive::Signed | Primitive::Unsigned if is_id(param) => "NumericId",
        Primitive::Signed | Primitive::Unsigned => "Integer",
        Primitive::Text if ty.check() == "Digits" => "NumericId",
        Primitive::Text if is_id(param) => "TextId",
        Primitive::Text if ty.check() == "Text" => "Text",
        _ => "Other",
    }
}

fn is_id(param: &Param) -> bool {
    param.ty.meaning == Some(Meaning::Id)
}

/// Returns a value that the service accepts and that no record has.
fn unknown(param: &Param) -> Option<String> {
    let text = match values(param) {
        "NumericId" => u64::MAX.to_string(),
        "Integer" => i64::MAX.to_string(),
        "Text" | "TextId" => {
            let most = param.max_chars.map_or(usize::MAX, |most| most as usize);
            "no record has this value".chars().take(most).collect()
        }
        _ => return None,
    };
    Some(text)
}
