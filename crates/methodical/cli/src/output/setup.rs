//! The columns, the flags and the destination that the writer of a format gets.

use std::path::Path as FilePath;

use crate::output::column::OutputColumn;
use crate::output::dialect::Dialect;
use crate::output::record::Path;
use crate::record_type::Noun;
use crate::screen::View;

/// The output that a format writes: the columns, and what the command line says about it.
///
/// [`OutputFormat::writer`](crate::OutputFormat::writer) gets one.
#[derive(Clone, Copy, Debug)]
pub struct OutputSetup<'a> {
    pub(crate) columns: &'a [OutputColumn],
    /// Whether the output is one object, not a list.
    pub(crate) single: bool,
    pub(crate) view: View,
    /// The name of a record, if records are counted.
    pub(crate) noun: Option<Noun>,
    pub(crate) dialect: Dialect,
    /// The filter of `--jq`.
    pub(crate) jq: Option<&'a str>,
    /// Whether no column of a table is shortened or hidden.
    pub(crate) wide: bool,
    pub(crate) quiet: bool,
    /// The file that the output will replace.
    pub(crate) file: Option<&'a FilePath>,
}

impl OutputSetup<'_> {
    /// Returns the columns, in their order.
    pub fn columns(&self) -> &[OutputColumn] {
        self.columns
    }

    /// Returns whether the output is one object, and not a list.
    pub fn is_single(&self) -> bool {
        self.single
    }

    /// Returns whether the output is a terminal, where control characters must be escaped.
    pub fn is_terminal(&self) -> bool {
        self.view.is_terminal()
    }

    /// Returns the folder of the output file; `None` if the output is not a file. Temporary files belong there, because the
    /// folder of the system for them may be too small.
    pub fn folder(&self) -> Option<&FilePath> {
        let folder = self.file?.parent().filter(|folder| !folder.as_os_str().is_empty());
        Some(folder.unwrap_or_else(|| FilePath::new(".")))
    }

    /// Returns the paths of the columns.
    pub(crate) fn paths(&self) -> Vec<Path> {
        self.columns.iter().map(|column| column.path.clone()).collect()
    }
}
