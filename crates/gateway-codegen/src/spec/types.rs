//! Lowers the declared types: scalars, enums and models.

use crate::diag::{Diagnostic, code};
use crate::ir::{Enum, EnumValue, Field, Meaning, Model, RustName, Scalar, Type, Wire};
use crate::spec::context::{About, Context};
use crate::spec::node::{Entry, Node};

mod columns;
mod components;
mod recursion;
mod value;

pub(super) use columns::columns;
pub(super) use value::{Types, is_value};

/// Collects the names of all types first, so that a model can use a type that is declared after it.
pub(super) fn declare(cx: &mut Context<'_>, root: &Node) {
    for section in ["scalar", "enum", "model"] {
        for (index, entry) in root.entries_of(section).iter().enumerate() {
            let ty = match section {
                "scalar" => Type::Scalar(index),
                "enum" => Type::Enum(index),
                _ => Type::Model(index),
            };
            cx.types.entry(entry.key.clone()).or_insert_with(|| (ty, entry.key_span.clone()));
        }
    }
}

pub(super) fn scalars(cx: &mut Context<'_>, root: &Node) -> Vec<Scalar> {
    root.entries_of("scalar").iter().filter_map(|entry| scalar(cx, entry)).collect()
}

fn scalar(cx: &mut Context<'_>, entry: &Entry) -> Option<Scalar> {
    let node = &entry.node;
    let about = About::of(cx, node);
    let scalar = Scalar {
        rust: RustName::new(&entry.key)?,
        wire: wire(&node.text("wire")),
        query_wire: node.get("query-wire").and_then(Node::as_text).map(wire),
        meaning: match node.text("meaning").as_str() {
            "id" => Meaning::Id,
            "decimal" => Meaning::Decimal,
            "civil-datetime" => Meaning::CivilDateTime,
            "currency" => Meaning::Currency,
            _ => Meaning::Text,
        },
        example: node.text("example"),
        doc: about.doc,
        source: about.source,
        open: about.open,
    };
    if node.get("meaning").is_some() && scalar.meaning != Meaning::Id {
        for key in ["wire", "query-wire"] {
            if let Some(value) = node.get(key)
                && value.as_text() == Some("integer")
            {
                let message = format!("a `{}` must be a string", node.text("meaning"));
                let help = format!("write `{key} = \"string\"`; only an `id` can be an integer");
                cx.say(Diagnostic::new(&code::UNFIT_TYPE, &value.span, message).help(help));
            }
        }
    }
    if let Some(example) = node.get("example")
        && let Err(expected) = value::scalar_fits(&scalar, &scalar.example)
    {
        let message = format!("the example must be {expected}");
        cx.say(Diagnostic::new(&code::EXAMPLE_VALUE, &example.span, message));
    }
    Some(scalar)
}

fn wire(text: &str) -> Wire {
    if text == "integer" { Wire::Integer } else { Wire::String }
}

pub(super) fn enums(cx: &mut Context<'_>, root: &Node) -> Vec<Enum> {
    root.entries_of("enum").iter().filter_map(|entry| one_enum(cx, entry)).collect()
}

fn one_enum(cx: &mut Context<'_>, entry: &Entry) -> Option<Enum> {
    let node = &entry.node;
    let about = About::of(cx, node);
    let given = node.entries_of("value");
    if let Some(value) = node.get("value")
        && given.is_empty()
    {
        let message = format!("the enum `{}` has no values", entry.key);
        let span = place(&value.span, &entry.key_span);
        cx.say(Diagnostic::new(&code::EMPTY, span, message).help("add a value"));
    }
    let variants =
        given.iter().map(|value| (value.key.to_lowercase(), value.key.as_str(), &value.key_span));
    cx.distinct(&code::NAMES_COLLIDE, "value", variants);
    let nodes: Vec<_> = given.iter().map(|value| &value.node).collect();
    cx.distinct_texts(&code::DUPLICATE_WIRE, "wire text", "wire", &nodes);
    let open_ended = node.flag("open-ended");
    if let Some(unknown) =
        given.iter().find(|value| open_ended && value.key.eq_ignore_ascii_case("unknown"))
    {
        let message = "`Unknown` is reserved for values outside the list of an open-ended enum";
        let help = "choose another name, such as `NotKnown`, and keep its `wire`";
        cx.say(Diagnostic::new(&code::NAMES_COLLIDE, &unknown.key_span, message).help(help));
    }
    let mut values = Vec::new();
    for value in given {
        let about = About::of(cx, &value.node);
        values.push(EnumValue {
            rust: RustName::new(&value.key)?,
            wire: value.node.text("wire"),
            doc: about.doc,
            deprecated: about.deprecated,
        });
    }
    Some(Enum {
        rust: RustName::new(&entry.key)?,
        open_ended,
        values,
        doc: about.doc,
        source: about.source,
        open: about.open,
    })
}

