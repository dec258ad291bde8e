//! The dialects of CSV.

/// A dialect of CSV.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dialect {
    /// Whether `'` is put before text that a spreadsheet would run as a formula.
    pub(crate) escape_formulas: bool,
    /// Whether the output starts with the byte order mark by which Excel recognizes UTF-8.
    pub(crate) byte_order_mark: bool,
    /// The character between cells; it must be ASCII.
    pub(crate) separator: char,
}
