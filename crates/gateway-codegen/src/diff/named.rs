//! The effect of adding, removing and moving declarations in a list.

use std::sync::Arc;

use crate::diff::change::Class;
use crate::ir::{Enum, EnumValue, Example, Field, Model, OpenPoint, Operation, Param, Scalar};

/// A declaration in a list.
pub(super) trait Named: Sized {
    /// Returns the name that identifies it in its list.
    fn key(&self) -> String;
    /// Returns the effect of adding it.
    fn added(&self) -> Class {
        Class::Additive
    }
    /// Returns the effect of removing it.
    fn removed(&self) -> Class {
        Class::Breaking
    }
    /// Returns the effect of a new order of the list.
    fn moved(_old: &[Self], _new: &[Self]) -> Class {
        Class::Documentation
    }
}

/// Returns the effect of a new order of required declarations. They are the arguments of a
/// constructor, so a new order breaks calls, and calls with arguments of the same type still compile.
/// The order of all others only affects how they are printed and sent.
fn arguments<'a, T: Named + 'a>(
    old: impl Iterator<Item = &'a T>,
    new: impl Iterator<Item = &'a T>,
) -> Class {
    if old.map(Named::key).eq(new.map(Named::key)) { Class::Additive } else { Class::Breaking }
}

impl Named for Arc<Scalar> {
    fn key(&self) -> String {
        self.rust.plain()
    }
}

impl Named for Arc<Enum> {
    fn key(&self) -> String {
        self.rust.plain()
    }
}

impl Named for EnumValue {
    fn key(&self) -> String {
        self.rust.plain()
    }

    /// The order of values in Rust follows their position.
    fn moved(_old: &[Self], _new: &[Self]) -> Class {
        Class::Breaking
    }
}

impl Named for Model {
    fn key(&self) -> String {
        self.rust.plain()
    }
}

impl Named for Field {
    fn key(&self) -> String {
        self.wire.clone()
    }

    /// Records without a required field are rejected, and its constructor argument is new.
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
