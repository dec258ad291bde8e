//! A field in the owned and the borrowed form of a record.

use crate::ir::{Field, Model, RustName, Service, Type, Wire};

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
    Value { ty: String, shape: &'static str, is_open_enum: bool },
    /// Another record.
    Record { name: String, borrowed: String, module: String, is_itself: bool },
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
            kind: kind(service, model, field.ty),
        })
        .collect()
}

fn kind(service: &Service, model: &Model, ty: Type) -> Kind {
    let name = service.type_name(ty).map(RustName::pascal).unwrap_or_default();
    let value =
        |ty: &str, shape, is_open_enum| Kind::Value { ty: ty.to_owned(), shape, is_open_enum };
    match ty {
        Type::Text => Kind::Text,
        Type::Integer => value("i64", "Integer", false),
        Type::Boolean => value("bool", "Boolean", false),
        Type::Scalar(index) => match service.scalars.get(index).map(|scalar| scalar.wire) {
            Some(Wire::Integer) => value(&name, "Unsigned", false),
            _ => Kind::TextScalar(name),
        },
        Type::Enum(index) => {
            let is_open = service.enums.get(index).is_some_and(|one| one.open_ended);
            value(&name, if is_open { "Text" } else { "Choice" }, is_open)
        }
        Type::Model(index) => {
            let other = service.models.get(index).unwrap_or(model);
            Kind::Record {
                name,
                borrowed: other.rust.followed_by("ref").pascal(),
                module: other.rust.module(),
                is_itself: other.rust == model.rust,
            }
        }
    }
}

impl RecordField<'_> {
    /// Returns whether the borrowed form holds text of the body.
    pub(super) fn is_text(&self) -> bool {
        matches!(self.kind, Kind::Text | Kind::TextScalar(_))
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
            Kind::Value { ty, .. } if ty == "i64" || ty == "bool" => (ty.clone(), name.clone()),
            Kind::Record { name: ty, .. } if self.spec.boxed => {
                (ty.clone(), format!("{name}: Box::new({name})"))
            }
            Kind::Record { name: ty, .. } => (ty.clone(), name.clone()),
            _ => (format!("impl Into<{}>", self.owned()), format!("{name}: {name}.into()")),
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
            Kind::Value { ty, is_open_enum: true, .. } => format!("{ty}::from(cursor.text()?)"),
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
            Kind::Value { shape: "Choice", ty, .. } => {
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
