//! Where the data of a body is, and how the body reports a failure.

use crate::ir::{Body, Decides, Service, Verdict};
use crate::text::{RustFile, string};

/// Writes the verdicts, each once.
pub(super) fn write(file: &mut RustFile, service: &Service) {
    for (index, verdict) in verdicts(service).into_iter().enumerate() {
        file.blank();
        let decides = match &verdict.decides {
            Decides::Success { at, is } => {
                format!("Success {{ at: {}, is: {} }}", texts(at), texts(is))
            }
            Decides::Failure { present } => format!("Failure {{ present: {} }}", texts(present)),
        };
        let base = format!("codegen::Verdict::of(codegen::Decides::{decides})");
        let declared = format!("const {}: codegen::Verdict =", name(index));
        if *verdict == Verdict::of(verdict.decides.clone()) {
            file.line(format_args!("{declared} {base};"));
            continue;
        }
        file.open(format_args!("{declared} codegen::Verdict {{"));
        if !verdict.code.is_empty() {
            file.line(format_args!("code: {},", texts(&verdict.code)));
        }
        if !verdict.message.is_empty() {
            file.line(format_args!("message: {},", texts(&verdict.message)));
        }
        if !verdict.classes.is_empty() {
            file.open("classes: &[");
            for (code, class) in &verdict.classes {
                file.line(format_args!("({}, ErrorClass::{}),", string(code), class.variant()));
            }
            file.close("],");
        }
        if !verdict.empty_codes.is_empty() {
            file.line(format_args!("empty_codes: {},", texts(&verdict.empty_codes)));
        }
        if !verdict.empty_messages.is_empty() {
            file.line(format_args!("empty_messages: {},", texts(&verdict.empty_messages)));
        }
        file.line(format_args!("..{base}"));
        file.close("};");
    }
}

/// Returns the expression for the place of the data.
pub(super) fn value(service: &Service, body: &Body) -> String {
    let mut fields = Vec::new();
    if !body.at.is_empty() {
        fields.push(format!("at: {}", texts(&body.at)));
    }
    let verdict = body.verdict.as_ref();
    let index = verdict.and_then(|one| verdicts(service).iter().position(|other| *other == one));
    fields.extend(index.map(|index| format!("verdict: Some(&{})", name(index))));
    for (name, is_set) in
        [("absent_as_empty", body.absent_as_empty), ("one_as_list", body.one_as_list)]
    {
        fields.extend(is_set.then(|| format!("{name}: true")));
    }
    if body.beside_above > 0 {
        fields.push(format!("beside_above: {}", body.beside_above));
    }
    // With all of them, clippy refuses the default.
    if fields.len() < FIELDS {
        fields.push("..codegen::Body::ROOT".to_owned());
    }
    format!("codegen::Body {{ {} }}", fields.join(", "))
}

/// Returns the verdicts of the service, each once, in the order of the operations.
pub(super) fn verdicts(service: &Service) -> Vec<&Verdict> {
    let mut found: Vec<&Verdict> = Vec::new();
    let bodies = service.operations.iter().filter_map(|operation| operation.response.body());
    for verdict in bodies.filter_map(|body| body.verdict.as_ref()) {
        if !found.contains(&verdict) {
            found.push(verdict);
        }
    }
    found
}

/// The number of fields of the runtime's `Body`.
const FIELDS: usize = 5;

fn name(index: usize) -> String {
    format!("VERDICT_{}", index + 1)
}

fn texts(texts: &[String]) -> String {
    let texts: Vec<_> = texts.iter().map(|text| string(text)).collect();
    format!("&[{}]", texts.join(", "))
}
