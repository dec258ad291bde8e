//! One operation on one screen: what a person needs to call it or to serve it.

use std::fmt::Write as _;

use crate::ir::{Field, Operation, Otherwise, Param, Response, Service, Source, Type, Wire};

/// The screen of an operation.
pub fn operation(service: &Service, operation: &Operation) -> String {
    let mut out = String::new();
    let Operation { rust, select, doc, source, deprecated, .. } = operation;
    line(&mut out, format_args!("{}: {}", rust.words(), one_line(&doc.0)));
    if let Some(why) = deprecated {
        line(&mut out, format_args!("Deprecated: {}", one_line(why)));
    }
    line(
        &mut out,
        format_args!("\n  GET {}?{}={select}{}", service.path, service.selector, section(source)),
    );

    if !operation.params.is_empty() {
        line(&mut out, "\nParameters");
        let rows = operation.params.iter().map(|param| {
            let Param { wire, .. } = param;
            [
                wire.clone(),
                param_type(service, param),
                demand(operation, param),
                one_line(&param.doc.0),
            ]
        });
        table(&mut out, rows.collect());
    }
    line(&mut out, format_args!("\nAnswer  {}", shape(service, &operation.response)));
    if let Some(model) = service.response_model(operation) {
        let rows = model.fields.iter().map(|field| {
            [
                field.wire.clone(),
                field_type(service, field.ty),
                presence(field),
                one_line(&field.doc.0),
            ]
        });
        table(&mut out, rows.collect());
    }
    line(&mut out, "\nExamples");
    for example in service.examples_of(operation) {
        line(&mut out, format_args!("  {}  ({})", example.query, example.path));
    }
    open_points(&mut out, service, operation);
    out
}

fn open_points(out: &mut String, service: &Service, operation: &Operation) {
    let model = service.response_model(operation);
    let fields: Vec<_> = model.map(|model| model.fields.iter().collect()).unwrap_or_default();
    let types =
        operation.params.iter().map(|param| param.ty).chain(fields.iter().map(|field| field.ty));
    let of_types = types.filter_map(|ty| match ty {
        Type::Scalar(index) => service.scalars.get(index).map(|scalar| scalar.open.as_slice()),
        Type::Enum(index) => service.enums.get(index).map(|one| one.open.as_slice()),
        Type::Model(index) => service.models.get(index).map(|model| model.open.as_slice()),
        Type::Text | Type::Integer | Type::Boolean => None,
    });
    let mut points: Vec<_> = operation
        .open
        .iter()
        .chain(operation.params.iter().flat_map(|param| &param.open))
        .chain(fields.iter().flat_map(|field| &field.open))
        .chain(of_types.flatten())
        .filter_map(|id| service.open_point(id))
        .collect();
    points.sort_by_key(|point| point.number);
    points.dedup_by_key(|point| point.number);
    if points.is_empty() {
        return;
    }
    line(out, "\nWhat the service text does not show");
    for point in points {
        line(
            out,
            format_args!("  {:>2} {}  {}", point.number, point.id, one_line(&point.question.0)),
        );
        line(out, format_args!("     client  {}", one_line(&point.client.0)));
        line(out, format_args!("     server  {}", one_line(&point.server.0)));
    }
}

/// Columns, wide enough for their content; the last one is wrapped under itself.
fn table(out: &mut String, rows: Vec<[String; 4]>) {
    let width = |column: usize| {
        rows.iter()
            .filter_map(|row| row.get(column))
            .map(|text| text.chars().count())
            .max()
            .unwrap_or(0)
    };
    let [a, b, c] = [width(0), width(1), width(2)];
    let indent = 2 + a + 2 + b + 2 + c + 2;
    for [name, ty, demand, doc] in rows {
        _ = write!(out, "  {name:a$}  {ty:b$}  {demand:c$}  ");
        let mut column = indent;
        for (index, word) in doc.split(' ').enumerate() {
            let length = word.chars().count();
            if index > 0 && column + 1 + length > WIDTH {
                _ = write!(out, "\n{}", " ".repeat(indent));
                column = indent;
            } else if index > 0 {
                out.push(' ');
                column += 1;
            }
            out.push_str(word);
            column += length;
        }
        out.push('\n');
    }
}

/// The width of a screen that people put beside another.
const WIDTH: usize = 110;

fn line(out: &mut String, text: impl std::fmt::Display) {
    _ = writeln!(out, "{text}");
}

fn one_line(text: &str) -> String {
    crate::text::one_line(text)
}

fn section(source: &Source) -> String {
    if source.0.is_empty() { String::new() } else { format!("    (section {})", source.0) }
}

fn field_type(service: &Service, ty: Type) -> String {
    match (ty, service.type_name(ty)) {
        (_, Some(name)) => name.pascal(),
        (Type::Integer, None) => "integer".to_owned(),
        (Type::Boolean, None) => "boolean".to_owned(),
        _ => "text".to_owned(),
    }
}

fn param_type(service: &Service, param: &Param) -> String {
    let mut ty = field_type(service, param.ty);
    if param.query_wire == Wire::Integer && param.ty != Type::Integer {
        ty.push_str(", an integer");
    }
    if let Some(max) = param.max_chars {
        _ = write!(ty, ", ≤ {max} characters");
    }
    match (param.min, param.max) {
        (Some(min), Some(max)) => _ = write!(ty, ", {min} to {max}"),
        (Some(min), None) => _ = write!(ty, ", ≥ {min}"),
        (None, Some(max)) => _ = write!(ty, ", ≤ {max}"),
        (None, None) => {}
    }
    ty
}

fn demand(operation: &Operation, param: &Param) -> String {
    if param.required {
        return "required".to_owned();
    }
    let needed: Vec<_> = operation.needed_by(param).map(|needed| needed.wire.as_str()).collect();
    if needed.is_empty() {
        return "optional".to_owned();
    }
    let otherwise = match param.otherwise {
        Otherwise::NoEffect => "else no effect",
        Otherwise::Error => "else an error",
    };
    format!("needs {}, {otherwise}", needed.join(" and "))
}

fn presence(field: &Field) -> String {
    let mut presence = if field.required { "required" } else { "optional" }.to_owned();
    if field.personal {
        presence.push_str(", personal");
    }
    presence
}

fn shape(service: &Service, response: &Response) -> String {
    let model = field_type(service, Type::Model(response.of()));
    match response {
        Response::Envelope { marker, success, items, .. } => {
            format!("{{ \"{marker}\": \"{success}\", \"{items}\": [{model}, …] }}")
        }
        Response::Array { .. } => format!("[{model}, …]"),
        Response::Object { .. } => model,
    }
}
