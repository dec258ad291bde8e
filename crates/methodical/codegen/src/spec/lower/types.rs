//! Lowers the declared types: scalars, enums and models.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use crate::diag::{listed, say};
use crate::ir::{
    BuiltIn, Codes, EnumValue, Field, Leniency, Meaning, Model, ModelId, RustName, Service, Type,
    ValueType, Wire,
};
use crate::spec::context::{CORRECT, Context, RENAME, owned};
use crate::spec::language::{self, Document, Presence, QueryWire};
use crate::spec::read::At;

/// Lowers the declared scalars and enums.
pub(super) fn values(cx: &mut Context<'_>, document: &Document) -> [Vec<Arc<ValueType>>; 2] {
    let scalars = document.scalars.iter().filter_map(|(name, given)| {
        let scalar = scalar(cx, name, given)?;
        Some(cx.declare_value(name, scalar))
    });
    let scalars = scalars.collect();
    let enums = document.enums.iter().filter_map(|(name, given)| {
        let one = one_enum(cx, name, given)?;
        Some(cx.declare_value(name, one))
    });
    [scalars, enums.collect()]
}

fn scalar(cx: &mut Context<'_>, name: &str, given: &language::Scalar) -> Option<ValueType> {
    let (wire, meaning, example) = (given.wire.value, given.meaning, &given.example);
    let query_wire = given.query_wire.as_ref().map(|wire| match wire.value {
        QueryWire::String => Wire::String,
        QueryWire::Integer => Wire::Integer,
    });
    let in_record = meaning.primitive(wire);
    let in_query = meaning.in_query(wire, query_wire.unwrap_or(wire));
    if in_record.is_none() {
        unfit_wire(cx, meaning, "wire", wire, &given.wire.span);
    }
    if let (None, Some(given), Some(refused)) = (in_query, &given.query_wire, query_wire)
        && (in_record.is_some() || meaning.primitive(refused).is_none())
    {
        unfit_wire(cx, meaning, "query-wire", refused, &given.span);
    }
    if ![in_record, in_query].into_iter().flatten().all(|one| meaning.fits(one, example)) {
        say!(
            cx,
            example.span,
            "the example does not fit the meaning `{}` with this `wire`",
            meaning.word()
        );
    }
    let digits = given.digits.as_ref().filter(|digits| digits.value);
    let is_numeric = !example.is_empty() && example.bytes().all(|byte| byte.is_ascii_digit());
    match digits {
        Some(digits) if meaning != Meaning::Id || wire.written() != Wire::String => {
            say!(cx, digits.span, "only an `id` that is a string has `digits`" => "remove `digits`");
        }
        Some(_) if !is_numeric => {
            say!(cx, example.span, "`digits` allows only digits, but the example has other characters"
                => "correct the example, or remove `digits`");
        }
        _ => {}
    }
    let is_sent_as_integer = wire.written() == Wire::String && query_wire == Some(Wire::Integer);
    Some(ValueType {
        rust: RustName::new(name)?,
        wire,
        query_wire,
        in_record: in_record.unwrap_or_default(),
        in_query: in_query.unwrap_or_default(),
        meaning: Some(meaning),
        digits: digits.is_some() || is_sent_as_integer,
        codes: codes(cx, given),
        example: example.value.clone(),
        about: cx.about(&given.doc, given.source.as_ref(), &given.open),
        ..ValueType::default()
    })
}

fn unfit_wire(
    cx: &mut Context<'_>,
    meaning: Meaning,
    key: &str,
    refused: Wire,
    span: &Range<usize>,
) {
    let allowed = Wire::ALL.iter().filter(|wire| meaning.primitive(**wire).is_some());
    let allowed: Vec<_> = allowed.map(|wire| wire.word()).collect();
    let place = if key == "wire" { "" } else { " in a query" };
    say!(cx, *span, "a `{}` cannot be {}{place}", meaning.word(), refused.noun()
        => "its `wire` can be {}", listed(&allowed));
}

