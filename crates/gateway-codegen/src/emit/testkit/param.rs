//! The description of a parameter, with values for the requests of the contract checks.

use crate::emit::testkit::names::{check, points};
use crate::ir::{ID, Operation, Otherwise, Param, Primitive, Service, ValueType};
use crate::text::{RustFile, percent_encoded, string};

pub(super) fn emit(file: &mut RustFile, service: &Service, operation: &Operation, param: &Param) {
    let needs: Vec<_> = operation.needed_by(param).map(|needed| string(&needed.wire)).collect();
    let origin = origin(service, param);
    let unknown = unknown(param);
    let option = |text: Option<String>| match text {
        Some(text) => format!("Some({text})"),
        None => "None".to_owned(),
    };
    file.open("Param {");
    file.line(format_args!("check: {},", string(&check(service, operation, param))));
    // A list of one value.
    let name = param.list.map_or_else(|| param.wire.clone(), |style| style.name(&param.wire, 0));
    file.line(format_args!("name: {},", string(&percent_encoded(&name))));
    file.line(format_args!("values: Values::{},", values(param)));
    file.line(format_args!("origin: {},", option(origin)));
    file.line(format_args!("sample: {},", string(&service.sample(operation, param))));
    file.line(format_args!("unknown: {},", option(unknown.map(|text| string(&text)))));
    file.line(format_args!("required: {},", param.required));
    file.line(format_args!("needs: &[{}],", needs.join(", ")));
    file.line(format_args!("refused_alone: {},", param.otherwise == Otherwise::Error));
    file.line(format_args!("recovers: {},", option(param.recovers.as_deref().map(string))));
    file.line(format_args!("source: {},", string(&param.source.0)));
    file.line(format_args!("open: {},", points(&param.open, param.ty.open())));
    file.close("},");
}

/// Returns the variant of `Values`.
fn values(param: &Param) -> &'static str {
    let ty = &param.ty;
    if param.list.is_some() {
        return "Other";
    }
    let is_id = matches!(ty, ValueType::Scalar(scalar) if *scalar.meaning == ID);
    match ty.in_query() {
        Primitive::Signed | Primitive::Unsigned if is_id => "NumericId",
        Primitive::Signed | Primitive::Unsigned if ty.as_closed_enum().is_some() => "Other",
        Primitive::Signed | Primitive::Unsigned => "Integer",
        Primitive::Text if ty.check() == "Digits" => "NumericId",
        Primitive::Text if is_id => "TextId",
        Primitive::Text if ty.check() == "Text" && ty.as_closed_enum().is_none() => "Text",
        Primitive::Text | Primitive::Float | Primitive::Boolean | Primitive::Coded => "Other",
    }
}

/// Returns the list in whose records a value of an identifier can be found, and the key of the field.
fn origin(service: &Service, param: &Param) -> Option<String> {
    let ValueType::Scalar(scalar) = &param.ty else { return None };
    let lists = service.operations.iter().filter(|one| {
        *scalar.meaning == ID
            && one.response.is_list()
            && one.params.iter().all(|param| !param.required)
    });
    let mut found = lists.filter_map(|list| {
        let identity = service.response_model(list)?.identity_field()?;
        (identity.ty.value() == Some(&param.ty)).then_some((list, identity))
    });
    found.next().map(|(list, field)| format!("({}, {})", string(&list.select), string(&field.wire)))
}

/// Returns a value that the service accepts and that no record has.
fn unknown(param: &Param) -> Option<String> {
    match values(param) {
        "NumericId" => Some(u64::MAX.to_string()),
        "Integer" if param.max.is_none() => Some(i64::MAX.to_string()),
        "Text" | "TextId" => {
            let most = param.max_chars.map_or(usize::MAX, |most| most as usize);
            Some("no record has this value".chars().take(most).collect())
        }
        _ => None,
    }
}
