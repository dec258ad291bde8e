//! Lowers the declared types: scalars, enums and models.

use std::ops::Range;
use std::sync::Arc;

use crate::diag::{Diagnostic, code};
use crate::ir::{
    BuiltIn, Enum, EnumValue, Field, Form, ID, MEANINGS, Meaning, Model, ModelId, RustName, Scalar,
    Type, ValueType, Wire,
};
use crate::spec::context::{About, Context};
use crate::spec::grammar::Language;
use crate::spec::node::{Entry, Node};

mod codes;
mod columns;
mod components;
mod lenient;
mod recursion;

pub(super) use columns::columns;

pub(super) fn scalars(cx: &mut Context<'_>, root: &Node) -> Vec<Arc<Scalar>> {
    let mut scalars = Vec::new();
    for entry in root.entries_of("scalar") {
        if let Some(scalar) = scalar(cx, entry).map(Arc::new) {
            cx.declare(entry, Type::Value(ValueType::Scalar(Arc::clone(&scalar))));
            scalars.push(scalar);
        }
    }
    scalars
}

fn scalar(cx: &mut Context<'_>, entry: &Entry) -> Option<Scalar> {
    let node = &entry.node;
    let about = About::of(cx, node);
    // A missing or unknown word was reported. An id may have any wire.
    let wire = Wire::of(&node.text("wire")).unwrap_or(Wire::String);
    let query_wire = Wire::of(&node.text("query-wire"));
    let meaning = Meaning::of(&node.text("meaning")).unwrap_or(&ID);
    let form = meaning.form(wire);
    let query_form = meaning.query_form(wire, query_wire.unwrap_or(wire));
    if let (None, Some(given)) = (form, node.get("wire")) {
        cx.say(unfit_wire(cx.language, meaning, "wire", wire, &given.span));
    }
    if let (None, Some(given), Some(query_wire)) = (query_form, node.get("query-wire"), query_wire)
        && (form.is_some() || meaning.form(query_wire).is_none())
    {
        cx.say(unfit_wire(cx.language, meaning, "query-wire", query_wire, &given.span));
    }
    let (form, query_form) = (form.unwrap_or_else(Form::any), query_form.unwrap_or_else(Form::any));
    let example = node.text("example");
    let codes = codes::lower(cx, node, wire, &example);
    let misfit = [form, query_form].into_iter().find(|form| !(form.fits)(&example));
    if let (Some(given), Some(misfit)) = (node.get("example"), misfit) {
        let message = format!("the example must be {}", misfit.expected);
        cx.say(Diagnostic::new(&code::EXAMPLE_VALUE, &given.span, message));
    }
    if let Some(given) = node.get("digits")
        && node.flag("digits")
    {
        let is_text_id = *meaning == ID && wire.written() == Wire::String;
        if !is_text_id {
            let message = "only an `id` that is a string has `digits`";
            cx.say(
                Diagnostic::new(&code::UNFIT_TYPE, &given.span, message).help("remove `digits`"),
            );
        } else if let Some(given) = node.get("example").filter(|_| !is_numeric(&example)) {
            let message = "the example must be decimal digits, because of `digits`";
            cx.say(Diagnostic::new(&code::EXAMPLE_VALUE, &given.span, message));
        }
    }
    let is_sent_as_integer = wire.written() == Wire::String && query_wire == Some(Wire::Integer);
    Some(Scalar {
        rust: RustName::new(&entry.key)?,
        wire,
        query_wire,
        digits: node.flag("digits") || is_sent_as_integer,
        codes,
        meaning,
        form,
        query_form,
        example,
        doc: about.doc,
        source: about.source,
        open: about.open,
    })
}

/// Returns whether a text is an integer as it is written in JSON, of which each has one text.
fn is_integer(text: &str) -> bool {
    text.parse::<i64>().is_ok_and(|number| number.to_string() == text)
}