/// Lowers the JSON values of a boolean; `None` if the scalar has another wire, or a list is missing.
fn codes(cx: &mut Context<'_>, given: &language::Scalar) -> Option<Codes> {
    let is_coded = given.wire.value == Wire::Codes;
    let [yes, no] = [&given.yes, &given.no]
        .map(|list| list.as_ref().map(|list| list.value.clone()).unwrap_or_default());
    if [&yes, &no].into_iter().any(|list| list.is_empty() == is_coded) {
        say!(cx, given.wire.span, "a scalar has values in `true` and `false` if its `wire` is `codes`, and only then"
            => "write `true = [1]` and `false = [0]`, or remove them");
    }
    for (key, list) in [("true", &given.yes), ("false", &given.no)] {
        for (code, list) in list.iter().flat_map(|list| list.iter().map(move |code| (code, list))) {
            cx.visible(key, &code.text(), &list.span);
        }
    }
    let codes = Some(Codes { yes, no }).filter(|_| is_coded)?;
    if let Some(both) =
        codes.yes.iter().find(|one| codes.no.iter().any(|no| no.text() == one.text()))
    {
        say!(cx, given.wire.span, "`{}` cannot be both true and false", both.text());
    }
    if codes.value(&given.example).is_none() {
        let texts: Vec<_> = codes.all().map(|code| format!("`{}`", code.text())).collect();
        say!(cx, given.example.span, "the example must be {}", texts.join(" or "));
    }
    Some(codes)
}

fn one_enum(cx: &mut Context<'_>, name: &At<String>, given: &language::Enum) -> Option<ValueType> {
    if given.values.is_empty() {
        let at = place(&given.values.span, &name.span);
        say!(cx, at, "the enum `{name}` has no values" => "add a value");
    }
    let variants =
        given.values.names().map(|name| (name.to_lowercase(), name.as_str(), &name.span));
    cx.distinct("value", RENAME, variants);
    let wires = given.values.iter().map(|(_, value)| &*value.wire);
    cx.distinct_texts("wire text", CORRECT, wires);
    let mut names = given.values.names();
    if let Some(unknown) = names.find(|name| name.eq_ignore_ascii_case("unknown")) {
        say!(cx, unknown.span,
            "cannot name a value `Unknown`: the generated enum uses this name for values outside the list"
            => "choose another name, such as `NotKnown`, and keep its `wire`");
    }
    let mut values = Vec::new();
    for (variant, value) in given.values.iter() {
        values.push(EnumValue {
            rust: RustName::new(variant)?,
            wire: value.wire.value.clone(),
            doc: value.doc.value.clone(),
        });
    }
    Some(ValueType {
        rust: RustName::new(name)?,
        example: values.first().map(|value| value.wire.clone()).unwrap_or_default(),
        values,
        about: cx.about(&given.doc, given.source.as_ref(), &given.open),
        ..ValueType::default()
    })
}

pub(super) fn models(cx: &mut Context<'_>, document: &Document) -> Vec<Model> {
    let given = &document.models;
    for (index, name) in given.names().enumerate() {
        cx.declare(name, Type::Model(ModelId::new(index)));
    }
    let models = given.iter().enumerate();
    let models: Vec<_> = models
        .filter_map(|(index, (name, one))| model(cx, ModelId::new(index), name, one))
        .collect();
    recursion(cx, &models, document);
    // Checked once all models are known: an empty list represents a record without fields.
    for (model, (_, given)) in models.iter().zip(given.iter()) {
        for field in model.fields.iter().filter(|field| field.is(Leniency::EmptyArrayAsMap)) {
            let inner = field.ty.model().and_then(|id| models.get(id.position()));
            let needed = inner.and_then(|inner| inner.fields.iter().find(|field| field.required));
            if let (Some(needed), Some(given)) = (needed, given.fields.named(&field.wire)) {
                say!(cx, given.lenient.span,
                    "`empty-array-as-map` does not fit a model with the required field `{}`", needed.wire
                    => "make all fields of the model optional, or remove it");
            }
        }
    }
    models
}

