//! In place of `mirror` in a build without it: the hooks that other modules call. No program has one of them.

use std::any::Any;
use std::convert::Infallible;

use methodical_client::model::tables::Table;

/// The parts of the commands that depend on the service.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mirroring {
    pub(crate) select: Select,
    pub(crate) others: Others,
    never: Infallible,
}

impl Mirroring {
    /// Returns the first value that the mirror recovers.
    pub(crate) fn recovered(&self) -> Result<Recovered, Infallible> {
        match self.never {}
    }
}

/// A value that the mirror recovers: the value of a member in a group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recovered {
    pub(crate) members: &'static Table,
    pub(crate) groups: &'static Table,
    pub(crate) value: &'static str,
}

impl Recovered {
    /// Returns the name of the field with the identity of the group.
    pub(crate) fn group_field(&self) -> String {
        self.value.to_owned()
    }
}

/// Returns what a query selects from a mirror.
type Select = fn(query: &dyn Any) -> Selected;

/// Returns the queries for other values than that of a query.
type Others = fn(query: &dyn Any, values: &[String]) -> Vec<Box<dyn Any>>;

/// The records of a mirror that a query selects.
#[derive(Debug)]
pub(crate) struct Selected;

/// Lists that a mirror answers.
pub(crate) mod list {
    use std::any::Any;

    use crate::failure::Failure;
    use crate::mirror::{Select, Selected};
    use crate::program::RecordType;
    use crate::run::Invocation;

    pub(crate) fn print(
        _query: &dyn Any,
        _select: Select,
        _record: RecordType<'_>,
        _invocation: &Invocation,
    ) -> Result<(), Failure> {
        Err(Failure::usage("cannot read a mirror: this program was built without it"))
    }

    pub(crate) fn note_unknown(_selected: &Selected, _client: &dyn Any, _invocation: &Invocation) {}
}

/// The groups of a mirror.
pub(crate) mod placements {
    use crate::failure::Failure;
    use crate::mirror::Mirroring;
    use crate::run::Invocation;

    pub(crate) fn group_of_title(
        _text: &str,
        of: Mirroring,
        _invocation: &Invocation,
    ) -> Result<String, Failure> {
        match of.never {}
    }
}