pub(super) fn models(cx: &mut Context<'_>, root: &Node) -> Vec<Model> {
    let given = root.entries_of("model");
    let mut models: Vec<_> = given.iter().filter_map(|entry| model(cx, entry)).collect();
    recursion::mark(cx, &mut models, given);
    models
}

fn model(cx: &mut Context<'_>, entry: &Entry) -> Option<Model> {
    let node = &entry.node;
    let about = About::of(cx, node);
    let given = node.entries_of("field");
    if let Some(field) = node.get("field")
        && given.is_empty()
    {
        let message = format!("the model `{}` has no fields", entry.key);
        let span = place(&field.span, &entry.key_span);
        cx.say(Diagnostic::new(&code::EMPTY, span, message).help("add a field"));
    }
    let fields: Vec<_> = given.iter().filter_map(|entry| field(cx, entry)).collect();
    cx.distinct_rust_names("field", given);
    Some(Model {
        rust: RustName::new(&entry.key)?,
        identity: identity(cx, node, &fields),
        columns: None,
        fields,
        doc: about.doc,
        source: about.source,
        open: about.open,
        recursive: false,
    })
}

fn identity(cx: &mut Context<'_>, node: &Node, fields: &[Field]) -> Option<usize> {
    let identity = node.get("identity")?;
    let name = identity.as_text()?;
    let index = fields.iter().position(|field| field.wire == name);
    // An error in the field was reported.
    let given = node.entries_of("field").iter().find(|entry| entry.key == name);
    if given.is_some_and(|entry| index.is_none() || entry.node.get("presence").is_none()) {
        return None;
    }
    let (message, help) = match index.and_then(|index| fields.get(index)) {
        None if fields.is_empty() => return None,
        None => {
            let required = fields.iter().filter(|field| field.required);
            let known: Vec<_> = required.map(|field| field.wire.as_str()).collect();
            let diagnostic =
                Diagnostic::new(&code::IDENTITY, &identity.span, format!("unknown field `{name}`"));
            cx.say(diagnostic.suggest(name, &known));
            return None;
        }
        Some(field) if !field.required => (
            format!("the optional field `{name}` cannot identify a record"),
            "make it `presence = \"required\"`, or choose a required field",
        ),
        Some(Field { ty: Type::Boolean | Type::Enum(_) | Type::Model(_), .. }) => (
            format!("the type of the field `{name}` cannot identify a record"),
            "choose a field whose type is `text`, `integer` or a scalar",
        ),
        Some(_) => return index,
    };
    cx.say(Diagnostic::new(&code::IDENTITY, &identity.span, message).help(help));
    None
}

fn field(cx: &mut Context<'_>, entry: &Entry) -> Option<Field> {
    let node = &entry.node;
    let about = About::of(cx, node);
    let rust = cx.rust_name(entry);
    let named = node.get("type")?;
    let ty = cx.resolve(named.as_text()?, &named.span)?;
    let example = node.get("example");
    if let Some(example) = example {
        let text = example.as_text().unwrap_or_default();
        let bad = match ty {
            Type::Text => None,
            Type::Integer => text.parse::<i64>().err().map(|_| "the example must be an integer"),
            Type::Boolean => {
                text.parse::<bool>().err().map(|_| "the example must be `true` or `false`")
            }
            Type::Scalar(_) | Type::Enum(_) | Type::Model(_) => {
                Some("only a field of type `text`, `integer` or `boolean` has an `example`")
            }
        };
        if let Some(message) = bad {
            cx.say(Diagnostic::new(&code::EXAMPLE_VALUE, &example.span, message));
        }
    }
    Some(Field {
        rust: rust?,
        wire: entry.key.clone(),
        ty,
        required: node.text("presence") == "required",
        personal: node.flag("personal"),
        boxed: false,
        example: example.and_then(Node::as_text).map(str::to_owned),
        doc: about.doc,
        source: about.source,
        open: about.open,
        deprecated: about.deprecated,
    })
}

/// Returns the second position for a table without a header, such as an implicit `[model.A.field]`,
/// which has no position.
fn place<'a>(
    span: &'a std::ops::Range<usize>,
    or: &'a std::ops::Range<usize>,
) -> &'a std::ops::Range<usize> {
    if span.is_empty() { or } else { span }
}