fn model(
    cx: &mut Context<'_>,
    id: ModelId,
    name: &At<String>,
    given: &language::Model,
) -> Option<Model> {
    if given.fields.is_empty() {
        let at = place(&given.fields.span, &name.span);
        say!(cx, at, "the model `{name}` has no fields" => "add a field");
    }
    let fields: Vec<_> =
        given.fields.iter().filter_map(|(key, given)| field(cx, key, given)).collect();
    let names = given.fields.iter().map(|(key, field)| (&**key, field.rust_name.as_ref()));
    cx.distinct_rust_names("field", names);
    let identity = given.identity.as_ref();
    Some(Model {
        id,
        rust: RustName::new(name)?,
        identity: identity.and_then(|identity| self::identity(cx, identity, given, &fields)),
        columns: None,
        fields,
        about: cx.about(&given.doc, given.source.as_ref(), &given.open),
    })
}

fn identity(
    cx: &mut Context<'_>,
    name: &At<String>,
    given: &language::Model,
    fields: &[Field],
) -> Option<usize> {
    let index = fields.iter().position(|field| field.wire == name.value);
    match index.and_then(|index| fields.get(index)) {
        // The error in the field was already reported.
        None if fields.is_empty() || given.fields.named(name).is_some() => {}
        None => {
            let required = fields.iter().filter(|field| field.required);
            let known: Vec<_> = required.map(|field| field.wire.as_str()).collect();
            cx.unknown(name, format_args!("unknown field `{name}`"), &known, "");
        }
        Some(field) if !field.required || !field.ty.value().is_some_and(can_identify) => {
            say!(cx, name.span, "the field `{name}` cannot identify a record"
                => "choose a required field whose type is `text`, `integer` or a scalar");
        }
        Some(_) => return index,
    }
    None
}

/// Returns whether a value of a type may identify a record.
fn can_identify(ty: &ValueType) -> bool {
    !ty.is_enum() && ty.codes.is_none() && ty.built_in != Some(BuiltIn::Boolean)
}

fn field(cx: &mut Context<'_>, key: &At<String>, given: &language::Field) -> Option<Field> {
    let rust = cx.rust_name(key, given.rust_name.as_ref());
    let about = cx.about(&given.doc, given.source.as_ref(), &given.open);
    let ty = cx.resolve(&given.ty)?;
    if let Some(example) = &given.example {
        match &ty {
            Type::Value(one) if one.built_in.is_some() => {
                if one.json(example).is_none() {
                    say!(cx, example.span, "the example does not fit the type `{}`", one.label());
                }
            }
            _ => {
                let types = Context::built_in_list(" or ");
                say!(cx, example.span, "only a field of type {types} has an `example`");
            }
        }
    }
    let required = given.presence == Presence::Required;
    Some(Field {
        rust: rust?,
        wire: key.value.clone(),
        lenient: lenient(cx, given, &ty, required),
        ty,
        required,
        personal: given.personal,
        example: owned(given.example.as_ref()),
        about,
    })
}

/// Lowers the other forms of a field, and checks that they fit its type.
fn lenient(
    cx: &mut Context<'_>,
    field: &language::Field,
    ty: &Type,
    required: bool,
) -> Vec<Leniency> {
    let mut found = Vec::new();
    for given in field.lenient.iter() {
        let word = given.word();
        if found.contains(&given.value) {
            say!(cx, given.span, "duplicate value `{word}` of `lenient`" => "remove one of them");
        } else if let Some(fits) = misfit(given.value, ty, required) {
            say!(cx, given.span, "`{word}` fits only {fits}" => "remove it, or change the field");
        } else {
            found.push(given.value);
        }
    }
    if found.contains(&Leniency::BlankAsNone) && found.contains(&Leniency::AbsentAsEmpty) {
        say!(cx, field.lenient.span, "cannot use both `blank-as-none` and `absent-as-empty`"
            => "keep `blank-as-none` for an `Option`, or `absent-as-empty` for an empty value");
    }
    found
}

