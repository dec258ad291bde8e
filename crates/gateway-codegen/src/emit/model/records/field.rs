//! A field in the owned and the borrowed form of a record.

use crate::ir::{Field, Model, Primitive, Service, Type, ValueType};

/// A field with the code that its type needs in each place.
pub(super) struct RecordField<'a> {
    pub(super) spec: &'a Field,
    /// The name of the field.
    pub(super) name: String,
    kind: Kind,
}

enum Kind {
    /// `String`, borrowed as text.
    Text,
    /// A newtype that wraps text, borrowed as text.
    TextScalar(String),
    /// A small value that both forms hold: a number, a flag or an enum.
    Value { ty: String, is_built_in: bool },
    /// Another record.
    Record { name: String, borrowed: String, is_itself: bool },
}

/// Returns the fields of a model.
pub(super) fn fields<'a>(service: &Service, model: &'a Model) -> Vec<RecordField<'a>> {
    model
        .fields
        .iter()
        .map(|field| RecordField {
            spec: field,
            name: field.rust.snake(),
            kind: kind(service, model, &field.ty),
        })
        .collect()
}

fn kind(service: &Service, model: &Model, ty: &Type) -> Kind {
    match ty {
        Type::Value(ty) => of_value(ty),
        Type::Model(id) => {
            let other = service.model(*id);
            Kind::Record {
                name: other.rust.pascal(),
                borrowed: other.rust.followed_by("ref").pascal(),
                is_itself: other.id == model.id,
            }
        }
    }
}

fn of_value(ty: &ValueType) -> Kind {
    match (ty, ty.in_record()) {
        (ValueType::BuiltIn(_), Primitive::Text) => Kind::Text,
        (ValueType::Scalar(_), Primitive::Text) => Kind::TextScalar(ty.rust()),
        (ValueType::BuiltIn(_), _) => Kind::Value { ty: ty.rust(), is_built_in: true },
        (ValueType::Scalar(_) | ValueType::Enum(_), _) => {
            Kind::Value { ty: ty.rust(), is_built_in: false }
        }
    }
}

impl RecordField<'_> {
    /// Returns whether the borrowed form holds text of the body.
    pub(super) fn is_text(&self) -> bool {
        matches!(self.kind, Kind::Text | Kind::TextScalar(_))
    }

    /// Returns whether the owned form is a `String`.
    pub(super) fn is_string(&self) -> bool {
        matches!(self.kind, Kind::Text)
    }

    /// Returns the type in the owned form, as if the field were required.
    pub(super) fn owned(&self) -> String {
        match &self.kind {
            Kind::Text => "String".to_owned(),
            Kind::TextScalar(name) | Kind::Value { ty: name, .. } => name.clone(),
            Kind::Record { is_itself: true, .. } => self.boxed("Self"),
            Kind::Record { name, .. } => self.boxed(name),
        }
    }

    /// Returns the type in the owned form by its name, as if the field were required.
    pub(super) fn declared(&self) -> String {
        match &self.kind {
            Kind::Record { name, .. } => self.boxed(name),
            Kind::Text | Kind::TextScalar(_) | Kind::Value { .. } => self.owned(),
        }
    }

    /// Returns the type in the borrowed form, as if the field were required.
    pub(super) fn borrowed(&self) -> String {
        match &self.kind {
            Kind::Text | Kind::TextScalar(_) => "Cow<'a, str>".to_owned(),
            Kind::Value { ty, .. } => ty.clone(),
            Kind::Record { is_itself: true, .. } => self.boxed("Self"),
            Kind::Record { borrowed, .. } => self.boxed(&format!("{borrowed}<'a>")),
        }
    }

    /// Returns the type of the constructor's argument, and the initializer of the field.
    pub(super) fn argument(&self) -> (String, String) {
        let name = &self.name;
        match &self.kind {
            Kind::Record { name: ty, .. } if self.spec.boxed => {
                (ty.clone(), format!("{name}: Box::new({name})"))
            }
            Kind::Value { ty, is_built_in: true } | Kind::Record { name: ty, .. } => {
                (ty.clone(), name.clone())
            }
            Kind::Text | Kind::TextScalar(_) | Kind::Value { .. } => {
                (format!("impl Into<{}>", self.owned()), format!("{name}: {name}.into()"))
            }
        }
    }

    fn boxed(&self, ty: &str) -> String {
        if self.spec.boxed { format!("Box<{ty}>") } else { ty.to_owned() }
    }
}
