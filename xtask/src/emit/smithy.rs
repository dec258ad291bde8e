//! Smithy IDL 2.0: the one standard language that says what our routes are, operations on one
//! path that differ in a constant query parameter.

use std::fmt::Write as _;

use crate::emit::GeneratedFile;
use crate::ir::{Field, Model, Operation, Param, Response, RustName, Scalar, Service, Type, Wire};
use crate::text::{inline, is_hidden, one_line};

pub(super) fn emit(service: &Service) -> Vec<GeneratedFile> {
    let mut model = Smithy { service, text: String::new() };
    model.head();
    for scalar in &service.scalars {
        model.scalar(scalar);
    }
    model.enums();
    for one in &service.models {
        model.model(one);
    }
    for operation in &service.operations {
        model.operation(operation);
    }
    vec![GeneratedFile {
        path: format!("docs/generated/{}.smithy", service.name),
        text: model.text,
    }]
}

struct Smithy<'a> {
    service: &'a Service,
    text: String,
}

impl Smithy<'_> {
    fn line(&mut self, line: impl std::fmt::Display) {
        _ = writeln!(self.text, "{line}");
    }

    fn doc(&mut self, indent: &str, doc: &str) {
        self.line(format_args!("{indent}/// {}", inline(doc)));
    }

    fn deprecated(&mut self, indent: &str, why: Option<&String>) {
        if let Some(why) = why {
            self.line(format_args!("{indent}@deprecated(message: {})", string(why)));
        }
    }

    fn head(&mut self) {
        let service = self.service;
        self.line("$version: \"2.0\"\n");
        self.line(format_args!("namespace {}\n", service.name.replace('-', ".")));
        self.doc("", &service.doc.0);
        self.line(format_args!("@title({})", string(&one_line(&service.title))));
        self.line("@httpBearerAuth");
        self.line(format_args!("service {} {{", type_name(&service.name)));
        self.line(format_args!("    version: {}", string(&service.api_version)));
        self.line("    operations: [");
        for operation in &service.operations {
            self.line(format_args!("        {}", operation.rust.pascal()));
        }
        self.line("    ]\n}");
        if service.models.iter().flat_map(|model| &model.fields).any(is_personal_text) {
            self.line("\n/// Text that logs must not show.\n@sensitive\nstring PersonalText");
        }
    }

    fn scalar(&mut self, scalar: &Scalar) {
        self.line("");
        self.doc("", &scalar.doc.0);
        let kind = if scalar.wire == Wire::Integer { "long" } else { "string" };
        self.line(format_args!("{kind} {}", scalar.rust.pascal()));
    }

    fn enums(&mut self) {
        for one in &self.service.enums {
            self.line("");
            self.doc("", &one.doc.0);
            self.line(format_args!("enum {} {{", one.rust.pascal()));
            for value in &one.values {
                self.doc("    ", &value.doc.0);
                self.deprecated("    ", value.deprecated.as_ref());
                self.line(format_args!("    {} = {}", value.rust.shouting(), string(&value.wire)));
            }
            self.line("}");
        }
    }

    fn model(&mut self, model: &Model) {
        self.line("");
        self.doc("", &model.doc.0);
        self.line(format_args!("structure {} {{", model.rust.pascal()));
        for field in &model.fields {
            self.doc("    ", &field.doc.0);
            self.deprecated("    ", field.deprecated.as_ref());
            if field.required {
                self.line("    @required");
            }
            let name = field.rust.words();
            if name != field.wire {
                self.line(format_args!("    @jsonName({})", string(&field.wire)));
            }
            let ty = if is_personal_text(field) {
                "PersonalText".to_owned()
            } else {
                self.type_of(field.ty)
            };
            self.line(format_args!("    {name}: {ty}"));
        }
        self.line("}");
    }

    fn operation(&mut self, operation: &Operation) {
        let Service { path, selector, .. } = self.service;
        let name = operation.rust.pascal();
        self.line("");
        self.doc("", &operation.doc.0);
        self.deprecated("", operation.deprecated.as_ref());
        self.line("@readonly");
        self.line(format_args!(
            "@http(method: \"GET\", uri: {}, code: 200)",
            string(&format!("{path}?{selector}={}", operation.select))
        ));
        self.line(format_args!("operation {name} {{"));
        self.line("    input := {");
        for param in &operation.params {
            self.param(operation, param);
        }
        self.line("    }");
        self.line("    output := {");
        let item = self.type_of(Type::Model(operation.response.of()));
        match &operation.response {
            Response::Envelope { marker, items, .. } => {
                self.member(marker, "String");
                self.member(items, &format!("{name}Items"));
            }
            Response::Array { .. } => {
                self.line(format_args!(
                    "        @required\n        @httpPayload\n        items: {name}Items"
                ));
            }
            Response::Object { .. } => {
                self.line(format_args!(
                    "        @required\n        @httpPayload\n        value: {item}"
                ));
            }
        }
        self.line("    }\n}");
        if operation.response.is_list() {
            self.line(format_args!("\nlist {name}Items {{\n    member: {item}\n}}"));
        }
    }

    fn member(&mut self, wire: &str, ty: &str) {
        let name = RustName::new(wire).map_or_else(|| "value".to_owned(), |name| name.words());
        self.line("        @required");
        if name != wire {
            self.line(format_args!("        @jsonName({})", string(wire)));
        }
        self.line(format_args!("        {name}: {ty}"));
    }

    fn param(&mut self, operation: &Operation, param: &Param) {
        let needs: Vec<_> =
            operation.needed_by(param).map(|needed| format!("`{}`", needed.wire)).collect();
        let needs = if needs.is_empty() {
            String::new()
        } else {
            format!(" Needs {}.", needs.join(" and "))
        };
        self.doc("        ", &(param.doc.0.clone() + &needs));
        self.deprecated("        ", param.deprecated.as_ref());
        if param.required {
            self.line("        @required");
        }
        self.line(format_args!("        @httpQuery({})", string(&param.wire)));
        if let Some(most) = param.max_chars {
            self.line(format_args!("        @length(min: 1, max: {most})"));
        }
        match (param.min, param.max) {
            (None, None) => {}
            (Some(min), None) => self.line(format_args!("        @range(min: {min})")),
            (None, Some(max)) => self.line(format_args!("        @range(max: {max})")),
            (Some(min), Some(max)) => {
                self.line(format_args!("        @range(min: {min}, max: {max})"));
            }
        }
        let ty = match (param.ty, param.query_wire) {
            // Text in a record, an integer here: not the same shape.
            (Type::Scalar(_), Wire::Integer) => "Long".to_owned(),
            (ty, _) => self.type_of(ty),
        };
        self.line(format_args!("        {}: {ty}", param.rust.words()));
    }

    fn type_of(&self, ty: Type) -> String {
        match (ty, self.service.type_name(ty)) {
            (_, Some(name)) => name.pascal(),
            (Type::Integer, None) => "Long".to_owned(),
            (Type::Boolean, None) => "Boolean".to_owned(),
            _ => "String".to_owned(),
        }
    }
}

fn is_personal_text(field: &Field) -> bool {
    field.personal && field.ty == Type::Text
}

fn type_name(name: &str) -> String {
    RustName::new(name).map_or_else(|| "Service".to_owned(), |name| name.pascal())
}

/// A Smithy string literal, quotes included.
fn string(text: &str) -> String {
    let mut literal = "\"".to_owned();
    for c in text.chars() {
        match c {
            '"' | '\\' => literal.extend(['\\', c]),
            '\n' => literal.push_str("\\n"),
            c if is_hidden(c) => _ = write!(literal, "\\u{:04X}", u32::from(c).min(0xffff)),
            c => literal.push(c),
        }
    }
    literal.push('"');
    literal
}
