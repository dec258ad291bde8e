//! The spells of values, as stores write and read them.

use crate::keep::spell::SpellFilter;

/// A change of the spells of a placement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SpellStep<'a> {
    /// The recovered table.
    pub(crate) table: &'a str,
    /// The identity of the placement.
    pub(crate) id: &'a str,
    pub(crate) kind: StepKind<'a>,
}

/// The kind of a change of spells.
#[derive(Clone, Copy, Debug)]
pub(crate) enum StepKind<'a> {
    /// Begins a spell.
    Begin { value: Option<&'a str>, at: i64, began_before: bool },
    /// Ends the spell that has no end.
    End { at: i64 },
    /// Removes the end of the last spell.
    Resume,
}

/// Which spells of a table are removed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SpellsOf<'a> {
    Record(&'a str),
    Group(&'a str),
    Member(&'a str),
    Table,
}

/// Which spells to read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SpellPage<'a> {
    pub(crate) table: &'a str,
    pub(crate) filter: &'a SpellFilter,
    pub(crate) direction: Direction,
    pub(crate) limit: usize,
}

/// The order of spells, and where they begin.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Direction {
    /// Those with a larger number, the smallest one first.
    After(i64),
    /// Those with a smaller number, the largest one first.
    Before(i64),
}
