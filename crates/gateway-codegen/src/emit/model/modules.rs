//! The generated modules with the newtypes and enums that records and queries import.

use crate::ir::ValueType;

/// A module that declares types of single values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Module {
    Enums,
    Scalars,
}

impl Module {
    /// Returns the beginning of an import from the module.
    pub(super) fn path(self) -> String {
        let name = match self {
            Self::Enums => "enums",
            Self::Scalars => "scalars",
        };
        format!("use crate::generated::{name}")
    }

    /// Returns the name of a type if the module declares it.
    pub(super) fn name_of(self, ty: &ValueType) -> Option<String> {
        let (module, name) = match ty {
            ValueType::BuiltIn(_) => return None,
            ValueType::Scalar(scalar) => (Self::Scalars, &scalar.rust),
            ValueType::Enum(one) => (Self::Enums, &one.rust),
        };
        (module == self).then(|| name.pascal())
    }
}
