//! One operation on one screen: what a person needs in order to call or serve it.

use std::fmt::Write as _;

use crate::ir::{Auth, Model, Operation, Service};
use crate::text::one_line;

/// Returns the screen of an operation.
pub fn operation(service: &Service, operation: &Operation) -> String {
    let mut out = String::new();
    let Operation { rust, doc, source, deprecated, .. } = operation;
    line(&mut out, format_args!("{}: {}", rust.words(), one_line(&doc.0)));
    if let Some(why) = deprecated {
        line(&mut out, format_args!("Deprecated: {}", one_line(why)));
    }
    let sections = source.phrase().map(|sections| format!("    ({sections})"));
    line(
        &mut out,
        format_args!("\n  {}{}", service.target_of(operation), sections.unwrap_or_default()),
    );

    if service.auth != Auth::Bearer {
        line(&mut out, format_args!("  with {}", service.auth.phrase()));
    }
    if let Some(note) = operation.post_note() {
        line(&mut out, format_args!("  {}", one_line(&note)));
    }
    if !operation.params.is_empty() {
        line(&mut out, "\nParameters");
        let rows = operation.params.iter().map(|param| {
            let ty = param.restricted(param.ty.label());
            let presence = operation.presence(param, str::to_owned);
            [param.wire.clone(), ty, presence, one_line(&param.doc.0)]
        });
        table(&mut out, rows.collect());
    }
    line(&mut out, format_args!("\nAnswer  {}", service.outline(&operation.response)));
    for note in operation.response.notes() {
        line(&mut out, format_args!("  {}", one_line(&note)));
    }
    if let Some(pages) = operation.pages() {
        line(&mut out, format_args!("  {}", one_line(&pages)));
    }
    if let Some(gauge) = operation.gauge_note() {
        line(&mut out, format_args!("  {}", one_line(&gauge)));
    }
    if let Some(model) = service.response_model(operation) {
        fields(&mut out, service, model);
    }
    if let Some(id) = operation.response.beside {
        let beside = service.model(id);
        line(&mut out, format_args!("\nBeside the list  {}", beside.rust.pascal()));
        fields(&mut out, service, beside);
    }
    line(&mut out, "\nExamples");
    for example in service.examples_of(operation) {
        let texts = [&example.query, &example.sent, &format!(" ({})", example.path)];
        let texts = texts.into_iter().filter(|text| !text.is_empty()).map(String::as_str);
        line(&mut out, format_args!("  {}", texts.collect::<Vec<_>>().join(" ")));
    }
    open_points(&mut out, service, operation);
    out
}

fn fields(out: &mut String, service: &Service, model: &Model) {
    let rows = model.fields.iter().map(|field| {
        let presence = field.presence();
        [field.wire.clone(), field.ty.label(service), presence, one_line(&field.doc.0)]
    });
    table(out, rows.collect());
}

fn open_points(out: &mut String, service: &Service, operation: &Operation) {
    let points = service.open_points_of(operation);
    if points.is_empty() {
        return;
    }
    line(out, "\nOpen points");
    for point in points {
        line(
            out,
            format_args!("  {:>2} {}  {}", point.number, point.id, one_line(&point.question.0)),
        );
        line(out, format_args!("     client  {}", one_line(&point.client.0)));
        line(out, format_args!("     server  {}", one_line(&point.server.0)));
    }
}

/// Writes columns that are wide enough for their content; the last one wraps within itself.
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
    // Wide columns make a line longer rather than the last column narrow.
    let end = WIDTH.max(indent + LAST);
    for [name, ty, presence, doc] in rows {
        _ = write!(out, "  {name:a$}  {ty:b$}  {presence:c$}  ");
        let mut column = indent;
        for (index, word) in doc.split(' ').enumerate() {
            let length = word.chars().count();
            if index > 0 && column + 1 + length > end {
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

/// Width of the screen, in characters.
const WIDTH: usize = 110;

/// Minimum width of the last column, in characters.
const LAST: usize = 40;

fn line(out: &mut String, text: impl std::fmt::Display) {
    _ = writeln!(out, "{text}");
}
