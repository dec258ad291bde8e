//! A field in the owned and the borrowed form of a record.

use crate::ir::{Field, Model, Primitive, Service, Type, ValueType};

/// A field with the code that its type needs in each place.
pub(super) struct RecordField<'a> {
    pub(super) spec: &'a Field,
    /// The name of the field and of the variable that holds its value while a record is read.
    pub(super) name: String,
    /// The position in the spec, and in the masks and tables of the support code.
    pub(super) index: usize,
    kind: Kind,
}

enum Kind {
    /// `String`, borrowed as text.
    Text,
    /// A newtype that wraps text, borrowed as text.
    TextScalar(String),
    /// A small value that both forms hold: a number, a flag or an enum.
    Value { ty: String, shape: &'static str, is: Is },
    /// Another record.
    Record { name: String, borrowed: String, module: String, is_itself: bool },
}

/// What declares the type of a small value.
#[derive(Clone, Copy)]
enum Is {
    BuiltIn,
    Scalar,
    OpenEnum,
    ClosedEnum,
}

/// Returns the fields of a model.
pub(super) fn fields<'a>(service: &Service, model: &'a Model) -> Vec<RecordField<'a>> {
    model
        .fields
        .iter()
        .enumerate()
        .map(|(index, field)| RecordField {
            spec: field,
            name: field.rust.snake(),
            index,
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
                module: other.rust.module(),
                is_itself: other.id == model.id,
            }
        }
    }
}

fn of_value(ty: &ValueType) -> Kind {
    let is = match (ty, ty.in_record()) {
        (ValueType::BuiltIn(_), Primitive::Text) => return Kind::Text,
        (ValueType::Scalar(_), Primitive::Text) => return Kind::TextScalar(ty.rust()),
        (ValueType::BuiltIn(_), _) => Is::BuiltIn,
        (ValueType::Scalar(_), _) => Is::Scalar,
        (ValueType::Enum(one), _) if one.open_ended => Is::OpenEnum,
        (ValueType::Enum(_), _) => Is::ClosedEnum,
    };
    let shape = match ty.in_record() {
        Primitive::Text => "Text",
        Primitive::Signed => "Integer",
        Primitive::Unsigned => "Unsigned",
        Primitive::Boolean => "Boolean",
    };
    Kind::Value { ty: ty.rust(), shape, is }
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
            Kind::Value { ty, is: Is::BuiltIn, .. } | Kind::Record { name: ty, .. } => {
                (ty.clone(), name.clone())
            }
            Kind::Text | Kind::TextScalar(_) | Kind::Value { .. } => {
                (format!("impl Into<{}>", self.owned()), format!("{name}: {name}.into()"))
            }
        }
    }

    /// Returns the expression that converts a borrowed value into an owned one.
    pub(super) fn to_owned(&self) -> String {
        let value = format!("self.{}", self.name);
        let copy = match (&self.kind, self.spec.required) {
            (Kind::Text, false) => ".map(Cow::into_owned)",
            (Kind::TextScalar(_), true) => ".into()",
            (Kind::TextScalar(_), false) => ".map(Into::into)",
            (Kind::Value { .. }, _) => "",
            (Kind::Record { .. }, true) if self.spec.boxed => {
                return format!("Box::new({value}.into_owned())");
            }
            (Kind::Text | Kind::Record { .. }, true) => ".into_owned()",
            (Kind::Record { .. }, false) if self.spec.boxed => {
                ".map(|record| Box::new(record.into_owned()))"
            }
            (Kind::Record { borrowed, .. }, false) => {
                return format!("{value}.map({borrowed}::into_owned)");
            }
        };
        format!("{value}{copy}")
    }

    /// Returns the type that serde deserializes.
    pub(super) fn slot(&self) -> String {
        match &self.kind {
            Kind::Text | Kind::TextScalar(_) => "CowText<'de>".to_owned(),
            Kind::Value { ty, .. } => ty.clone(),
            Kind::Record { borrowed, .. } => self.boxed(&format!("{borrowed}<'de>")),
        }
    }

    /// Returns the expression that reads a value that is not `null` on the fast path.
    pub(super) fn fast(&self) -> String {
        match &self.kind {
            Kind::Text | Kind::TextScalar(_) => "cursor.text()?".to_owned(),
            Kind::Value { ty, is: Is::OpenEnum, .. } => format!("{ty}::from(cursor.text()?)"),
            Kind::Value { .. } => "cursor.parsed()?".to_owned(),
            Kind::Record { borrowed, .. } if self.spec.boxed => {
                format!("Box::new({borrowed}::read(&mut cursor)?)")
            }
            Kind::Record { borrowed, .. } => format!("{borrowed}::read(&mut cursor)?"),
        }
    }

    /// Returns the shape with which a diagnosis compares a value.
    pub(super) fn shape(&self) -> String {
        match &self.kind {
            Kind::Text | Kind::TextScalar(_) => "Shape::Text".to_owned(),
            Kind::Value { ty, is: Is::ClosedEnum, .. } => {
                format!("Shape::Choice(|text| {ty}::from_text(text).is_some())")
            }
            Kind::Value { shape, .. } => format!("Shape::{shape}"),
            Kind::Record { is_itself: true, .. } => "Shape::Object(&OBJECT)".to_owned(),
            Kind::Record { module, .. } => format!("Shape::Object(&{module}::OBJECT)"),
        }
    }

    fn boxed(&self, ty: &str) -> String {
        if self.spec.boxed { format!("Box<{ty}>") } else { ty.to_owned() }
    }
}
