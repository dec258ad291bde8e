//! The dialects of CSV.

/// A dialect of CSV.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dialect {
    /// Whether `'` is put before text that a spreadsheet would run as a formula.
    pub(crate) escape_formulas: bool,
    /// The character between cells; it must be ASCII.
    pub(crate) separator: char,
}