/// Returns what this leniency would fit, if it does not fit the field.
fn misfit(leniency: Leniency, ty: &Type, required: bool) -> Option<&'static str> {
    let is_either = |ty: &Type| ty.value().is_some_and(|one| one.wire == Wire::TextOrNumber);
    let codes = ty.value().and_then(|one| one.codes.as_ref());
    let has_blank = codes.is_some_and(|codes| codes.value("").is_some());
    let (is_fit, fits) = match (leniency, ty) {
        (Leniency::OneAsList, ty) => (
            matches!(ty, Type::List(of) if !of.is_list() && !is_either(of)),
            "a list, but not of lists or of values with `wire = \"text-or-number\"`",
        ),
        (Leniency::EmptyArrayAsMap, ty) => {
            (matches!(ty, Type::Map(_) | Type::Model(_)), "a map or a model")
        }
        (Leniency::AbsentAsEmpty, ty) => {
            (!required && matches!(ty, Type::List(_) | Type::Map(_)), "an optional list or map")
        }
        (Leniency::BlankAsNone, _) => {
            (!required && !has_blank, "an optional field, without an empty text among its codes")
        }
    };
    (!is_fit).then_some(fits)
}

/// Reports models that contain themselves, even through a list or a map.
fn recursion(cx: &mut Context<'_>, models: &[Model], document: &Document) {
    let inner = |field: &Field| field.ty.element().model().map(ModelId::position);
    let contains = |from: &Field, model: usize| {
        let (mut found, mut pending) = (BTreeSet::new(), Vec::from_iter(inner(from)));
        while let Some(one) = pending.pop() {
            if found.insert(one) {
                let fields = models.get(one).into_iter().flat_map(|one| &one.fields);
                pending.extend(fields.filter_map(inner));
            }
        }
        found.contains(&model)
    };
    for (index, (model, (name, given))) in models.iter().zip(document.models.iter()).enumerate() {
        let field = model.fields.iter().find(|field| contains(field, index));
        let key = field.and_then(|one| given.fields.names().find(|key| key.value == one.wire));
        if let Some(key) = key {
            say!(cx, key.span, "the model `{name}` contains itself"
                => "declare another model, without the field, for the inner records");
        }
    }
}

/// Returns the second position for a table without a header, such as an implicit `[model.A.field]`, which has no
/// position.
fn place(span: &Range<usize>, or: &Range<usize>) -> Range<usize> {
    if span.is_empty() { or } else { span }.clone()
}

/// Sets the columns that models declare. All fields must be known by now.
pub(super) fn columns(cx: &mut Context<'_>, document: &Document, service: &mut Service) {
    for (index, (name, given)) in document.models.iter().enumerate() {
        let (Some(list), Some(model)) = (&given.columns, service.models.get(index)) else {
            continue;
        };
        if list.is_empty() {
            say!(cx, list.span, "the model `{name}` has no columns"
                => "list at least one field, or remove `columns`");
        }
        // After a mistake in a field, a column may be unknown only because of it.
        let is_complete = model.fields.len() == given.fields.len();
        let known = if is_complete { service.paths(model) } else { Vec::new() };
        let known: Vec<_> = known.iter().map(|(path, _)| path.as_str()).collect();
        let names: BTreeSet<_> = known.iter().copied().collect();
        let mut seen = BTreeSet::new();
        for column in list.iter() {
            if is_complete && !names.contains(column.as_str()) {
                cx.unknown(column, format_args!("unknown column `{column}`"), &known, "");
            } else if !seen.insert(&column.value) {
                say!(cx, column.span, "duplicate column `{column}`" => "remove one of them");
            }
        }
        if let Some(model) = service.models.get_mut(index) {
            model.columns = Some(list.iter().map(|column| column.value.clone()).collect());
        }
    }
}
