//! What can be added to a list of declarations, removed from it, and moved within it.

use crate::diff::change::Class;
use crate::ir::{Enum, EnumValue, Example, Field, Model, OpenPoint, Operation, Param, Scalar};

/// A declaration in a list.
pub(super) trait Named: Sized {
    /// What it is known by.
    fn key(&self) -> String;
    /// What it means that it came.
    fn added(&self) -> Class {
        Class::Additive
    }
    /// What it means that it went.
    fn removed(&self) -> Class {
        Class::Breaking
    }
    /// What it means that the list has another order.
    fn moved(_old: &[Self], _new: &[Self]) -> Class {
        Class::Documentation
    }
}

/// Arguments of a constructor have the order of the spec, and calls with two of one type still
/// compile when they are swapped. What else has an order is only shown or sent in it.
fn arguments<'a, T: Named + 'a>(
    old: impl Iterator<Item = &'a T>,
    new: impl Iterator<Item = &'a T>,
) -> Class {
    if old.map(Named::key).eq(new.map(Named::key)) { Class::Additive } else { Class::Breaking }
}

impl Named for Scalar {
    fn key(&self) -> String {
        self.rust.pascal()
    }
}

impl Named for Enum {
    fn key(&self) -> String {
        self.rust.pascal()
    }
}

impl Named for EnumValue {
    fn key(&self) -> String {
        self.rust.pascal()
    }

    /// Values are compared by their position.
    fn moved(_old: &[Self], _new: &[Self]) -> Class {
        Class::Breaking
    }
}

impl Named for Model {
    fn key(&self) -> String {
        self.rust.pascal()
    }
}

impl Named for Field {
    fn key(&self) -> String {
        self.wire.clone()
    }

    /// A record without it is refused, and building one takes it.
    fn added(&self) -> Class {
        if self.required { Class::Breaking } else { Class::Additive }
    }

    fn moved(old: &[Self], new: &[Self]) -> Class {
        let required = |one: &&Self| one.required;
        arguments(old.iter().filter(required), new.iter().filter(required))
    }
}

impl Named for Operation {
    fn key(&self) -> String {
        self.rust.words()
    }
}

impl Named for Param {
    fn key(&self) -> String {
        self.wire.clone()
    }

    fn added(&self) -> Class {
        if self.required { Class::Breaking } else { Class::Additive }
    }

    fn moved(old: &[Self], new: &[Self]) -> Class {
        let required = |one: &&Self| one.required;
        arguments(old.iter().filter(required), new.iter().filter(required))
    }
}

impl Named for Example {
    fn key(&self) -> String {
        self.name.kebab()
    }

    fn added(&self) -> Class {
        Class::Documentation
    }

    fn removed(&self) -> Class {
        Class::Documentation
    }
}

impl Named for OpenPoint {
    fn key(&self) -> String {
        self.id.clone()
    }

    fn added(&self) -> Class {
        Class::Documentation
    }

    fn removed(&self) -> Class {
        Class::Documentation
    }
}
