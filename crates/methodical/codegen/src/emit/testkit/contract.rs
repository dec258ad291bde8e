//! The description of the service from which the contract checks follow.

use askama::Template;

use crate::emit::model::{auth_code, dispatch_code};
use crate::emit::{distinct, filters};
use crate::ir::{
    BodyFormat, Code, Decides, Field, Layout, Leniency, Mark, Meaning, Model, ModelId, OpenRef,
    Operation, Otherwise, Paging, Param, Primitive, Response, Says, Service, Type, ValueType, Wire,
};
use crate::text::{percent_encoded, string, strings};

#[derive(Template)]
#[template(path = "testkit/contract.rs.jinja")]
pub(super) struct Contract<'a> {
    service: &'a Service,
    /// The operations that return records, which the checks judge.
    operations: Vec<&'a Operation>,
    /// The models of these records, and of those in them.
    models: Vec<&'a Model>,
}

pub(super) fn template(service: &Service) -> Contract<'_> {
    let operations = service.operations.iter().filter(|one| one.response.model().is_some());
    let operations: Vec<_> = operations.collect();
    let models = operations.iter().filter_map(|one| one.response.model());
    let models: Vec<ModelId> = models.flat_map(|id| service.reachable(id)).collect();
    let models = service.models.iter().filter(|model| models.contains(&model.id)).collect();
    Contract { service, operations, models }
}

impl Contract<'_> {
    /// Returns the sections about access tokens: those of the open point `D-auth` if the spec has it, else those of the
    /// service.
    fn token_source(&self) -> &str {
        let about = self.service.open_point(&OpenRef("D-auth".to_owned()));
        &about.map_or(&self.service.source, |point| &point.source).0
    }

    /// Returns the group of the checks of an operation: its noun, and for all but the first operation of a noun also its
    /// verb, so that a new operation changes no name.
    fn group(&self, operation: &Operation) -> String {
        let command = operation.command();
        let mut operations = self.service.operations.iter();
        let first = operations.find(|other| other.command().noun == command.noun);
        match command.verb {
            Some(verb) if first != Some(operation) => format!("{}-{verb}", command.noun),
            _ => command.noun,
        }
    }

    /// Returns the name of the checks of a parameter. All but the first parameter of a name have the operation in it.
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

    /// Returns the codes of the field that is false on the last page.
    fn last_codes(&self, body: &Response, mark: &Mark) -> String {
        let fields = body.beside.and_then(|id| self.service.fields_at(id, &mark.path));
        let field = fields.as_ref().and_then(|fields| fields.last()?.ty.value());
        let codes = field.and_then(ValueType::codes);
        let codes = codes.map(|codes| joined(codes.no.iter().map(Code::expression)));
        codes.unwrap_or_else(|| "Code::Boolean(false)".to_owned())
    }

    /// Returns the list in whose records a value of an identifier can be found, and the key of the field.
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
        let source = [&field.source, &model.source, &self.service.source];
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
        if let Some(codes) = value.codes() {
            return format!("Kind::Values(&[{}])", joined(codes.all().map(Code::expression)));
        }
        match (value.as_closed_enum(), value.wire()) {
            (Some(one), _) if !one.is_coded() => {
                format!("Kind::OneOf(&[{}])", strings(one.values.iter().map(|value| &value.wire)))
            }
            (Some(one), wire) => {
                let codes = one.values.iter().flat_map(|value| {
                    let text = (wire == Some(Wire::IntegerOrText))
                        .then(|| format!("Code::Text({})", string(&value.wire)));
                    [Some(format!("Code::Integer({})", value.wire)), text].into_iter().flatten()
                });
                format!("Kind::Values(&[{}])", joined(codes))
            }
            (None, Some(Wire::IntegerOrText)) => "Kind::IntegerOrText".to_owned(),
            (None, Some(Wire::TextOrNumber)) => format!("Kind::OrNumber(&Kind::{})", value.check()),
            (None, _) => format!("Kind::{}", value.check()),
        }
    }
}

/// Returns the keys that lead from the body to the field with a meaning.
fn mark(body: &Response, paging: &Paging, says: Says) -> Vec<String> {
    let mark = paging.mark(says);
    mark.map(|mark| [body.beside_at(), &mark.path].concat()).unwrap_or_default()
}

/// Returns the parameters that are literals or lists in the JSON body of a POST.
fn in_json(operation: &Operation, fits: fn(&Param) -> bool) -> Vec<&str> {
    let is_json = operation.post.is_some_and(|post| post.format == BodyFormat::Json);
    let params = operation.params.iter().filter(|param| is_json && fits(param));
    params.map(|param| param.wire.as_str()).collect()
}

fn is_literal(param: &Param) -> bool {
    param.ty.is_json_literal()
}

fn is_list(param: &Param) -> bool {
    param.list.is_some()
}

fn joined(expressions: impl Iterator<Item = String>) -> String {
    expressions.collect::<Vec<_>>().join(", ")
}

/// Returns the name of the constant of a record.
fn name(model: &Model) -> String {
    model.rust.followed_by("record").screaming_snake()
}

/// Returns the ids of the open points about a declaration and about its type, each once.
fn points(open: &[OpenRef], of_type: &[OpenRef]) -> String {
    strings(distinct(open.iter().chain(of_type).map(|point| &point.0)))
}

/// Returns the ids of the open points about a field.
fn field_points(field: &Field) -> String {
    points(&field.open, field.ty.element().value().map_or(&[], |value| value.open()))
}

/// Returns the name of a parameter in a query: for a list, that of its first value.
fn query_name(param: &Param) -> String {
    let name = param.list.map_or_else(|| param.wire.clone(), |style| style.name(&param.wire, 0));
    percent_encoded(&name)
}

/// Returns the variant of `Values`.
fn values(param: &Param) -> &'static str {
    let ty = &param.ty;
    match ty.in_query() {
        _ if param.list.is_some() => "Other",
        Primitive::Signed | Primitive::Unsigned if is_id(param) => "NumericId",
        Primitive::Signed | Primitive::Unsigned if ty.as_closed_enum().is_none() => "Integer",
        Primitive::Text if ty.check() == "Digits" => "NumericId",
        Primitive::Text if is_id(param) => "TextId",
        Primitive::Text if ty.check() == "Text" && ty.as_closed_enum().is_none() => "Text",
        _ => "Other",
    }
}

fn is_id(param: &Param) -> bool {
    param.ty.kind().meaning == Some(Meaning::Id)
}

/// Returns a value that the service accepts and that no record has.
fn unknown(param: &Param) -> Option<String> {
    let text = match values(param) {
        "NumericId" => u64::MAX.to_string(),
        "Integer" if param.max.is_none() => i64::MAX.to_string(),
        "Text" | "TextId" => {
            let most = param.max_chars.map_or(usize::MAX, |most| most as usize);
            "no record has this value".chars().take(most).collect()
        }
        _ => return None,
    };
    Some(text)
}