fn is_numeric(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn unfit_wire(
    language: Language,
    meaning: &Meaning,
    key: &str,
    refused: Wire,
    span: &Range<usize>,
) -> Diagnostic {
    let word = meaning.word;
    let mut allowed = Wire::ALL.into_iter().filter(|wire| *wire != refused);
    let (message, help) = match allowed.find(|wire| meaning.form(*wire).is_some()) {
        Some(wire) if key == "wire" || meaning.form(refused).is_none() && wire != Wire::Codes => {
            let able = MEANINGS.into_iter();
            let able =
                able.filter(|one| one.since <= language.number() && one.form(refused).is_some());
            let able: Vec<_> = able.map(|one| format!("`{}`", one.word)).collect();
            (
                format!("a `{word}` must be {}", wire.noun()),
                format!(
                    "write `{key} = \"{}\"`; only {} can be {}",
                    wire.word(),
                    able.join(" or "),
                    refused.noun()
                ),
            )
        }
        _ => {
            (format!("a `{word}` is written in a query as in a record"), format!("remove `{key}`"))
        }
    };
    Diagnostic::new(&code::UNFIT_TYPE, span, message).help(help)
}

pub(super) fn enums(cx: &mut Context<'_>, root: &Node) -> Vec<Arc<Enum>> {
    let mut enums = Vec::new();
    for entry in root.entries_of("enum") {
        if let Some(one) = one_enum(cx, entry).map(Arc::new) {
            cx.declare(entry, Type::Value(ValueType::Enum(Arc::clone(&one))));
            enums.push(one);
        }
    }
    enums
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
    let wire = Wire::of(&node.text("wire")).unwrap_or(Wire::String);
    let mut values = Vec::new();
    for value in given {
        let about = About::of(cx, &value.node);
        if let Some(code) = value.node.get("wire").filter(|_| wire != Wire::String)
            && !is_integer(code.as_text().unwrap_or_default())
        {
            let message = "the wire text of an enum of integers must be an integer";
            let help = format!(
                "write an integer in quotes, or remove `wire` from the enum `{}`",
                entry.key
            );
            cx.say(Diagnostic::new(&code::UNFIT_TYPE, &code.span, message).help(help));
        }
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
        wire,
        values,
        doc: about.doc,
        source: about.source,
        open: about.open,
    })
}

pub(super) fn models(cx: &mut Context<'_>, root: &Node) -> Vec<Model> {
    let given = root.entries_of("model");
    let ids = (0..given.len()).map(ModelId::new);
    for (id, entry) in ids.clone().zip(given) {
        cx.declare(entry, Type::Model(id));
    }
    let mut models: Vec<_> =
        ids.zip(given).filter_map(|(id, entry)| model(cx, id, entry)).collect();
    recursion::mark(cx, &mut models, given);
    lenient::check(cx, root, &models);
    models
}

fn model(cx: &mut Context<'_>, id: ModelId, entry: &Entry) -> Option<Model> {
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
        id,
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
        Some(field) if !field.ty.value().is_some_and(ValueType::can_identify) => (
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
        let misfit = match &ty {
            Type::Value(ValueType::BuiltIn(BuiltIn { form, .. })) => {
                (!(form.fits)(text)).then(|| format!("the example must be {}", form.expected))
            }
            Type::Value(ValueType::Scalar(_) | ValueType::Enum(_))
            | Type::Model(_)
            | Type::List(_)
            | Type::Map(_) => {
                Some(format!("only a field of type {} has an `example`", cx.built_in_list(" or ")))
            }
        };
        if let Some(message) = misfit {
            cx.say(Diagnostic::new(&code::EXAMPLE_VALUE, &example.span, message));
        }
    }
    let required = node.text("presence") == "required";
    Some(Field {
        rust: rust?,
        wire: entry.key.clone(),
        lenient: lenient::lower(cx, node, &ty, required),
        ty,
        required,
        personal: node.flag("personal"),
        recursive: false,
        example: example.and_then(Node::as_text).map(str::to_owned),
        doc: about.doc,
        source: about.source,
        open: about.open,
        deprecated: about.deprecated,
    })
}

/// Returns the second position for a table without a header, such as an implicit `[model.A.field]`,
/// which has no position.
fn place<'a>(span: &'a Range<usize>, or: &'a Range<usize>) -> &'a Range<usize> {
    if span.is_empty() { or } else { span }
}
