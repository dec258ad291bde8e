//! Lowers the declared types: scalars, enums and models.

use std::sync::Arc;

use crate::diag::{listed, say, say_if};
use crate::ir::{
    BuiltIn, Codes, EnumValue, Field, Leniency, Meaning, Model, ModelId, RustName, Service, Type,
    ValueType, Wire,
};
use crate::spec::context::{CORRECT, Context, RENAME, exact, folded, owned};
use crate::spec::form::Type as TypeName;
use crate::spec::language::{self, Document, Presence};
use crate::spec::read::{At, Named};

/// Lowers the declared scalars or enums.
pub(super) fn declared<T>(
    cx: &mut Context<'_>,
    given: &Named<TypeName, T>,
    lower: impl Fn(&mut Context<'_>, &At<String>, &T) -> Option<ValueType>,
) -> Vec<Arc<ValueType>> {
    let types = given.iter().filter_map(|(name, one)| {
        let ty = Arc::new(lower(cx, name, one)?);
        cx.types.entry(name.value.clone()).or_insert_with(|| Type::Value(Arc::clone(&ty)));
        Some(ty)
    });
    types.collect()
}

pub(super) fn scalar(
    cx: &mut Context<'_>,
    name: &At<String>,
    given: &language::Scalar,
) -> Option<ValueType> {
    let (wire, meaning, example) = (given.wire.value, given.meaning, &given.example);
    let query_wire = given.query_wire.as_ref().and_then(|wire| Wire::of(wire.word()));
    let (word, in_record) = (meaning.word(), meaning.primitive(wire));
    let in_query = meaning.in_query(wire, query_wire.unwrap_or(wire));
    if in_record.is_none() {
        let allowed = Wire::ALL.iter().filter(|wire| meaning.primitive(**wire).is_some());
        let allowed: Vec<_> = allowed.map(|wire| wire.word()).collect();
        say!(cx, given.wire, "`wire = \"{}\"` does not fit the meaning `{word}`", wire.word()
            => "it can be {}", listed(&allowed));
    }
    let is_unfit = |wire| meaning.primitive(wire).is_none();
    if in_query.is_none() && (in_record.is_some() || query_wire.is_some_and(is_unfit)) {
        let is_text = wire.written() == Wire::String;
        let why = ": only an `id` can be text in a record and an integer in a query";
        say!(cx, given.query_wire, "this `query-wire` does not fit the meaning `{word}` with this `wire`"
            => "remove `query-wire`{}", if is_text { why } else { "" });
    }
    let fits = [in_record, in_query].into_iter().flatten().all(|one| meaning.fits(one, example));
    say_if!(cx, !fits, example, "the example does not fit the meaning `{word}` with this `wire`");
    let digits = given.digits.as_ref().filter(|digits| digits.value);
    let may_be_digits = meaning == Meaning::Id && wire.written() == Wire::String;
    let is_numeric = example.bytes().all(|byte| byte.is_ascii_digit());
    say_if!(cx, !may_be_digits, digits, "only an `id` that is a string has `digits`" => "remove `digits`");
    say_if!(cx, digits.is_some() && may_be_digits && !is_numeric, example,
        "`digits` allows only digits, but the example has other characters"
        => "correct the example, or remove `digits`");
    let is_sent_as_integer = wire.written() == Wire::String && query_wire == Some(Wire::Integer);
    Some(ValueType {
        rust: RustName::new(name)?,
        wire,
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

/// Lowers the JSON values of a boolean; `None` if the scalar has another wire, or a list is missing.
fn codes(cx: &mut Context<'_>, given: &language::Scalar) -> Option<Codes> {
    let is_coded = given.wire.value == Wire::Codes;
    for (key, list, code) in [("true", &given.yes, 1), ("false", &given.no, 0)] {
        say_if!(cx, !is_coded, list, "only a scalar with `wire = \"codes\"` has `{key}`"
            => "write `wire = \"codes\"`, or remove `{key}`");
        say_if!(cx, is_coded && list.is_none(), given.wire, "missing key `{key}` of a scalar with `wire = \"codes\"`"
            => "add the JSON values: `{key} = [{code}]`");
        let empty = list.as_ref().filter(|list| list.is_empty());
        say!(cx, empty, "`{key}` has no values" => "list at least one JSON value");
        for code in list.iter().flat_map(|list| list.iter()) {
            cx.visible(key, &code.text(), list);
        }
    }
    let lists = given.yes.as_ref().zip(given.no.as_ref());
    let (yes, no) = lists.filter(|(yes, no)| is_coded && !yes.is_empty() && !no.is_empty())?;
    let codes = Codes { yes: yes.value.clone(), no: no.value.clone() };
    if let Some(both) = yes.iter().find(|one| no.iter().any(|no| no.text() == one.text())) {
        say!(cx, no, "`{}` cannot be both true and false", both.text() => "remove it from one of the lists");
    }
    let texts: Vec<_> = codes.all().map(|code| format!("`{}`", code.text())).collect();
    let fits = codes.value(&given.example).is_some();
    say_if!(cx, !fits, given.example, "the example must be {}", texts.join(" or "));
    Some(codes)
}

pub(super) fn one_enum(
    cx: &mut Context<'_>,
    name: &At<String>,
    given: &language::Enum,
) -> Option<ValueType> {
    say_if!(cx, given.values.is_empty(), given.values,
        "the enum `{name}` has no values" => "add a value");
    cx.distinct("value", RENAME, given.values.names().map(folded));
    cx.distinct("wire text", CORRECT, given.values.iter().map(|(_, value)| exact(&value.wire)));
    say!(cx, given.values.names().find(|name| name.eq_ignore_ascii_case("unknown")),
        "cannot name a value `Unknown`: the generated enum uses this name for values outside the list"
        => "choose another name, such as `NotKnown`, and keep its `wire`");
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
        cx.types.entry(name.value.clone()).or_insert(Type::Model(ModelId(index)));
    }
    let models = given.iter().enumerate();
    models.filter_map(|(index, (name, one))| model(cx, ModelId(index), name, one)).collect()
}

fn model(
    cx: &mut Context<'_>,
    id: ModelId,
    name: &At<String>,
    given: &language::Model,
) -> Option<Model> {
    say_if!(cx, given.fields.is_empty(), given.fields,
        "the model `{name}` has no fields" => "add a field");
    let fields: Vec<_> =
        given.fields.iter().filter_map(|(key, given)| field(cx, key, given)).collect();
    let names = given.fields.iter().map(|(key, field)| (&**key, field.rust_name.as_ref()));
    cx.distinct_rust_names("field", names);
    let (identity, columns) = (given.identity.as_ref(), given.columns.as_ref());
    Some(Model {
        id,
        rust: RustName::new(name)?,
        identity: identity.and_then(|identity| self::identity(cx, identity, given, &fields)),
        columns: columns.map(|all| all.iter().map(|one| one.value.clone()).collect()),
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
            let known = fields.iter().filter(|field| field.required).map(|field| &field.wire);
            cx.unknown(name, format_args!("unknown field `{name}`"), known, "");
        }
        Some(field) if !field.required || !field.ty.value().is_some_and(can_identify) => {
            say!(cx, name, "the field `{name}` cannot identify a record"
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
    let ty = cx.resolve(&given.ty, &given.ty.span)?;
    if let Some(example) = &given.example {
        let built_in = ty.value().filter(|one| one.built_in.is_some());
        let fits = built_in.is_none_or(|one| one.json(example).is_some());
        say_if!(cx, built_in.is_none(), example, "only a field of type `text`, `integer` or `boolean` has an `example`"
            => "remove `example`");
        say_if!(cx, !fits, example, "the example does not fit the type `{}`", given.ty);
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

/// Lowers the other forms of a field and checks that they fit its type.
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
            say!(cx, given, "duplicate value `{word}` of `lenient`" => "remove one of them");
        } else if let Some(fits) = misfit(given.value, ty, required) {
            say!(cx, given, "`{word}` can be used only for {fits}" => "remove it, or change the field");
        } else {
            found.push(given.value);
        }
    }
    let has_both =
        [Leniency::BlankAsNone, Leniency::AbsentAsEmpty].iter().all(|one| found.contains(one));
    say_if!(cx, has_both, field.lenient, "cannot use both `blank-as-none` and `absent-as-empty`"
        => "keep `blank-as-none` for an `Option`, or `absent-as-empty` for an empty value");
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
            (!required && !has_blank, "an optional field that has no empty code")
        }
    };
    (!is_fit).then_some(fits)
}

/// Checks the contents and the columns of all models, which must have been lowered before.
pub(super) fn contents(cx: &mut Context<'_>, document: &Document, service: &Service) {
    for (model, (name, given)) in service.models.iter().zip(document.models.iter()) {
        // A model must not contain itself, even through a list or a map.
        let contains = |field: &&Field| {
            let inner = field.ty.element().model();
            inner.is_some_and(|inner| service.reachable(inner).contains(&model.id))
        };
        let field = model.fields.iter().find(contains);
        let key = field.and_then(|one| given.fields.names().find(|key| key.value == one.wire));
        say!(cx, key, "the model `{name}` contains itself"
            => "declare another model, without the field, for the inner records");
        // An empty list represents a record without fields.
        for field in model.fields.iter().filter(|field| field.is(Leniency::EmptyArrayAsMap)) {
            let mut inner = service.nested(field).into_iter().flat_map(|inner| &inner.fields);
            let (needed, given) = (inner.find(|one| one.required), given.fields.named(&field.wire));
            if let (Some(needed), Some(given)) = (needed, given) {
                say!(cx, given.lenient, "`empty-array-as-map` does not fit a model with the required field `{}`", needed.wire
                    => "make all fields of the model optional, or remove it");
            }
        }
        let Some(columns) = &given.columns else { continue };
        say_if!(cx, columns.is_empty(), columns, "the model `{name}` has no columns"
            => "list at least one field, or remove `columns`");
        let known: Vec<_> = service.paths(model).into_iter().map(|(path, _)| path).collect();
        // After a mistake in a field, a column may be unknown only because of that mistake.
        let is_complete = model.fields.len() == given.fields.len();
        for column in columns.iter().filter(|one| is_complete && !known.contains(&one.value)) {
            cx.unknown(column, format_args!("unknown column `{column}`"), &known, "");
        }
        cx.distinct("column", CORRECT, columns.iter().map(|column| exact(column)));
    }
}
