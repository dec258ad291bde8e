//! A field in the owned and the borrowed form of a record.

use crate::ir::{Field, Leniency, Model, Primitive, Service, Type, ValueType};

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
    Record { name: String, borrowed: String, is_itself: bool, is_boxed: bool },
    /// A list.
    List(Box<Self>),
    /// An object with arbitrary keys.
    Map(Box<Self>),
}

/// Returns the fields of a model.
pub(super) fn fields<'a>(service: &Service, model: &'a Model) -> Vec<RecordField<'a>> {
    model
        .fields
        .iter()
        .map(|field| RecordField {
            spec: field,
            name: field.rust.snake(),
            kind: kind(service, model, &field.ty, field.is_boxed()),
        })
        .collect()
}

fn kind(service: &Service, model: &Model, ty: &Type, is_boxed: bool) -> Kind {
    match ty {
        Type::Value(ty) => of_value(ty),
        Type::Model(id) => {
            let other = service.model(*id);
            Kind::Record {
                name: other.rust.pascal(),
                borrowed: other.rust.followed_by("ref").pascal(),
                is_itself: other.id == model.id,
                is_boxed,
            }
        }
        Type::List(of) => Kind::List(Box::new(kind(service, model, of, false))),
        Type::Map(of) => Kind::Map(Box::new(kind(service, model, of, false))),
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

impl Kind {
    fn element(&self) -> &Self {
        match self {
            Self::List(of) | Self::Map(of) => of.element(),
            _ => self,
        }
    }

    /// Returns the type in the owned form; `own` replaces the name of the record itself.
    fn owned(&self, own: Option<&str>) -> String {
        match self {
            Self::Text => "String".to_owned(),
            Self::TextScalar(name) | Self::Value { ty: name, .. } => name.clone(),
            Self::Record { name, is_itself, is_boxed, .. } => {
                boxed(own.filter(|_| *is_itself).unwrap_or(name), *is_boxed)
            }
            Self::List(of) => format!("Vec<{}>", of.owned(own)),
            Self::Map(of) => format!("Map<{}>", of.owned(own)),
        }
    }

    fn borrowed(&self) -> String {
        match self {
            Self::Text | Self::TextScalar(_) => "Cow<'a, str>".to_owned(),
            Self::Value { ty, .. } => ty.clone(),
            Self::Record { is_itself: true, is_boxed, .. } => boxed("Self", *is_boxed),
            Self::Record { borrowed, is_boxed, .. } => boxed(&format!("{borrowed}<'a>"), *is_boxed),
            Self::List(of) => format!("Vec<{}>", of.borrowed()),
            Self::Map(of) => format!("Map<{}, Cow<'a, str>>", of.borrowed()),
        }
    }
}

impl RecordField<'_> {
    /// Returns whether the borrowed form holds text of the body.
    pub(super) fn is_text(&self) -> bool {
        matches!(self.kind.element(), Kind::Text | Kind::TextScalar(_))
            || self.spec.ty.has(Type::is_map)
    }

    /// Returns whether the owned form contains a `String` by this name.
    pub(super) fn is_string(&self) -> bool {
        matches!(self.kind.element(), Kind::Text)
    }

    /// Returns whether the field contains a `Float` by this name.
    pub(super) fn is_float(&self) -> bool {
        let value = self.spec.ty.element().value();
        value.is_some_and(|value| value.name().is_none() && value.in_record() == Primitive::Float)
    }

    /// Returns the type in the owned form, as if the field were required.
    pub(super) fn owned(&self) -> String {
        self.kind.owned(Some("Self"))
    }

    /// Returns the type in the owned form by its name, as if the field were required.
    pub(super) fn declared(&self) -> String {
        self.kind.owned(None)
    }

    /// Returns the type that reads the field: the one of its value, or one that accepts other forms, too.
    pub(super) fn reader(&self) -> String {
        match &self.kind {
            Kind::List(of) if self.spec.is(Leniency::OneAsList) => {
                format!("codegen::OneAsList<{}>", of.owned(None))
            }
            kind if self.spec.is(Leniency::EmptyArrayAsMap) => {
                format!("codegen::EmptyArrayAsMap<{}>", kind.owned(None))
            }
            kind => kind.owned(None),
        }
    }

    /// Returns the type in the borrowed form, as if the field were required.
    pub(super) fn borrowed(&self) -> String {
        self.kind.borrowed()
    }

    /// Returns the type of the constructor's argument, and the initializer of the field.
    pub(super) fn argument(&self) -> (String, String) {
        let name = &self.name;
        match &self.kind {
            Kind::Record { name: ty, is_boxed: true, .. } => {
                (ty.clone(), format!("{name}: Box::new({name})"))
            }
            Kind::Value { ty, is_built_in: true } | Kind::Record { name: ty, .. } => {
                (ty.clone(), name.clone())
            }
            Kind::List(_) | Kind::Map(_) => (self.declared(), name.clone()),
            Kind::Text | Kind::TextScalar(_) | Kind::Value { .. } => {
                (format!("impl Into<{}>", self.owned()), format!("{name}: {name}.into()"))
            }
        }
    }
}

fn boxed(ty: &str, is_boxed: bool) -> String {
    if is_boxed { format!("Box<{ty}>") } else { ty.to_owned() }
}
